/**
 * `advance(state, event, now)`: the one function that moves a run. Everything else only stores what it returns.
 *
 * Owns: A1 finish is final, A2 same input gives the same output, A3 meters never fall, A4 (asserted on the way out),
 * A5 each call gets exactly one result, A7 only `answered` has an answer. The legal pairs are a table (event.ts);
 * anything else throws. Leaves to others: effects (step.ts), storage (durable/journal.ts).
 * Pure: no I/O, no clock; `now` is epoch milliseconds.
 */
import { assert } from "../lib/assert.ts";
import { askApproval, decideApproval } from "./approval.ts";
import { assertWithinLimits } from "./budget.ts";
import { activeMsAt, deadlineAt } from "./clock.ts";
import { NANO_USD_PER_ROW } from "./cost.ts";
import { type Draft, finish, say, settle, settleRows, settleUnbilled, tell } from "./draft.ts";
import { type Event, TRANSITIONS } from "./event.ts";
import { askQuestion, takeAnswer } from "./inquiry.ts";
import type { Message, ToolCall } from "./model.ts";
import { observeTools } from "./observe.ts";
import { resumeCut, takeReply } from "./reply.ts";
import type { RunEvent } from "./run-event.ts";
import { type AgentState, IDLE_MS_MAX } from "./state.ts";

/** The next state, and the rows to append with it, in order, in the same save. */
export interface Advance {
  readonly state: AgentState;
  readonly messages: readonly Message[];
  readonly events: readonly RunEvent[];
}

export function advance(before: AgentState, event: Event, now: number): Advance {
  const allowed = TRANSITIONS[before.phase][event.kind];
  assert(allowed !== undefined, `illegal event ${event.kind} in phase ${before.phase}`);
  const draft: Draft = { state: touched(before, now), messages: [], events: [], now };
  applyEvent(draft, event);
  const state: AgentState = {
    ...draft.state,
    messages: before.messages + draft.messages.length,
    events: before.events + draft.events.length,
    dueAt: dueAt(draft.state, now),
  };
  assert(allowed.includes(state.phase), `illegal transition ${before.phase} --${event.kind}--> ${state.phase}`);
  assertMonotone(before, state);
  assertWithinLimits(state);
  assert((state.phase === "finish") === (state.ending !== null), "A1: an ending and the finish phase go together");
  return { state, messages: draft.messages, events: draft.events };
}

function applyEvent(draft: Draft, event: Event): void {
  switch (event.kind) {
    case "call_reserved":
      return reserveCall(draft, event);
    case "attempt_lost":
      return loseAttempt(draft);
    case "model_replied":
      return takeReply(draft, event.reply, event.costNanoUsd, event.evidence);
    case "model_failed":
      return failCall(draft, event);
    case "tools_reserved": {
      assert(draft.state.attempt === null, "L2: one attempt in flight");
      const { usage, roundHops } = draft.state;
      const hops = usage.hops + (roundHops === null ? event.hops : 0);
      draft.state = {
        ...draft.state,
        attempt: event.attempt,
        roundHops: roundHops ?? event.hops,
        usage: { ...usage, hops },
      };
      return;
    }
    case "approval_asked":
      return askApproval(draft, event);
    case "approval_decided":
      return decideApproval(draft, event);
    case "question_asked":
      return askQuestion(draft, event);
    case "question_answered":
      return takeAnswer(draft, event);
    case "tools_observed":
      return observeTools(draft, event.outcomes, event.newResults);
    case "plan_followed":
      return followPlan(draft, event.calls);
    case "plan_ended": {
      const { again } = draft.state;
      assert(again !== null && draft.state.attempt === null, "only a run of a stored plan ends with it");
      draft.state = { ...draft.state, again: { ...again, changed: event.changed && [...event.changed] } };
      return finish(draft, event.reason, event.parts);
    }
    case "ceiling_reached":
      draft.state = { ...draft.state, phase: "thought", concluding: event.reason, failedTries: 0, waiting: null };
      return tell(draft, { type: "ceiling_reached", reason: event.reason });
    case "transcript_renewed":
      return renewTranscript(draft, event);
    case "extra_skipped":
      return skipExtra(draft);
    case "concluded": {
      const reason = draft.state.concluding;
      assert(reason !== null, "a run concludes after a ceiling");
      return finish(draft, reason, { partial: event.partial });
    }
    case "cancelled":
      return finish(draft, "cancelled", { partial: event.partial });
    case "expired":
      return finish(draft, "expired", { partial: event.partial });
    case "broke":
      return finish(draft, "error", { message: event.message });
    case "bill_arrived":
      return takeBill(draft, event.costNanoUsd);
  }
}

function reserveCall(draft: Draft, event: Extract<Event, { kind: "call_reserved" }>): void {
  const { state } = draft;
  const { attempt } = event;
  assert(state.attempt === null, "L2: one attempt in flight");
  assert(attempt.abortAt <= Math.max(draft.now, deadlineAt(state, draft.now)), "L3: no effect outlives the deadline");
  const isNewStep = attempt.purpose === "step" && state.failedTries === 0;
  const usage = {
    ...state.usage,
    modelCalls: state.usage.modelCalls + 1,
    steps: state.usage.steps + (isNewStep ? 1 : 0),
  };
  // An extra call is made once, also when it is lost: it is marked as used before it leaves.
  const critic = attempt.purpose === "critic" ? "used" : state.critic;
  const cutSummarised = attempt.purpose === "summary" ? true : state.cutSummarised;
  draft.state = { ...state, phase: "thought", waiting: null, attempt, usage, critic, cutSummarised };
  tell(draft, { type: "step_started", purpose: attempt.purpose, reservedNanoUsd: attempt.reservedNanoUsd });
}

/** A step that no model was asked for: it counts as a step, and as no model call. */
function followPlan(draft: Draft, calls: readonly ToolCall[]): void {
  const { state } = draft;
  assert(state.again !== null && state.attempt === null, "only a run of a stored plan follows one");
  draft.state = { ...state, phase: "action", usage: { ...state.usage, steps: state.usage.steps + 1 } };
  const content = calls.map((call) => ({ type: "tool_use", ...call }));
  const message = say(draft, { role: "assistant", content, text: "", calls });
  tell(draft, { type: "plan_followed", message });
}

/** A lost attempt keeps its reservation as spent: it may have been billed, and nobody will ever know. */
function loseAttempt(draft: Draft): void {
  const { attempt } = draft.state;
  assert(attempt !== null, "only an open attempt can be lost");
  settleUnbilled(draft, attempt.reservedNanoUsd);
  const usage = { ...draft.state.usage, rowsRead: draft.state.usage.rowsRead + attempt.reservedRows };
  const isExtra = attempt.purpose === "critic" || attempt.purpose === "summary";
  draft.state = { ...draft.state, usage, failedTries: draft.state.failedTries + (isExtra ? 0 : 1) };
  tell(draft, { type: "attempt_lost", keptNanoUsd: attempt.reservedNanoUsd });
}

function failCall(draft: Draft, event: Extract<Event, { kind: "model_failed" }>): void {
  const { failure, retryAt, repair } = event;
  const { attempt } = draft.state;
  assert(attempt !== null && attempt.kind === "model", "a failure belongs to an open model call");
  assert(event.costNanoUsd <= attempt.reservedNanoUsd, "A4: a failed call cost more than was reserved for it");
  settleUnbilled(draft, event.costNanoUsd);
  const { code, status, message } = failure;
  tell(draft, { type: "model_failed", code, status, text: message });
  draft.state = { ...draft.state, lastFailure: message };
  if (attempt.purpose !== "step") return;
  if (repair !== null) return repairRequest(draft, repair);
  if (retryAt === null) return finish(draft, "provider_error", { message });
  draft.state = {
    ...draft.state,
    failedTries: draft.state.failedTries + 1,
    waiting: { kind: "retry", until: retryAt, code },
  };
  tell(draft, { type: "retry_scheduled", code, until: retryAt, attempt: draft.state.failedTries + 1 });
}

/** The provider keeps refusing this very request: it is changed, a little more each time (mechanisms B60 to B64). */
function repairRequest(draft: Draft, repair: NonNullable<Extract<Event, { kind: "model_failed" }>["repair"]>): void {
  const { state } = draft;
  const tier = state.repairTier + 1;
  const changed: Partial<AgentState> =
    repair.kind === "omit"
      ? { omitted: [...state.omitted, { from: repair.from, to: repair.to }] }
      : { renewalDue: "repair" };
  // One try stands for the refused request, so that the same step goes on and its tries stay bounded.
  draft.state = { ...state, ...changed, repairTier: tier, failedTries: 1, waiting: null };
  const what = repair.kind === "omit" ? `messages ${repair.from} to ${repair.to - 1} left out` : "fresh transcript";
  const refused = {
    messages: { from: state.transcriptStart, to: state.messages },
    omitted: state.omitted,
    // Events are numbered from 1, and the failure is the last one told.
    reply: state.events + draft.events.length,
  };
  tell(draft, { type: "recovery", what: "repair", text: `Tier ${tier} of provider repair: ${what}.`, refused });
}

/** What was said stays in the history; requests start anew with `text`. Cycles are counted afresh. */
function renewTranscript(draft: Draft, event: Extract<Event, { kind: "transcript_renewed" }>): void {
  const transcriptStart = say(draft, { role: "user", text: event.text });
  draft.state = {
    ...draft.state,
    phase: "thought",
    transcriptStart,
    omitted: [],
    recent: [],
    rung: 0,
    windowTokens: 0,
    renewalDue: null,
    renewals: draft.state.renewals + 1,
  };
  tell(draft, { type: "recovery", what: `renewed_${event.reason}`, text: "The run continues in a fresh transcript." });
}

/** An extra call that does not fit is done without: the raw text instead of a summary, no second opinion. */
function skipExtra(draft: Draft): void {
  const { state } = draft;
  draft.state = { ...state, phase: "thought", critic: state.critic === "due" ? "used" : state.critic };
  if (state.cutText !== null) resumeCut(draft, state.cutText);
}

function takeBill(draft: Draft, costNanoUsd: number): void {
  const { attempt } = draft.state;
  assert(attempt !== null, "a bill belongs to an open attempt");
  if (attempt.kind === "tools") return settleRows(draft, costNanoUsd / NANO_USD_PER_ROW, attempt.reservedRows);
  // A bill of exactly all that was held is none: nobody knows how far the call got.
  if (costNanoUsd === attempt.reservedNanoUsd) return settleUnbilled(draft, costNanoUsd);
  settle(draft, costNanoUsd);
}

/** Moves the clock: time since the last touch is active up to the instant a driver was due (budget.ts). */
function touched(state: AgentState, now: number): AgentState {
  const activeMs = activeMsAt(state, now);
  return { ...state, touchedAt: Math.max(now, state.touchedAt), usage: { ...state.usage, activeMs } };
}

/** By when somebody should have touched the run again. Idle time beyond it is an outage, and nobody is charged. */
function dueAt(state: AgentState, now: number): number {
  if (state.ending !== null) return now;
  if (state.attempt !== null) return state.attempt.abortAt + IDLE_MS_MAX;
  // Nobody pays for a person's time.
  if (state.waiting !== null && state.waiting.kind !== "retry") return now;
  if (state.waiting !== null) return state.waiting.until + IDLE_MS_MAX;
  return state.mode === "manual" ? deadlineAt(state, now) : now + IDLE_MS_MAX;
}

/** A3: no meter ever falls. */
function assertMonotone(before: AgentState, after: AgentState): void {
  const meters = Object.keys(before.usage) as (keyof AgentState["usage"])[];
  for (const meter of meters) {
    assert(after.usage[meter] >= before.usage[meter], `A3: ${meter} fell`);
  }
}
