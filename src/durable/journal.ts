/**
 * The journal of a run on the object's SQLite: one row a step, which holds what the step has added (messages, events,
 * results) and how the state differs from that of the step before.
 *
 * Owns: the atomic save, which writes the row of the present step, and a copy in memory so that a step reads nothing
 * back. A row is written again by each save of its step and never after it; bytes written in a step depend on that
 * step's content only. Leaves to others: layout (layout.ts), rows (rows.ts), broken records (record.ts), meaning (agent/).
 *
 * A save is durable before any request that follows it leaves: the output gate holds requests back until the write is
 * on disk (invariant L1). Results may be large, so only their heads stay in memory; their rows are read when wanted.
 */
import { type Advance, advance } from "../agent/advance.ts";
import type { Message } from "../agent/model.ts";
import type { Journal, Pinned } from "../agent/ports.ts";
import type { RunEvent } from "../agent/run-event.ts";
import { decodeState } from "../agent/state-record.ts";
import type { StoredResult } from "../agent/tool.ts";
import { assert } from "../lib/assert.ts";
import { type Checkpoint, foldStates, isCheckpoint, readCheckpoints } from "./checkpoints.ts";
import { readFact, writeFact } from "./facts.ts";
import { BEGUN, hasRun, migrate } from "./layout.ts";
import { PINNED, readRecord, type StoredHead } from "./record.ts";
import { dropFurtherParts, isLongRow, nextStepNumber, readStateRows, readStepRow, writeStepRow } from "./rows.ts";
import { encodeSettings, type RunSettings } from "./settings.ts";
import { NO_STATE, patchOf, type StateRecord } from "./state-patch.ts";
import { addTexts, type BodyTexts, decodeBody, joinTexts, NO_TEXTS, type Rows, toHead } from "./step-body.ts";

export interface RunJournal extends Journal {
  readonly settings: RunSettings;
  events(): readonly RunEvent[];
  messageAt(number: number): Message | null;
  /** The state after each step (0: before the first) that can be read, in order. */
  checkpoints(): readonly Checkpoint[];
  /** A small named value that is kept beside the run. */
  fact(name: string): string | null;
}

export interface Opening {
  readonly settings: RunSettings;
  readonly pinned: Pinned;
  readonly advance: Advance;
}

/** The row that the next save writes. */
interface OpenRow {
  readonly number: number;
  /** The state that the row's own differs from. */
  readonly base: StateRecord;
  readonly texts: BodyTexts;
  /** It was written before, with more than one part. */
  readonly isLong: boolean;
}

/** Writes the first checkpoint of a run: all of it or nothing. */
export function createRun(storage: DurableObjectStorage, opening: Opening, now: number): void {
  const { sql } = storage;
  storage.transactionSync(() => {
    migrate(sql, now);
    writeFact(sql, PINNED, JSON.stringify(opening.pinned));
    writeFirst(sql, opening.settings, opening.advance);
  });
}

/** The last write that makes a run of what the object holds. Runs inside a transaction. */
export function writeFirst(sql: SqlStorage, settings: RunSettings, first: Advance): void {
  writeFact(sql, "settings", encodeSettings(settings));
  writeFact(sql, BEGUN, "1");
  writeAdvance(sql, rowAfter(nextStepNumber(sql), NO_STATE), first, []);
}

/**
 * The journal of the run in this object, or null when there is none. A record that cannot be read is first replaced by
 * one of a run that failed for that reason. `onSaved` is called after every save. Throws only what storage throws.
 */
export function openJournal(
  storage: DurableObjectStorage,
  id: string,
  now: number,
  onSaved: () => void,
): RunJournal | null {
  const { sql } = storage;
  if (!hasRun(sql)) return null;
  storage.transactionSync(() => migrate(sql, now));
  const read = readRecord(sql, id, now);
  const { settings, pinned } = read;
  let { state, messages, events } = read;
  let stored = read.heads.map((head) => storedResult(sql, head, null));
  // What another object has begun is left as it is: a step that was cut off is told by two rows.
  let row = rowAfter(nextStepNumber(sql), read.base);

  const save = (advance: Advance, results: readonly StoredResult[]): void => {
    assert(state.ending === null || advance.state.ending !== null, "A1: no save takes a run back from its end");
    const first = row.texts.results.length;
    const { number } = row;
    row = storage.transactionSync(() => writeAdvance(sql, row, advance, results));
    state = advance.state;
    messages = [...messages, ...advance.messages];
    events = [...events, ...advance.events];
    const added = results.map((result, index) =>
      storedResult(sql, { ...toHead(result), number, index: first + index }, result.rows),
    );
    stored = [...stored, ...added];
    onSaved();
  };
  if (read.broken !== null) {
    writeFact(sql, "settings", encodeSettings(settings));
    save(read.broken, []);
  }
  return {
    settings,
    load: () => state,
    pinned: () => pinned,
    messages: () => messages,
    events: () => events,
    messageAt: (number) => messages[number] ?? null,
    results: () => stored,
    checkpoints: () => readCheckpoints(sql),
    fact: (name) => readFact(sql, name),
    save,
  };
}

/** Ends a run by its state alone, for when the rest of it may be what kills the object. */
export function endRun(storage: DurableObjectStorage, message: string, now: number): void {
  const { sql } = storage;
  const last = foldStates(readStateRows(sql)).at(-1)?.record ?? null;
  const state = decodeState(JSON.stringify(last));
  if (last === null || !state.ok || state.value.ending !== null) return;
  const ended = advance(state.value, { kind: "broke", message }, now);
  storage.transactionSync(() => writeAdvance(sql, rowAfter(nextStepNumber(sql), last), ended, []));
}

/** Writes the row of the present step and gives the one to write next. Runs inside a transaction. */
function writeAdvance(sql: SqlStorage, row: OpenRow, advance: Advance, results: readonly StoredResult[]): OpenRow {
  const texts = addTexts(row.texts, advance, results);
  const state = patchOf(row.base, advance.state);
  const body = joinTexts(texts);
  if (row.isLong) dropFurtherParts(sql, row.number);
  writeStepRow(sql, row.number, state, body);
  if (isCheckpoint(advance.state)) return rowAfter(row.number + 1, advance.state);
  return { ...row, texts, isLong: isLongRow(state, body) };
}

function rowAfter(number: number, base: StateRecord): OpenRow {
  return { number, base, texts: NO_TEXTS, isLong: false };
}

/**
 * A result whose rows are read from the object's storage when somebody looks at them. They stay in memory for as long as
 * there is room: every answer is checked against all of them.
 */
function storedResult(sql: SqlStorage, { number, index, ...head }: StoredHead, rows: Rows | null): StoredResult {
  let kept = rows === null ? null : new WeakRef(rows);
  return {
    ...head,
    get rows() {
      const known = kept?.deref();
      if (known !== undefined) return known;
      const read = decodeBody(readStepRow(sql, number)?.body ?? null)?.results[index]?.rows ?? [];
      kept = new WeakRef(read);
      return read;
    },
  };
}
