/**
 * Gives up on a run whose wakes kill the object again and again (field reports E5, E9).
 *
 * A crash takes the memory with it, so a wake that finds itself in a fresh object counts itself before it does anything
 * else, and takes the count back when it has ended well. A step that throws needs no count: it ends its run at once
 * (driver.ts); a step that is cut off is counted in the state. This is for what dies outside of both, such as a record
 * too large for the memory.
 */
import { endRun } from "./journal.ts";
import { hasTables } from "./layout.ts";
import { readFact, writeFact } from "./rows.ts";

const FACT = "failing_wakes";
/** With a watchdog of five seconds, half a minute of trying. */
const FAILING_WAKES_MAX = 6;

/** Counts a wake in a fresh object, durably; at the limit, ends the run with what it has spent. */
export async function countFailingWake(storage: DurableObjectStorage): Promise<void> {
  if (!hasTables(storage.sql)) return;
  const failed = readCount(storage.sql);
  if (failed >= FAILING_WAKES_MAX) {
    endRun(storage, `This run was interrupted ${failed} times in a row before it could go on. Ask again.`, Date.now());
  }
  writeFact(storage.sql, FACT, String(failed + 1));
  await storage.sync();
}

/** The wake has ended well. */
export function forgetFailingWakes(storage: DurableObjectStorage): void {
  if (hasTables(storage.sql) && readCount(storage.sql) > 0) writeFact(storage.sql, FACT, "0");
}

function readCount(sql: SqlStorage): number {
  const text = readFact(sql, FACT);
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
