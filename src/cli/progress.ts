/**
 * What a person sees while a run goes on: one event to a few lines.
 *
 * Owns: which events are worth a line and how they read. An unknown type has no line. Leaves to others: where the lines
 * go and whether anybody is looking (ask.ts). Pure: no I/O, no clock.
 */
import * as z from "zod";
import type { RunEvent } from "./run-events.ts";
import { cutToWidth, toSafeLine, toSafeText } from "./terminal-text.ts";

export interface ProgressLine {
  readonly text: string;
  /** Tells the parts of a step apart: `plain` is the model's own words. */
  readonly style: "plain" | "head" | "dim" | "sql" | "bad";
}

/** Lines of a thought or of an SQL text that are shown; the transcript has them whole. */
const LINES_MAX = 12;
const INDENT = "   ";

const repliedSchema = z.looseObject({
  text: z.string().default(""),
  calls: z.array(z.looseObject({ name: z.string(), input: z.unknown() })).default([]),
  cost_total_usd: z.number().default(0),
});
const observedSchema = z.looseObject({
  name: z.string().nullish(),
  observation: z.looseObject({ status: z.string(), summary: z.string() }).nullish(),
  query: z
    .looseObject({ rows: z.number(), rows_read: z.number(), duration_ms: z.number(), error: z.string().nullish() })
    .nullish(),
});
const wordSchema = z.looseObject({
  decision: z.string().optional(),
  reply: z.string().optional(),
  by: z.string().optional(),
});
const messageSchema = z.looseObject({
  code: z.string().optional(),
  message: z.string().optional(),
  reason: z.string().optional(),
  what: z.string().optional(),
  until: z.string().optional(),
});

/** Lines for `event`, cut to `widthMax` columns. `elapsedMs` counts from the run's start. */
export function toProgressLines(event: RunEvent, elapsedMs: number, widthMax: number): readonly ProgressLine[] {
  return linesOf(event, elapsedMs).map((line) => ({ ...line, text: cutToWidth(line.text, widthMax) }));
}

function linesOf(event: RunEvent, elapsedMs: number): readonly ProgressLine[] {
  switch (event.type) {
    case "model_replied":
      return replied(event, elapsedMs);
    case "tool_observed":
      return observed(event);
    case "approval_asked":
    case "question_asked":
      return [asked(event)];
    case "approval_decided":
    case "question_answered":
      return [word(event)];
    case "model_failed":
    case "retry_scheduled":
    case "recovery":
    case "ceiling_reached":
    case "attempt_lost":
      return [remark(event)];
    default:
      return [];
  }
}

function replied(event: RunEvent, elapsedMs: number): readonly ProgressLine[] {
  const parsed = repliedSchema.safeParse(event);
  if (!parsed.success) return [];
  const { text, calls, cost_total_usd } = parsed.data;
  const seconds = (elapsedMs / 1000).toFixed(1);
  return [
    { text: `Step ${event.step ?? "?"} · ${formatUsd(cost_total_usd)} so far · ${seconds} s`, style: "head" },
    ...block(text, "plain"),
    ...calls.flatMap(({ name, input }): readonly ProgressLine[] => [
      { text: `${INDENT}→ ${toSafeLine(name)}${argumentsOf(input)}`, style: "dim" },
      ...block(sqlOf(input), "sql"),
    ]),
  ];
}

function observed(event: RunEvent): readonly ProgressLine[] {
  const parsed = observedSchema.safeParse(event);
  if (!parsed.success) return [];
  const { observation, query } = parsed.data;
  const isBad = observation?.status === "error";
  const counts =
    query == null || query.error != null
      ? ""
      : `${count(query.rows, "row")}, ${query.rows_read.toLocaleString("en")} read, ${Math.round(query.duration_ms)} ms`;
  const said = isBad || counts === "" ? toSafeLine(observation?.summary ?? "done") : counts;
  return [{ text: `${INDENT}← ${said}`, style: isBad ? "bad" : "dim" }];
}

/** That a person is asked, and for how long; what is asked stands in the prompt. */
function asked(event: RunEvent): ProgressLine {
  const until = messageSchema.safeParse(event).data?.until;
  const wish = event.type === "approval_asked" ? "a yes" : "an answer";
  return {
    text: `${INDENT}· ${toSafeLine(`waits for ${wish}${until === undefined ? "" : `, until ${until}`}`)}`,
    style: "dim",
  };
}

/** What a person has said. */
function word(event: RunEvent): ProgressLine {
  const { decision, reply, by } = wordSchema.safeParse(event).data ?? {};
  const said =
    decision === undefined ? `answered: ${reply ?? ""}` : decision === "approved" ? "allowed it" : "declined";
  return { text: `${INDENT}· ${toSafeLine(`${by ?? "A person"} ${said}`)}`, style: "dim" };
}

function remark(event: RunEvent): ProgressLine {
  const parsed = messageSchema.safeParse(event);
  const { code, message, reason, what, until } = parsed.success ? parsed.data : {};
  const parts = [
    event.type.replaceAll("_", " "),
    reason ?? what ?? code,
    message,
    until === undefined ? undefined : `until ${until}`,
  ];
  return {
    text: INDENT + toSafeLine(parts.filter((part) => part !== undefined && part !== "").join(": ")),
    style: "bad",
  };
}

/** Arguments other than SQL, short, so that a look at the schema or a page of rows can be told from another. */
function argumentsOf(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const { sql: _sql, answer: _answer, ...rest } = { sql: null, answer: null, ...input };
  return Object.keys(rest).length === 0 ? "" : ` ${toSafeLine(JSON.stringify(rest))}`;
}

function sqlOf(input: unknown): string {
  if (typeof input !== "object" || input === null || !("sql" in input)) return "";
  return typeof input.sql === "string" ? input.sql : "";
}

function block(text: string, style: ProgressLine["style"]): readonly ProgressLine[] {
  const lines = toSafeText(text.trim()).split("\n");
  if (lines.length === 1 && lines[0] === "") return [];
  const shown = lines.slice(0, LINES_MAX).map((line): ProgressLine => ({ text: INDENT + line, style }));
  const more = lines.length - LINES_MAX;
  return more > 0 ? [...shown, { text: `${INDENT}… ${more} more lines`, style: "dim" }] : shown;
}

/** `1 row`, `2,155 rows`. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** Dollars with the digits that matter for a few model calls. */
export function formatUsd(usd: number): string {
  if (usd === 0) return "$0";
  return usd < 0.0001 ? "<$0.0001" : `$${usd.toFixed(4)}`;
}
