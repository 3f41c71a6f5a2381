/**
 * The states of a run's past, one for each step at rest, for `continue`, `fork` and the transcript.
 *
 * Owns: which stored states are checkpoints: those in which no step is under way. They are not stored beside the steps;
 * each row of a step says how its state differs from the one before. Leaves to others: rows (rows.ts), differences
 * (state-patch.ts).
 */
import type { AgentState } from "../agent/state.ts";
import { decodeState } from "../agent/state-record.ts";
import { readStateRows, type StepRow } from "./rows.ts";
import { applyPatch, type StateRecord } from "./state-patch.ts";

export interface Checkpoint {
  /** Of the row that it stands in: the history up to it is that of all rows up to this one. */
  readonly number: number;
  readonly state: AgentState;
}

/** A state after each row; null where it cannot be told. */
export interface FoldedState {
  readonly number: number;
  readonly record: StateRecord | null;
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

/** A step whose cut-off reply is still to be summarised is not over. */
export function isCheckpoint(state: AgentState): boolean {
  return isAtRest(state) && state.cutText === null;
}

/** The state after each of `rows`, which are in order. */
export function foldStates(rows: readonly Pick<StepRow, "number" | "state">[]): readonly FoldedState[] {
  let record: StateRecord | null = null;
  return rows.map((row) => {
    record = row.state === null ? null : applyPatch(record, row.state);
    return { number: row.number, record };
  });
}

/** Every checkpoint that can be read, in order of its step: the last one where a step left several. */
export function checkpointsOf(states: readonly FoldedState[]): readonly Checkpoint[] {
  const byStep = new Map<number, Checkpoint>();
  for (const { number, record } of states) {
    const decoded = record === null ? null : decodeState(JSON.stringify(record));
    if (decoded?.ok !== true || !isCheckpoint(decoded.value)) continue;
    byStep.set(decoded.value.usage.steps, { number, state: decoded.value });
  }
  return [...byStep.values()];
}

export function readCheckpoints(sql: SqlStorage): readonly Checkpoint[] {
  return checkpointsOf(foldStates(readStateRows(sql)));
}
