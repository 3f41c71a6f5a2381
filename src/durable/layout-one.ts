/**
 * Runs of layout 1, carried forward: a table for each kind of row, one for the head (the whole state), one for checkpoints.
 *
 * Owns: reading those tables, and writing what they hold as rows of steps, one for each checkpoint and one for the head.
 * What cannot be read of them is left unreadable, so that the run ends as failed and says so (record.ts).
 */
import * as z from "zod";
import { decodeJson } from "../lib/json.ts";
import { writeStepRow } from "./rows.ts";
import type { StateRecord } from "./state-patch.ts";
import { joinTexts } from "./step-body.ts";

const KINDS = ["pinned", "messages", "events", "results", "result_rows"] as const;
const COUNTED = ["messages", "events", "results"] as const;

const deltaSchema = z.strictObject({
  changed: z.record(z.string(), z.unknown()),
  recent: z.array(z.looseObject({ step: z.int() })),
  older: z.int().min(0),
});

/** From layout 1 to layout 2. Runs inside a transaction. */
export function carryLayoutOne(sql: SqlStorage): void {
  const rows = {
    pinned: readTexts(sql, "pinned"),
    messages: readTexts(sql, "messages"),
    events: readTexts(sql, "events"),
    results: readTexts(sql, "results"),
    result_rows: readTexts(sql, "result_rows"),
  };
  const points = readPoints(sql);
  sql.exec(`DROP TABLE head; DROP TABLE checkpoints; DELETE FROM parts;
    ${KINDS.map((kind) => `DROP TABLE ${kind};`).join("")}
    CREATE TABLE steps (
      number INTEGER PRIMARY KEY, state_parts INTEGER NOT NULL, state TEXT NOT NULL,
      body_parts INTEGER NOT NULL, body TEXT NOT NULL
    );`);
  sql.exec("INSERT INTO facts (name, value) VALUES ('pinned', ?)", rows.pinned[0] ?? "");
  if (points.length === 0) return;
  sql.exec("INSERT INTO facts (name, value) VALUES ('begun', '1') ON CONFLICT DO NOTHING");
  const results = rows.results.map(
    (head, index) => `${head.slice(0, -1)},"rows":${rows.result_rows[index] ?? "null"}}`,
  );
  let from = { messages: 0, events: 0, results: 0 };
  points.forEach((record, number) => {
    const isLast = number === points.length - 1;
    const to = record === null || isLast ? ALL : countsOf(record);
    const body = joinTexts({
      messages: rows.messages.slice(from.messages, to.messages),
      events: rows.events.slice(from.events, to.events),
      results: results.slice(from.results, to.results),
    });
    writeStepRow(sql, number, record === null ? "" : JSON.stringify(toWhole(record)), body);
    from = to;
  });
}

const ALL = { messages: Number.MAX_SAFE_INTEGER, events: Number.MAX_SAFE_INTEGER, results: Number.MAX_SAFE_INTEGER };

function countsOf(record: StateRecord): typeof ALL {
  const [messages = 0, events = 0, results = 0] = COUNTED.map((kind) => Number(record[kind] ?? 0));
  return { messages, events, results };
}

/** A difference from nothing. */
function toWhole({ usage, recent, ...set }: StateRecord) {
  return { set, usage, recent: { kept: 0, added: recent } };
}

/** The checkpoints that can be read and the head, in order; null for a head that cannot be read. Empty: no run. */
function readPoints(sql: SqlStorage): readonly (StateRecord | null)[] {
  const heads = sql.exec<{ state: string }>("SELECT state FROM head").toArray();
  const rest = sql.exec<{ body: string }>("SELECT body FROM parts WHERE kind = 'head' ORDER BY part").toArray();
  const settings = sql.exec<{ value: string }>("SELECT value FROM facts WHERE name = 'settings'").toArray();
  if (heads.length === 0 && settings.length === 0) return [];
  const head = parseObject([...heads.map((row) => row.state), ...rest.map((row) => row.body)].join(""));
  const question = head?.question ?? parseObject(settings[0]?.value ?? "")?.question;
  const checkpoints = sql.exec<{ state: string }>("SELECT state FROM checkpoints ORDER BY step").toArray();
  const texts = checkpoints.map((row) => row.state);
  const points = texts.map((_, index) => readCheckpoint(texts.slice(0, index + 1))).filter((point) => point !== null);
  // A head at rest is the last checkpoint itself, or comes after it: it is written in any case, as what is true.
  return [...points.map((point): StateRecord => ({ ...point, question })), head];
}

/** The state that the last of `texts` stands for; those before it hold what it leaves out. */
function readCheckpoint(texts: readonly string[]): StateRecord | null {
  const last = parseObject(texts.at(-1) ?? "");
  const delta = deltaSchema.safeParse(last);
  if (!delta.success) return last;
  const first = parseObject(texts[0] ?? "");
  if (first === null) return null;
  const { changed, recent, older } = delta.data;
  const earlier = older === 0 ? [] : texts.slice(0, -1).flatMap(recentOf).slice(-older);
  return { ...first, ...changed, recent: [...earlier, ...recent] };
}

function recentOf(text: string): readonly unknown[] {
  const recent = parseObject(text)?.recent;
  return Array.isArray(recent) ? recent : [];
}

/** The texts of a table in order, up to the first that is missing or lacks a part. */
function readTexts(sql: SqlStorage, kind: (typeof KINDS)[number]): string[] {
  const query = `SELECT number, parts, body FROM ${kind} ORDER BY number`;
  const texts: string[] = [];
  for (const row of sql.exec<{ number: number; parts: number; body: string }>(query).toArray()) {
    const parts = "SELECT body FROM parts WHERE kind = ? AND number = ? ORDER BY part";
    const rest = row.parts <= 1 ? [] : sql.exec<{ body: string }>(parts, kind, row.number).toArray();
    if (row.number !== texts.length || rest.length !== Math.max(0, row.parts - 1)) break;
    texts.push(row.body + rest.map((part) => part.body).join(""));
  }
  return texts;
}

function parseObject(text: string): StateRecord | null {
  return decodeJson(text, z.record(z.string(), z.unknown()));
}
