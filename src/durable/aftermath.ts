/**
 * What a run object still owes when its run is over: the bill of a call that was open, the caller's ledger, the deletion.
 *
 * Owns: what the ledger is told (this run's own spend), when (after the last bill), and that it is told again after a
 * failure. What was told last is stored, so a bill that comes later is told as a correction. Leaves to others: when to
 * wake (schedule.ts). Nothing here throws but for storage.
 */
import { advance } from "../agent/advance.ts";
import { RETENTION_MS_MAX } from "../config/retention.ts";
import { configOf } from "../config.ts";
import type { CallerApi } from "./caller-contract.ts";
import type { Account, ObjectNamespace } from "./contract.ts";
import { readFact, writeFact } from "./facts.ts";
import { logBug, logLine } from "./faults.ts";
import type { RunJournal } from "./journal.ts";
import { toRunLine } from "./log-lines.ts";
import { keptFrom } from "./plan-offer.ts";
import { SETTLED } from "./record.ts";
import { lateBillAt } from "./schedule.ts";

const RETRY_BASE_MS = 1_000;
const RETRY_MS_MAX = 10 * 60_000;

export interface Aftermath {
  /** When to tell the ledger, or null when there is nothing to tell. */
  settleAt(journal: RunJournal, now: number): number | null;
  /** Does what is due. `isBusy`: a driver still works on the last call. Returns false when the run was deleted. */
  run(journal: RunJournal, isBusy: boolean, now: number): Promise<boolean>;
}

export function createAftermath(
  storage: DurableObjectStorage,
  callers: ObjectNamespace<CallerApi>,
  retentionMs: () => number,
): Aftermath {
  let tries = 0;
  let triedAt = 0;

  const settleAt = (journal: RunJournal, now: number): number | null => {
    const { costNanoUsd, outcome } = toAccount(journal);
    if (outcome === null || readFact(storage.sql, SETTLED) === String(costNanoUsd)) return null;
    return tries === 0 ? now : triedAt + Math.min(RETRY_MS_MAX, RETRY_BASE_MS * 2 ** (tries - 1));
  };

  const settle = async (journal: RunJournal): Promise<void> => {
    const { costNanoUsd, outcome } = toAccount(journal);
    if (outcome === null) return;
    const { id, caller } = journal.settings;
    try {
      await callers.get(callers.idFromName(caller)).settle({ runId: id, costNanoUsd, outcome });
      // Once for each run: a bill that comes later corrects the ledger, and is no second run.
      if (readFact(storage.sql, SETTLED) === null) {
        logLine("info", toRunLine(journal.load(), journal.events(), costNanoUsd));
      }
      writeFact(storage.sql, SETTLED, String(costNanoUsd));
      tries = 0;
    } catch (error) {
      tries += 1;
      triedAt = Date.now();
      logBug("settle", journal.load(), error);
    }
  };

  return {
    settleAt,
    async run(journal, isBusy, now) {
      const { attempt, ending } = journal.load();
      if (attempt !== null && !isBusy && now >= lateBillAt(attempt.abortAt)) {
        // Nobody will ever know: it counts at its reservation.
        const bill = { kind: "bill_arrived", costNanoUsd: attempt.reservedNanoUsd } as const;
        journal.save(advance(journal.load(), bill, now), []);
      }
      const at = settleAt(journal, now);
      if (at !== null && at <= now) await settle(journal);
      if (ending === null || now < keptFrom(journal) + retentionMs() || settleAt(journal, now) !== null) return true;
      await storage.deleteAll();
      return false;
    },
  };
}

/** How long a finished run is kept. While the settings cannot be read, nothing is deleted before the longest time. */
export function retentionMsOf(env: object): number {
  try {
    return configOf(env).retentionMs;
  } catch {
    return RETENTION_MS_MAX;
  }
}

/** The account is closed when the run is over and no bill is awaited. */
export function toAccount(journal: RunJournal): Account {
  const { ending, attempt, usage } = journal.load();
  return {
    costNanoUsd: Math.max(0, usage.costNanoUsd - journal.settings.inheritedNanoUsd),
    outcome: attempt === null ? (ending?.outcome ?? null) : null,
  };
}
