/**
 * A finished run once more, from its exported journal, through the same transitions: no model, no database, no clock.
 *
 * Owns: the fold (A2: the same state, event and time give the same state) and the comparison: every message and event
 * that comes out must be the recorded one, and every state at rest the recorded one, byte for byte; else the first
 * difference is told. What effects brought (replies, observations, evidence, new rows) is an input and taken from the
 * record (replay-inputs.ts). The cheapest debugger (mechanism C33): run it with a changed rule and see where runs part.
 * Pure: no I/O, no clock.
 */
import { canonicalJson } from "../lib/json.ts";
import { advance } from "./advance.ts";
import type { Message } from "./model.ts";
import { nextEvent } from "./replay-inputs.ts";
import type { RecordedRun } from "./replay-record.ts";
import { type PublicRunEvent, toPublicRunEvent } from "./run-event.ts";
import type { AgentState } from "./state.ts";
import { encodeState } from "./state-record.ts";

export type Replayed =
  | { readonly kind: "same"; readonly transitions: number; readonly states: number }
  | {
      readonly kind: "differs";
      /** Number of the event, from 1, before which the two part. */
      readonly seq: number;
      readonly step: number;
      readonly what: string;
      readonly recorded: string;
      readonly replayed: string;
    };

type Difference = Extract<Replayed, { kind: "differs" }>;

/** Transitions that tell nothing, one after the other; more would be an endless turn. */
const SILENT_MAX = 3;

export function replayRun(record: RecordedRun): Replayed {
  const start = startOf(record);
  if (start === null) return differs(0, 0, "no state to start from is in the record", "", "");
  let state = start;
  let transitions = 0;
  let states = 1;
  let silent = 0;
  while (state.events < record.events.length || isUnsettled(state, record)) {
    const at = state.events;
    const moved = move(record, state);
    if (moved.kind === "differs") return moved;
    const difference = compareRows(record, state, moved);
    if (difference !== null) return difference;
    transitions += 1;
    silent = moved.state.events === at ? silent + 1 : 0;
    if (silent > SILENT_MAX) return differs(at, state.usage.steps, "the replay does not go on", "", "");
    state = moved.state;
    const recorded = record.states.find((one) => one.events === state.events && one.messages === state.messages);
    if (recorded === undefined || !isComparable(recorded, state)) continue;
    states += 1;
    const parted = compareStates(recorded, state);
    if (parted !== null) return parted;
  }
  const last = record.states.at(-1);
  const parted = last === undefined ? null : compareStates(last, state);
  return parted ?? { kind: "same", transitions, states };
}

/** The first state, or of a run that carries on from another, the one it began with. */
function startOf({ states, events }: RecordedRun): AgentState | null {
  const begin = events.findLastIndex((event) => event.type === "run_started" || event.type === "run_forked");
  return states.find((state) => state.events > begin) ?? null;
}

type Moved =
  | {
      readonly kind: "moved";
      readonly state: AgentState;
      readonly messages: readonly Message[];
      readonly events: readonly PublicRunEvent[];
    }
  | Difference;

function move(record: RecordedRun, state: AgentState): Moved {
  try {
    const next = nextEvent(record, state);
    const moved = advance(state, next.event, next.at);
    const messageAt = (index: number): Message | null =>
      (index < state.messages ? record.messages[index] : moved.messages[index - state.messages]) ?? null;
    const events = moved.events.map((event) => toPublicRunEvent(event, messageAt));
    return { kind: "moved", state: moved.state, messages: moved.messages, events };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    const recorded = String(record.events[state.events]?.type ?? "the end");
    return differs(state.events, state.usage.steps, "the recorded event is not possible here", recorded, said);
  }
}

function compareRows(
  record: RecordedRun,
  before: AgentState,
  moved: Extract<Moved, { kind: "moved" }>,
): Difference | null {
  const { steps } = before.usage;
  for (const [index, event] of moved.events.entries()) {
    const [ours, theirs] = [canonicalJson(event), canonicalJson(record.events[before.events + index] ?? null)];
    if (ours !== theirs) return differs(before.events + index, steps, "event", theirs, ours);
  }
  for (const [index, message] of moved.messages.entries()) {
    const [ours, theirs] = [canonicalJson(message), canonicalJson(record.messages[before.messages + index] ?? null)];
    if (ours !== theirs) return differs(before.events, steps, `message ${before.messages + index}`, theirs, ours);
  }
  return null;
}

/** A record holds states at rest and the last one; between two silent transitions there may be others with its counts. */
function isComparable(recorded: AgentState, state: AgentState): boolean {
  return recorded.phase === state.phase && (recorded.attempt === null) === (state.attempt === null);
}

function compareStates(recorded: AgentState, state: AgentState): Difference | null {
  const [theirs, ours] = [encodeState(recorded), encodeState(state)];
  if (theirs === ours) return null;
  const names = Object.keys({ ...recorded, ...state }) as (keyof AgentState)[];
  const name = names.find((each) => JSON.stringify(recorded[each]) !== JSON.stringify(state[each]));
  const told = (one: AgentState): string => (name === undefined ? "" : (JSON.stringify(one[name]) ?? ""));
  const what = `state after step ${recorded.usage.steps}, field ${name ?? "(order of fields)"}`;
  return differs(state.events, recorded.usage.steps, what, told(recorded), told(state));
}

/** The bill of the last call came after the end, which tells nothing. */
function isUnsettled(state: AgentState, { states }: RecordedRun): boolean {
  return state.ending !== null && state.attempt !== null && states.at(-1)?.attempt === null;
}

function differs(events: number, step: number, what: string, recorded: string, replayed: string): Difference {
  return { kind: "differs", seq: events + 1, step, what, recorded, replayed };
}
