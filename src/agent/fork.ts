/**
 * How a finished run is carried on in a new one: `continue` from its last checkpoint under raised limits, `fork` from
 * the checkpoint of any step. The finished run itself is never touched (invariant A1).
 *
 * Owns: what the new run takes over, and what it is refused for. Money, model calls, rows and time that were spent stay
 * spent, whatever step the new run starts from; steps, hops and errors are counted up to its checkpoint. What the
 * conversation holds (messages, notes, plan, detector) is that of the checkpoint. Pure: no I/O; `now` is epoch
 * milliseconds.
 */
import { err, ok, type Result } from "../lib/result.ts";
import { ceilingReached } from "./budget.ts";
import { deadlineAt } from "./clock.ts";
import { CONTINUABLE } from "./ending.ts";
import { type Limits, toPublicLimits } from "./limits.ts";
import { type AgentState, EXPIRY_MS, IDLE_MS_MAX, type StopReason } from "./state.ts";

export interface ForkRequest {
  /** Of the new run. */
  readonly id: string;
  readonly kind: "continue" | "fork";
  readonly limits: Limits;
  /** From how many rows on the caller's queries wait for a person by now; null: none does. */
  readonly approveAboveRows: number | null;
}

/** For the person who asked: why not, and what to change. */
export interface ForkRefusal {
  readonly reason: "not_continuable" | "limit_not_raised";
  readonly message: string;
}

/** Reasons after which going on means a fresh try: what counted against the model is forgotten. */
const FRESH_TRY: ReadonlySet<StopReason> = new Set(["cycle", "truncated", "provider_error"]);

/** The limits of which one must be raised after each stop; none for the others. */
const RAISE_AFTER: { readonly [R in StopReason]?: readonly (keyof Limits)[] } = {
  max_steps: ["stepsMax"],
  max_hops: ["hopsMax"],
  retry_ceiling: ["consecutiveErrorsMax"],
  error_budget: ["errorsMax"],
  budget: ["costNanoUsdMax", "rowsReadMax", "modelCallsMax"],
  timeout: ["wallClockMs"],
};

/** The first state of the new run. `checkpoint` is a state at rest of the run whose last state is `parent`. */
export function forkState(
  checkpoint: AgentState,
  parent: AgentState,
  request: ForkRequest,
  now: number,
): Result<AgentState, ForkRefusal> {
  const { id, kind, limits } = request;
  const reason = parent.ending?.stopReason ?? null;
  if (parent.again !== null) {
    const message = "This run followed a stored plan, and no model can carry that on. Ask it again, or ask anew.";
    return err({ reason: "not_continuable", message });
  }
  if (kind === "continue") {
    const refusal = refuseToContinue(parent, limits, reason);
    if (refusal !== null) return err(refusal);
  }
  const { steps, hops, errors } = kind === "continue" ? parent.usage : checkpoint.usage;
  const isFresh = kind === "continue" && reason !== null && FRESH_TRY.has(reason);
  const atRest: AgentState = {
    ...checkpoint,
    id,
    limits,
    approveAboveRows: tighter(checkpoint.approveAboveRows, request.approveAboveRows),
    parent: { runId: parent.id, step: checkpoint.usage.steps, kind },
    createdAt: now,
    expiresAt: now + EXPIRY_MS,
    touchedAt: now,
    dueAt: now,
    usage: { ...parent.usage, steps, hops, errors },
    unbilledNanoUsd: parent.unbilledNanoUsd,
    ...(isFresh ? { badReplies: 0, repairTier: 0, recent: [], failing: [], rung: 0, critic: "kept" } : {}),
  };
  const state = { ...atRest, dueAt: atRest.mode === "manual" ? deadlineAt(atRest, now) : now + IDLE_MS_MAX };
  const ceiling = ceilingReached(state, now);
  if (ceiling !== null) return err(atCeiling(ceiling, state));
  return ok(state);
}

/** What was asked for the old run holds on, and so does what the operator has set since. */
function tighter(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

function refuseToContinue(parent: AgentState, limits: Limits, reason: StopReason | null): ForkRefusal | null {
  if (reason === null || !CONTINUABLE.has(reason)) {
    const message = `This run ended with ${reason ?? "nothing yet"}; only one that was stopped by a limit can be continued.`;
    return { reason: "not_continuable", message };
  }
  const fields = RAISE_AFTER[reason] ?? [];
  if (fields.length === 0 || fields.some((field) => limits[field] > parent.limits[field])) return null;
  return { reason: "limit_not_raised", message: `${wasStoppedBy(fields, parent.limits)} Raise it to go on.` };
}

function wasStoppedBy(fields: readonly (keyof Limits)[], limits: Limits): string {
  const names = fields.map((field) => `${PUBLIC_NAME[field]} (${toPublicLimits(limits)[PUBLIC_NAME[field]]})`);
  return `The run was stopped by its limit: ${names.join(" or ")}.`;
}

function atCeiling(ceiling: StopReason, state: AgentState): ForkRefusal {
  const fields = RAISE_AFTER[ceiling] ?? [];
  // A cycle is no limit: there is nothing to raise.
  const advice =
    fields.length === 0 ? "Start from an earlier step." : `${wasStoppedBy(fields, state.limits)} Raise it to go on.`;
  const message = `With what was spent before, the new run would stop at once (${ceiling}). ${advice}`;
  return { reason: "limit_not_raised", message };
}

const PUBLIC_NAME = {
  stepsMax: "max_steps",
  hopsMax: "max_hops",
  consecutiveErrorsMax: "max_consecutive_errors",
  errorsMax: "max_errors",
  modelCallsMax: "max_model_calls",
  wallClockMs: "wall_clock_s",
  stepTimeoutMs: "step_timeout_s",
  costNanoUsdMax: "budget_usd",
  rowsReadMax: "max_rows_read",
} as const;
