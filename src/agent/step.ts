/**
 * One step of a run through ports: read the phase, reserve, save, do one effect, settle, save.
 *
 * Owns: the order of these, L1 (nothing leaves before the save that reserved it), L2 (one attempt in flight), the lease
 * (a driver settles only the attempt it reserved), and the way from a ceiling to the last call. Leaves to others: what
 * an event does (advance.ts), what fits the budget (budget.ts), storage and clocks (ports.ts), bugs (L4: whatever is
 * thrown here is one, and the run object ends the run as `failed`).
 */
import { assert } from "../lib/assert.ts";
import { formatUsd } from "../lib/money.ts";
import { type Advance, advance } from "./advance.ts";
import { judgePlan } from "./again.ts";
import { queriesToAsk, refuseDeclined, rowsUnasked, toApproval } from "./approval.ts";
import { ceilingReached, plannedRows, reserveForRows } from "./budget.ts";
import { abortAt, deadlineAt } from "./clock.ts";
import { keptBackNanoUsd, priceUsage } from "./cost.ts";
import { type Prepared, prepareCall, refuseInterrupted, refuseOverHops, refuseRepeated } from "./dispatch.ts";
import type { Event } from "./event.ts";
import { checkFigures, type Evidence } from "./figures.ts";
import { tellPartial } from "./findings.ts";
import { inquiryToAsk } from "./inquiry.ts";
import type { ModelOutcome, ModelRequest, ToolCall } from "./model.ts";
import { type PlannedCall, planExtraCall, planLastCall, planStepCall } from "./plan-call.ts";
import type { StepPorts } from "./ports.ts";
import { retryAt, TRIES_MAX } from "./recovery.ts";
import { planRenewal, planRepair } from "./renewal.ts";
import { runRound } from "./round.ts";
import type { AgentState, Attempt, StopReason } from "./state.ts";
import { nextCalls, type StoredPlan } from "./stored-plan.ts";
import { NOTHING_FORESEEN, type StoredResult } from "./tool.ts";

export type StepResult =
  | { readonly kind: "finished" }
  | { readonly kind: "ready" }
  | { readonly kind: "wait"; readonly until: number }
  /** Somebody else moved the run while our effect was open; what we know of its cost is recorded. */
  | { readonly kind: "superseded" };

const NO_EVIDENCE: Evidence = { citations: [], unsupported: [] };

/** A round that was lost this often may be what kills us (a query that never ends): it is not run once more. */
const INTERRUPTIONS_MAX = 2;

/** Runs exactly one step, or what is left of one. */
export async function runStep(ports: StepPorts): Promise<StepResult> {
  let state = ports.journal.load();
  if (state.ending !== null) return { kind: "finished" };
  if (state.attempt !== null) state = await apply(ports, state, { kind: "attempt_lost" });
  if (ports.now() >= state.expiresAt) {
    await apply(ports, state, { kind: "expired", partial: findings(ports) });
    return { kind: "finished" };
  }
  if (state.failedTries >= TRIES_MAX && state.concluding === null) {
    await apply(ports, state, { kind: "broke", message: `This step was interrupted ${TRIES_MAX} times in a row.` });
    return { kind: "finished" };
  }
  if (state.waiting !== null && state.waiting.until > ports.now()) return { kind: "wait", until: state.waiting.until };
  if (state.concluding !== null) return conclude(ports, state);
  if (state.cutText !== null || state.critic === "due") return consult(ports, state);
  const ended = await endPlan(ports, state);
  if (ended !== null) return ended;
  const ceiling = state.phase === "action" ? null : ceilingReached(state, ports.now());
  if (ceiling !== null) return stopAt(ports, state, ceiling);
  if (state.phase === "action") return act(ports, state);
  return state.again === null ? think(ports, state) : followPlan(ports, state);
}

/** An extra call between two steps: the gist of a cut-off reply, or a fresh perspective. Once each, or not at all. */
async function consult(ports: StepPorts, state: AgentState): Promise<StepResult> {
  const purpose = state.cutText !== null ? "summary" : "critic";
  const planned = planExtraCall(ports, state);
  const after =
    planned === null
      ? await apply(ports, state, { kind: "extra_skipped" })
      : await callModel(ports, state, planned, purpose);
  if (after === null) return { kind: "superseded" };
  return settleStep(ports, after);
}

/** Asks the model; if it calls tools, runs them in the same invocation. */
async function think(ports: StepPorts, before: AgentState): Promise<StepResult> {
  const renewal = planRenewal(ports, before);
  const state = renewal === null ? before : await apply(ports, before, { kind: "transcript_renewed", ...renewal });
  const planned = await planStepCall(ports, state);
  if (isMoved(ports, state)) return { kind: "superseded" };
  // When the money went into tries that failed, it is the provider that ended the run, not the limit.
  if (planned === null) return stopAt(ports, state, state.waiting === null ? "budget" : "provider_error");
  const after = await callModel(ports, state, planned, "step");
  if (after === null) return { kind: "superseded" };
  if (after.ending !== null) return { kind: "finished" };
  if (after.waiting !== null) return { kind: "wait", until: after.waiting.until };
  return after.phase === "action" ? act(ports, after) : settleStep(ports, after);
}

/** The next calls of a stored plan, in the place of a model's. */
async function followPlan(ports: StepPorts, state: AgentState): Promise<StepResult> {
  const calls = nextCalls(planOf(ports), ports.journal.messages());
  assert(calls.length > 0, "a plan that has nothing left to run has ended");
  return act(ports, await apply(ports, state, { kind: "plan_followed", calls }));
}

/** The end of a run whose plan has run, or has failed; null while there is more to do, and for every other run. */
async function endPlan(ports: StepPorts, state: AgentState): Promise<StepResult | null> {
  if (state.again === null || state.phase !== "observation") return null;
  const end = judgePlan(planOf(ports), ports.journal.messages(), ports.journal.results());
  if (end === null) return null;
  const ceiling = ceilingReached(state, ports.now());
  // A call that the limits left no room for is no fault of the plan.
  const isAtLimit = ceiling !== null && ceiling !== "retry_ceiling" && ceiling !== "error_budget";
  if (end.reason !== "done" && isAtLimit) return null;
  await apply(ports, state, { kind: "plan_ended", ...end });
  return { kind: "finished" };
}

function planOf(ports: StepPorts): StoredPlan {
  const { plan } = ports.journal.pinned();
  assert(plan !== undefined, "the plan is pinned with the run that follows it");
  return plan;
}

/** Runs the tool calls of the last reply. */
async function act(ports: StepPorts, before: AgentState): Promise<StepResult> {
  const reply = ports.journal.messages().at(-1);
  assert(reply?.role === "assistant" && reply.calls.length > 0, "the action phase follows a reply with calls");
  const hops = before.roundHops ?? Math.min(reply.calls.length, before.limits.hopsMax - before.usage.hops);
  const prepared = reply.calls.map((call, index) =>
    index < hops ? prepareOne(ports, before, call, reply.text) : refuseOverHops(call),
  );
  const foreseen = await Promise.all(
    prepared.map((call) => (call.kind === "ready" ? call.checked.foresee() : NOTHING_FORESEEN)),
  );
  if (isMoved(ports, before)) return { kind: "superseded" };
  const queries = queriesToAsk(before, prepared, foreseen);
  if (queries.length > 0) {
    const approval = toApproval(before.id, before.messages - 1, reply.calls, queries);
    return awaitPerson(await apply(ports, before, { kind: "approval_asked", queries, approval }));
  }
  const calls = prepared.map((call) => refuseDeclined(call, before));
  const question = inquiryToAsk(before, calls);
  if (question !== null) return awaitPerson(await apply(ports, before, { kind: "question_asked", ...question }));
  const available = plannedRows(before, keptBackNanoUsd(ports.model.info));
  const wantedRows = foreseen.reduce(
    (sum, { rowsRead }, index) => sum + (calls[index]?.kind === "ready" ? reserveForRows(rowsRead) : 0),
    0,
  );
  const reservedRows = Math.min(available, wantedRows);
  const attempt = newAttempt(ports, before, {
    kind: "tools",
    purpose: "step",
    reservedNanoUsd: reservedRows,
    reservedRows,
  });
  const state = await apply(ports, before, { kind: "tools_reserved", attempt, hops });
  const { outcomes, newResults, quarantined } = await runRound({
    calls,
    stored: ports.journal.results(),
    signal: ports.signalFor(attempt),
    rowsReadMax: calls.map(({ call }) => Math.min(available, rowsUnasked(before, call))),
    consecutiveErrors: state.consecutiveErrors,
    consecutiveErrorsMax: state.limits.consecutiveErrorsMax,
    step: state.usage.steps,
    question: state.question,
    memo: state.memo,
    inquiry: state.inquiry,
    described: state.described,
    bookmark: state.bookmark,
    failing: state.failing,
    allowed: state.tools,
    now: ports.now,
  });
  const held = stillHeld(ports, attempt);
  if (held === null)
    return settleLate(
      ports,
      attempt,
      outcomes.reduce((sum, outcome) => sum + outcome.rowsRead, 0),
    );
  const observed = await apply(
    ports,
    held,
    { kind: "tools_observed", outcomes, newResults: newResults.length },
    newResults,
  );
  if (quarantined && observed.ending === null) {
    const message = "The database changed while it was only to be read. The run was stopped and an alarm was raised.";
    await apply(ports, observed, { kind: "broke", message });
    return { kind: "finished" };
  }
  return settleStep(ports, observed);
}

function prepareOne(ports: StepPorts, state: AgentState, call: ToolCall, said: string): Prepared {
  if (state.failedTries >= INTERRUPTIONS_MAX) return refuseInterrupted(call);
  const prepared = prepareCall(call, ports.tools, state.tools, said);
  return refuseRepeated(prepared, state.recent, state.rung, state.loop);
}

function awaitPerson({ waiting, expiresAt }: AgentState): StepResult {
  return { kind: "wait", until: waiting?.until ?? expiresAt };
}

/** After a step: finished, at a ceiling (then the last call follows at once), or ready for the next. */
async function settleStep(ports: StepPorts, state: AgentState): Promise<StepResult> {
  if (state.ending !== null) return { kind: "finished" };
  const ended = await endPlan(ports, state);
  if (ended !== null) return ended;
  const ceiling = ceilingReached(state, ports.now());
  return ceiling === null ? { kind: "ready" } : stopAt(ports, state, ceiling);
}

async function stopAt(ports: StepPorts, state: AgentState, reason: StopReason): Promise<StepResult> {
  return conclude(ports, await apply(ports, state, { kind: "ceiling_reached", reason }));
}

/** The last call, or without one what the rows say by themselves. */
async function conclude(ports: StepPorts, state: AgentState): Promise<StepResult> {
  // A last call that was interrupted again and again is done without: the run still ends for its own reason.
  const isCalled = state.failedTries < TRIES_MAX && state.again === null;
  const planned = isCalled ? planLastCall(ports, state) : null;
  let last = state;
  if (planned !== null) {
    const after = await callModel(ports, state, planned, "last");
    if (after === null) return { kind: "superseded" };
    if (after.ending !== null) return { kind: "finished" };
    last = after;
  }
  await apply(ports, last, { kind: "concluded", partial: findings(ports) });
  return { kind: "finished" };
}

/** Reserve, save, call, settle, save. Null when the run was moved by somebody else in the meantime. */
async function callModel(
  ports: StepPorts,
  before: AgentState,
  planned: PlannedCall,
  purpose: Attempt["purpose"],
): Promise<AgentState | null> {
  const { reservedNanoUsd } = planned;
  const attempt = newAttempt(ports, before, { kind: "model", purpose, reservedNanoUsd, reservedRows: 0 });
  await apply(ports, before, { kind: "call_reserved", attempt });
  const timeoutMs = Math.max(1, attempt.abortAt - ports.now());
  const request: ModelRequest = { ...planned.request, timeoutMs };
  const answered = await ports.model.complete(request, ports.signalFor(attempt));
  const outcome = withinReservation(ports, attempt, answered);
  const costNanoUsd = costOf(ports, attempt, outcome);
  const state = stillHeld(ports, attempt);
  if (state === null) {
    await settleLate(ports, attempt, costNanoUsd);
    return null;
  }
  return apply(ports, state, toEvent(ports, state, outcome, costNanoUsd));
}

function toEvent(ports: StepPorts, state: AgentState, outcome: ModelOutcome, costNanoUsd: number): Event {
  if (outcome.kind === "reply") {
    const { reply } = outcome;
    // What is said beside calls is no answer.
    const isAnswer = reply.calls.length === 0;
    const evidence = isAnswer ? checkFigures(reply.text, state.question, ports.journal.results()) : NO_EVIDENCE;
    return { kind: "model_replied", reply, costNanoUsd, evidence };
  }
  const now = ports.now();
  const isStep = state.attempt?.purpose === "step";
  const again = isStep ? retryAt(outcome, state, deadlineAt(state, now), now, ports.random()) : null;
  const repair = isStep && again === null ? planRepair(outcome, state, ports.journal.messages()) : null;
  return { kind: "model_failed", failure: outcome, costNanoUsd, retryAt: again, repair };
}

/**
 * A reply whose token counts cost more than the call could cost is not believed: the reservation stands, and the run
 * ends as the provider's failure, in words.
 */
function withinReservation(ports: StepPorts, attempt: Attempt, outcome: ModelOutcome): ModelOutcome {
  if (outcome.kind !== "reply") return outcome;
  const { usage, priceMultiplier, requestId } = outcome.reply;
  const claimed = priceUsage(ports.model.info, usage, priceMultiplier);
  if (claimed <= attempt.reservedNanoUsd) return outcome;
  const message =
    `The provider reported tokens worth ${formatUsd(claimed)} for a call that can cost ` +
    `${formatUsd(attempt.reservedNanoUsd)} at the most. The reply was not used; check the bill.`;
  const code = "usage_above_bound";
  return { kind: "fatal", code, status: null, retryAfterMs: null, message, unbilled: false, requestId };
}

/** By the vendor's counts for a reply; nothing for a call refused before it began; else all that was reserved. */
function costOf(ports: StepPorts, attempt: Attempt, outcome: ModelOutcome): number {
  if (outcome.kind !== "reply") return outcome.unbilled ? 0 : attempt.reservedNanoUsd;
  return priceUsage(ports.model.info, outcome.reply.usage, outcome.reply.priceMultiplier);
}

/** The lease: the state if `attempt` is still the open one, null if the run was cancelled or taken over. */
function stillHeld(ports: StepPorts, attempt: Attempt): AgentState | null {
  const state = ports.journal.load();
  return state.ending === null && state.attempt?.token === attempt.token ? state : null;
}

/**
 * Whether somebody else moved the run on from `before` while something was awaited that needs no reservation. To save what
 * was planned then would undo a cancel. A move tells an event or, when tools are reserved, leaves an attempt.
 */
function isMoved(ports: StepPorts, before: AgentState): boolean {
  const { events, attempt } = ports.journal.load();
  return events !== before.events || attempt?.token !== before.attempt?.token;
}

/** The bill of an effect whose run ended while it was open. */
async function settleLate(ports: StepPorts, attempt: Attempt, costNanoUsd: number): Promise<StepResult> {
  const state = ports.journal.load();
  if (state.ending !== null && state.attempt?.token === attempt.token) {
    await apply(ports, state, { kind: "bill_arrived", costNanoUsd });
  }
  return { kind: "superseded" };
}

function newAttempt(
  ports: StepPorts,
  state: AgentState,
  parts: Pick<Attempt, "kind" | "purpose" | "reservedNanoUsd" | "reservedRows">,
): Attempt {
  const now = ports.now();
  return { token: ports.newToken(), ...parts, startedAt: now, abortAt: abortAt(state, parts.purpose, now) };
}

/** One transition and its save. */
async function apply(
  ports: StepPorts,
  state: AgentState,
  event: Event,
  results: readonly StoredResult[] = [],
): Promise<AgentState> {
  const moved: Advance = advance(state, event, ports.now());
  await ports.journal.save(moved, results);
  return moved.state;
}

function findings(ports: StepPorts): string | null {
  return tellPartial(ports.journal.results());
}
