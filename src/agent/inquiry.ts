/**
 * When a run asks its person a question of its own and waits for the answer.
 *
 * Owns: which call of a round asks (the first of its tool, once), and what the question is bound to. Waiting is as for an
 * approval: it takes no active time, and a day of its own. Leaves to others: the tool (tools/ask-user.ts), who may answer
 * (durable/, http/). Pure.
 */
import { assert } from "../lib/assert.ts";
import type { Prepared } from "./dispatch.ts";
import { type Draft, tell } from "./draft.ts";
import type { Event } from "./event.ts";
import type { AgentState, Inquiry } from "./state.ts";
import { hearPerson, nameAsked, waitForPerson } from "./waiting.ts";

export const ASK_USER = "ask_user";

/** The question that the round asks first, with the place of its call; null when there is none, or it is answered. */
export function inquiryToAsk(
  state: AgentState,
  calls: readonly Prepared[],
): { readonly index: number; readonly inquiry: Inquiry } | null {
  if (state.inquiry !== null) return null;
  const index = calls.findIndex((prepared) => prepared.kind === "ready" && prepared.name === ASK_USER);
  const asking = calls[index];
  if (asking === undefined) return null;
  return { index, inquiry: toInquiry(state.id, state.messages - 1, asking.call.id) };
}

/** `message`: the row of the reply that holds the call. */
export function toInquiry(runId: string, message: number, callId: string): Inquiry {
  return { id: nameAsked(runId, message, [callId]), callId, reply: null };
}

/** What the person said to this call; null: it was not asked. */
export function replyTo(inquiry: Inquiry | null, callId: string): string | null {
  return inquiry?.callId === callId ? inquiry.reply : null;
}

export function askQuestion(draft: Draft, { index, inquiry }: Extract<Event, { kind: "question_asked" }>): void {
  const until = waitForPerson(draft, "reply");
  draft.state = { ...draft.state, inquiry };
  tell(draft, { type: "question_asked", inquiry: inquiry.id, message: draft.state.messages - 1, index, until });
}

export function takeAnswer(draft: Draft, { reply, by }: Extract<Event, { kind: "question_answered" }>): void {
  const { inquiry, waiting } = draft.state;
  assert(inquiry !== null && waiting?.kind === "reply", "an answer belongs to a question that is open");
  hearPerson(draft);
  draft.state = { ...draft.state, inquiry: { ...inquiry, reply } };
  tell(draft, { type: "question_answered", inquiry: inquiry.id, reply, by });
}
