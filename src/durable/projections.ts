/**
 * What the run object shows: the run, pages of events, of stored rows and of the transcript, all made from the journal.
 *
 * Owns: the bounds of a page, so that no answer comes near what an RPC can carry. Leaves to others: public shapes
 * (agent/view.ts, agent/run-event.ts), storage (journal.ts). The SQL log of a run (mechanism A30) is no table of its own:
 * each SQL text stands once, in the message that called for it, and its figures in the event of its observation.
 * Reads only; the clock comes in as `now`, epoch milliseconds.
 */
import { type Examined, examineRun } from "../agent/postmortem.ts";
import { sqlOf, toPublicApproval, toPublicInquiry, toPublicRunEvent } from "../agent/run-event.ts";
import type { StoredResult } from "../agent/tool.ts";
import { type PublicQuery, type PublicRun, type RunRows, toPublicRun } from "../agent/view.ts";
import { askedId } from "../agent/waiting.ts";
import { usdFromNano } from "../lib/money.ts";
import type { Bell } from "./bell.ts";
import type { EventPage, ResultPage, TranscriptEntry, TranscriptPage } from "./contract.ts";
import type { RunJournal } from "./journal.ts";
import { toPublicDeliveries } from "./outbox.ts";

/** A reader that waits longer asks again; proxies drop silent connections after half a minute. */
const EVENTS_WAIT_MS_MAX = 25_000;
/** Events of one page: an event carries at most one observation of 16 kB, or one reply of the model. */
const EVENTS_PAGE_MAX = 100;
/** Rows of one page of a result, and bytes after which no further row is added. */
const ROWS_PAGE_MAX = 1_000;
const ROWS_PAGE_CHARS_MAX = 1_000_000;
/** Characters of a transcript page after which no further entry is added. */
const TRANSCRIPT_PAGE_CHARS_MAX = 2_000_000;

export function toView(journal: RunJournal, children: PublicRun["children"], now: number): PublicRun {
  const deliveries = toPublicDeliveries(journal);
  const examined = examinedOf(journal);
  const rows = { queries: queriesOf(journal), children, deliveries, examined, ...askedOf(journal) };
  return toPublicRun(journal.load(), rows, now);
}

/** What a person is asked right now: the last that was told of it. */
export function askedOf(journal: RunJournal): Pick<RunRows, "approval" | "inquiry"> {
  if (askedId(journal.load()) === null) return {};
  const last = journal.events().findLast(({ type }) => type === "approval_asked" || type === "question_asked");
  if (last?.type === "approval_asked") {
    const { approval: id, queries } = toPublicApproval(last, journal.messageAt);
    return { approval: { id, queries } };
  }
  if (last?.type !== "question_asked") return {};
  const { inquiry: id, question, options } = toPublicInquiry(last, journal.messageAt);
  return { inquiry: { id, question, options } };
}

/** Of a finished run, whose events change no more: made once for as long as the journal is in memory. */
const examinations = new WeakMap<RunJournal, { readonly costNanoUsd: number; readonly examined: Examined }>();

function examinedOf(journal: RunJournal): Examined | null {
  const { ending, usage } = journal.load();
  if (ending === null) return null;
  const known = examinations.get(journal);
  // A bill that comes after the end changes the cost.
  if (known?.costNanoUsd === usage.costNanoUsd) return known.examined;
  const events = journal.events().map((event) => toPublicRunEvent(event, journal.messageAt));
  const examined = examineRun(events, usdFromNano(usage.costNanoUsd));
  examinations.set(journal, { costNanoUsd: usage.costNanoUsd, examined });
  return examined;
}

/** Every SQL text that was run, in order. */
function queriesOf(journal: RunJournal): PublicQuery[] {
  const queries: PublicQuery[] = [];
  for (const event of journal.events()) {
    if (event.type !== "tool_observed" || event.query === undefined) continue;
    const asked = journal.messageAt(event.message - 1);
    const input = asked?.role === "assistant" ? asked.calls[event.index]?.input : undefined;
    const { ref, rows, rowsRead, durationMs, error } = event.query;
    queries.push({ sql: sqlOf(input) ?? "", result: ref, rows, rows_read: rowsRead, duration_ms: durationMs, error });
  }
  return queries;
}

/** Events after number `seq`; waits for the first when there is none yet and the run goes on. */
export async function awaitEvents(journal: RunJournal, bell: Bell, seq: number, waitMs: number): Promise<EventPage> {
  const page = toEventPage(journal, seq);
  if (page.events.length > 0 || page.finished || waitMs <= 0) return page;
  await bell.wait(Math.min(waitMs, EVENTS_WAIT_MS_MAX));
  return toEventPage(journal, seq);
}

export function toEventPage(journal: RunJournal, seq: number): EventPage {
  const all = journal.events();
  const from = Math.max(0, Math.min(seq, all.length));
  const events = all.slice(from, from + EVENTS_PAGE_MAX).map((event, index) => ({
    seq: from + index + 1,
    event: toPublicRunEvent(event, journal.messageAt),
  }));
  const last = from + events.length;
  return { events, finished: journal.load().ending !== null && last === all.length, last };
}

/** As `toResultPage`, of the result with this reference; null when there is none. */
export function findResultPage(
  journal: RunJournal | null,
  ref: string,
  fromRow: number,
  toRow: number,
): ResultPage | null {
  const found = journal?.results().find((result) => result.ref === ref);
  return found === undefined ? null : toResultPage(found, fromRow, toRow);
}

/** Rows from `fromRow` to `toRow`, from 1 and inclusive; a negative `fromRow` counts from the end. */
export function toResultPage(result: StoredResult, fromRow: number, toRow: number): ResultPage {
  const { ref, sha256, sql, columns, totalRows, truncated, rows } = result;
  const first = fromRow < 0 ? Math.max(1, rows.length + fromRow + 1) : Math.max(1, fromRow);
  const wanted = rows.slice(first - 1, Math.min(toRow, first + ROWS_PAGE_MAX - 1));
  let chars = 0;
  const cut = wanted.findIndex((row) => {
    chars += JSON.stringify(row).length;
    return chars > ROWS_PAGE_CHARS_MAX;
  });
  // One row is always shown, however wide: a page without progress would be asked for for ever.
  const page = cut === -1 ? wanted : wanted.slice(0, Math.max(1, cut));
  const next = first + page.length;
  return {
    ref,
    sha256,
    sql,
    columns,
    rows: page,
    fromRow: first,
    storedRows: rows.length,
    totalRows,
    truncated,
    nextRow: page.length > 0 && next <= Math.min(rows.length, toRow) ? next : null,
  };
}

/** Entries from number `from` on: the run, what was pinned, messages, events, results without their rows. */
export function toTranscriptPage(journal: RunJournal, from: number, run: PublicRun): TranscriptPage {
  const messages = journal.messages();
  const events = journal.events();
  const results = journal.results();
  const states = [...journal.checkpoints().map(({ state }) => state), journal.load()];
  const rest: (() => TranscriptEntry)[] = [
    ...results.map((result) => () => toResultEntry(result)),
    ...states.map((state) => () => ({ kind: "state" as const, step: state.usage.steps, state })),
  ];
  const starts = [0, 2, 2 + messages.length, 2 + messages.length + events.length] as const;
  const total = starts[3] + rest.length;
  const entries: TranscriptEntry[] = [];
  let chars = 0;
  let number = Math.max(0, from);
  while (number < total && chars < TRANSCRIPT_PAGE_CHARS_MAX) {
    const entry = entryAt(journal, number, starts, rest, run);
    chars += JSON.stringify(entry).length;
    entries.push(entry);
    number += 1;
  }
  return { entries, next: number < total ? number : null };
}

function entryAt(
  journal: RunJournal,
  number: number,
  starts: readonly [number, number, number, number],
  rest: readonly (() => TranscriptEntry)[],
  run: PublicRun,
): TranscriptEntry {
  const message = number >= starts[1] ? journal.messageAt(number - starts[1]) : null;
  if (message !== null) return { kind: "message", number: number - starts[1], message };
  const event = number >= starts[2] ? journal.events()[number - starts[2]] : undefined;
  if (event !== undefined) {
    return { kind: "event", seq: number - starts[2] + 1, event: toPublicRunEvent(event, journal.messageAt) };
  }
  const later = number >= starts[3] ? rest[number - starts[3]] : undefined;
  if (later !== undefined) return later();
  return number === 0 ? { kind: "run", run } : { kind: "pinned", pinned: journal.pinned() };
}

function toResultEntry(result: StoredResult): TranscriptEntry {
  const { rows: _rows, fromRow: _from, nextRow: _next, ...head } = toResultPage(result, 1, 0);
  return { kind: "result", result: head };
}
