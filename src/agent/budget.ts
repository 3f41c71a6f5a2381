/**
 * The budget: what a run may still spend, and which ceiling it has reached.
 *
 * Owns: A4 (spent + reserved ≤ limit for every meter) and the order of the ceilings. Leaves to others: what a call costs
 * (cost.ts), time (clock.ts), when to ask (step.ts), what to record (advance.ts; A3 is asserted there).
 * All money is integer nano-dollars. Pure: no I/O, no clock; `now` is epoch milliseconds.
 */
import { assert } from "../lib/assert.ts";
import { abortAt } from "./clock.ts";
import { NANO_USD_PER_ROW } from "./cost.ts";
import { RUNG_STOP } from "./cycles.ts";
import type { AgentState, StopReason } from "./state.ts";

/** Nano-dollars neither spent nor reserved. */
export function remainingNanoUsd(state: AgentState): number {
  return state.limits.costNanoUsdMax - state.usage.costNanoUsd - (state.attempt?.reservedNanoUsd ?? 0);
}

/** Whether a model call beside the steps still leaves one for the end. */
export function hasExtraCall(state: AgentState): boolean {
  return state.usage.modelCalls < state.limits.modelCallsMax - 1;
}

/**
 * Rows to reserve for a query that its plan expects to read so many: sorting and grouping read again, and a plan does
 * not know how many rows match. Generous on purpose, a row being a nano-dollar; what is not read is given back.
 */
export function reserveForRows(estimate: number): number {
  return estimate === 0 ? 0 : estimate * 4 + 1_000;
}

/** Rows that a round of tool calls may make the database read: what is left of the meter, and of the money. */
export function plannedRows(state: AgentState, keptNanoUsd: number): number {
  const byMeter = state.limits.rowsReadMax - state.usage.rowsRead;
  const byMoney = Math.floor((remainingNanoUsd(state) - keptNanoUsd) / NANO_USD_PER_ROW);
  return Math.max(0, Math.min(byMeter, byMoney));
}

/**
 * The first ceiling that forbids another step, in the order that a person would want to hear: time, money, errors,
 * steps, hops. Every comparison is `>=`: the limit itself is already too much for one more. Null when none is met.
 */
export function ceilingReached(state: AgentState, now: number): StopReason | null {
  const { limits, usage } = state;
  if (abortAt(state, "step", now) <= now) return "timeout";
  if (usage.costNanoUsd >= limits.costNanoUsdMax) return "budget";
  if (usage.rowsRead >= limits.rowsReadMax) return "budget";
  if (state.consecutiveErrors >= limits.consecutiveErrorsMax) return "retry_ceiling";
  if (usage.errors >= limits.errorsMax) return "error_budget";
  if (state.rung >= RUNG_STOP && state.critic !== "due") return "cycle";
  if (usage.hops >= limits.hopsMax) return "max_hops";
  if (usage.steps >= limits.stepsMax && state.failedTries === 0) return "max_steps";
  // One call is kept back for the end.
  if (usage.modelCalls >= Math.max(1, limits.modelCallsMax - 1)) return "budget";
  return null;
}

/** A4, and that the meters are whole numbers. Called on every state before it is saved. */
export function assertWithinLimits(state: AgentState): void {
  const { limits, usage, attempt } = state;
  // A running query cannot be stopped: what the engine read beyond a wrong estimate is told, and ends the run.
  const overrunNanoUsd = usage.rowsOverrun * NANO_USD_PER_ROW;
  const within: readonly (readonly [string, number, number])[] = [
    ["steps", usage.steps, limits.stepsMax],
    ["hops", usage.hops, limits.hopsMax],
    ["model calls", usage.modelCalls, limits.modelCallsMax],
    ["errors", usage.errors, limits.errorsMax],
    ["dollars", usage.costNanoUsd + (attempt?.reservedNanoUsd ?? 0), limits.costNanoUsdMax + overrunNanoUsd],
    ["rows read", usage.rowsRead + (attempt?.reservedRows ?? 0), limits.rowsReadMax + usage.rowsOverrun],
  ];
  for (const [meter, spent, limit] of within) {
    assert(Number.isSafeInteger(spent) && spent >= 0, `${meter}: a meter is a whole number`);
    assert(spent <= limit, `A4: ${meter} ${spent} is over the limit ${limit}`);
  }
}
