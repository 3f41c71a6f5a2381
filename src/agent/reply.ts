/**
 * What a model's reply does to a run: calls to execute, an answer, or something that needs mending.
 *
 * Owns: grounding of an answer in plain text, the corrective turns, the doubling of room after a cut-off reply.
 * A reply that cannot be used is not kept in the history: what stands there stays valid for the vendor. Pure.
 */
import { assert } from "../lib/assert.ts";
import { type Draft, finish, say, settle, tell } from "./draft.ts";
import type { ModelReply } from "./model.ts";
import { BAD_REPLIES_MAX, judgeReply, type Verdict } from "./recovery.ts";
import type { StopReason } from "./state.ts";

const NUDGE_EMPTY =
  "Your last reply held neither an answer nor a tool call. If the results above answer the question, call final_answer " +
  "now; otherwise make the next query.";
const NUDGE_CUT =
  "Your last reply was cut off before it was complete. Think more briefly and act now: one tool call, or the answer.";
export const NUDGE_UNGROUNDED =
  "This run accepts only answers that rest on a query. Query the database first; then answer with the result references.";

/** Applies a reply that arrived for the open attempt. */
export function takeReply(draft: Draft, reply: ModelReply, costNanoUsd: number): void {
  const { attempt } = draft.state;
  assert(attempt !== null && attempt.kind === "model", "a reply belongs to an open model call");
  assert(costNanoUsd <= attempt.reservedNanoUsd, `A4: a call cost ${costNanoUsd}, reserved ${attempt.reservedNanoUsd}`);
  const durationMs = draft.now - attempt.startedAt;
  settle(draft, costNanoUsd);
  draft.state = { ...draft.state, failedTries: 0 };
  const verdict = judgeReply(reply);
  const isKept = draft.state.concluding === null && (verdict.kind === "tools" || verdict.kind === "answer");
  if (isKept && verdict.kind === "tools") draft.state = { ...draft.state, phase: "action" };
  const message = isKept
    ? say(draft, { role: "assistant", content: reply.content, text: reply.text, calls: reply.calls })
    : null;
  const { usage } = reply;
  tell(draft, {
    type: "model_replied",
    message,
    ...(message === null ? { text: reply.text } : {}),
    finish: reply.rawFinish,
    tokens: [usage.input, usage.cacheWrite5m, usage.cacheWrite1h, usage.cacheRead, usage.output],
    costNanoUsd,
    totalNanoUsd: draft.state.usage.costNanoUsd,
    durationMs,
  });
  if (attempt.purpose === "last") return conclude(draft, reply);
  applyVerdict(draft, verdict, reply);
}

/** The last call's text is a partial answer, whatever its finish reason: it is marked as partial. */
function conclude(draft: Draft, reply: ModelReply): void {
  const reason = draft.state.concluding;
  assert(reason !== null, "the last call follows a ceiling");
  const text = reply.text.trim();
  // An empty last reply falls back to what the run found; the driver has the rows, so it concludes.
  if (text !== "") finish(draft, reason, { partial: text });
}

function applyVerdict(draft: Draft, verdict: Verdict, reply: ModelReply): void {
  switch (verdict.kind) {
    case "tools":
      draft.state = { ...draft.state, badReplies: 0 };
      return;
    case "answer":
      draft.state = { ...draft.state, badReplies: 0 };
      return answerInText(draft, reply.text.trim());
    case "refusal": {
      const words = reply.text.trim();
      return finish(draft, "refusal", words === "" ? {} : { message: words });
    }
    case "empty":
      return askAgain(draft, verdict.why, NUDGE_EMPTY, "malformed_reply", null);
    case "cut": {
      const reason = verdict.full ? "context_window" : "truncated";
      // A reply that filled the whole window gains nothing from more room.
      if (!verdict.full) draft.state = { ...draft.state, maxTokens: draft.state.maxTokens * 2 };
      const partial = verdict.what === "text" ? reply.text : null;
      return askAgain(draft, `cut off while writing ${verdict.what.replace("_", " ")}`, NUDGE_CUT, reason, partial);
    }
  }
}

function askAgain(draft: Draft, why: string, nudge: string, reason: StopReason, partial: string | null): void {
  const badReplies = draft.state.badReplies + 1;
  draft.state = { ...draft.state, badReplies };
  if (badReplies >= BAD_REPLIES_MAX) return finish(draft, reason, { partial });
  say(draft, { role: "user", text: nudge });
  tell(draft, { type: "recovery", what: reason, text: `The reply was not usable (${why}): asked again.` });
}

/** Plain text is an answer, under the grounding policy. */
function answerInText(draft: Draft, answer: string): void {
  if (refuseUngrounded(draft)) {
    if (draft.state.ending === null) say(draft, { role: "user", text: NUDGE_UNGROUNDED });
    return;
  }
  finish(draft, "done", { answer, grounded: draft.state.queriesAnswered > 0 });
}

/**
 * Under `grounding: require`, an answer without a query that gave rows is sent back once and ends the run the second
 * time. Returns whether the answer was refused.
 */
export function refuseUngrounded(draft: Draft): boolean {
  const { state } = draft;
  if (state.grounding !== "require" || state.queriesAnswered > 0) return false;
  if (state.groundingTurns > 0) {
    finish(draft, "ungrounded");
    return true;
  }
  draft.state = { ...state, groundingTurns: 1 };
  tell(draft, { type: "recovery", what: "ungrounded", text: "The answer did not rest on a query: asked again." });
  return true;
}
