/**
 * The ledger of one caller on the caller object's SQLite: runs with what they hold and cost, days with their sums.
 *
 * Owns: the tables; that admission checks and reserves in one synchronous piece, so that counts are exact however many
 * ask at once; that spent + held never passes the daily budget; that a settlement is idempotent and the last one counts.
 * Leaves to others: RPC, alarms, asking run objects (caller-object.ts), keys (claims.ts).
 *
 * A run is charged to the UTC day it was admitted on, also when it ends on the next. Rows of the ledger stay when the run
 * itself is deleted. STORED CONTRACT: a change of layout is one more entry of `MIGRATIONS`; entries are never edited.
 */
import type { Outcome } from "../agent/state.ts";
import type { AdmitReply, AdmitRequest, RateState } from "./caller-contract.ts";

const MIGRATIONS: readonly string[] = [
  `CREATE TABLE runs (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     question TEXT NOT NULL,
     admitted_at INTEGER NOT NULL,
     reserved INTEGER NOT NULL,
     cost INTEGER NOT NULL DEFAULT 0,
     outcome TEXT,
     check_at INTEGER
   );
   CREATE INDEX runs_by_time ON runs (admitted_at);
   CREATE INDEX open_runs ON runs (check_at) WHERE check_at IS NOT NULL;
   CREATE TABLE days (
     day INTEGER PRIMARY KEY, spent INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL DEFAULT 0,
     budget INTEGER NOT NULL DEFAULT 0, alerted INTEGER NOT NULL DEFAULT 0
   );
   CREATE TABLE claims (key TEXT PRIMARY KEY, body_hash TEXT NOT NULL, run_id TEXT NOT NULL, expires_at INTEGER NOT NULL);
   CREATE INDEX claims_by_time ON claims (expires_at);`,
  `CREATE TABLE inbox (
     run_id TEXT PRIMARY KEY, start TEXT NOT NULL, kept_at INTEGER NOT NULL, begin_at INTEGER NOT NULL,
     tries INTEGER NOT NULL DEFAULT 0
   );`,
  "ALTER TABLE runs ADD COLUMN settled_at INTEGER;",
];

export type EndOutcome = Outcome | "lost";

/**
 * A row of `runs`. Money is in nano-dollars; `check_at` is null once the run has settled. `settled_at` is when the run
 * said so itself, the first time; null: it goes on, or was found out later, or settled before this was kept.
 */
export type RunRow = {
  readonly number: number;
  readonly id: string;
  readonly question: string;
  readonly admitted_at: number;
  readonly reserved: number;
  readonly cost: number;
  readonly outcome: EndOutcome | null;
  readonly check_at: number | null;
  readonly settled_at: number | null;
};

/** A row of `days`: what settled runs cost, what open ones hold, the budget as of the last admission. */
export type DayRow = {
  readonly day: number;
  readonly spent: number;
  readonly held: number;
  readonly budget: number;
  readonly alerted: number;
};

export const DAY_MS = 24 * 60 * 60 * 1000;
const RATE_WINDOW_MS = 60_000;
/** A run that was admitted and never started is found out after this. */
const FIRST_CHECK_MS = 2 * 60_000;
const QUESTION_CHARS_MAX = 200;
/** When money or places are held by runs that are going on, they come free at any moment. */
const RETRY_SOON_S = 5;

export function migrateLedger(storage: DurableObjectStorage): void {
  const { sql } = storage;
  storage.transactionSync(() => {
    sql.exec("CREATE TABLE IF NOT EXISTS versions (version INTEGER PRIMARY KEY)");
    const { applied } = sql.exec<{ applied: number }>("SELECT count(*) AS applied FROM versions").one();
    MIGRATIONS.slice(applied).forEach((script, index) => {
      sql.exec(script);
      sql.exec("INSERT INTO versions (version) VALUES (?)", applied + index + 1);
    });
  });
}

/** Checks rate, places and money in this order, and holds the money. Synchronous, so nothing comes in between. */
export function admitRun(sql: SqlStorage, request: AdmitRequest, now: number): AdmitReply {
  const { runId, policy, reserveNanoUsd } = request;
  const known = sql
    .exec<Pick<RunRow, "outcome" | "cost">>("SELECT outcome, cost FROM runs WHERE id = ?", runId)
    .toArray()[0];
  const rate = rateOf(sql, policy.ratePerMinuteMax, now);
  // A run that was lost without a cost never began: its request, come again, may begin it, as a new one to be held for.
  const isLost = known?.outcome === "lost" && known.cost === 0;
  if (known !== undefined && !isLost) {
    return { kind: "admitted", rate, ...(known.outcome !== null && { isOver: true }) };
  }
  if (rate.remaining <= 0) return { kind: "refused", reason: "rate", retryAfterS: rate.resetS, rate };
  const { open } = sql.exec<{ open: number }>("SELECT count(*) AS open FROM runs WHERE check_at IS NOT NULL").one();
  if (open >= policy.runsAtOnceMax) {
    return { kind: "refused", reason: "runs_at_once", retryAfterS: RETRY_SOON_S, rate };
  }
  const day = Math.floor(now / DAY_MS);
  const { spent, held } = readDay(sql, day);
  if (spent + held + reserveNanoUsd > policy.dailyNanoUsdMax) {
    const isSpent = spent + reserveNanoUsd > policy.dailyNanoUsdMax;
    const retryAfterS = isSpent ? Math.ceil(((day + 1) * DAY_MS - now) / 1000) : RETRY_SOON_S;
    return { kind: "refused", reason: "daily_budget", retryAfterS, rate };
  }
  if (isLost) sql.exec("DELETE FROM runs WHERE id = ?", runId);
  const question = request.question.slice(0, QUESTION_CHARS_MAX).toWellFormed();
  sql.exec(
    "INSERT INTO runs (id, question, admitted_at, reserved, check_at) VALUES (?, ?, ?, ?, ?)",
    ...[runId, question, now, reserveNanoUsd, now + FIRST_CHECK_MS],
  );
  sql.exec(
    `INSERT INTO days (day, held, budget) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET held = held + excluded.held, budget = excluded.budget`,
    ...[day, reserveNanoUsd, policy.dailyNanoUsdMax],
  );
  return { kind: "admitted", rate: { remaining: rate.remaining - 1, resetS: rate.resetS } };
}

/**
 * What a run cost in the end; frees its place. The last call counts. Returns the day it was charged to.
 * `isFound`: not the run said so, but the look after runs that nobody had heard of, so when it ended is not known.
 */
export function settleRun(
  sql: SqlStorage,
  id: string,
  costNanoUsd: number,
  outcome: EndOutcome,
  now: number,
  isFound = false,
): number {
  const known = sql.exec<RunRow>("SELECT * FROM runs WHERE id = ?", id).toArray()[0];
  const day = Math.floor((known?.admitted_at ?? now) / DAY_MS);
  // Never admitted, so nothing was held for it, but its money is spent all the same.
  if (known === undefined) {
    sql.exec(
      "INSERT INTO runs (id, question, admitted_at, reserved, cost, outcome) VALUES (?, '', ?, 0, ?, ?)",
      ...[id, now, costNanoUsd, outcome],
    );
    sql.exec(
      "INSERT INTO days (day, spent) VALUES (?, ?) ON CONFLICT DO UPDATE SET spent = spent + excluded.spent",
      day,
      costNanoUsd,
    );
    return day;
  }
  const freed = known.check_at === null ? 0 : known.reserved;
  // A correction that comes later moves the cost, not the end.
  const settledAt = known.outcome === null && !isFound ? now : known.settled_at;
  sql.exec(
    "UPDATE runs SET cost = ?, outcome = ?, check_at = NULL, settled_at = ? WHERE number = ?",
    ...[costNanoUsd, outcome, settledAt, known.number],
  );
  sql.exec("UPDATE days SET spent = spent + ?, held = held - ? WHERE day = ?", costNanoUsd - known.cost, freed, day);
  return day;
}

/** Open runs that nobody has heard of for too long. */
export function overdueRuns(
  sql: SqlStorage,
  now: number,
): readonly { readonly id: string; readonly admittedAt: number; readonly reservedNanoUsd: number }[] {
  const rows = sql.exec<RunRow>("SELECT * FROM runs WHERE check_at <= ? ORDER BY check_at LIMIT 50", now).toArray();
  return rows.map((row) => ({ id: row.id, admittedAt: row.admitted_at, reservedNanoUsd: row.reserved }));
}

export function postponeCheck(sql: SqlStorage, id: string, at: number): void {
  sql.exec("UPDATE runs SET check_at = ? WHERE id = ? AND check_at IS NOT NULL", at, id);
}

/** When the next open run has to be looked at, or null when none is open. */
export function nextCheckAt(sql: SqlStorage): number | null {
  return sql.exec<{ at: number | null }>("SELECT min(check_at) AS at FROM runs WHERE check_at IS NOT NULL").one().at;
}

/** Per cents of the day's budget that were newly passed. Each is given once. */
export function takeAlerts(sql: SqlStorage, day: number, percents: readonly number[]): readonly number[] {
  const { spent, budget, alerted } = readDay(sql, day);
  const passed = percents.filter((percent) => percent > alerted && budget > 0 && spent * 100 >= budget * percent);
  if (passed.length > 0) sql.exec("UPDATE days SET alerted = ? WHERE day = ?", Math.max(...passed), day);
  return passed;
}

function rateOf(sql: SqlStorage, perMinuteMax: number, now: number): RateState {
  const since = now - RATE_WINDOW_MS;
  const { asked } = sql
    .exec<{ asked: number }>("SELECT count(*) AS asked FROM runs WHERE admitted_at > ?", since)
    .one();
  const query = "SELECT admitted_at AS at FROM runs WHERE admitted_at > ? ORDER BY admitted_at LIMIT 1 OFFSET ?";
  const leaving = sql.exec<{ at: number }>(query, since, Math.max(0, asked - perMinuteMax)).toArray()[0];
  const resetMs = leaving === undefined ? RATE_WINDOW_MS : leaving.at + RATE_WINDOW_MS - now;
  return { remaining: Math.max(0, perMinuteMax - asked), resetS: Math.max(1, Math.ceil(resetMs / 1000)) };
}

function readDay(sql: SqlStorage, day: number): DayRow {
  const found = sql.exec<DayRow>("SELECT * FROM days WHERE day = ?", day).toArray()[0];
  return found ?? { day, spent: 0, held: 0, budget: 0, alerted: 0 };
}
