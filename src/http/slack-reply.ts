/**
 * What Slack is answered at once: usage, refusals, and the working message that the answer will take the place of.
 *
 * Owns: the words of these. Texts of people stand in them escaped, so that nobody is mentioned and no link is made.
 * Leaves to others: the answer itself (deliver/slack-message.ts). Pure: no I/O, no clock.
 */
import type { SlackBlock, SlackMessage } from "../deliver/slack-blocks.ts";
import { escapeMrkdwn, toInertMrkdwn } from "../lib/mrkdwn.ts";
import type { ProblemCode, Refusal } from "./problems.ts";
import { QUESTION_CHARS_MAX } from "./question.ts";

/** The body of an answer to a slash command. */
export interface SlackReply extends SlackMessage {
  readonly response_type: "ephemeral" | "in_channel";
}

/** Characters of the question that the working message repeats. */
const QUESTION_SHOWN_MAX = 300;

export function toNotice(text: string): SlackReply {
  return { response_type: "ephemeral", text: escapeMrkdwn(text), blocks: [section(escapeMrkdwn(text))] };
}

/** How to ask. `problem`: what was wrong with the question, or null. */
export function toUsage(command: string, problem: string | null): SlackReply {
  const name = escapeMrkdwn(/^\/[\p{L}\p{N}_-]{1,40}$/u.test(command) ? command : "/ask");
  const lines = [
    ...(problem === null ? [] : [`*${escapeMrkdwn(problem)}*`]),
    `Ask about the data in plain words: \`${name} Which country's customers have spent the most?\``,
    `The answer is seen by you alone. \`${name} share …\` answers in the channel, for everybody.`,
    `A question has up to ${QUESTION_CHARS_MAX.toLocaleString("en")} characters. What it may cost is limited, and every answer says what it did.`,
  ];
  const text = lines.join("\n");
  return { response_type: "ephemeral", text, blocks: [section(text)] };
}

export function toWorkingMessage(question: string, runId: string): SlackMessage {
  const shown = Array.from(question).slice(0, QUESTION_SHOWN_MAX).join("");
  const line = `*Question:* ${escapeMrkdwn(shown)}${shown.length < question.length ? " …" : ""}`;
  return {
    text: `Working on it: ${toInertMrkdwn(shown)}`,
    blocks: [
      { type: "context", elements: [{ type: "mrkdwn", text: line, verbatim: true }] },
      section("Working on it …"),
      {
        type: "actions",
        elements: [
          {
            type: "button",
            action_id: "querent_stop",
            text: { type: "plain_text", text: "Stop", emoji: false },
            value: runId,
            style: "danger",
          },
        ],
      },
    ],
  };
}

/** A refusal in words for somebody in Slack, who knows nothing of the API. */
export function tellRefusal(refusal: Refusal): string {
  return WORDS[refusal.code] ?? refusal.detail;
}

const WORDS: { readonly [code in ProblemCode]?: string } = {
  rate_limited: "Too many questions are being asked. Try again in a minute.",
  too_many_runs: "Too many questions are being worked on. Try again when one of them is answered.",
  daily_budget_spent: "What this app may spend today is used up. Try again tomorrow.",
  limit_above_maximum: "The limits that are set for Slack do not allow this.",
  limit_not_raised: "The limits that are set for Slack do not allow to go on with this question.",
  run_not_continuable: "This question cannot be continued. Ask it again.",
  run_not_finished: "This question is still being worked on.",
};

function section(text: string): SlackBlock {
  return { type: "section", text: { type: "mrkdwn", text, verbatim: true } };
}
