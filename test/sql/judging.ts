/** A statement judged as database.ts would have it judged, with SQLite in memory as the engine. */
import type { DatabaseSync } from "node:sqlite";
import type { Result } from "../../src/lib/result.ts";
import type { Catalog } from "../../src/sql/catalog.ts";
import { checkQuery } from "../../src/sql/gate.ts";
import type { Profile } from "../../src/sql/profile.ts";
import type { SqlRefusal } from "../../src/sql/refusal.ts";
import type { Scopes } from "../../src/sql/scopes.ts";
import { checkVerdict, toBody, toWrappedSql, type Verdict } from "../../src/sql/verdict.ts";
import { catalogOf, rowsOf } from "./engine.ts";

export interface Court {
  judge(sql: string, scopes?: Scopes, rowsReadMax?: number): Result<Verdict, SqlRefusal>;
  /** The rows of the statement as it would run, behind its shields. */
  rows(sql: string, scopes?: Scopes): readonly unknown[];
  readonly catalog: Catalog;
}

export async function courtOf(database: DatabaseSync, sizes: Readonly<Record<string, number>> = {}): Promise<Court> {
  const catalog = await catalogOf(database);
  const counted = Object.entries(sizes).map(
    ([name, rows]) => [name, { counted: rows, isExact: true, estimate: rows }] as const,
  );
  const profile: Profile = { sizes: new Map(counted), samples: new Map() };

  function judge(sql: string, scopes: Scopes = {}, rowsReadMax = 5_000_000): Result<Verdict, SqlRefusal> {
    const checked = checkQuery(sql);
    if (!checked.ok) return checked;
    const body = toBody(checked.value, catalog, scopes);
    const wrapped = toWrappedSql(body, 1_001);
    return checkVerdict({
      checked: checked.value,
      body,
      explain: rowsOf(database, `EXPLAIN ${wrapped}`),
      plan: rowsOf(database, `EXPLAIN QUERY PLAN ${wrapped}`),
      catalog,
      profile,
      scopes,
      rowsReadMax,
      resultRowsMax: 1_001,
    });
  }

  return {
    catalog,
    judge,
    rows(sql, scopes = {}) {
      const verdict = judge(sql, scopes);
      if (!verdict.ok) throw new Error(verdict.error.message);
      return rowsOf(database, toWrappedSql(verdict.value.query, 1_001)).map((row) => Object.values(row));
    },
  };
}
