/**
 * The one final message of a run for Slack, in three forms: with a table, without, and as plain text.
 *
 * Owns: what is said for each ending and in which order. It reads `outcome`, `stop_reason`, `failed` and other stored
 * fields only, never the wording of a text (mechanism A14). Whatever comes from rows, models or people is escaped and can
 * make no mention and no link (C38). Pure: no I/O, no clock.
 */
import type { PublicRun } from "../agent/view.ts";
import { formatUsd, nanoFromUsd } from "../lib/money.ts";
import { breakAddresses, escapeMrkdwn, fromMarkdown } from "../lib/mrkdwn.ts";
import {
  actions,
  button,
  context,
  countChars,
  MESSAGE_CHARS_MAX,
  SECTION_CHARS_MAX,
  type SlackBlock,
  type SlackButton,
  type SlackForms,
  type SlackMessage,
  section,
  TEXT_CHARS_MAX,
} from "./slack-blocks.ts";
import { type ShownRows, type SlackTable, TABLE_ROWS_MAX, tellLeftOut, toSlackTable } from "./slack-table.ts";
import { cutEscaped, splitEscaped, toCutCode } from "./slack-text.ts";

export interface SlackReport {
  /** Finished. */
  readonly run: PublicRun;
  /** The rows that the answer rests on, or null. */
  readonly shown: ShownRows | null;
  /** Who sees the message: the one who asked, or the channel. */
  readonly visibility: "ephemeral" | "in_channel";
  /** Where all the rows can be had, an address of ours, or null. */
  readonly resultsUrl: string | null;
}

/** Rows in the answer itself; a button shows more. */
const ANSWER_ROWS_MAX = 20;
/** Sections of one answer. A longer answer is cut, and says so. */
const ANSWER_SECTIONS_MAX = 2;
const QUESTION_CHARS_MAX = 300;
/** Queries of the receipt that are shown, and characters of each. */
const QUERIES_MAX = 2;
const QUERY_CHARS_MAX = 800;
/** What the blocks after the table take at most. */
const RECEIPT_CHARS_MAX = 3_500;

export function toFinishedForms(report: SlackReport): SlackForms {
  const { run, shown } = report;
  const head = [context(`*Question:* ${cutEscaped(run.question, QUESTION_CHARS_MAX)}`), ...toAnswerBlocks(run)];
  const charsMax = MESSAGE_CHARS_MAX - countChars(head) - RECEIPT_CHARS_MAX;
  const table = shown && toSlackTable(shown, { rowsMax: ANSWER_ROWS_MAX, charsMax });
  const notes = toNotes(report, table);
  const tail = [
    ...(notes.length > 0 ? [context(...notes)] : []),
    context(...toReceipt(run)),
    ...toActions(report, table),
  ];
  const text = toText(run);
  return {
    rich: { text, blocks: [...head, ...(table === null ? [] : [table.block]), ...tail] },
    simple: { text, blocks: [...head, ...(table === null ? [] : [section(table.code)]), ...tail] },
    plain: { text, blocks: [] },
  };
}

/** The rows of a result by themselves, for who pressed the button. */
export function toRowsForms(shown: ShownRows | null, resultsUrl: string | null): SlackForms {
  const table = shown && toSlackTable(shown, { rowsMax: TABLE_ROWS_MAX, charsMax: MESSAGE_CHARS_MAX - 1_000 });
  if (shown === null || table === null) return toNoticeForms("This run has no rows to show.");
  const left = [tellLeftOut(shown, table), resultsUrl && toLink(resultsUrl)].filter((note) => note !== null);
  const heading = section(`*Rows of ${escapeMrkdwn(shown.ref)}*`);
  const tail = left.length > 0 ? [context(...left)] : [];
  const text = `Rows 1 to ${table.rows} of ${shown.totalRows ?? `more than ${shown.storedRows}`}.`;
  return {
    rich: { text, blocks: [heading, table.block, ...tail] },
    simple: { text, blocks: [heading, section(table.code), ...tail] },
    plain: { text: `${text}\n${table.code}`, blocks: [] },
  };
}

/** The forms of a message without a table. */
export function toForms(message: SlackMessage): SlackForms {
  return { rich: message, simple: message, plain: { ...message, blocks: [] } };
}

/** A sentence of ours. */
export function toNoticeForms(text: string): SlackForms {
  return toForms({ text, blocks: [section(escapeMrkdwn(text))] });
}

function toAnswerBlocks(run: PublicRun): SlackBlock[] {
  const ended = endingOf(run);
  const text = run.answer ?? run.partial_answer;
  const heading = run.answer === null && run.partial_answer !== null ? [section("*What was found until then:*")] : [];
  const pieces = text === null ? [] : splitEscaped(fromMarkdown(text), SECTION_CHARS_MAX, ANSWER_SECTIONS_MAX);
  return [...(ended === null ? [] : [section(ended)]), ...heading, ...pieces.map(section)];
}

/** How the run ended when it was not with an answer. */
function endingOf(run: PublicRun): string | null {
  const message = cutEscaped(run.message ?? "", 600);
  switch (run.outcome) {
    case "answered":
      return null;
    case "stopped":
      return `*No final answer.* ${message}`;
    case "failed":
      return `*This did not work.* ${message}`;
    case "cancelled":
      return "*Stopped before there was an answer.*";
    case null:
      return "*Not finished yet.*";
  }
}

function toNotes({ run, shown, resultsUrl }: SlackReport, table: SlackTable | null): string[] {
  const notes = new Set<string>();
  if (run.outcome === "answered" && run.n_queries === 0) notes.add("Answered without querying the database.");
  for (const warning of run.warnings.slice(0, 5)) notes.add(cutEscaped(warning, 200));
  const left = shown && table && tellLeftOut(shown, table);
  if (left) notes.add(resultsUrl === null ? left : `${left} ${toLink(resultsUrl)}`);
  return [...notes];
}

/** The SQL that the answer rests on, and what it took to get it. */
function toReceipt(run: PublicRun): string[] {
  const { queries, results, rows_read, cost_usd, seconds, steps } = run.receipt;
  const good = queries.filter((query) => query.error === null);
  const cited = good.filter((query) => query.result !== null && results.includes(query.result));
  const chosen = (cited.length > 0 ? cited : good).slice(-QUERIES_MAX);
  const rest = queries.length - chosen.length;
  const figures = [
    count(queries.length, "query", "queries"),
    `${count(rows_read, "row", "rows")} read`,
    // A tiny sum is written with a less-than sign.
    `${run.usage.unbilled_usd > 0 ? "up to " : ""}${escapeMrkdwn(formatUsd(nanoFromUsd(cost_usd)))}`,
    `${seconds.toFixed(1)} s`,
    count(steps, "step", "steps"),
  ];
  return [
    ...chosen.map((query) => toCutCode(query.sql, QUERY_CHARS_MAX)),
    `${rest > 0 && chosen.length > 0 ? `and ${count(rest, "other query", "other queries")} · ` : ""}${figures.join(" · ")}`,
  ];
}

function toActions({ run, visibility, shown }: SlackReport, table: SlackTable | null): SlackBlock[] {
  const buttons: SlackButton[] = [];
  const isPrivate = visibility === "ephemeral";
  if (run.outcome === "stopped" && run.links.continue !== undefined) {
    buttons.push(button("Continue for $0.10 more", "querent_continue", run.id));
  }
  if (shown !== null && shown.storedRows > (table?.rows ?? 0))
    buttons.push(button("Show rows", "querent_rows", run.id));
  if (isPrivate && (run.answer !== null || run.partial_answer !== null)) {
    buttons.push(button("Post to channel", "querent_share", run.id));
  }
  return buttons.length === 0 ? [] : [actions(...buttons)];
}

/** The whole message in plain words, for notifications and for a Slack that takes no blocks. */
function toText(run: PublicRun): string {
  const answer = run.answer ?? run.partial_answer;
  const unqueried = run.outcome === "answered" && run.n_queries === 0;
  const parts = [
    endingOf(run)?.replaceAll("*", ""),
    answer === null ? undefined : escapeMrkdwn(fromMarkdown(answer)),
    unqueried ? "(Answered without querying the database.)" : undefined,
    toReceipt(run).at(-1),
  ].filter((part) => part !== undefined);
  const text = breakAddresses(parts.join("\n"));
  return text.length <= TEXT_CHARS_MAX ? text : `${cutEntity(text.slice(0, TEXT_CHARS_MAX - 10))} … (cut)`;
}

/** Without the beginning of an entity at its end. */
function cutEntity(text: string): string {
  return text.toWellFormed().replace(/&[a-z]{0,4}$/, "");
}

/** The only links in a message are to ourselves. */
function toLink(url: string): string {
  return `<${escapeMrkdwn(url)}|All rows as CSV>`;
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
