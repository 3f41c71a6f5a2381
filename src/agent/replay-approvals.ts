/**
 * Of a replay: what a person was asked and what they said, from what was told of it. Pure.
 */
import * as z from "zod";
import { assert } from "../lib/assert.ts";
import { toApproval } from "./approval.ts";
import type { Event } from "./event.ts";
import type { RecordedRun } from "./replay-record.ts";
import type { PublicRunEvent } from "./run-event.ts";
import type { AgentState } from "./state.ts";

const askedSchema = z.looseObject({
  queries: z.array(
    z.looseObject({
      index: z.int(),
      rows_read: z.number(),
      tables: z.array(z.string()),
      plan: z.array(z.string()),
    }),
  ),
});

const decidedSchema = z.looseObject({
  decision: z.enum(["approved", "declined"]),
  by: z.string(),
  note: z.string().nullable(),
});

/** The event that `approval_asked` or `approval_decided` tells of. */
export function approvalEvent(record: RecordedRun, state: AgentState, told: PublicRunEvent): Event {
  if (told.type === "approval_decided") {
    const { decision, by, note } = decidedSchema.parse(told);
    return { kind: "approval_decided", decision, by, note };
  }
  const message = state.messages - 1;
  const asked = record.messages[message];
  assert(asked?.role === "assistant", "what a person is asked about stands in the conversation");
  const queries = askedSchema
    .parse(told)
    .queries.map(({ index, rows_read: rowsRead, tables, plan }) => ({ index, rowsRead, tables, plan }));
  return { kind: "approval_asked", queries, approval: toApproval(state.id, message, asked.calls, queries) };
}
