/**
 * Runs one step of a run with the real clock, randomness and abort signals.
 *
 * Owns: O1 (one driver at a time: a guard in memory here, the attempt token in the state), L3 (a signal for each
 * effect), the abort of what is open when the run is cancelled, and L4: whatever a step throws is a bug of ours, ends the
 * run as `failed`, is logged, and is never told to the model. Leaves to others: the step (agent/step.ts), the alarm.
 *
 * The guard goes stale some time after the open effect must have ended: a step whose promise never settles (its
 * request was dropped by the platform) would else block the run for ever. A stale step that comes back after all finds
 * that its attempt was taken from it, and settles nothing.
 *
 * Errors of the platform itself (the object is being reset, storage is gone) are no bugs: they are thrown on.
 *
 * What a step costs by who drives it, in ms, measured locally (workerd under the test plugin, two busy cores, 100 steps
 * with one query each, four saves a step; best of five), model and tools taking no time / one loopback fetch a step:
 * a loop inside the object 0.3 / 2.5, a waiting request that calls `step` 1.4 / 2.2, the alarm 4.5 / 6.2. So a waiting
 * request adds about 1 ms a step and the alarm about 4; both stay the same from the first step to the hundredth.
 */
import { advance } from "../agent/advance.ts";
import type { Model } from "../agent/model.ts";
import type { StepPorts } from "../agent/ports.ts";
import type { Attempt } from "../agent/state.ts";
import { runStep, type StepResult } from "../agent/step.ts";
import type { Tool } from "../agent/tool.ts";
import type { Result } from "../lib/result.ts";
import { isPlatformError, logBug, logLine } from "./faults.ts";
import type { RunJournal } from "./journal.ts";
import { toStepLine } from "./log-lines.ts";

/** Time for what a step does between two effects, before its guard counts as stale. */
const GUARD_MARGIN_MS = 15_000;

export interface Effects {
  /** Or for the person who asked, why there is none. */
  readonly model: Result<Model, string>;
  readonly tools: ReadonlyMap<string, Tool>;
}

export interface StepDriver {
  /** True while a step is running in this object. */
  isBusy(now: number): boolean;
  /** Runs one step. The caller has checked `isBusy`. Rejects only with an error of the platform. */
  drive(journal: RunJournal, effects: Effects): Promise<StepResult | { readonly kind: "broke" }>;
  /** Aborts the open call, if there is one. */
  abort(): void;
}

export function createStepDriver(): StepDriver {
  let guard: { staleAt: number } | null = null;
  const open = new Set<AbortController>();

  return {
    isBusy: (now) => guard !== null && now < guard.staleAt,
    async drive(journal, effects) {
      const { model, tools } = effects;
      if (!model.ok) {
        endBroken(journal, model.error);
        return { kind: "broke" };
      }
      const startedAt = Date.now();
      const told = journal.events().length;
      const mine = { staleAt: startedAt + GUARD_MARGIN_MS };
      guard = mine;
      const timers: ReturnType<typeof setTimeout>[] = [];
      const signalFor = (attempt: Attempt): AbortSignal => {
        const controller = new AbortController();
        open.add(controller);
        timers.push(setTimeout(() => controller.abort(), Math.max(0, attempt.abortAt - Date.now())));
        mine.staleAt = Math.max(mine.staleAt, attempt.abortAt + GUARD_MARGIN_MS);
        return controller.signal;
      };
      const ports: StepPorts = {
        journal,
        model: model.value,
        tools,
        now: Date.now,
        random: Math.random,
        newToken: () => crypto.randomUUID(),
        signalFor,
      };
      try {
        const result = await runStep(ports);
        const events = journal.events().slice(told);
        logLine("info", toStepLine(journal.load(), events, result.kind, Date.now() - startedAt));
        return result;
      } catch (error) {
        if (isPlatformError(error)) throw error;
        logBug("step", journal.load(), error);
        endBroken(journal, BROKE);
        return { kind: "broke" };
      } finally {
        for (const timer of timers) clearTimeout(timer);
        if (guard === mine) {
          guard = null;
          open.clear();
        }
      }
    },
    abort() {
      for (const controller of open) controller.abort();
    },
  };
}

/** L4. What the open attempt reserved counts as spent: nobody knows how far it got. */
function endBroken(journal: RunJournal, message: string): void {
  const now = Date.now();
  if (journal.load().ending === null) journal.save(advance(journal.load(), { kind: "broke", message }, now), []);
  const { attempt } = journal.load();
  if (attempt === null) return;
  journal.save(advance(journal.load(), { kind: "bill_arrived", costNanoUsd: attempt.reservedNanoUsd }, now), []);
}

const BROKE = "Something broke inside Querent and was logged. It is no mistake of yours or of the model's. Ask again.";
