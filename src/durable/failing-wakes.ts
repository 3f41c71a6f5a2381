/**
 * Gives up on a run whose wakes fail again and again (field reports E5, E9).
 *
 * Owns: O4 (a wake throws nothing but the platform's own errors, which the platform answers with another try), the
 * watchdog that is set before anything else, and the count of failures. A crash takes the memory with it, so a wake that
 * finds itself in a fresh object counts itself durably before it does anything else, and takes the count back when it
 * has ended well; a wake that throws is counted in memory. Leaves to others: a step that throws, which ends its run at
 * once (driver.ts), and a step that is cut off, which is counted in the state.
 */
import { advance } from "../agent/advance.ts";
import { readFact, writeFact } from "./facts.ts";
import { isPlatformError, logBug } from "./faults.ts";
import { endRun, type RunJournal } from "./journal.ts";
import { hasTables } from "./layout.ts";
import { WATCHDOG_MS } from "./schedule.ts";

const FACT = "failing_wakes";
/** With a watchdog of three seconds, some twenty seconds of trying. */
const FAILING_WAKES_MAX = 6;
/** Where even the end of the run has changed nothing, there is no hurry any more. */
const PAUSE_MS_MAX = 60 * 60_000;

export interface Wake {
  act(): Promise<void>;
  setAlarm(at: number): Promise<void>;
  /** What is in memory; null in a fresh object. */
  journal(): RunJournal | null;
}

export interface WakeGuard {
  /** Runs a wake. Rejects only with an error of the platform. */
  run(wake: Wake): Promise<void>;
}

export function createWakeGuard(storage: DurableObjectStorage): WakeGuard {
  let failures = 0;
  return {
    async run(wake) {
      const isFresh = wake.journal() === null;
      try {
        // First of all, so that a crash from here on is followed by another wake.
        await wake.setAlarm(Date.now() + WATCHDOG_MS);
        if (isFresh) await countFreshWake(storage);
        await wake.act();
        if (isFresh) forgetFreshWakes(storage);
        failures = 0;
      } catch (error) {
        if (isPlatformError(error)) throw error;
        failures += 1;
        logBug("alarm", wake.journal()?.load() ?? null, error);
        if (failures < FAILING_WAKES_MAX) return;
        try {
          giveUp(storage, wake.journal(), failures);
        } catch (cause) {
          if (isPlatformError(cause)) throw cause;
          logBug("give_up", null, cause);
        }
        const pauseMs = Math.min(PAUSE_MS_MAX, WATCHDOG_MS * 2 ** (failures - FAILING_WAKES_MAX));
        await wake.setAlarm(Date.now() + pauseMs);
      }
    },
  };
}

/** Counts a wake in a fresh object, durably; at the limit, ends the run with what it has spent. */
async function countFreshWake(storage: DurableObjectStorage): Promise<void> {
  if (!hasTables(storage.sql)) return;
  const failed = readCount(storage.sql);
  if (failed >= FAILING_WAKES_MAX) giveUp(storage, null, failed);
  writeFact(storage.sql, FACT, String(failed + 1));
  await storage.sync();
}

function forgetFreshWakes(storage: DurableObjectStorage): void {
  if (hasTables(storage.sql) && readCount(storage.sql) > 0) writeFact(storage.sql, FACT, "0");
}

function readCount(sql: SqlStorage): number {
  const text = readFact(sql, FACT);
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** By the journal in memory if there is one, which must not fall behind; else by the head alone, which is small. */
function giveUp(storage: DurableObjectStorage, journal: RunJournal | null, times: number): void {
  const message = `This run was interrupted ${times} times in a row before it could go on. Ask again.`;
  if (journal === null) {
    if (hasTables(storage.sql)) endRun(storage, message, Date.now());
  } else if (journal.load().ending === null) {
    journal.save(advance(journal.load(), { kind: "broke", message }, Date.now()), []);
  }
}
