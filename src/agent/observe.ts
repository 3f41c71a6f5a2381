/**
 * What the outcomes of a round of tool calls do to a run: results for the model, error counts, an accepted answer.
 *
 * Owns: A5 (each call has exactly one result, in order, in one message) and the error meters. Every tool error goes
 * through `countErrors` and reaches the model as the next observation, so that it can correct itself. Pure.
 */
import { assert } from "../lib/assert.ts";
import { cycleGuidance, findCycle, RUNG_STOP, remember } from "./cycles.ts";
import { type Draft, finish, say, settleRows, tell } from "./draft.ts";
import type { ToolOutcome } from "./event.ts";
import { acceptAnswer, objectTo } from "./reply.ts";

/** Table names remembered as described; twenty calls of describe_tables at the most it takes. */
const DESCRIBED_MAX = 400;

/** Applies the outcomes of the open round. `newResults` results were stored with it. */
export function observeTools(draft: Draft, outcomes: readonly ToolOutcome[], newResults: number): void {
  const { attempt } = draft.state;
  assert(attempt !== null && attempt.kind === "tools", "outcomes belong to an open round of tool calls");
  assert(new Set(outcomes.map((outcome) => outcome.callId)).size === outcomes.length, "A5: one result for each call");
  settleRows(
    draft,
    outcomes.reduce((sum, outcome) => sum + outcome.rowsRead, 0),
    attempt.reservedRows,
  );
  countErrors(draft, outcomes);
  const queries = outcomes.filter((outcome) => outcome.query !== null);
  const answered = queries.filter((outcome) => outcome.query?.error === null);
  draft.state = {
    ...draft.state,
    phase: "observation",
    failedTries: 0,
    roundHops: null,
    // A yes and an answer serve one round.
    approval: null,
    inquiry: null,
    results: draft.state.results + newResults,
    queries: draft.state.queries + queries.length,
    queriesAnswered: draft.state.queriesAnswered + answered.length,
  };
  const memo = outcomes.findLast((outcome) => outcome.memo !== null)?.memo ?? null;
  if (memo !== null) {
    const { notes, plan, brainstormed } = memo;
    draft.state = { ...draft.state, memo: { notes: [...notes], plan: [...plan], brainstormed } };
  }
  const described = [...new Set([...draft.state.described, ...outcomes.flatMap((outcome) => outcome.described)])];
  const bookmark = outcomes.findLast((outcome) => outcome.bookmark !== null)?.bookmark ?? draft.state.bookmark;
  const failing = outcomes.findLast((outcome) => outcome.failing !== null)?.failing ?? draft.state.failing;
  draft.state = { ...draft.state, described: described.slice(-DESCRIBED_MAX), bookmark, failing: [...failing] };
  const guidance = climb(draft, outcomes);
  const final = outcomes.find((outcome) => outcome.final !== null)?.final ?? null;
  const objection = final === null ? null : objectTo(draft, final.evidence);
  const results = outcomes.map(({ callId, content, isError }) => ({ callId, content, isError }));
  const note = objection?.text ?? guidance;
  const message = say(draft, { role: "tool", results, ...(note === null ? {} : { note }) });
  outcomes.forEach((outcome, index) => {
    const { durationMs, query } = outcome;
    tell(draft, {
      type: "tool_observed",
      message,
      index,
      durationMs,
      ...(query === null ? {} : { query: brief(query) }),
    });
  });
  tell(draft, { type: "step_finished" });
  // The end is told last, after what led to it.
  if (objection?.isLast === true) finish(draft, "ungrounded");
  if (final !== null && objection === null) acceptAnswer(draft, final, final.evidence);
}
/**
 * The cycle ladder: each round that ends in a cycle, or tries to go on with one, climbs a rung. Guidance on the first;
 * refusal while the cycle stands (dispatch.ts); on the third a critic, if it is still kept, else the stop (budget.ts).
 * Returns the guidance for the model, or null.
 */
function climb(draft: Draft, outcomes: readonly ToolOutcome[]): string | null {
  const { state } = draft;
  // A stored plan ends where it ends; equal steps of it are meant.
  if (state.again !== null) return null;
  const recent = remember(
    state.recent,
    outcomes.flatMap((outcome) => (outcome.recent === null ? [] : [outcome.recent])),
    state.loop,
  );
  const cycle = findCycle(recent, state.loop);
  draft.state = { ...state, recent };
  if (cycle === null) return null;
  // A second cycle after the critic ends the run: there is no third opinion.
  const rung = state.critic === "used" ? RUNG_STOP : state.rung + 1;
  const isCriticDue = rung >= RUNG_STOP && state.critic === "kept" && state.loop.critic;
  draft.state = { ...draft.state, rung, critic: isCriticDue ? "due" : state.critic };
  const { period, repetitions } = cycle;
  tell(draft, { type: "recovery", what: "cycle", text: `Period ${period}, ${repetitions} repetitions, rung ${rung}.` });
  return cycleGuidance(cycle);
}

function brief(query: NonNullable<ToolOutcome["query"]>) {
  const { rows, rowsRead, durationMs, error, ref } = query;
  return { rows, rowsRead, durationMs, error, ref };
}

/** A success resets the errors in a row; the errors in all stop at their limit, which has ended the run by then. */
function countErrors(draft: Draft, outcomes: readonly ToolOutcome[]): void {
  let { consecutiveErrors } = draft.state;
  let { errors } = draft.state.usage;
  for (const outcome of outcomes) {
    // A call beyond the hops is nobody's mistake, nor one that a person would not have; one that the cycle detector turned down has had its own warning.
    if (outcome.refusedBy === "hops" || outcome.refusedBy === "cycle" || outcome.refusedBy === "person") continue;
    consecutiveErrors = outcome.isError ? consecutiveErrors + 1 : 0;
    errors = outcome.isError ? Math.min(errors + 1, draft.state.limits.errorsMax) : errors;
  }
  draft.state = { ...draft.state, consecutiveErrors, usage: { ...draft.state.usage, errors } };
}
