/**
 * The clock of a run: active time, its deadline, and when an effect must be aborted.
 *
 * Owns: what counts as active (the time between two touches, up to the instant a driver was due; an outage is nobody's
 * time) and the share kept back for the last call. Pure: `now` comes in, epoch milliseconds.
 */
import type { AgentState, Attempt } from "./state.ts";

/** Of the wall clock, kept back for the last call: a tenth, at most this. */
const LAST_CALL_MS_MAX = 30_000;

/** Active milliseconds as of `now`: the gap since the last touch counts up to the instant a driver was due. */
export function activeMsAt(state: AgentState, now: number): number {
  if (state.ending !== null) return state.usage.activeMs;
  return state.usage.activeMs + Math.max(0, Math.min(now, state.dueAt) - state.touchedAt);
}

/** The instant at which the active time is used up if the run stays active from `now` on. */
export function deadlineAt(state: AgentState, now: number): number {
  return Math.min(state.expiresAt, now + state.limits.wallClockMs - activeMsAt(state, now));
}

/** When an effect that starts now must be aborted: the step's own time, and the share of the clock for the last call. */
export function abortAt(state: AgentState, purpose: Attempt["purpose"], now: number): number {
  const keptMs = purpose === "last" ? 0 : Math.min(LAST_CALL_MS_MAX, Math.floor(state.limits.wallClockMs / 10));
  const deadline = deadlineAt(state, now);
  return Math.max(now, Math.min(now + state.limits.stepTimeoutMs, deadline - keptMs));
}
