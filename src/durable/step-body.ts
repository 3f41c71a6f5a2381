/**
 * What one step has added to the history of a run: messages, events, and results with their rows, as JSON text.
 *
 * Owns: the stored form of each. A result that was shown to the model whole stands in the observation already; it is
 * stored as a reference to it. Leaves to others: messages (stored-message.ts), meaning (agent/).
 * STORED CONTRACT: fields are only ever added, with a default. Pure: no I/O, no clock.
 */
import * as z from "zod";
import type { Advance } from "../agent/advance.ts";
import type { Message, ToolCall } from "../agent/model.ts";
import { type RunEvent, sqlOf } from "../agent/run-event.ts";
import type { Cell, StoredResult } from "../agent/tool.ts";
import { decodeJson } from "../lib/json.ts";
import { encodeMessage, messageSchema } from "./stored-message.ts";

/** A stored result without its rows. */
export type ResultHead = z.infer<typeof resultHeadSchema>;
export type Rows = readonly (readonly Cell[])[];

export interface StepBody {
  readonly messages: readonly Message[];
  readonly events: readonly RunEvent[];
  readonly results: readonly { readonly head: ResultHead; readonly rows: Rows }[];
}

/** The same in JSON texts, one for each of its parts, so that a step which is saved again encodes none twice. */
export interface BodyTexts {
  readonly messages: readonly string[];
  readonly events: readonly string[];
  readonly results: readonly string[];
  /** Of the reply among the messages. */
  readonly calls: readonly ToolCall[];
  readonly lastEvent: EventHead | null;
}

export const NO_TEXTS: BodyTexts = { messages: [], events: [], results: [], calls: [], lastEvent: null };

/** When and where in the run an event happened: left out of a stored event where the one before it says the same. */
type EventHead = Pick<RunEvent, "at" | "step" | "phase">;

const eventHeadSchema = z.looseObject({ type: z.string(), at: z.int(), step: z.int(), phase: z.string() });
export const eventSchema = z.custom<RunEvent>((value) => eventHeadSchema.safeParse(value).success);
const resultHeadSchema = z.looseObject({
  ref: z.string(),
  sha256: z.string(),
  sql: z.string(),
  columns: z.array(z.string()),
  totalRows: z.int().nullable(),
  truncated: z.boolean(),
});
const rowsSchema = z.custom<Rows>((value) => Array.isArray(value) && value.every((row) => Array.isArray(row)));
/** A page of a result as an observation shows it (tools/rows.ts). */
const pageSchema = z.looseObject({
  columns: z.array(z.string()),
  rows: rowsSchema,
  total_rows: z.int().nullable(),
  truncated: z.boolean(),
});
const observationSchema = z.looseObject({ data: pageSchema });
const wholeResultSchema = resultHeadSchema.extend({ rows: rowsSchema });
/** Shown whole by observation number `shown` of the step; `sql` stands here only where its call does not say it. */
const shownResultSchema = z.looseObject({
  ref: z.string(),
  sha256: z.string(),
  shown: z.int().min(0),
  sql: z.string().exactOptional(),
});
const bodySchema = z.looseObject({
  messages: z.array(messageSchema),
  events: z.array(z.looseObject({ type: z.string() })),
  results: z.array(z.unknown()),
});

/** `texts` and what `advance` and `results` add to them. */
export function addTexts(texts: BodyTexts, advance: Advance, results: readonly StoredResult[]): BodyTexts {
  const calls = advance.messages.findLast((message) => message.role === "assistant")?.calls ?? texts.calls;
  const pages = pagesOf(advance.messages);
  return {
    messages: [...texts.messages, ...advance.messages.map(encodeMessage)],
    events: [
      ...texts.events,
      ...advance.events.map((event, index) => encodeEvent(event, advance.events[index - 1] ?? texts.lastEvent)),
    ],
    results: [...texts.results, ...results.map((result) => encodeResult(result, pages, calls))],
    calls,
    lastEvent: advance.events.at(-1) ?? texts.lastEvent,
  };
}

export function joinTexts({ messages, events, results }: Pick<BodyTexts, "messages" | "events" | "results">): string {
  return `{"messages":[${messages.join(",")}],"events":[${events.join(",")}],"results":[${results.join(",")}]}`;
}

/** Null when the text is not what a step has added. */
export function decodeBody(text: string | null): StepBody | null {
  const body = text === null ? null : decodeJson(text, bodySchema);
  if (body === null) return null;
  const { messages } = body;
  const events = decodeEvents(body.events);
  const pages = pagesOf(messages);
  const calls = messages.findLast((message) => message.role === "assistant")?.calls ?? [];
  const results = body.results.map((result) => decodeResult(result, pages, calls));
  if (events === null || results.includes(null)) return null;
  return { messages, events, results: results.filter((result) => result !== null) };
}

export function toHead(result: StoredResult): ResultHead {
  const { ref, sha256, sql, columns, totalRows, truncated } = result;
  return { ref, sha256, sql, columns: [...columns], totalRows, truncated };
}

function encodeEvent(event: RunEvent, before: EventHead | null): string {
  const { at, step, phase, ...rest } = event;
  return JSON.stringify({
    ...(at === before?.at ? {} : { at }),
    ...(step === before?.step ? {} : { step }),
    ...(phase === before?.phase ? {} : { phase }),
    ...rest,
  });
}

function decodeEvents(stored: readonly { readonly [field: string]: unknown }[]): readonly RunEvent[] | null {
  const events: RunEvent[] = [];
  for (const event of stored) {
    const { at, step, phase } = events.at(-1) ?? {};
    const parsed = eventSchema.safeParse({ at, step, phase, ...event });
    if (!parsed.success) return null;
    events.push(parsed.data);
  }
  return events;
}

type Page = z.infer<typeof pageSchema>;

/** What each observation of the last round among `messages` shows of a result, or null. */
function pagesOf(messages: readonly Message[]): readonly (Page | null)[] {
  const round = messages.findLast((message) => message.role === "tool");
  return round?.results.map(({ content }) => decodeJson(content, observationSchema)?.data ?? null) ?? [];
}

function encodeResult(result: StoredResult, pages: readonly (Page | null)[], calls: readonly ToolCall[]): string {
  const { ref, sha256, sql, columns, totalRows, truncated, rows } = result;
  const told = JSON.stringify([columns, rows, totalRows, truncated]);
  const shown = pages.findIndex((page) => page !== null && toldBy(page) === told);
  if (shown < 0) return JSON.stringify({ ...toHead(result), rows });
  return JSON.stringify({ ref, sha256, shown, ...(sqlOf(calls[shown]?.input) === sql ? {} : { sql }) });
}

function toldBy({ columns, rows, total_rows, truncated }: Page): string {
  return JSON.stringify([columns, rows, total_rows, truncated]);
}

function decodeResult(
  stored: unknown,
  pages: readonly (Page | null)[],
  calls: readonly ToolCall[],
): StepBody["results"][number] | null {
  const whole = wholeResultSchema.safeParse(stored);
  if (whole.success) {
    const { rows, ...head } = whole.data;
    return { head, rows };
  }
  const shown = shownResultSchema.safeParse(stored);
  if (!shown.success) return null;
  const { ref, sha256 } = shown.data;
  const page = pages[shown.data.shown] ?? null;
  const sql = shown.data.sql ?? sqlOf(calls[shown.data.shown]?.input);
  if (page === null || sql === null) return null;
  const { columns, rows, total_rows: totalRows, truncated } = page;
  return { head: { ref, sha256, sql, columns, totalRows, truncated }, rows };
}
