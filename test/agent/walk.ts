/**
 * Random walks over the transition function: from a state and a random choice to the next event that a driver could send,
 * or null when the choice fits nothing. It keeps the driver's side of the contract (what it reserves fits, one effect at a
 * time, one outcome a call); everything else is left to chance. Shared by the property tests of the core.
 */
import fc from "fast-check";
import { type Advance, advance } from "../../src/agent/advance.ts";
import { ceilingReached, hasExtraCall, plannedRows, remainingNanoUsd } from "../../src/agent/budget.ts";
import { abortAt } from "../../src/agent/clock.ts";
import { keptBackNanoUsd } from "../../src/agent/cost.ts";
import type { Event, ToolOutcome } from "../../src/agent/event.ts";
import type { Message, ToolCall } from "../../src/agent/model.ts";
import { failure, success } from "../../src/agent/observation.ts";
import type { AgentState, Attempt, StopReason } from "../../src/agent/state.ts";
import { PRICED } from "../fakes/function-model.ts";
import {
  callOf,
  failureWith,
  modelAttempt,
  outcomeWith,
  replyWith,
  START,
  type StateParts,
  stateWith,
} from "./states.ts";

export interface Choice {
  /** What to do, where there is a choice. */
  readonly way: number;
  /** Amounts, as a share of what is allowed. */
  readonly share: number;
  readonly waitMs: number;
  readonly calls: number;
  readonly text: string;
  readonly finish: "end_turn" | "max_tokens" | "refusal" | "context_window" | "other";
  readonly errors: readonly boolean[];
  readonly isFinal: boolean;
  readonly isSupported: boolean;
}

export const choices: fc.Arbitrary<Choice[]> = fc.array(
  fc.record({
    way: fc.nat(99),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    waitMs: fc.oneof({ weight: 5, arbitrary: fc.nat(2_000) }, fc.nat(400_000)),
    calls: fc.nat(4),
    text: fc.constantFrom("", " ", "347.", "The answer is long. ".repeat(60)),
    finish: fc.constantFrom("end_turn", "end_turn", "end_turn", "max_tokens", "refusal", "context_window", "other"),
    errors: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    isFinal: fc.boolean(),
    isSupported: fc.boolean(),
  }),
  { minLength: 1, maxLength: 50 },
);

export const startParts: fc.Arbitrary<StateParts> = fc.record({
  mode: fc.constantFrom("auto" as const, "manual" as const),
  grounding: fc.constantFrom("off" as const, "report" as const, "require" as const),
  limits: fc.record({
    stepsMax: fc.integer({ min: 1, max: 12 }),
    hopsMax: fc.integer({ min: 1, max: 9 }),
    consecutiveErrorsMax: fc.integer({ min: 1, max: 5 }),
    errorsMax: fc.integer({ min: 1, max: 6 }),
    modelCallsMax: fc.integer({ min: 1, max: 20 }),
    costNanoUsdMax: fc.integer({ min: 1, max: 1_000_000_000 }),
    rowsReadMax: fc.integer({ min: 1, max: 5_000 }),
    wallClockMs: fc.integer({ min: 1, max: 300_000 }),
  }),
});

export interface Walk {
  readonly state: AgentState;
  readonly messages: readonly Message[];
  readonly now: number;
}

export function startWalk(parts: StateParts): Walk {
  const state = stateWith(parts);
  return { state, messages: [{ role: "user", text: state.question }], now: START };
}

/** One move, or null when the choice fits nothing here. */
export function move(
  walk: Walk,
  choice: Choice,
): { readonly event: Event; readonly made: Advance; readonly walk: Walk } | null {
  const now = walk.now + choice.waitMs;
  const event = nextEvent(walk, choice, now);
  if (event === null) return null;
  const made = advance(walk.state, event, now);
  return { event, made, walk: { state: made.state, messages: [...walk.messages, ...made.messages], now } };
}

function nextEvent({ state, messages }: Walk, choice: Choice, now: number): Event | null {
  const { way } = choice;
  const partial = choice.text === "" ? null : choice.text;
  const { attempt } = state;
  if (state.phase === "finish") {
    if (attempt === null) return null;
    const most = attempt.reservedNanoUsd * (attempt.kind === "tools" ? 3 : 1);
    return { kind: "bill_arrived", costNanoUsd: portion(most, choice) };
  }
  if (way === 0) return { kind: "cancelled", partial };
  if (way === 1) return { kind: "expired", partial };
  if (way === 2) return { kind: "broke", message: "It broke." };
  if (attempt !== null) {
    if (way < 15) return { kind: "attempt_lost" };
    return attempt.kind === "model" ? settleModel(attempt, choice, now) : settleTools(state, attempt, messages, choice);
  }
  if (state.phase === "action") return reserveTools(state, messages, choice, now);
  if (way > 95) return { kind: "transcript_renewed", text: "It goes on.", reason: "window" };
  return ask(state, choice, now);
}

function ask(state: AgentState, choice: Choice, now: number): Event | null {
  const purpose =
    state.concluding !== null
      ? "last"
      : state.cutText !== null
        ? "summary"
        : state.critic === "due"
          ? "critic"
          : "step";
  const reserve = (): Event => {
    const reservedNanoUsd = portion(remainingNanoUsd(state), choice);
    const token = `t${now}-${state.usage.modelCalls}`;
    const attempt = modelAttempt({
      token,
      purpose,
      startedAt: now,
      abortAt: abortAt(state, purpose, now),
      reservedNanoUsd,
    });
    return { kind: "call_reserved", attempt };
  };
  if (purpose === "last") {
    if (state.phase !== "thought") return null;
    const isPossible = state.usage.modelCalls < state.limits.modelCallsMax && choice.way % 2 === 0;
    return isPossible ? reserve() : { kind: "concluded", partial: choice.text === "" ? null : choice.text };
  }
  if (purpose !== "step")
    return hasExtraCall(state) && !state.cutSummarised && choice.way % 3 > 0 ? reserve() : { kind: "extra_skipped" };
  const reason = ceilingReached(state, now) ?? (choice.way > 90 ? ("budget" satisfies StopReason) : null);
  return reason === null ? reserve() : { kind: "ceiling_reached", reason };
}

function settleModel(attempt: Attempt, choice: Choice, now: number): Event {
  const costNanoUsd = portion(attempt.reservedNanoUsd, choice);
  if (choice.way < 30) {
    const retryAt = choice.way % 2 === 0 ? now + 500 : null;
    const repair = retryAt === null && choice.way % 3 === 0 ? ({ kind: "renew" } as const) : null;
    return { kind: "model_failed", failure: failureWith(), costNanoUsd, retryAt, repair };
  }
  const calls = Array.from({ length: choice.finish === "end_turn" ? choice.calls : 0 }, (_, index) =>
    callOf(`${attempt.token}.${index}`, choice.way % 2 === 0 ? "SELECT 1" : `SELECT ${now}`),
  );
  const reply = replyWith({ text: choice.text, calls, finish: choice.finish });
  const evidence = { citations: [], unsupported: choice.isSupported ? [] : ["347"] };
  return { kind: "model_replied", reply, costNanoUsd, evidence };
}

function openCalls(messages: readonly Message[]): readonly ToolCall[] {
  const last = messages.at(-1);
  if (last?.role !== "assistant") throw new Error("the action phase follows a reply with calls");
  return last.calls;
}

function reserveTools(state: AgentState, messages: readonly Message[], choice: Choice, now: number): Event {
  const hops = state.roundHops ?? Math.min(openCalls(messages).length, state.limits.hopsMax - state.usage.hops);
  const reservedRows = portion(plannedRows(state, keptBackNanoUsd(PRICED)), choice);
  const attempt = modelAttempt({
    kind: "tools",
    token: `t${now}-tools`,
    startedAt: now,
    abortAt: abortAt(state, "step", now),
    reservedNanoUsd: reservedRows,
    reservedRows,
  });
  return { kind: "tools_reserved", attempt, hops };
}

function settleTools(state: AgentState, attempt: Attempt, messages: readonly Message[], choice: Choice): Event {
  const outcomes = openCalls(messages).map((call, index): ToolOutcome => {
    const refusedBy = index >= (state.roundHops ?? 0) ? "hops" : null;
    const isError = refusedBy !== null || choice.errors[index] === true;
    const observation = isError ? failure("No such column.", []) : success("1 row.");
    const recent = {
      signature: JSON.stringify(call.input),
      result: String(isError),
      tool: call.name,
      step: 1,
      isError,
      ref: null,
    };
    const query = {
      sql: "SELECT 1",
      durationMs: 1,
      rowsRead: 0,
      rows: 1,
      error: isError ? "no such column" : null,
      ref: null,
    };
    const isFinal = choice.isFinal && index === 0 && !isError;
    const evidence = { citations: [], unsupported: choice.isSupported ? [] : ["347"] };
    return outcomeWith({
      callId: call.id,
      content: JSON.stringify(observation),
      isError,
      refusedBy,
      recent: refusedBy === null ? recent : null,
      // An engine that reads more than its plan said.
      rowsRead: refusedBy === null ? portion(attempt.reservedRows * 2, choice) : 0,
      query: refusedBy === null && !isFinal ? query : null,
      final: isFinal ? { answer: "347", results: [], citations: [], evidence } : null,
    });
  });
  return { kind: "tools_observed", outcomes, newResults: choice.calls };
}

function portion(amount: number, choice: Choice): number {
  return Math.max(0, Math.floor(amount * choice.share));
}
