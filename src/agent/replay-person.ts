/**
 * Of a replay: what a person was asked and what they said, from what was told of it. Pure.
 */
import * as z from "zod";
import { assert } from "../lib/assert.ts";
import { toApproval } from "./approval.ts";
import type { Event } from "./event.ts";
import { toInquiry } from "./inquiry.ts";
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

const placedSchema = z.object({ index: z.int() });
const answeredSchema = z.object({ reply: z.string(), by: z.string() });

/** The event that an `approval_…` or `question_…` tells of. */
export function personEvent(record: RecordedRun, state: AgentState, told: PublicRunEvent): Event {
  if (told.type === "approval_decided") {
    const { decision, by, note } = decidedSchema.parse(told);
    return { kind: "approval_decided", decision, by, note };
  }
  if (told.type === "question_answered") return { kind: "question_answered", ...answeredSchema.parse(told) };
  const message = state.messages - 1;
  const asked = record.messages[message];
  assert(asked?.role === "assistant", "what a person is asked about stands in the conversation");
  if (told.type === "question_asked") {
    const { index } = placedSchema.parse(told);
    const call = asked.calls[index];
    assert(call !== undefined, "what the model asks is one of its calls");
    return { kind: "question_asked", index, inquiry: toInquiry(state.id, message, call.id) };
  }
  const queries = askedSchema
    .parse(told)
    .queries.map(({ index, rows_read: rowsRead, tables, plan }) => ({ index, rowsRead, tables, plan }));
  return { kind: "approval_asked", queries, approval: toApproval(state.id, message, asked.calls, queries) };
}
