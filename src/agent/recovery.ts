/**
 * What to make of a reply, and when to try again after a failure.
 *
 * Owns: the verdict on every finish reason, known and unknown, and the retry times. Leaves to others: the transition
 * (advance.ts). Pure: no I/O, no clock; randomness comes in as a number.
 */
import { isDeeperThan } from "../lib/json.ts";
import type { ModelFailure, ModelReply } from "./model.ts";
import type { AgentState } from "./state.ts";

/** Tries of one model call, the first included. */
export const TRIES_MAX = 4;
/** Unusable replies in a row before the run ends. */
export const BAD_REPLIES_MAX = 3;
/** First wait between tries; doubled each time, with as much again of jitter. */
const RETRY_BASE_MS = 500;

/** Arguments of our tools are two levels deep; what is far deeper is no call, and no JSON writer takes it. */
const INPUT_DEPTH_MAX = 100;

export type Verdict =
  | { readonly kind: "tools" }
  | { readonly kind: "answer" }
  | { readonly kind: "refusal" }
  /** Cut off: nothing in it may be run or taken for an answer. `what` says what was being written. */
  | { readonly kind: "cut"; readonly what: "thinking" | "tool_call" | "text"; readonly full: boolean }
  /** Nothing to act on. */
  | { readonly kind: "empty"; readonly why: string };

/** Sorts a reply. A reason that nobody has heard of is treated as cut, never as an answer. */
export function judgeReply(reply: ModelReply): Verdict {
  const ids = reply.calls.map((call) => call.id);
  // Such a message can never be sent back: the vendor refuses it, and a result could not say which call it answers.
  if (new Set(ids).size < ids.length) return { kind: "empty", why: "gave two tool calls the same id" };
  if (reply.calls.some((call) => isDeeperThan(call.input, INPUT_DEPTH_MAX))) {
    return { kind: "empty", why: "nested the arguments of a tool call too deeply" };
  }
  switch (reply.finish) {
    case "refusal":
      return { kind: "refusal" };
    case "max_tokens":
    case "other":
      return { kind: "cut", what: cutPart(reply), full: false };
    case "context_window":
      return { kind: "cut", what: cutPart(reply), full: true };
    case "tool_use":
      return reply.calls.length > 0 ? { kind: "tools" } : { kind: "empty", why: "announced a tool call and made none" };
    case "pause_turn":
      return reply.calls.length > 0 ? { kind: "tools" } : { kind: "empty", why: "paused" };
    case "end_turn":
    case "stop_sequence":
      if (reply.calls.length > 0) return { kind: "tools" };
      return reply.text.trim() === "" ? { kind: "empty", why: "ended without a word" } : { kind: "answer" };
  }
}

function cutPart(reply: ModelReply): "thinking" | "tool_call" | "text" {
  if (reply.calls.length > 0) return "tool_call";
  return reply.text.trim() === "" ? "thinking" : "text";
}

/**
 * When to try a failed call again, or null for never. A `retry-after` is obeyed if it ends before the run does; jitter
 * is 0…base on top. `random` is in [0, 1).
 */
export function retryAt(
  failure: ModelFailure,
  state: AgentState,
  deadlineAt: number,
  now: number,
  random: number,
): number | null {
  if (failure.kind === "fatal") return null;
  const tries = state.failedTries + 1;
  // A call that ran into its own time limit is tried once more: a second silence is an answer.
  const triesMax = failure.code === "timeout" || failure.kind === "aborted" ? 2 : TRIES_MAX;
  if (tries >= triesMax) return null;
  const backoffMs = RETRY_BASE_MS * 2 ** (tries - 1) + Math.floor(random * RETRY_BASE_MS);
  const at = now + Math.max(backoffMs, failure.retryAfterMs ?? 0);
  return at < deadlineAt ? at : null;
}
