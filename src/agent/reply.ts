/**
 * What a model's reply does to a run: calls to execute, an answer, or something that needs mending.
 *
 * Owns: grounding of an answer in plain text, the corrective turns, the doubling of room after a cut-off reply.
 * A reply that cannot be used is not kept in the history: what stands there stays valid for the vendor. Pure.
 */
import { assert } from "../lib/assert.ts";
import { cutToBytes } from "../lib/bytes.ts";
import { type Draft, finish, say, settle, tell } from "./draft.ts";
import type { Evidence } from "./figures.ts";
import type { ModelReply } from "./model.ts";
import {
  adviceText,
  NUDGE_CUT_CALL,
  NUDGE_EMPTY,
  NUDGE_THINKING,
  NUDGE_UNGROUNDED,
  resumeCutText,
  unsupportedText,
} from "./nudges.ts";
import { BAD_REPLIES_MAX, judgeReply, type Verdict } from "./recovery.ts";
import type { FinalAnswer } from "./tool.ts";

/** Text of a reply that is not kept whole: a page and a half. */
export const CUT_TEXT_BYTES_MAX = 6_000;
/** A shorter text needs no summary: it is handed back as it is. */
const SUMMARY_CHARS_MIN = 500;

/** Applies a reply that arrived for the open attempt. */
export function takeReply(draft: Draft, reply: ModelReply, costNanoUsd: number, evidence: Evidence): void {
  const { attempt } = draft.state;
  assert(attempt !== null && attempt.kind === "model", "a reply belongs to an open model call");
  assert(costNanoUsd <= attempt.reservedNanoUsd, `A4: a call cost ${costNanoUsd}, reserved ${attempt.reservedNanoUsd}`);
  const durationMs = draft.now - attempt.startedAt;
  settle(draft, costNanoUsd);
  const verdict = judgeReply(reply);
  const isKept = attempt.purpose === "step" && (verdict.kind === "tools" || verdict.kind === "answer");
  if (isKept && verdict.kind === "tools") draft.state = { ...draft.state, phase: "action" };
  const message = isKept
    ? say(draft, { role: "assistant", content: reply.content, text: reply.text, calls: reply.calls })
    : null;
  tellReply(draft, reply, message, costNanoUsd, durationMs);
  switch (attempt.purpose) {
    case "last":
      return conclude(draft, reply);
    case "critic":
      return takeAdvice(draft, reply.text);
    case "summary":
      return takeSummary(draft, reply, verdict);
    case "step":
      draft.state = { ...draft.state, failedTries: 0, repairTier: 0, windowTokens: tokensOf(reply) };
      return applyVerdict(draft, verdict, reply, evidence);
  }
}

function tellReply(
  draft: Draft,
  reply: ModelReply,
  message: number | null,
  costNanoUsd: number,
  durationMs: number,
): void {
  const { usage } = reply;
  tell(draft, {
    type: "model_replied",
    message,
    ...(message === null ? { text: cutToBytes(reply.text, CUT_TEXT_BYTES_MAX) } : {}),
    finish: reply.rawFinish,
    tokens: [usage.input, usage.cacheWrite5m, usage.cacheWrite1h, usage.cacheRead, usage.output],
    costNanoUsd,
    totalNanoUsd: draft.state.usage.costNanoUsd,
    durationMs,
  });
}

function tokensOf({ usage }: ModelReply): number {
  return usage.input + usage.cacheWrite5m + usage.cacheWrite1h + usage.cacheRead + usage.output;
}

/** The last call's text is a partial answer, whatever its finish reason: it is marked as partial. */
function conclude(draft: Draft, reply: ModelReply): void {
  const reason = draft.state.concluding;
  assert(reason !== null, "the last call follows a ceiling");
  const text = reply.text.trim();
  // An empty last reply falls back to what the run found; the driver has the rows, so it concludes.
  if (text !== "") finish(draft, reason, { partial: text });
}

/** A fresh perspective goes into the conversation as advice; the detector starts anew. */
function takeAdvice(draft: Draft, advice: string): void {
  const text = cutToBytes(advice.trim(), CUT_TEXT_BYTES_MAX);
  // No words, no new perspective: the rung stands, and the run stops as a cycle.
  if (text === "") return;
  say(draft, { role: "user", text: adviceText(text) });
  draft.state = { ...draft.state, recent: [], rung: 0 };
  tell(draft, { type: "recovery", what: "critic", text: "A fresh perspective was asked for and added." });
}

/** A summary that was itself cut is not asked for again: the raw text serves. */
function takeSummary(draft: Draft, reply: ModelReply, verdict: Verdict): void {
  const { cutText } = draft.state;
  assert(cutText !== null, "a summary is of a cut-off text");
  resumeCut(draft, verdict.kind === "answer" ? reply.text.trim() : cutText);
}

/** Goes on after a cut-off text, with what it said so far. */
export function resumeCut(draft: Draft, saidSoFar: string): void {
  say(draft, { role: "user", text: resumeCutText(saidSoFar) });
  draft.state = { ...draft.state, cutText: null };
}

function applyVerdict(draft: Draft, verdict: Verdict, reply: ModelReply, evidence: Evidence): void {
  switch (verdict.kind) {
    case "tools":
      return forgetBadReplies(draft);
    case "answer":
      forgetBadReplies(draft);
      return answerInText(draft, reply.text.trim(), evidence);
    case "refusal": {
      const words = reply.text.trim();
      return finish(draft, "refusal", words === "" ? {} : { message: words });
    }
    case "empty":
      return takeEmpty(draft, verdict.why);
    case "cut":
      return verdict.full ? takeFull(draft, reply.text) : takeCut(draft, verdict.what, reply.text);
  }
}

function forgetBadReplies(draft: Draft): void {
  const { loop } = draft.state;
  draft.state = { ...draft.state, badReplies: 0, cutSummarised: false, maxTokens: loop.maxTokens };
}

function takeEmpty(draft: Draft, why: string): void {
  const badReplies = draft.state.badReplies + 1;
  draft.state = { ...draft.state, badReplies };
  if (badReplies >= BAD_REPLIES_MAX) return finish(draft, "malformed_reply");
  say(draft, { role: "user", text: NUDGE_EMPTY });
  tell(draft, { type: "recovery", what: "empty", text: `The reply could not be used (${why}): asked again.` });
}

/** The window is full: more room does not help, a fresh transcript does, as often as there is something to leave out. */
function takeFull(draft: Draft, text: string): void {
  const { state } = draft;
  const badReplies = state.badReplies + 1;
  const isFresh = state.messages - state.transcriptStart <= 1;
  if (isFresh || badReplies >= BAD_REPLIES_MAX) return finish(draft, "context_window", { partial: text });
  draft.state = { ...state, badReplies, renewalDue: "window" };
}

/** Cut off: twice the room, up to the model's maximum; what was said is summarised, once a step. */
function takeCut(draft: Draft, what: "thinking" | "tool_call" | "text", text: string): void {
  const { state } = draft;
  const partial = what === "text" ? text : null;
  if (state.maxTokens >= state.maxTokensMax) return finish(draft, "truncated", { partial });
  const maxTokens = Math.min(state.maxTokens * 2, state.maxTokensMax);
  const isSummarised = what === "text" && text.length >= SUMMARY_CHARS_MIN && !state.cutSummarised;
  const cutText = isSummarised ? cutToBytes(text, CUT_TEXT_BYTES_MAX) : null;
  draft.state = { ...state, maxTokens, cutText };
  const part = what.replace("_", " ");
  tell(draft, { type: "recovery", what: "truncated", text: `Cut off in the ${part}: ${maxTokens} tokens next time.` });
  if (isSummarised) return;
  if (what === "text") return resumeCut(draft, cutToBytes(text, CUT_TEXT_BYTES_MAX));
  say(draft, { role: "user", text: what === "thinking" ? NUDGE_THINKING : NUDGE_CUT_CALL });
}

/** Plain text is an answer, under the grounding policy. */
function answerInText(draft: Draft, answer: string, evidence: Evidence): void {
  const objection = objectTo(draft, evidence);
  if (objection === null) return acceptAnswer(draft, { answer, results: [] }, evidence);
  if (objection.isLast) return finish(draft, "ungrounded");
  say(draft, { role: "user", text: objection.text });
}

/** Ends the run with an answer. The receipt gets the cell behind each figure, and the figures that have none. */
export function acceptAnswer(
  draft: Draft,
  { answer, results, chart = null }: Omit<FinalAnswer, "citations">,
  evidence: Evidence,
): void {
  const { grounding, queriesAnswered } = draft.state;
  const unsupported = grounding === "off" ? [] : evidence.unsupported;
  finish(draft, "done", {
    answer,
    grounded: queriesAnswered > 0,
    results: results.length > 0 ? results : [...new Set(evidence.citations.map((citation) => citation.result))],
    citations: [...evidence.citations],
    unsupported,
    chart,
  });
}

/**
 * Under `grounding: require`, an answer without a query that gave rows, or with figures that no result shows, is sent
 * back once with this text; the second time the run is to end. Null when the answer may stand.
 */
export function objectTo(draft: Draft, evidence: Evidence): { readonly text: string; readonly isLast: boolean } | null {
  const { state } = draft;
  const isUnqueried = state.queriesAnswered === 0;
  if (state.grounding !== "require" || (!isUnqueried && evidence.unsupported.length === 0)) return null;
  const text = isUnqueried ? NUDGE_UNGROUNDED : unsupportedText(evidence.unsupported);
  if (state.groundingTurns > 0) return { text, isLast: true };
  draft.state = { ...state, groundingTurns: 1 };
  tell(draft, {
    type: "recovery",
    what: "ungrounded",
    text: "The answer was not backed by query results: asked again.",
  });
  return { text, isLast: false };
}
