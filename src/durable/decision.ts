/**
 * What a person says to a run that goes on, by whichever door it comes: a decision on what it waits for, or that it is to
 * stop. Both are synchronous: what else is written in the same turn is written with them or not at all.
 *
 * Owns: that a decision is about the very queries that were shown (its id is bound to them), counts once, and may be sent
 * twice. Leaves to others: who may decide (http/, slack-press.ts), what it does to the run (agent/approval.ts).
 */
import { advance } from "../agent/advance.ts";
import { tellFindings } from "../agent/findings.ts";
import type { Decision } from "./contract.ts";
import type { RunJournal } from "./journal.ts";

type Touched = Pick<RunJournal, "load" | "events" | "results" | "save">;

/** Bytes of the partial answer that is made without a model. */
const FINDINGS_BYTES_MAX = 6_000;

/** Ends the run with what it has found. */
export function applyCancel(journal: Touched, now: number): "cancelled" | "finished" {
  const state = journal.load();
  if (state.ending !== null) return "finished";
  const partial = tellFindings(journal.results(), FINDINGS_BYTES_MAX);
  journal.save(advance(state, { kind: "cancelled", partial }, now), []);
  return "cancelled";
}

/**
 * `decided`: by this call, or in the same way before. `not_waiting`: the run asks nothing, or something else by now.
 */
export function applyDecision(journal: Touched, said: Decision, now: number): "decided" | "finished" | "not_waiting" {
  const state = journal.load();
  if (state.ending !== null) return "finished";
  if (state.waiting?.kind === "approval" && state.approval?.id === said.approval) {
    const { decision, note, by } = said;
    journal.save(advance(state, { kind: "approval_decided", decision, note, by }, now), []);
    return "decided";
  }
  const before = journal
    .events()
    .find((event) => event.type === "approval_decided" && event.approval === said.approval);
  return before?.type === "approval_decided" && before.decision === said.decision ? "decided" : "not_waiting";
}
