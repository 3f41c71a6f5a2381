/**
 * The read-only database over a D1 binding. The order is fixed: gate, engine's verdict, run, tripwire; and only a
 * `ReadOnlyQuery` gets to the run. Nothing the world does makes it throw; a bug of ours does (L4).
 * A query costs two round trips, one when its verdict is known: EXPLAIN and EXPLAIN QUERY PLAN in a batch, then the
 * statement between two readings of `total_changes()` and of the schema cookie, which need no rows. Every query runs in
 * a D1 session, so that a run which passes its bookmark on sees one database that only moves forward.
 * A statement that runs cannot be stopped, here or on D1: an abort ends the waiting, not the work.
 */
import type { Foreseen, NewResult } from "../agent/tool.ts";
import { classifyError } from "./failure.ts";
import { type CheckedQuery, checkQuery } from "./gate.ts";
import { type SqlError, toSqlError } from "./hints.ts";
import { createJudge, JUDGEMENTS_MAX, type Judge, type Judgement, SCHEMA_MOVES } from "./judge.ts";
import { openKnownVerdicts } from "./known-verdicts.ts";
import { type TableScan, toPlanLines } from "./plan.ts";
import { toReach } from "./reach.ts";
import type { SqlRefusal } from "./refusal.ts";
import { RESULT_ROWS_MAX, toResult } from "./result.ts";
import { createRetry, type Retry } from "./retry.ts";
import { type Ran, runReadOnly } from "./run.ts";
import type { DatabaseSchema } from "./schema.ts";
import { foldName, type Scopes } from "./scopes.ts";
import { createSnapshots } from "./snapshot.ts";
import { type CellKind, restoreNames } from "./values.ts";

export interface QueryRows {
  readonly kind: "rows";
  readonly result: NewResult;
  readonly columnKinds: readonly (CellKind | "mixed")[];
  readonly tables: readonly string[];
  readonly rowsRead: number;
  readonly rowsReadEstimate: number;
  readonly warnings: readonly string[];
  readonly durationMs: number;
  /** Pass it to the run's next query. */
  readonly bookmark: string | null;
}

export type QueryOutcome =
  | QueryRows
  /** Said no before the database ran anything. */
  | { readonly kind: "refused"; readonly refusal: SqlRefusal }
  | { readonly kind: "failed"; readonly error: SqlError; readonly rowsRead: number }
  /** The tripwire: something changed while a proved read ran. The run must stop, and a person must look. */
  | { readonly kind: "quarantined"; readonly reason: string; readonly sql: string; readonly rowsRead: number };

export interface QueryOptions {
  /** Rows that this query may make the database read. */
  readonly rowsReadMax: number;
  readonly signal: AbortSignal;
  /** From an earlier query of the same run. */
  readonly bookmark?: string;
}

export interface Database {
  /** What the caller may see. Rejects only when D1 cannot be reached. */
  schema(): Promise<DatabaseSchema>;
  query(sql: string, options: QueryOptions): Promise<QueryOutcome>;
  /** What the query would do, by its plan; nothing when it would not run at all. Reads no rows. */
  foresee(sql: string): Promise<Foreseen>;
}

export interface DatabaseOptions {
  readonly now: () => number;
  /** Waits between tries of a passing fault. */
  readonly sleep?: (durationMs: number) => Promise<void>;
}

/** Rows of a table from which scanning all of it is worth a warning. */
const SCAN_WARNING_ROWS = 5_000;

/** Wires a read-only database for one caller. Keeps its schema while it lives; verdicts are shared. */
export function createDatabase(d1: D1Database, scopes: Scopes, options: DatabaseOptions): Database {
  const sleep = options.sleep ?? ((durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs)));
  const rowsMax = Math.max(1, Math.min(scopes.rowCap ?? RESULT_ROWS_MAX, RESULT_ROWS_MAX));
  const snapshots = createSnapshots(scopes, options.now, d1);
  // Where no bookmark is passed in, a query sees at least what the one before it saw.
  let lastBookmark: string | null = null;
  // One row more than is kept tells whether there are more.
  const known = openKnownVerdicts(d1, scopes, rowsMax + 1, options.now);
  const judge = createJudge(snapshots, scopes, rowsMax + 1, known);

  return {
    async schema() {
      return (await snapshots.read(d1, createRetry(null, sleep), false)).schema;
    },

    async foresee(sql) {
      const checked = checkQuery(sql);
      if (!checked.ok) return NOTHING_FORESEEN;
      try {
        const retry = createRetry(null, sleep);
        const judgement = await judge.judge(d1, retry, checked.value, Number.MAX_SAFE_INTEGER);
        if (judgement.kind === "refused") return NOTHING_FORESEEN;
        const { rowsReadEstimate, tables, planRows } = judgement.verdict;
        return { rowsRead: rowsReadEstimate, tables, plan: () => toPlanLines(planRows) };
      } catch (error) {
        // The query itself meets the same failure and tells it.
        if (classifyError(error).kind === "bug") throw error;
        return NOTHING_FORESEEN;
      }
    },

    async query(sql, { rowsReadMax, signal, bookmark }) {
      const checked = checkQuery(sql);
      if (!checked.ok) return { kind: "refused", refusal: checked.error };
      if (!(rowsReadMax > 0)) return { kind: "refused", refusal: NO_ROWS_LEFT };
      if (signal.aborted) return toAborted(0);
      const call: Call = {
        checked: checked.value,
        session: d1.withSession(bookmark ?? lastBookmark ?? "first-unconstrained"),
        retry: createRetry(signal, sleep),
        scopes,
        rowsMax,
        rowsReadMax,
        now: options.now,
        meter: { rowsRead: 0 },
      };
      try {
        const outcome = await untilAborted(runQuery(call, judge), call, signal);
        if (outcome.kind === "rows") lastBookmark = outcome.bookmark ?? lastBookmark;
        return outcome;
      } catch (error) {
        const failure = classifyError(error);
        if (failure.kind === "bug") throw error;
        const schema = snapshots.last()?.schema ?? { tables: [] };
        return { kind: "failed", error: toSqlError(failure, schema, sql), rowsRead: call.meter.rowsRead };
      }
    },
  };
}

interface Call {
  readonly checked: CheckedQuery;
  readonly session: D1DatabaseSession;
  readonly retry: Retry;
  readonly scopes: Scopes;
  readonly rowsMax: number;
  readonly rowsReadMax: number;
  readonly now: () => number;
  /** What the query must be taken to have read when its end is never seen: nothing, or the estimate once it runs. */
  readonly meter: { rowsRead: number };
}

async function runQuery(call: Call, judge: Judge): Promise<QueryOutcome> {
  const { checked, session, retry, meter } = call;
  const startedAt = call.now();
  const masks = call.scopes.maskValues ?? [];
  for (let round = 0; round < JUDGEMENTS_MAX; round += 1) {
    const judgement = await judge.judge(session, retry, checked, call.rowsReadMax);
    if (judgement.kind === "refused") return judgement;
    const { verdict, names } = judgement;
    const { query, rowsReadIfLost } = verdict;
    meter.rowsRead = rowsReadIfLost;
    const ran = await retry(() => runReadOnly(session, query, names, call.rowsMax + 1, masks));
    if (ran.kind === "stale") {
      await judge.forget(session, retry, checked);
      continue;
    }
    if (ran.kind === "tripped") {
      return { kind: "quarantined", reason: ran.reason, sql: checked.sql, rowsRead: ran.rowsRead };
    }
    judge.keepNames(checked, ran.columns);
    return toOutcome(call, judgement, ran, call.now() - startedAt);
  }
  return { kind: "refused", refusal: SCHEMA_MOVES };
}

function toOutcome(
  call: Call,
  judgement: Extract<Judgement, { kind: "verdict" }>,
  ran: Extract<Ran, { kind: "ran" }>,
  durationMs: number,
): QueryOutcome {
  const { verdict } = judgement;
  // Seldom needed, and then for several columns.
  let own: ReadonlySet<string> | null = null;
  const mentions = (name: string): boolean => {
    own ??= toReach(call.checked.shape, judgement.snapshot.catalog).own;
    return own.has(foldName(name));
  };
  const names = restoreNames(ran.columns, mentions);
  const built = toResult(call.checked.sql, names, ran.rows, call.rowsMax);
  return {
    kind: "rows",
    result: built.result,
    columnKinds: built.columnKinds,
    tables: verdict.tables,
    rowsRead: ran.rowsRead,
    rowsReadEstimate: verdict.rowsReadEstimate,
    warnings: [...scanWarnings(verdict.scans, ran.rowsRead), ...verdict.warnings, ...ran.warnings, ...built.warnings],
    durationMs,
    bookmark: call.session.getBookmark(),
  };
}

/** A scan that stopped early, at a LIMIT, is none worth a word. */
function scanWarnings(scans: readonly TableScan[], rowsRead: number): readonly string[] {
  return scans
    .filter((scan) => scan.rows >= SCAN_WARNING_ROWS && rowsRead >= scan.rows)
    .map((scan) => `Full scan: ${scan.table} (about ${Math.round(scan.rows)} rows) is read whole, without an index.`);
}

const NOTHING_FORESEEN: Foreseen = { rowsRead: 0, tables: [], plan: () => [] };

const NO_ROWS_LEFT: SqlRefusal = {
  code: "rows_read_spent",
  message: "No more rows may be read in this run.",
  advice: ["Answer from the results that are already there."],
};

function toAborted(rowsRead: number): QueryOutcome {
  const error: SqlError = {
    code: "aborted",
    message: "The query was given up because its time was over.",
    advice: ["Read less: filter, or aggregate before joining."],
    transient: false,
  };
  return { kind: "failed", error, rowsRead };
}

/** Stops waiting when the signal fires. The work itself goes on at D1, and its late end is nobody's error. */
function untilAborted(work: Promise<QueryOutcome>, call: Call, signal: AbortSignal): Promise<QueryOutcome> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(toAborted(call.meter.rowsRead));
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
