/**
 * States, attempts, replies and outcomes for tests of the core's parts: valid by default, with only what a test is about
 * written out. Shared by test/agent/*.test.ts.
 */
import type { Event, EventKind, ToolOutcome } from "../../src/agent/event.ts";
import type { Evidence } from "../../src/agent/figures.ts";
import { DEFAULT_LIMITS, DEFAULT_LIMITS_MAX, type Limits, resolveLimits } from "../../src/agent/limits.ts";
import type { ModelFailure, ModelReply, ToolCall } from "../../src/agent/model.ts";
import { success } from "../../src/agent/observation.ts";
import type { AskedQuery } from "../../src/agent/run-event.ts";
import { signatureOf } from "../../src/agent/signature.ts";
import {
  type AgentState,
  type Approval,
  type Attempt,
  createState,
  type Ending,
  type Inquiry,
  PHASES,
  type Phase,
  type Usage,
} from "../../src/agent/state.ts";

export const START = 1_000_000;

export const LIMITS: Limits = limitsWith({});

export function limitsWith(parts: Partial<Limits>): Limits {
  const resolved = resolveLimits({}, DEFAULT_LIMITS, DEFAULT_LIMITS_MAX);
  if (!resolved.ok) throw new Error("the defaults are within the maximum");
  return { ...resolved.value, ...parts };
}

export type StateParts = Omit<Partial<AgentState>, "usage" | "limits"> & {
  readonly usage?: Partial<Usage>;
  readonly limits?: Partial<Limits>;
};

/** A fresh run at `START` with its opening message stored, and `parts` laid over it. */
export function stateWith({ usage, limits, ...parts }: StateParts = {}): AgentState {
  const fresh = createState(
    {
      id: "run_1",
      question: "How many albums are there?",
      caller: "anna",
      mode: "auto",
      grounding: "report",
      model: "test-model",
      tools: ["execute_read_only_sql", "final_answer"],
      limits: limitsWith(limits ?? {}),
    },
    START,
  );
  return { ...fresh, messages: 1, ...parts, usage: { ...fresh.usage, ...usage } };
}

export function modelAttempt(parts: Partial<Attempt> = {}): Attempt {
  return {
    token: "t1",
    kind: "model",
    purpose: "step",
    startedAt: START,
    abortAt: START + 60_000,
    reservedNanoUsd: 100_000_000,
    reservedRows: 0,
    ...parts,
  };
}

export function toolsAttempt(parts: Partial<Attempt> = {}): Attempt {
  return modelAttempt({ kind: "tools", reservedNanoUsd: 1_000, reservedRows: 1_000, ...parts });
}

export function replyWith(parts: Partial<ModelReply> = {}): ModelReply {
  const calls = parts.calls ?? [];
  const finish = parts.finish ?? (calls.length > 0 ? "tool_use" : "end_turn");
  return {
    content: [{ type: "text", text: parts.text ?? "" }, ...calls],
    text: "",
    hasThinking: false,
    calls,
    finish,
    rawFinish: finish,
    usage: { input: 500, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, output: 100 },
    priceMultiplier: 1,
    requestId: null,
    ...parts,
  };
}

export function callOf(id: string, sql = "SELECT 1"): ToolCall {
  return { id, name: "execute_read_only_sql", input: { sql } };
}

export function failureWith(parts: Partial<ModelFailure> = {}): ModelFailure {
  return {
    kind: "retryable",
    code: "overloaded",
    status: 529,
    retryAfterMs: null,
    message: "The provider is overloaded.",
    unbilled: true,
    requestId: null,
    ...parts,
  };
}

/** A question to a person about the first call of a reply, and the approval that stands for it. */
export function queryToAsk(parts: Partial<AskedQuery> = {}): AskedQuery {
  return { index: 0, rowsRead: 5_000, tables: ["Album"], plan: ["SCAN Album"], ...parts };
}

export function approvalWith(parts: Partial<Approval> = {}): Approval {
  const { id: callId, name, input } = callOf("c1");
  const calls = [{ callId, signature: signatureOf(name, input), rowsRead: 5_000 }];
  return { id: "a1", calls, decision: null, note: null, ...parts };
}

export function inquiryWith(parts: Partial<Inquiry> = {}): Inquiry {
  return { id: "q1", callId: "c1", reply: null, ...parts };
}

/** In the middle of a round, with a question to the person open. */
export function waitingForWord(parts: StateParts = {}): AgentState {
  return waitingForYes({
    waiting: { kind: "reply", until: START + 86_400_000 },
    approval: null,
    inquiry: inquiryWith(),
    ...parts,
  });
}

/** In the middle of a round, with a person asked. */
export function waitingForYes(parts: StateParts = {}): AgentState {
  const waiting = { kind: "approval", until: START + 86_400_000 } as const;
  const usage = { steps: 1, modelCalls: 1 };
  return stateWith({
    phase: "action",
    messages: 2,
    approveAboveRows: 100,
    waiting,
    approval: approvalWith(),
    usage,
    ...parts,
  });
}

export function outcomeWith(parts: Partial<ToolOutcome> = {}): ToolOutcome {
  return {
    callId: "c1",
    name: "execute_read_only_sql",
    content: JSON.stringify(success("1 row.")),
    summary: "1 row.",
    isError: false,
    refusedBy: null,
    recent: null,
    rowsRead: 10,
    query: { sql: "SELECT 1", durationMs: 3, rowsRead: 10, rows: 1, error: null, ref: "r1" },
    final: null,
    durationMs: 5,
    memo: null,
    described: [],
    bookmark: null,
    failing: null,
    ...parts,
  };
}

export function endingWith(parts: Partial<Ending> = {}): Ending {
  return {
    at: START,
    outcome: "answered",
    stopReason: "done",
    failed: false,
    answer: "347",
    partialAnswer: null,
    grounded: true,
    message: "Answered.",
    results: ["r1"],
    citations: [],
    unsupported: [],
    chart: null,
    ...parts,
  };
}

/** Of a run that follows a stored plan. */
export const AGAIN: NonNullable<AgentState["again"]> = { runId: "run_0", answeredAt: START, changed: null };

export const NO_EVIDENCE: Evidence = { citations: [], unsupported: [] };

/** A reply as an event; its cost is that of `replyWith`'s usage at the prices of `PRICED`. */
export function replied(parts: Partial<ModelReply>, evidence = NO_EVIDENCE, costNanoUsd = 2_000_000): Event {
  return { kind: "model_replied", reply: replyWith(parts), costNanoUsd, evidence };
}

/** One state for every phase, with the effect of that phase open where it has one. */
export const IN_PHASE: { readonly [P in Phase]: AgentState } = {
  thought: stateWith({ attempt: modelAttempt(), usage: { steps: 1, modelCalls: 1 } }),
  action: stateWith({ phase: "action", attempt: toolsAttempt(), roundHops: 1, usage: { steps: 1, modelCalls: 1 } }),
  observation: stateWith({ phase: "observation", usage: { steps: 1, modelCalls: 1, hops: 1 } }),
  finish: stateWith({ phase: "finish", ending: endingWith(), usage: { steps: 1, modelCalls: 1 } }),
};

/** One event of every kind, as it would come in an ordinary run. */
export const ANY_EVENT: { readonly [K in EventKind]: Event & { readonly kind: K } } = {
  call_reserved: { kind: "call_reserved", attempt: modelAttempt() },
  attempt_lost: { kind: "attempt_lost" },
  model_replied: {
    kind: "model_replied",
    reply: replyWith({ calls: [callOf("c1")] }),
    costNanoUsd: 2_000_000,
    evidence: NO_EVIDENCE,
  },
  model_failed: {
    kind: "model_failed",
    failure: failureWith(),
    costNanoUsd: 0,
    retryAt: START + 500,
    repair: null,
  },
  tools_reserved: { kind: "tools_reserved", attempt: toolsAttempt(), hops: 1 },
  tools_observed: { kind: "tools_observed", outcomes: [outcomeWith()], newResults: 1 },
  ceiling_reached: { kind: "ceiling_reached", reason: "max_steps" },
  transcript_renewed: { kind: "transcript_renewed", text: "It goes on.", reason: "window" },
  extra_skipped: { kind: "extra_skipped" },
  approval_asked: { kind: "approval_asked", queries: [queryToAsk()], approval: approvalWith() },
  approval_decided: { kind: "approval_decided", decision: "approved", note: null, by: "team" },
  question_asked: { kind: "question_asked", index: 0, inquiry: inquiryWith() },
  question_answered: { kind: "question_answered", reply: "Revenue", by: "team" },
  plan_followed: { kind: "plan_followed", calls: [callOf("1.a")] },
  plan_ended: { kind: "plan_ended", reason: "done", parts: { answer: "347", grounded: true }, changed: [] },
  concluded: { kind: "concluded", partial: "So far." },
  cancelled: { kind: "cancelled", partial: null },
  expired: { kind: "expired", partial: null },
  broke: { kind: "broke", message: "It broke." },
  bill_arrived: { kind: "bill_arrived", costNanoUsd: 1_000 },
};

export const EVENT_KINDS = Object.keys(ANY_EVENT) as EventKind[];
export { PHASES };

/** Freezes `value` to its leaves, so that a function that writes to it throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}
