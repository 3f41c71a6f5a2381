/**
 * How a run ends, in data and in words.
 *
 * Owns: which outcome belongs to which stop reason, and one plain sentence for each. A reader decides by the stored
 * fields; the sentences may be reworded at will (mechanism A14). Pure: no I/O, no clock.
 */
import { formatUsd } from "../lib/money.ts";
import type { AgentState, Ending, Outcome, StopReason } from "./state.ts";

/** Exhaustive on purpose: a new reason does not compile until someone decides what it is. */
const OUTCOME_OF: { readonly [R in StopReason]: Outcome } = {
  done: "answered",
  max_steps: "stopped",
  max_hops: "stopped",
  retry_ceiling: "stopped",
  error_budget: "stopped",
  cycle: "stopped",
  budget: "stopped",
  timeout: "stopped",
  truncated: "stopped",
  refusal: "stopped",
  context_window: "stopped",
  ungrounded: "stopped",
  rejected: "stopped",
  expired: "stopped",
  provider_error: "failed",
  malformed_reply: "failed",
  error: "failed",
  cancelled: "cancelled",
};

/** Reasons that raising a limit can help: such a run can be continued. */
export const CONTINUABLE: ReadonlySet<StopReason> = new Set([
  "max_steps",
  "max_hops",
  "retry_ceiling",
  "error_budget",
  "cycle",
  "budget",
  "timeout",
  "truncated",
  "provider_error",
  "expired",
]);

/** Characters of an answer that are kept; a longer one is cut and says so. */
const ANSWER_CHARS_MAX = 20_000;

export interface EndingParts {
  readonly answer?: string;
  readonly partial?: string | null;
  readonly grounded?: boolean;
  readonly results?: readonly string[];
  readonly citations?: Ending["citations"];
  readonly unsupported?: readonly string[];
  readonly chart?: Ending["chart"];
  /** Replaces the standard sentence. */
  readonly message?: string;
}

/** Builds the ending of `state` for `reason`. A7: any reason but `done` has no answer. */
export function endingOf(state: AgentState, reason: StopReason, now: number, parts: EndingParts = {}): Ending {
  const outcome = OUTCOME_OF[reason];
  return {
    at: now,
    outcome,
    stopReason: reason,
    failed: outcome !== "answered",
    answer: outcome === "answered" ? cut(parts.answer ?? "") : null,
    partialAnswer: outcome === "answered" || !parts.partial ? null : cut(parts.partial),
    grounded: parts.grounded ?? false,
    message: cut(parts.message ?? endingSentence(state, reason)),
    results: [...(parts.results ?? [])],
    citations: [...(parts.citations ?? [])],
    unsupported: [...(parts.unsupported ?? [])],
    chart: parts.chart ?? null,
  };
}

function cut(text: string): string {
  return text.length <= ANSWER_CHARS_MAX ? text : `${text.slice(0, ANSWER_CHARS_MAX).toWellFormed()} … (cut)`;
}

function endingSentence(state: AgentState, reason: StopReason): string {
  const { usage, limits } = state;
  switch (reason) {
    case "done":
      return "Answered.";
    case "max_steps":
      return `Stopped after ${usage.steps} of ${limits.stepsMax} steps without a final answer.`;
    case "max_hops":
      return `Stopped after ${usage.hops} of ${limits.hopsMax} tool calls without a final answer.`;
    case "retry_ceiling":
      return `Gave up: ${state.consecutiveErrors} tool calls in a row failed.`;
    case "error_budget":
      return `Gave up: ${usage.errors} tool calls failed in all.`;
    case "cycle":
      return "Gave up: the same calls were being repeated with the same results.";
    case "budget":
      return budgetSentence(state);
    case "timeout":
      return `Stopped: the time limit of ${limits.wallClockMs / 1000} s was reached.`;
    case "truncated":
      return "Stopped: the model's replies were cut off again and again.";
    case "refusal":
      return "The model declined to answer this question.";
    case "context_window":
      return "Stopped: the conversation no longer fits the model's context window.";
    case "ungrounded":
      return "Stopped: the model kept answering without querying the database, which this run does not allow.";
    case "provider_error":
      return `The model's provider failed, and trying again did not help. ${state.lastFailure ?? ""}`.trimEnd();
    case "malformed_reply":
      return "The model's replies could not be used.";
    case "rejected":
      return "Stopped: a person turned the request down.";
    case "expired":
      return "Stopped: the run was not finished within its lifetime.";
    case "cancelled":
      return "Cancelled.";
    case "error":
      return "Something broke inside Querent. The error was logged; it is not a mistake of yours or of the model's.";
  }
}

function budgetSentence(state: AgentState): string {
  const { usage, limits } = state;
  if (usage.rowsRead >= limits.rowsReadMax) return `Stopped: ${usage.rowsRead} rows were read, which is the limit.`;
  if (usage.modelCalls >= limits.modelCallsMax - 1 && usage.costNanoUsd < limits.costNanoUsdMax / 2) {
    return `Stopped after ${usage.modelCalls} of ${limits.modelCallsMax} model calls.`;
  }
  const spent = formatUsd(usage.costNanoUsd);
  return `Stopped: the next call could pass the budget of ${formatUsd(limits.costNanoUsdMax)} (spent ${spent}).`;
}
