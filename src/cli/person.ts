/**
 * What a run asks the person at the terminal, and what they say: a yes to queries, or the answer to a question.
 *
 * Owns: the words of the prompts, what counts as an answer, and what is said for a person who is not there: no to a
 * query, and that the model should choose a reading by itself. Leaves to others: the terminal (prompt.ts), the requests
 * (run-client.ts). Text of models is made safe for a terminal.
 */
import * as z from "zod";
import type { Result } from "../lib/result.ts";
import { count, formatUsd } from "./progress.ts";
import { approveRun, type Door, getRun, isWrongCall, type Refusal, type Run, replyToRun } from "./run-client.ts";
import type { RunEvent } from "./run-events.ts";
import { insist } from "./run-session.ts";
import { toSafeLine, toSafeText } from "./terminal-text.ts";

export interface Person {
  /** What was typed after `text`, or null when nobody is there. */
  ask(text: string): Promise<string | null>;
  /** Says what was done for somebody who is not there, or why their word was not taken. */
  note(text: string): void;
  /** After Ctrl-C: nothing is said for them any more, the run is being cancelled. */
  hasLeft(): boolean;
}

const approvalSchema = z.looseObject({
  id: z.string(),
  queries: z.array(
    z.looseObject({
      sql: z.string(),
      tables: z.array(z.string()),
      rows_read: z.number(),
      cost_usd: z.number(),
      plan: z.array(z.string()),
    }),
  ),
});
const inquirySchema = z.looseObject({ id: z.string(), question: z.string(), options: z.array(z.string()) });
const waitingSchema = z.looseObject({
  approval: approvalSchema.nullish(),
  inquiry: inquirySchema.nullish(),
});

type Approval = z.infer<typeof approvalSchema>;
type Inquiry = z.infer<typeof inquirySchema>;

/** The field of an event that names what it asks. */
const NAMES: { readonly [type: string]: string } = { approval_asked: "approval", question_asked: "inquiry" };

/** What came of one prompt; null: the person left at it. */
type Said = { readonly sent: Result<Run, Refusal>; readonly isTyped: boolean } | null;

/** After an event: if the run waits for a person right now, they are asked, and what they say is sent. */
export async function hearPerson(door: Door, runId: string, event: RunEvent, person: Person): Promise<void> {
  const name = NAMES[event.type];
  if (name === undefined) return;
  for (;;) {
    const run = await insist(() => getRun(door, runId));
    const waiting = run.ok ? waitingSchema.safeParse(run.value.waiting) : null;
    const { approval, inquiry } = waiting?.data ?? {};
    // A kept run is told from its start: what was asked then has been answered, and what is asked now comes later.
    if ((approval ?? inquiry)?.id !== event[name]) return;
    const said = approval
      ? await decide(door, runId, approval, person)
      : inquiry
        ? await reply(door, runId, inquiry, person)
        : null;
    if (said === null || said.sent.ok) return;
    const { error } = said.sent;
    person.note(error.status === 409 ? `That word came too late: ${error.message}` : error.message);
    // Words that the API does not take, such as too many, are asked for again.
    if (!said.isTyped || !isWrongCall(error)) return;
  }
}

async function decide(door: Door, runId: string, approval: Approval, person: Person): Promise<Said> {
  let said = await person.ask(tellApproval(approval));
  while (said !== null && !/^(?:y|yes|n|no)$/i.test(said.trim())) said = await person.ask("Type y or n: ");
  if (person.hasLeft()) return null;
  if (said === null) person.note("A query was not allowed: it needs a yes, and nobody is at a terminal to say it.");
  const decision = /^y/i.test(said?.trim() ?? "") ? "approve" : "decline";
  const note = said === null ? { note: "Nobody is there to allow it." } : {};
  const sent = await insist(() => approveRun(door, runId, { approval: approval.id, decision, ...note }));
  return { sent, isTyped: said !== null };
}

function tellApproval({ queries }: Approval): string {
  const told = queries.map(({ sql, tables, rows_read, cost_usd, plan }) => {
    const of = tables.length === 0 ? "" : ` of ${tables.map(toSafeLine).join(", ")}`;
    const effect = `It reads about ${count(Math.round(rows_read), "row")}${of}, ${formatUsd(cost_usd)}. By this plan:`;
    return [indent(sql), effect, indent(plan.join("\n"))].join("\n");
  });
  const question = queries.length === 1 ? "May this query run?" : `May these ${queries.length} queries run?`;
  return [...told, `${question} y/n: `].join("\n");
}

async function reply(door: Door, runId: string, { id, question, options }: Inquiry, person: Person): Promise<Said> {
  const listed = options.map((option, index) => `  ${index + 1}  ${toSafeLine(option)}`).join("\n");
  let said = await person.ask(`${toSafeText(question)}\n${listed}\nA number, or other words: `);
  while (said !== null && said.trim() === "") said = await person.ask("A number, or other words: ");
  if (person.hasLeft()) return null;
  if (said === null) person.note("The model asked back, and nobody is at a terminal to answer: it chooses by itself.");
  const words = said?.trim() ?? "Nobody is there to answer. Choose the likeliest reading, and say which it was.";
  const sent = await insist(() => replyToRun(door, runId, { inquiry: id, reply: options[Number(words) - 1] ?? words }));
  return { sent, isTyped: said !== null };
}

function indent(text: string): string {
  return toSafeText(text)
    .split("\n")
    .map((line) => `   ${line}`)
    .join("\n");
}
