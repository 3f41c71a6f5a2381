/**
 * When a query waits for a person: the calls of a round whose plans expect to read more rows than the run may read unasked.
 *
 * Owns: which calls need a yes, what an approval is bound to, and what a decision allows. An approval names exact
 * arguments by hash and serves one round (mechanism C47): another query, or the same one whose plan has grown far beyond
 * what was shown, asks again. Leaves to others: who may decide (durable/), what a person is shown (run-event.ts). Pure.
 */
import { assert } from "../lib/assert.ts";
import { reserveForRows } from "./budget.ts";
import type { Prepared } from "./dispatch.ts";
import { type Draft, tell } from "./draft.ts";
import type { Event } from "./event.ts";
import type { ToolCall } from "./model.ts";
import { failure } from "./observation.ts";
import type { AskedQuery } from "./run-event.ts";
import { signatureOf } from "./signature.ts";
import type { AgentState, Approval } from "./state.ts";
import { type Foreseen, NOTHING_FORESEEN } from "./tool.ts";
import { hearPerson, nameAsked, waitForPerson } from "./waiting.ts";

/** What a person is shown of a plan and of the tables: enough of any query that can be judged by reading it. */
const PLAN_LINES_MAX = 30;
const PLAN_LINE_CHARS_MAX = 200;
const TABLES_MAX = 30;

/**
 * The queries of a round that a person must allow first; none when all may run. Who is asked again sees all dear queries of
 * the round, since a new word takes the place of the one before. After a no nobody is asked again: what is then too dear
 * to run unasked is refused like any query past its bound.
 */
export function queriesToAsk(
  state: AgentState,
  calls: readonly Prepared[],
  foreseen: readonly Foreseen[],
): readonly AskedQuery[] {
  if (state.approval?.decision === "declined") return [];
  const dear = calls.flatMap((prepared, index) => {
    const { rowsRead, tables, plan } = foreseen[index] ?? NOTHING_FORESEEN;
    if (prepared.kind !== "ready" || rowsRead <= boundOf(state)) return [];
    const isAllowed = rowsRead <= rowsUnasked(state, prepared.call);
    return [{ isAllowed, query: { index, rowsRead, tables: tables.slice(0, TABLES_MAX), plan: cutPlan(plan()) } }];
  });
  return dear.every(({ isAllowed }) => isAllowed) ? [] : dear.map(({ query }) => query);
}

/** Rows that a call may read without anybody being asked (again); a plan is an estimate and is allowed its margin. */
export function rowsUnasked(state: AgentState, call: ToolCall): number {
  const decided = state.approval?.decision === "approved" ? decidedCall(state.approval, call) : undefined;
  return Math.max(boundOf(state), decided === undefined ? 0 : reserveForRows(decided.rowsRead));
}

/** Rows that any query may read before a person is asked. No query could be judged under a bound of nothing. */
function boundOf({ approveAboveRows }: AgentState): number {
  return approveAboveRows === null ? Number.MAX_SAFE_INTEGER : Math.max(1, approveAboveRows);
}

/** A call that a person has turned down is answered, and not run. */
export function refuseDeclined(prepared: Prepared, state: AgentState): Prepared {
  if (prepared.kind !== "ready" || !isDeclined(state, prepared.call)) return prepared;
  const { call, name } = prepared;
  const note = state.approval?.note ?? null;
  const said = note === null ? "" : ` The person says: ${JSON.stringify(note)}`;
  const observation = failure(`${name} was not run: a person was shown this query and declined it.${said}`, [
    "Do not send it again. Ask for less (filter, aggregate, use an index), or answer with what has been found.",
  ]);
  return { kind: "refused", call, observation, refusedBy: "person" };
}

/** The approval of `queries` among the calls of message row `message`: its name says exactly what was asked. */
export function toApproval(
  runId: string,
  message: number,
  calls: readonly ToolCall[],
  queries: readonly AskedQuery[],
): Approval {
  const asked = queries.flatMap(({ index, rowsRead }) => {
    const call = calls[index];
    return call === undefined
      ? []
      : [{ callId: call.id, signature: signatureOf(call.name, call.input), rowsRead: Math.ceil(rowsRead) }];
  });
  const bound = asked.map(({ signature, rowsRead }) => `${signature}:${rowsRead}`);
  return { id: nameAsked(runId, message, bound), calls: asked, decision: null, note: null };
}

export function askApproval(draft: Draft, { approval, queries }: Extract<Event, { kind: "approval_asked" }>): void {
  const until = waitForPerson(draft, "approval");
  draft.state = { ...draft.state, approval };
  tell(draft, { type: "approval_asked", approval: approval.id, message: draft.state.messages - 1, queries, until });
}

export function decideApproval(draft: Draft, event: Extract<Event, { kind: "approval_decided" }>): void {
  const { approval, waiting } = draft.state;
  assert(approval !== null && waiting?.kind === "approval", "a decision answers a question that is open");
  const { decision, note, by } = event;
  hearPerson(draft);
  draft.state = { ...draft.state, approval: { ...approval, decision, note } };
  tell(draft, { type: "approval_decided", approval: approval.id, decision, by, note });
}

function isDeclined(state: AgentState, call: ToolCall): boolean {
  return state.approval?.decision === "declined" && decidedCall(state.approval, call) !== undefined;
}

function decidedCall(approval: Approval, call: ToolCall) {
  return approval.calls.find(
    ({ callId, signature }) => callId === call.id && signature === signatureOf(call.name, call.input),
  );
}

function cutPlan(lines: readonly string[]): string[] {
  const shown = lines.slice(0, PLAN_LINES_MAX).map((line) => line.slice(0, PLAN_LINE_CHARS_MAX).toWellFormed());
  const more = lines.length - shown.length;
  return more === 0 ? shown : [...shown, `… and ${more} more lines`];
}
