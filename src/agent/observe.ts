/**
 * What the outcomes of a round of tool calls do to a run: results for the model, error counts, an accepted answer.
 *
 * Owns: A5 (each call has exactly one result, in order, in one message) and the error meters. Every tool error goes
 * through `countErrors` and reaches the model as the next observation, so that it can correct itself. Pure.
 */
import { assert } from "../lib/assert.ts";
import { NANO_USD_PER_ROW } from "./budget.ts";
import { type Draft, finish, say, settle, tell } from "./draft.ts";
import type { ToolOutcome } from "./event.ts";
import { NUDGE_UNGROUNDED, refuseUngrounded } from "./reply.ts";

/** Applies the outcomes of the open round. `newResults` results were stored with it. */
export function observeTools(draft: Draft, outcomes: readonly ToolOutcome[], newResults: number): void {
  const { attempt } = draft.state;
  assert(attempt !== null && attempt.kind === "tools", "outcomes belong to an open round of tool calls");
  assert(new Set(outcomes.map((outcome) => outcome.callId)).size === outcomes.length, "A5: one result for each call");
  meterRows(draft, outcomes, attempt.reservedRows);
  countErrors(draft, outcomes);
  const queries = outcomes.filter((outcome) => outcome.query !== null);
  const answered = queries.filter((outcome) => outcome.query?.error === null);
  draft.state = {
    ...draft.state,
    phase: "observation",
    failedTries: 0,
    roundHops: null,
    results: draft.state.results + newResults,
    queries: draft.state.queries + queries.length,
    queriesAnswered: draft.state.queriesAnswered + answered.length,
  };
  const final = outcomes.find((outcome) => outcome.final !== null)?.final ?? null;
  const isRefused = final !== null && refuseUngrounded(draft);
  const results = outcomes.map(({ callId, content, isError }) => ({ callId, content, isError }));
  const message = say(draft, { role: "tool", results, ...(isRefused ? { note: NUDGE_UNGROUNDED } : {}) });
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
  if (final !== null && !isRefused) {
    const { answer, results: refs, citations } = final;
    const grounded = draft.state.queriesAnswered > 0;
    finish(draft, "done", { answer, grounded, results: refs, citations: [...citations] });
  }
}

function brief(query: NonNullable<ToolOutcome["query"]>) {
  const { rows, rowsRead, durationMs, error, ref } = query;
  return { rows, rowsRead, durationMs, error, ref };
}

/** Rows cost money; what the engine read beyond the reservation is an overrun, told in its own meter. */
function meterRows(draft: Draft, outcomes: readonly ToolOutcome[], reservedRows: number): void {
  const rowsRead = outcomes.reduce((sum, outcome) => sum + outcome.rowsRead, 0);
  settle(draft, rowsRead * NANO_USD_PER_ROW);
  const { usage } = draft.state;
  draft.state = {
    ...draft.state,
    usage: {
      ...usage,
      rowsRead: usage.rowsRead + rowsRead,
      rowsOverrun: usage.rowsOverrun + Math.max(0, rowsRead - reservedRows),
    },
  };
}

/** A success resets the errors in a row; the errors in all stop at their limit, which has ended the run by then. */
function countErrors(draft: Draft, outcomes: readonly ToolOutcome[]): void {
  let { consecutiveErrors } = draft.state;
  let { errors } = draft.state.usage;
  for (const outcome of outcomes) {
    if (!outcome.counted) continue;
    consecutiveErrors = outcome.isError ? consecutiveErrors + 1 : 0;
    errors = outcome.isError ? Math.min(errors + 1, draft.state.limits.errorsMax) : errors;
  }
  draft.state = { ...draft.state, consecutiveErrors, usage: { ...draft.state.usage, errors } };
}
