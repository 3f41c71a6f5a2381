/**
 * The journal of a run on the object's SQLite: the head, and append-only rows of messages, events and results.
 *
 * Owns: the atomic save, a copy in memory so that a step reads nothing back, and one checkpoint of the head a step (for
 * `continue` and `fork`). Bytes written in a step depend on that step's content only. Leaves to others: layout (rows.ts),
 * stored forms and broken records (record.ts), meaning (agent/).
 *
 * A save is durable before any request that follows it leaves: the output gate holds requests back until the write is
 * on disk (invariant L1). Results may be large, so only their heads stay in memory; their rows are read when wanted.
 */
import { type Advance, advance } from "../agent/advance.ts";
import type { Message } from "../agent/model.ts";
import type { Journal, Pinned } from "../agent/ports.ts";
import type { RunEvent } from "../agent/run-event.ts";
import type { AgentState } from "../agent/state.ts";
import { decodeState, encodeState } from "../agent/state-record.ts";
import type { Cell, StoredResult } from "../agent/tool.ts";
import { lastCheckpointStep, readCheckpoint, readCheckpoints, writeCheckpoint } from "./checkpoints.ts";
import { readHead, writeHead } from "./head.ts";
import { hasRun, migrate } from "./layout.ts";
import { decodeRow, type ResultHead, readRecord, rowsSchema } from "./record.ts";
import { appendRow, readFact, readRow, writeFact } from "./rows.ts";
import { encodeSettings, type RunSettings } from "./settings.ts";
import { encodeMessage } from "./stored-message.ts";

export interface RunJournal extends Journal {
  readonly settings: RunSettings;
  events(): readonly RunEvent[];
  messageAt(number: number): Message | null;
  /** The state after step `step` (0: before the first), or null when that step left none. */
  checkpoint(step: number): AgentState | null;
  /** Every checkpoint that can be read, in order. */
  checkpoints(): readonly AgentState[];
  /** Number of the last step that left one. */
  lastCheckpointStep(): number;
  /** A small named value that is kept beside the run. */
  fact(name: string): string | null;
}

type Rows = readonly (readonly Cell[])[];

export interface Opening {
  readonly settings: RunSettings;
  readonly pinned: Pinned;
  readonly advance: Advance;
}

/** No step is under way: nothing is open, owed or to be tried again. Such a state is a checkpoint to go on from. */
export function isAtRest(state: AgentState): boolean {
  const { attempt, waiting, failedTries, concluding, ending, phase } = state;
  return (
    attempt === null &&
    waiting === null &&
    failedTries === 0 &&
    concluding === null &&
    ending === null &&
    phase !== "action"
  );
}

/** Writes the first checkpoint of a run: all of it or nothing. */
export function createRun(storage: DurableObjectStorage, opening: Opening, now: number): void {
  const { sql } = storage;
  storage.transactionSync(() => {
    migrate(sql, now);
    appendRow(sql, "pinned", 0, JSON.stringify(opening.pinned));
    writeFirst(sql, opening.settings, opening.advance);
  });
}

/** The last write that makes a run of what the object holds. Runs inside a transaction. */
export function writeFirst(sql: SqlStorage, settings: RunSettings, first: Advance): void {
  writeFact(sql, "settings", encodeSettings(settings));
  writeAdvance(sql, first, []);
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
  let stored = read.heads.map((head, number) => storedResult(sql, head, number, null));

  const save = (advance: Advance, results: readonly StoredResult[]): void => {
    storage.transactionSync(() => writeAdvance(sql, advance, results));
    state = advance.state;
    messages = [...messages, ...advance.messages];
    events = [...events, ...advance.events];
    const next = stored.length;
    stored = [
      ...stored,
      ...results.map((result, index) => storedResult(sql, toHead(result), next + index, result.rows)),
    ];
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
    checkpoint: (step) => readCheckpoint(sql, step, settings.question),
    checkpoints: () => readCheckpoints(sql, settings.question),
    lastCheckpointStep: () => lastCheckpointStep(sql),
    fact: (name) => readFact(sql, name),
    save,
  };
}

/** Ends a run by its head alone, for when the rest of it may be what kills the object. */
export function endRun(storage: DurableObjectStorage, message: string, now: number): void {
  const { sql } = storage;
  const head = decodeState(readHead(sql));
  if (!head.ok || head.value.ending !== null) return;
  const ended = advance(head.value, { kind: "broke", message }, now);
  storage.transactionSync(() => writeAdvance(sql, ended, []));
}

/** Runs inside a transaction. Row numbers follow from the counts in the state. */
function writeAdvance(sql: SqlStorage, advance: Advance, results: readonly StoredResult[]): void {
  const { state } = advance;
  writeHead(sql, encodeState(state));
  advance.messages.forEach((message, index) => {
    appendRow(sql, "messages", state.messages - advance.messages.length + index, encodeMessage(message));
  });
  advance.events.forEach((event, index) => {
    appendRow(sql, "events", state.events - advance.events.length + index, JSON.stringify(event));
  });
  results.forEach((result, index) => {
    const number = state.results - results.length + index;
    appendRow(sql, "results", number, JSON.stringify(toHead(result)));
    appendRow(sql, "result_rows", number, JSON.stringify(result.rows));
  });
  // A step whose cut-off reply is still to be summarised is not over, and the text would stand in the checkpoint.
  if (!isAtRest(state) || state.cutText !== null) return;
  writeCheckpoint(sql, state);
}

function toHead(result: StoredResult): ResultHead {
  const { ref, sha256, sql, columns, totalRows, truncated } = result;
  return { ref, sha256, sql, columns: [...columns], totalRows, truncated };
}

/**
 * A result whose rows are read from the object's storage when somebody looks at them. They stay in memory for as long as
 * there is room: every answer is checked against all of them.
 */
function storedResult(sql: SqlStorage, head: ResultHead, number: number, rows: Rows | null): StoredResult {
  let kept = rows === null ? null : new WeakRef(rows);
  return {
    ...head,
    get rows() {
      const known = kept?.deref();
      if (known !== undefined) return known;
      const read = decodeRow(readRow(sql, "result_rows", number) ?? "[]", rowsSchema) ?? [];
      kept = new WeakRef(read);
      return read;
    },
  };
}
