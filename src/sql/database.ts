/**
 * The read-only database over a D1 binding. The order is fixed: gate, engine's verdict, run, tripwire; and only a
 * `ReadOnlyQuery` gets to the run. Nothing the world does makes it throw; a bug of ours does (L4).
 * A query costs two round trips, one when its verdict is known: EXPLAIN and EXPLAIN QUERY PLAN in a batch, then the
 * statement between two readings of `total_changes()` and of the schema cookie, which need no rows. Every query runs in
 * a D1 session, so that a run which passes its bookmark on sees one database that only moves forward.
 * A statement that runs cannot be stopped, here or on D1: an abort ends the waiting, not the work.
 */
import type { NewResult } from "../agent/tool.ts";
import { type Catalog, COOKIE_SQL, readCatalog, toCookie } from "./catalog.ts";
import { type DatabaseConnection, runBatch } from "./connection.ts";
import { classifyError, toSqlError } from "./failure.ts";
import { type CheckedQuery, checkQuery } from "./gate.ts";
import type { SqlError } from "./hints.ts";
import { type Profile, readProfile } from "./profile.ts";
import { toReach } from "./reach.ts";
import type { SqlRefusal } from "./refusal.ts";
import { RESULT_ROWS_MAX, toResult } from "./result.ts";
import { type Ran, runReadOnly } from "./run.ts";
import { type DatabaseSchema, toSchema } from "./schema.ts";
import { foldName, type Scopes } from "./scopes.ts";
import type { CellKind } from "./values.ts";
import { restoreNames } from "./values.ts";
import { checkVerdict, toBody, toWrappedSql, type Verdict } from "./verdict.ts";

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
  /** Rows that the query would make the database read, by its plan; 0 when it would not run at all. Reads no rows. */
  estimateRowsRead(sql: string): Promise<number>;
}

export interface DatabaseOptions {
  readonly now: () => number;
  /** Waits between tries of a passing fault. */
  readonly sleep?: (durationMs: number) => Promise<void>;
}

/** Tries of one call in all, when the platform fails in passing. */
const ATTEMPTS_MAX = 3;
const RETRY_DELAY_MS = 50;
/** How long a schema is taken for current when no query has shown otherwise. */
const SNAPSHOT_AGE_MS_MAX = 60_000;
/** Verdicts kept: a run asks a dozen queries, and repeats some. */
const VERDICTS_MAX = 200;
/** Times a query is judged anew because the schema changed under it. */
const JUDGEMENTS_MAX = 3;

interface Snapshot {
  readonly catalog: Catalog;
  readonly profile: Profile;
  readonly schema: DatabaseSchema;
  readonly readAt: number;
}

/** Wires a read-only database for one caller. Keeps its schema and verdicts while it lives. */
export function createDatabase(d1: D1Database, scopes: Scopes, options: DatabaseOptions): Database {
  const verdicts = new Map<string, Verdict>();
  let snapshot: Snapshot | null = null;
  const sleep = options.sleep ?? ((durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs)));
  const rowsMax = Math.min(scopes.rowCap ?? RESULT_ROWS_MAX, RESULT_ROWS_MAX);

  async function readSnapshot(connection: DatabaseConnection, isStale: boolean): Promise<Snapshot> {
    const isFresh = snapshot !== null && options.now() - snapshot.readAt < SNAPSHOT_AGE_MS_MAX;
    if (snapshot !== null && isFresh && !isStale) return snapshot;
    const catalog = await retry(() => readCatalog(connection), sleep);
    const isSame = snapshot !== null && isFresh && snapshot.catalog.cookie === catalog.cookie;
    const profile =
      snapshot !== null && isSame ? snapshot.profile : await retry(() => readProfile(connection, catalog), sleep);
    if (!isSame) verdicts.clear();
    snapshot = { catalog, profile, schema: toSchema(catalog, profile, scopes), readAt: options.now() };
    return snapshot;
  }

  async function judge(connection: DatabaseConnection, checked: CheckedQuery, rowsReadMax: number): Promise<Judgement> {
    const known = verdicts.get(checked.sql);
    if (known !== undefined && known.rowsReadEstimate <= rowsReadMax && snapshot !== null) {
      return { kind: "verdict", verdict: known, snapshot };
    }
    for (let round = 0; round < JUDGEMENTS_MAX; round += 1) {
      const current = await readSnapshot(connection, round > 0);
      const body = toBody(checked, current.catalog, scopes);
      const wrapped = toWrappedSql(body, rowsMax + 1);
      const statements = [`EXPLAIN ${wrapped}`, `EXPLAIN QUERY PLAN ${wrapped}`, COOKIE_SQL];
      const [explain = [], plan = [], cookie = []] = await retry(() => runBatch(connection, statements), sleep);
      if (toCookie(cookie) !== current.catalog.cookie) continue;
      const { catalog, profile } = current;
      const input = { checked, body, explain, plan, catalog, profile, scopes, rowsReadMax, resultRowsMax: rowsMax + 1 };
      const verdict = checkVerdict(input);
      if (!verdict.ok) return { kind: "refused", refusal: verdict.error };
      remember(verdicts, checked.sql, verdict.value);
      return { kind: "verdict", verdict: verdict.value, snapshot: current };
    }
    return { kind: "refused", refusal: SCHEMA_MOVES };
  }

  async function run(checked: CheckedQuery, connection: D1DatabaseSession, rowsReadMax: number): Promise<QueryOutcome> {
    const startedAt = options.now();
    for (let round = 0; round < JUDGEMENTS_MAX; round += 1) {
      const judgement = await judge(connection, checked, rowsReadMax);
      if (judgement.kind === "refused") return judgement;
      const { verdict } = judgement;
      const ran = await retry(
        () => runReadOnly(connection, verdict.query, rowsMax + 1, scopes.maskValues ?? []),
        sleep,
      );
      if (ran.kind === "stale") {
        await readSnapshot(connection, true);
        verdicts.delete(checked.sql);
        continue;
      }
      if (ran.kind === "tripped") {
        return { kind: "quarantined", reason: ran.reason, sql: checked.sql, rowsRead: ran.rowsRead };
      }
      const durationMs = options.now() - startedAt;
      return toOutcome(checked, judgement, ran, { durationMs, bookmark: connection.getBookmark() });
    }
    return { kind: "refused", refusal: SCHEMA_MOVES };
  }

  function toOutcome(
    checked: CheckedQuery,
    judgement: Extract<Judgement, { kind: "verdict" }>,
    ran: Extract<Ran, { kind: "ran" }>,
    extra: { readonly durationMs: number; readonly bookmark: string | null },
  ): QueryOutcome {
    const { verdict } = judgement;
    const { own } = toReach(checked.shape, judgement.snapshot.catalog);
    const names = restoreNames(ran.columns, (name) => own.has(foldName(name)));
    const built = toResult(checked.sql, names, ran.rows, rowsMax);
    return {
      kind: "rows",
      result: built.result,
      columnKinds: built.columnKinds,
      tables: verdict.tables,
      rowsRead: ran.rowsRead,
      rowsReadEstimate: verdict.rowsReadEstimate,
      warnings: [...verdict.warnings, ...ran.warnings, ...built.warnings],
      ...extra,
    };
  }

  return {
    async schema() {
      return (await readSnapshot(d1, false)).schema;
    },

    async estimateRowsRead(sql) {
      const checked = checkQuery(sql);
      if (!checked.ok) return 0;
      try {
        const judgement = await judge(d1, checked.value, Number.MAX_SAFE_INTEGER);
        return judgement.kind === "verdict" ? judgement.verdict.rowsReadEstimate : 0;
      } catch (error) {
        // The query itself meets the same failure and tells it.
        if (classifyError(error).kind === "bug") throw error;
        return 0;
      }
    },

    async query(sql, { rowsReadMax, signal, bookmark }) {
      const checked = checkQuery(sql);
      if (!checked.ok) return { kind: "refused", refusal: checked.error };
      if (signal.aborted) return ABORTED;
      const session = d1.withSession(bookmark ?? "first-unconstrained");
      try {
        return await untilAborted(run(checked.value, session, rowsReadMax), signal);
      } catch (error) {
        const failure = classifyError(error);
        if (failure.kind === "bug") throw error;
        return { kind: "failed", error: toSqlError(failure, snapshot?.schema ?? { tables: [] }), rowsRead: 0 };
      }
    },
  };
}

type Judgement =
  | { readonly kind: "verdict"; readonly verdict: Verdict; readonly snapshot: Snapshot }
  | { readonly kind: "refused"; readonly refusal: SqlRefusal };

const SCHEMA_MOVES: SqlRefusal = {
  code: "schema_changed",
  message: "The tables of the database are being changed right now.",
  advice: ["Send the query again in a moment."],
};

const ABORTED: QueryOutcome = {
  kind: "failed",
  error: {
    code: "aborted",
    message: "The query was given up because its time was over.",
    advice: ["Read less: filter, or aggregate before joining."],
    transient: false,
  },
  rowsRead: 0,
};

/** Again while the platform fails in passing; every other error, and the last one, goes to the caller. */
async function retry<T>(call: () => Promise<T>, sleep: (durationMs: number) => Promise<void>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (attempt >= ATTEMPTS_MAX || classifyError(error).kind !== "retryable") throw error;
      await sleep(RETRY_DELAY_MS * 2 ** (attempt - 1));
    }
  }
}

/** Stops waiting when the signal fires. The work itself goes on at D1, and its late end is nobody's error. */
function untilAborted(work: Promise<QueryOutcome>, signal: AbortSignal): Promise<QueryOutcome> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(ABORTED);
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function remember(verdicts: Map<string, Verdict>, sql: string, verdict: Verdict): void {
  const oldest = verdicts.keys().next();
  if (verdicts.size >= VERDICTS_MAX && !oldest.done) verdicts.delete(oldest.value);
  verdicts.set(sql, verdict);
}
