/**
 * What a person says to a run that goes on, by whichever door it comes: a decision or an answer that it waits for, or that it is
 * to stop. Both are synchronous: what else is written in the same turn is written with them or not at all.
 *
 * Owns: that a decision is about the very queries that were shown (its id is bound to them), comes in time, counts once,
 * and may be sent twice. Leaves to others: who may decide (http/, slack-press.ts), what it does to the run (agent/).
 */
import { advance } from "../agent/advance.ts";
import type { Event } from "../agent/event.ts";
import { tellPartial } from "../agent/findings.ts";
import type { RunEvent } from "../agent/run-event.ts";
import { askedId, isInTime } from "../agent/waiting.ts";
import type { Answer, Decision } from "./contract.ts";
import type { RunJournal } from "./journal.ts";

type Touched = Pick<RunJournal, "load" | "events" | "results" | "save">;

/** Ends the run with what it has found. */
export function applyCancel(journal: Touched, now: number): "cancelled" | "finished" {
  const state = journal.load();
  if (state.ending !== null) return "finished";
  journal.save(advance(state, { kind: "cancelled", partial: tellPartial(journal.results()) }, now), []);
  return "cancelled";
}

/** `decided`: by this call, or in the same way before. `not_waiting`: the run asks nothing, or something else by now. */
export function applyDecision(
  journal: Touched,
  said: Decision | Answer,
  now: number,
): "decided" | "finished" | "not_waiting" {
  const state = journal.load();
  if (state.ending !== null) return "finished";
  const [kind, id] = "approval" in said ? ["approval", said.approval] : ["reply", said.inquiry];
  const isOpen = askedId(state) === id && state.waiting?.kind === kind && isInTime(state, now);
  if (!isOpen) return journal.events().some((event) => isSame(event, said)) ? "decided" : "not_waiting";
  const event: Event =
    "approval" in said ? { kind: "approval_decided", ...said } : { kind: "question_answered", ...said };
  journal.save(advance(state, event, now), []);
  return "decided";
}

/** The same word again is no second one; another one comes too late. */
function isSame(event: RunEvent, said: Decision | Answer): boolean {
  if (event.type === "approval_decided" && "approval" in said) {
    const { approval, decision, note } = said;
    return event.approval === approval && event.decision === decision && event.note === note;
  }
  return (
    event.type === "question_answered" &&
    "inquiry" in said &&
    event.inquiry === said.inquiry &&
    event.reply === said.reply
  );
}
