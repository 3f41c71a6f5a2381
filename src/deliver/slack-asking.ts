/**
 * The messages of a run that waits for a person, for Slack. For a yes, the effect and not the name of a tool (mechanism
 * C48): each query with its SQL, the tables it opens, the rows and dollars that its plan expects, and the plan. For the
 * answer to a question of the model's: a button for each of its options.
 * Text of models is escaped, and stands in code blocks. Pure: no I/O, no clock.
 */
import type { PublicApproval, PublicInquiry, PublicRun } from "../agent/view.ts";
import { formatUsd, nanoFromUsd } from "../lib/money.ts";
import { breakAddresses, escapeMrkdwn } from "../lib/mrkdwn.ts";
import { keepOrder } from "../lib/text-order.ts";
import { actions, button, context, type SlackBlock, type SlackForms, section } from "./slack-blocks.ts";
import { toForms } from "./slack-message.ts";
import { cutEscaped, toCutCode } from "./slack-text.ts";

/** Queries shown in full; a reply seldom holds more, and the page and the API have them all. */
const QUERIES_MAX = 3;
const SQL_CHARS_MAX = 1_600;
const PLAN_CHARS_MAX = 900;
const TABLES_CHARS_MAX = 300;
const QUESTION_CHARS_MAX = 300;
const INQUIRY_CHARS_MAX = 2_000;

export function toApprovalForms(run: PublicRun, approval: PublicApproval): SlackForms {
  const { queries } = approval;
  const isOne = queries.length === 1;
  const head = `*May ${isOne ? "this query" : `these ${queries.length} queries`} run?* By ${isOne ? "its plan it reads" : "their plans they read"} more than you let pass unasked.`;
  const left = queries.length - QUERIES_MAX;
  const blocks: SlackBlock[] = [
    context(`*Question:* ${cutEscaped(run.question, QUESTION_CHARS_MAX)}`),
    section(head),
    ...queries.slice(0, QUERIES_MAX).flatMap(toQueryBlocks),
    ...(left > 0 ? [context(`and ${left} more, which are decided with these`)] : []),
    actions(
      button("Run it", "querent_approve", `${run.id} ${approval.id}`, "primary"),
      button("Do not run it", "querent_decline", `${run.id} ${approval.id}`),
      button("Stop", "querent_stop", run.id, "danger"),
    ),
  ];
  const text = `Your question waits for you: may ${queries.map(tellEffect).join("; ")} run?`;
  return toForms({ text, blocks });
}

export function toInquiryForms(run: PublicRun, { id, question, options }: PublicInquiry): SlackForms {
  const asked = cutEscaped(question, INQUIRY_CHARS_MAX);
  const blocks: SlackBlock[] = [
    context(`*Question:* ${cutEscaped(run.question, QUESTION_CHARS_MAX)}`),
    section(asked),
    actions(
      ...options.map((option, index) => button(option, `querent_reply_${index}`, `${run.id} ${id}`)),
      button("Stop", "querent_stop", run.id, "danger"),
    ),
  ];
  return toForms({ text: breakAddresses(asked), blocks });
}

function toQueryBlocks(query: PublicApproval["queries"][number]): SlackBlock[] {
  const plan = keepOrder(query.plan.join("\n"));
  return [
    section(toCutCode(keepOrder(query.sql), SQL_CHARS_MAX)),
    context(
      tellEffect(query),
      `Tables: ${query.tables.length === 0 ? "none" : cutEscaped(query.tables.join(", "), TABLES_CHARS_MAX)}`,
    ),
    ...(plan === "" ? [] : [context(`Plan: ${toCutCode(plan, PLAN_CHARS_MAX)}`)]),
  ];
}

function tellEffect({ rows_read, cost_usd }: PublicApproval["queries"][number]): string {
  const rows = Math.round(rows_read).toLocaleString("en-US");
  return `about ${rows} rows read, ${escapeMrkdwn(formatUsd(nanoFromUsd(cost_usd)))}`;
}
