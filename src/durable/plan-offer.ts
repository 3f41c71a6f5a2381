/**
 * What a finished run offers for being asked again: its plan, and how long it is kept for that.
 *
 * A run that itself followed a plan offers that very plan, so what is compared is always the answer that a model gave,
 * also down a long chain. Asking again counts like the run's end for its retention: a question that is asked by a
 * schedule stays for as long as the schedule runs. Leaves to others: what a plan is (agent/stored-plan.ts), deletion.
 */
import { planOf } from "../agent/stored-plan.ts";
import type { PublicRun } from "../agent/view.ts";
import type { PlanReply } from "./contract.ts";
import { writeFact } from "./facts.ts";
import type { RunJournal } from "./journal.ts";

const ASKED_AGAIN_AT = "asked_again_at";

export function offerPlan(sql: SqlStorage, journal: RunJournal, run: PublicRun, now: number): PlanReply {
  if (journal.load().ending === null) {
    return { kind: "refused", reason: "not_finished", message: "The run is not finished. Wait for it." };
  }
  const own = journal.pinned().plan;
  const plan = own === undefined ? planOf(journal) : { ok: true as const, value: own };
  if (!plan.ok) return { kind: "refused", reason: "not_repeatable", message: plan.error };
  writeFact(sql, ASKED_AGAIN_AT, String(now));
  return { kind: "plan", plan: plan.value, tools: journal.settings.tools, run };
}

/** From when on a finished run is kept: its end, or when it was last asked again. */
export function keptFrom(journal: RunJournal): number {
  const { ending } = journal.load();
  // Asked at every step, and a run that goes on was never asked again: its storage is not read.
  if (ending === null) return 0;
  const text = journal.fact(ASKED_AGAIN_AT);
  // What is no instant says nothing: the end of the run is counted from.
  const askedAt = text !== null && /^\d{1,15}$/.test(text) ? Number(text) : 0;
  return Math.max(ending.at, askedAt);
}
