/**
 * Gets the engine's verdict on a checked statement: EXPLAIN, EXPLAIN QUERY PLAN and the schema cookie in one batch, one
 * round trip, no rows read. Verdicts are kept by statement text and hold for one schema cookie, so a repeated query is
 * not explained again; run.ts notices when the cookie has moved on.
 */
import { byteLength } from "../lib/bytes.ts";
import { COOKIE_SQL, toCookie } from "./catalog.ts";
import { type DatabaseConnection, runBatch } from "./connection.ts";
import { type CheckedQuery, SQL_BYTES_MAX } from "./gate.ts";
import type { SqlRefusal } from "./refusal.ts";
import type { Retry } from "./retry.ts";
import type { Scopes } from "./scopes.ts";
import type { Snapshot, Snapshots } from "./snapshot.ts";
import { checkVerdict, toBody, toWrappedSql, type Verdict } from "./verdict.ts";

export type Judgement =
  | ({ readonly kind: "verdict" } & Judged)
  | { readonly kind: "refused"; readonly refusal: SqlRefusal };

export interface Judged {
  readonly verdict: Verdict;
  readonly snapshot: Snapshot;
  /** Column names, once a run has told them. */
  readonly names: readonly string[] | null;
}

export interface Judge {
  /** Throws what D1 throws, also for a statement that the engine cannot compile. */
  judge(connection: DatabaseConnection, retry: Retry, checked: CheckedQuery, rowsReadMax: number): Promise<Judgement>;
  /** Keeps the column names of a judged statement, so that its next run need not ask for them. */
  keepNames(checked: CheckedQuery, names: readonly string[]): void;
  /** Drops a verdict whose schema has moved on, and reads the schema again. */
  forget(connection: DatabaseConnection, retry: Retry, checked: CheckedQuery): Promise<void>;
}

/** Verdicts kept: a run asks a dozen queries and repeats some; an object serves one caller. */
const VERDICTS_MAX = 50;
/** Times a statement is judged because the schema changed in between. */
export const JUDGEMENTS_MAX = 3;

export const SCHEMA_MOVES: SqlRefusal = {
  code: "schema_changed",
  message: "The tables of the database are being changed right now.",
  advice: ["Send the query again in a moment."],
};

/** `rowsMax` is how many rows of a result are asked for. */
export function createJudge(snapshots: Snapshots, scopes: Scopes, rowsMax: number): Judge {
  const known = new Map<string, Judged>();

  function remember(sql: string, judged: Judged): Judgement {
    const oldest = known.keys().next();
    if (known.size >= VERDICTS_MAX && !oldest.done) known.delete(oldest.value);
    known.set(sql, judged);
    return { kind: "verdict", ...judged };
  }

  return {
    async judge(connection, retry, checked, rowsReadMax) {
      const found = known.get(checked.sql);
      if (found !== undefined && found.verdict.rowsReadEstimate <= rowsReadMax) return { kind: "verdict", ...found };
      for (let round = 0; round < JUDGEMENTS_MAX; round += 1) {
        const snapshot = await snapshots.read(connection, retry, round > 0);
        const { catalog, profile } = snapshot;
        const body = toBody(checked, catalog, scopes);
        const wrapped = toWrappedSql(body, rowsMax);
        const statements = [`EXPLAIN ${wrapped}`, `EXPLAIN QUERY PLAN ${wrapped}`, COOKIE_SQL];
        if (statements.some((sql) => byteLength(sql) > SQL_BYTES_MAX)) return { kind: "refused", refusal: TOO_LONG };
        const [explain = [], plan = [], cookie = []] = await retry(() => runBatch(connection, statements));
        if (toCookie(cookie) !== catalog.cookie) continue;
        const input = { checked, body, explain, plan, catalog, profile, scopes, rowsReadMax, resultRowsMax: rowsMax };
        const verdict = checkVerdict(input);
        if (!verdict.ok) return { kind: "refused", refusal: verdict.error };
        return remember(checked.sql, { verdict: verdict.value, snapshot, names: null });
      }
      return { kind: "refused", refusal: SCHEMA_MOVES };
    },

    keepNames(checked, names) {
      const found = known.get(checked.sql);
      if (found !== undefined && found.names === null) known.set(checked.sql, { ...found, names });
    },

    async forget(connection, retry, checked) {
      known.delete(checked.sql);
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
