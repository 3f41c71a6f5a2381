/**
 * Tells the caller object what a finished run cost, until it has heard: the other half of its admission.
 *
 * Owns: what is told (this run's own spend), when (after the last bill), and that it is told again after a failure. What
 * was told last is stored, so a bill that comes later is told as a correction. `settle` never throws but for storage.
 */
import type { AgentState } from "../agent/state.ts";
import type { CallerApi } from "./caller-contract.ts";
import type { Account, ObjectNamespace } from "./contract.ts";
import { logBug } from "./faults.ts";
import type { RunJournal } from "./journal.ts";
import { readFact, writeFact } from "./rows.ts";

const FACT = "settled_nano_usd";
const RETRY_BASE_MS = 1_000;
const RETRY_MS_MAX = 10 * 60_000;

export interface Settler {
  /** When to settle, or null when there is nothing to tell. */
  dueAt(journal: RunJournal, now: number): number | null;
  settle(journal: RunJournal): Promise<void>;
}

export function createSettler(storage: DurableObjectStorage, callers: ObjectNamespace<CallerApi>): Settler {
  let tries = 0;
  let triedAt = 0;
  return {
    dueAt(journal, now) {
      const { costNanoUsd, outcome } = toAccount(journal);
      if (outcome === null || readFact(storage.sql, FACT) === String(costNanoUsd)) return null;
      return tries === 0 ? now : triedAt + Math.min(RETRY_MS_MAX, RETRY_BASE_MS * 2 ** (tries - 1));
    },
    async settle(journal) {
      const { costNanoUsd, outcome } = toAccount(journal);
      if (outcome === null) return;
      const { id, caller } = journal.settings;
      try {
        await callers.get(callers.idFromName(caller)).settle({ runId: id, costNanoUsd, outcome });
        writeFact(storage.sql, FACT, String(costNanoUsd));
        tries = 0;
      } catch (error) {
        tries += 1;
        triedAt = Date.now();
        logBug("settle", journal.load(), error);
      }
    },
  };
}

/** The account is closed when the run is over and no bill is awaited. */
export function toAccount(journal: RunJournal): Account {
  const state: AgentState = journal.load();
  const isClosed = state.ending !== null && state.attempt === null;
  return {
    costNanoUsd: Math.max(0, state.usage.costNanoUsd - journal.settings.inheritedNanoUsd),
    outcome: isClosed ? (state.ending?.outcome ?? null) : null,
  };
}
