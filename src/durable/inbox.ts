/**
 * Questions that a door has taken in, kept by the caller object until their run objects have them: for doors that must
 * answer at once, whatever the database and the new objects are doing.
 *
 * Owns: the order and the moment of their beginning. While questions keep coming in they wait, but not for long: a burst is
 * acknowledged first and worked on afterwards. Leaves to others: beginning them (caller-object.ts), the table (ledger.ts).
 * Synchronous, like the rest of the ledger.
 */
import type { StartRun } from "./contract.ts";
import { decodeSettings } from "./settings.ts";

/** A burst is over when nothing has come in for this long for each question that waits: one alone hardly waits at all. */
const QUIET_MS = 25;
const QUIET_MS_MAX = 500;
/** The longest that a question waits for a burst to end: Slack has then waited for nearly all that it waits. */
const PATIENCE_MS = 2_500;
/** After a failure; doubled each time. */
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 60_000;
/** Half an hour of trying: then Slack would not take the answer any more. */
const TRIES_MAX = 36;

export interface KeptStart {
  readonly start: StartRun;
  readonly tries: number;
}

export function keepStart(sql: SqlStorage, runId: string, start: string, now: number): void {
  const insert = "INSERT INTO inbox (run_id, start, kept_at, begin_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING";
  sql.exec(insert, runId, start, now, now);
}

/** When the next question is to begin, or null when none is kept. */
export function nextStartAt(sql: SqlStorage): number | null {
  const query = `SELECT count(*) AS count, coalesce(min(begin_at), 0) AS due, coalesce(min(kept_at), 0) AS oldest,
    coalesce(max(kept_at), 0) AS newest FROM inbox`;
  const { count, due, oldest, newest } = sql.exec<InboxSummary>(query).one();
  if (count === 0) return null;
  return Math.max(due, Math.min(newest + Math.min(QUIET_MS_MAX, QUIET_MS * count), oldest + PATIENCE_MS));
}

/** Up to `countMax` questions that are to begin at `now`, oldest first. */
export function dueStarts(sql: SqlStorage, now: number, countMax: number): readonly KeptStart[] {
  const at = nextStartAt(sql);
  if (at === null || at > now) return [];
  const query = "SELECT run_id, start, tries FROM inbox WHERE begin_at <= ? ORDER BY kept_at, run_id LIMIT ?";
  return sql
    .exec<InboxRow>(query, now, countMax)
    .toArray()
    .flatMap((row) => readRow(sql, row));
}

/** One kept question, whenever it is to begin. */
export function keptStart(sql: SqlStorage, runId: string): KeptStart | null {
  const query = "SELECT run_id, start, tries FROM inbox WHERE run_id = ?";
  return (
    sql
      .exec<InboxRow>(query, runId)
      .toArray()
      .flatMap((row) => readRow(sql, row))[0] ?? null
  );
}

/** The run object has it, or nobody wants it any more. */
export function dropStart(sql: SqlStorage, runId: string): void {
  sql.exec("DELETE FROM inbox WHERE run_id = ?", runId);
}

/** Could not be begun. False when it has been tried often enough. */
export function postponeStart(sql: SqlStorage, { start, tries }: KeptStart, now: number): boolean {
  if (tries + 1 >= TRIES_MAX) {
    dropStart(sql, start.id);
    return false;
  }
  const pauseMs = Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** tries);
  sql.exec("UPDATE inbox SET tries = tries + 1, begin_at = ? WHERE run_id = ?", now + pauseMs, start.id);
  return true;
}

type InboxSummary = {
  readonly count: number;
  readonly due: number;
  readonly oldest: number;
  readonly newest: number;
};
type InboxRow = { readonly run_id: string; readonly start: string; readonly tries: number };

/** The id is the claimed one, which an earlier telling of the same request may have brought. */
function readRow(sql: SqlStorage, row: InboxRow): KeptStart[] {
  const decoded = decodeSettings(row.start);
  if (decoded.ok) return [{ start: { ...decoded.value, id: row.run_id }, tries: row.tries }];
  // It cannot be read, so it will never begin; its admission runs out by itself.
  dropStart(sql, row.run_id);
  return [];
}
