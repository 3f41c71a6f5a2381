/**
 * Gets the engine's verdict on a checked statement: EXPLAIN, which tells the schema cookie too, and EXPLAIN QUERY PLAN in
 * one batch, one round trip, no rows read. Verdicts are kept by statement text and hold for one schema cookie, so a repeated query is
 * not explained again; run.ts notices when the cookie has moved on.
 */
import { byteLength } from "../lib/bytes.ts";
import { toCookie } from "./catalog.ts";
import { type DatabaseConnection, runBatch } from "./connection.ts";
import { type CheckedQuery, SQL_BYTES_MAX } from "./gate.ts";
import type { Judged, KnownVerdicts } from "./known-verdicts.ts";
import type { SqlRefusal } from "./refusal.ts";
import type { Retry } from "./retry.ts";
import type { Scopes } from "./scopes.ts";
import type { Snapshots } from "./snapshot.ts";
import { checkVerdict, toBody, toWrappedSql } from "./verdict.ts";

export type Judgement =
  | ({ readonly kind: "verdict" } & Judged)
  | { readonly kind: "refused"; readonly refusal: SqlRefusal };

export interface Judge {
  /** Throws what D1 throws, also for a statement that the engine cannot compile. */
  judge(connection: DatabaseConnection, retry: Retry, checked: CheckedQuery, rowsReadMax: number): Promise<Judgement>;
  /** Keeps the column names of a judged statement, so that its next run need not ask for them. */
  keepNames(checked: CheckedQuery, names: readonly string[]): void;
  /** Drops a verdict whose schema has moved on, and reads the schema again. */
  forget(connection: DatabaseConnection, retry: Retry, checked: CheckedQuery): Promise<void>;
}

/** Times a statement is judged because the schema changed in between. */
export const JUDGEMENTS_MAX = 3;

export const SCHEMA_MOVES: SqlRefusal = {
  code: "schema_changed",
  message: "The tables of the database are being changed right now.",
  advice: ["Send the query again in a moment."],
};

/** `rowsMax` is how many rows of a result are asked for; `known`: verdicts of this caller's scopes, over this database. */
export function createJudge(snapshots: Snapshots, scopes: Scopes, rowsMax: number, known: KnownVerdicts): Judge {
  return {
    async judge(connection, retry, checked, rowsReadMax) {
      const found = known.find(checked.sql);
      if (found !== null && found.verdict.rowsReadEstimate <= rowsReadMax) return { kind: "verdict", ...found };
      for (let round = 0; round < JUDGEMENTS_MAX; round += 1) {
        const snapshot = await snapshots.read(connection, retry, round > 0);
        const { catalog, profile } = snapshot;
        const body = toBody(checked, catalog, scopes);
        const wrapped = toWrappedSql(body, rowsMax);
        const statements = [`EXPLAIN ${wrapped}`, `EXPLAIN QUERY PLAN ${wrapped}`];
        if (statements.some((sql) => byteLength(sql) > SQL_BYTES_MAX)) return { kind: "refused", refusal: TOO_LONG };
        const [explain = [], plan = []] = await retry(() => runBatch(connection, statements));
        // The program says itself under which schema it was compiled; one that opens no table needs none.
        const cookie = toCookie(explain);
        if (cookie !== 0 && cookie !== catalog.cookie) continue;
        const input = { checked, body, explain, plan, catalog, profile, scopes, rowsReadMax, resultRowsMax: rowsMax };
        const verdict = checkVerdict(input);
        if (!verdict.ok) return { kind: "refused", refusal: verdict.error };
        const judged: Judged = { verdict: verdict.value, snapshot, names: null };
        known.keep(checked.sql, judged);
        return { kind: "verdict", ...judged };
      }
      return { kind: "refused", refusal: SCHEMA_MOVES };
    },

    keepNames(checked, names) {
      const found = known.find(checked.sql);
      if (found !== null && found.names === null) known.keep(checked.sql, { ...found, names });
    },

    async forget(connection, retry, checked) {
      known.drop(checked.sql);
      await snapshots.read(connection, retry, true);
    },
  };
}

/** The subquery and EXPLAIN take some bytes of D1's limit themselves. */
const TOO_LONG: SqlRefusal = {
  code: "sql_too_long",
  message: `The statement and what is put around it are longer than ${SQL_BYTES_MAX} bytes.`,
  advice: ["Shorten it: select fewer columns, or replace long IN lists by a join or a subquery."],
};
