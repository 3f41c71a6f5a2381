/**
 * When a run object must be woken: one alarm, many due times.
 *
 * Owns: O2 (not finished means an alarm is set), which due times a run has, and the choice of the earliest. Leaves to
 * others: the one alarm (alarm.ts), what is done when it rings (run-object.ts). Pure: no I/O; the clock comes in as `now`.
 *
 * Due times are computed from the state and never stored beside it, so the two cannot differ.
 */
import { deadlineAt } from "../agent/clock.ts";
import type { AgentState } from "../agent/state.ts";
import { isAtRest } from "./checkpoints.ts";
import type { Driver } from "./contract.ts";

export type DueKind =
  | "step"
  | "retry"
  | "expiry"
  | "deadline"
  | "watchdog"
  | "late_bill"
  | "settlement"
  | "delivery"
  | "retention";

export interface Due {
  readonly kind: DueKind;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A step that was cut off is taken up again after this long: soon for a person, rare enough while a long call runs. */
export const WATCHDOG_MS = 3_000;
/** A waiting request that has not called for this long is gone, and the alarm drives. */
export const CALLER_GRACE_MS = 3_000;
/** How long the bill of a call that was open at the end is waited for, after the call must have been aborted. */
const LATE_BILL_MS = 10_000;

/** What a run owes besides its steps. */
export interface Duties {
  /** When the caller's ledger has to be told of the end, or null. */
  readonly settleAt: number | null;
  /** When something has to be sent out, or null. */
  readonly deliveryAt: number | null;
  /** How long it is kept after its end; the caller's ledger keeps its line. */
  readonly retentionMs: number;
  /** When a finished run was last asked again, if it was: it is kept from then on. */
  readonly keptFrom?: number;
}

/**
 * Every due time of a run. Never empty. `driver`: `busy` while a step is running in this object; a waiting caller comes
 * first by its grace at everything that a step would do.
 */
export function duesOf(state: AgentState, driver: Driver | "busy", duties: Duties, now: number): readonly Due[] {
  const { settleAt, deliveryAt, retentionMs, keptFrom = 0 } = duties;
  const delivery: Due[] = deliveryAt === null ? [] : [{ kind: "delivery", at: deliveryAt }];
  if (state.ending !== null) {
    const dues: Due[] = [...delivery, { kind: "retention", at: Math.max(state.ending.at, keptFrom) + retentionMs }];
    if (state.attempt !== null) dues.push({ kind: "late_bill", at: lateBillAt(state.attempt.abortAt) });
    if (settleAt !== null) dues.push({ kind: "settlement", at: settleAt });
    return dues;
  }
  if (driver === "busy") return [...delivery, { kind: "watchdog", at: now + WATCHDOG_MS }];
  const after = (at: number): number => Math.max(now, at) + (driver === "caller" ? CALLER_GRACE_MS : 0);
  const deadline: Due = { kind: "deadline", at: after(deadlineAt(state, now)) };
  // Nobody's active time runs while a person is asked, so no deadline comes nearer.
  if (state.waiting !== null && state.waiting.kind !== "retry") {
    return [...delivery, { kind: "expiry", at: after(state.waiting.until) }];
  }
  if (state.waiting !== null) return [...delivery, { kind: "retry", at: after(state.waiting.until) }, deadline];
  if (state.mode === "manual" && isAtRest(state)) return [...delivery, deadline];
  return [...delivery, { kind: "step", at: after(now) }, deadline];
}

/** True when a wake at `now` may run a step: `manual` runs finish by alarm what is under way, and begin nothing. */
export function mayStep(state: AgentState, now: number): boolean {
  if (state.ending !== null) return false;
  return state.mode === "auto" || !isAtRest(state) || now >= deadlineAt(state, now);
}

/** After this instant an open attempt of a finished run counts at its reservation. */
export function lateBillAt(abortAt: number): number {
  return abortAt + LATE_BILL_MS;
}
