/**
 * What a run asks the person at the terminal, and what they say: a yes to queries, or the answer to a question.
 *
 * Owns: the words of the prompts, what counts as an answer, and what is said for a person who is not there: no to a
 * query, and that the model should choose a reading by itself. Leaves to others: the terminal (prompt.ts), the requests
 * (run-client.ts). Text of models is made safe for a terminal.
 */
import * as z from "zod";
import { count, formatUsd } from "./progress.ts";
import { approveRun, type Door, getRun, replyToRun } from "./run-client.ts";
import type { RunEvent } from "./run-events.ts";
import { toSafeLine, toSafeText } from "./terminal-text.ts";

export interface Person {
  /** What was typed after `text`, or null when nobody is there. */
  ask(text: string): Promise<string | null>;
  /** Says what was done for somebody who is not there. */
  note(text: string): void;
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

const ASKING: ReadonlySet<string> = new Set(["approval_asked", "question_asked"]);

/** After an event: if the run waits for a person right now, they are asked, and what they say is sent. */
export async function hearPerson(door: Door, runId: string, event: RunEvent, person: Person): Promise<void> {
  if (!ASKING.has(event.type)) return;
  const run = await getRun(door, runId);
  const waiting = run.ok ? waitingSchema.safeParse(run.value.waiting) : null;
  // A kept run is told from its start: what was asked then has been answered.
  if (!waiting?.success) return;
  const { approval, inquiry } = waiting.data;
  if (approval) await decide(door, runId, approval, person);
  if (inquiry) await reply(door, runId, inquiry, person);
}

async function decide(door: Door, runId: string, approval: Approval, person: Person): Promise<void> {
  let said = await person.ask(tellApproval(approval));
  while (said !== null && !/^(?:y|yes|n|no)$/i.test(said.trim())) said = await person.ask("Type y or n: ");
  if (said === null) {
    person.note("A query was not allowed: it needs a yes, and nobody is at a terminal to say it.");
    const note = "Nobody is there to allow it.";
    await approveRun(door, runId, { approval: approval.id, decision: "decline", note });
    return;
  }
  const decision = /^y/i.test(said.trim()) ? "approve" : "decline";
  await approveRun(door, runId, { approval: approval.id, decision });
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

async function reply(door: Door, runId: string, { id, question, options }: Inquiry, person: Person): Promise<void> {
  const listed = options.map((option, index) => `  ${index + 1}  ${toSafeLine(option)}`).join("\n");
  const prompt = `${toSafeText(question)}\n${listed}\nA number, or other words: `;
  let said = await person.ask(prompt);
  while (said !== null && said.trim() === "") said = await person.ask("A number, or other words: ");
  if (said === null) person.note("The model asked back, and nobody is at a terminal to answer: it chooses by itself.");
  const words = said?.trim() ?? "Nobody is there to answer. Choose the likeliest reading, and say which it was.";
  await replyToRun(door, runId, { inquiry: id, reply: options[Number(words) - 1] ?? words });
}

function indent(text: string): string {
  return toSafeText(text)
    .split("\n")
    .map((line) => `   ${line}`)
    .join("\n");
}
