/**
 * Stored forms of a run's rows, and what becomes of a record that cannot be read: the run ends as failed and says why,
 * what it spent is kept, and the object goes on answering (mechanism C52). It is never silently begun anew.
 *
 * Owns: the schemas of rows, the check that a record is whole, the account of money drawn from the events when the state
 * is lost. Leaves to others: the schema of the state (agent/state.ts), the forms of rows (step-body.ts), writing (journal.ts).
 *
 * STORED CONTRACT: fields are only ever added, with a default.
 */
import * as z from "zod";
import { type Advance, advance } from "../agent/advance.ts";
import { assertWithinLimits } from "../agent/budget.ts";
import { NANO_USD_PER_ROW } from "../agent/cost.ts";
import { DEFAULT_LIMITS, resolveLimits } from "../agent/limits.ts";
import type { Message } from "../agent/model.ts";
import type { Pinned } from "../agent/ports.ts";
import type { RunEvent } from "../agent/run-event.ts";
import { type AgentState, createState } from "../agent/state.ts";
import { decodeState } from "../agent/state-record.ts";
import { storedPlanSchema } from "../agent/stored-plan.ts";
import { assert } from "../lib/assert.ts";
import { decodeJson } from "../lib/json.ts";
import { err, type Result } from "../lib/result.ts";
import { checkpointsOf, type FoldedState, foldStates } from "./checkpoints.ts";
import { readFact } from "./facts.ts";
import { readStepRows } from "./rows.ts";
import { decodeSettings, type RunSettings } from "./settings.ts";
import { NO_STATE, type StateRecord } from "./state-patch.ts";
import { decodeBody, type ResultHead, type StepBody } from "./step-body.ts";

export interface RunRecord {
  readonly settings: RunSettings;
  readonly pinned: Pinned;
  readonly state: AgentState;
  /** What the next row's state is told as the difference from. */
  readonly base: StateRecord;
  readonly messages: readonly Message[];
  readonly events: readonly RunEvent[];
  readonly heads: readonly StoredHead[];
  /** What must be saved first, because the record could not be read: the run's ending. */
  readonly broken: Advance | null;
}

/** Where a result stands: the number of its row, and its index in what that row has added. */
export type StoredHead = ResultHead & { readonly number: number; readonly index: number };

/** The fact that holds what is pinned. */
export const PINNED = "pinned";
/** The fact that holds what the ledger was told last: its own spend, once a run is over. */
export const SETTLED = "settled_nano_usd";

interface Readable {
  readonly number: number;
  readonly body: StepBody | null;
}

const specSchema = z.looseObject({
  name: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
});
const pinnedSchema: z.ZodType<Pinned> = z.looseObject({
  system: z.string(),
  tools: z.array(specSchema),
  plan: storedPlanSchema.exactOptional(),
});

/** Reads the whole record; what is broken about it, if anything, has become an ending. */
export function readRecord(sql: SqlStorage, id: string, now: number): RunRecord {
  const rows = readStepRows(sql);
  const readable = rows.map(({ number, body }) => ({ number, body: decodeBody(body) }));
  const bodies = upToGap(readable);
  const messages = bodies.flatMap(({ body }) => body.messages);
  const events = bodies.flatMap(({ body }) => body.events);
  const heads = bodies.flatMap(({ number, body }) =>
    body.results.map(({ head }, index) => ({ ...head, number, index })),
  );
  const pinned = decodeJson(readFact(sql, PINNED) ?? "", pinnedSchema);
  const settings = decodeSettings(readFact(sql, "settings") ?? "");
  const states = foldStates(rows);
  const last = decodeLast(states);
  const known = settings.ok ? settings.value : settingsFrom(id, last.ok ? last.value : null);
  const settledNanoUsd = readSettled(sql, known);
  const hasLostEnd = last.ok && last.value.ending === null && settledNanoUsd !== null;
  const faults = [
    last.ok ? null : last.error,
    hasLostEnd ? "The run had ended, and its stored end is missing." : null,
    settings.ok ? null : settings.error,
    pinned === null ? "The stored system text and tools cannot be read." : null,
    bodies.length === rows.length ? null : `What step row ${bodies.length} has added is missing or broken.`,
    ...(last.ok
      ? [
          faultOf("message", messages.length, last.value.messages),
          faultOf("event", events.length, last.value.events),
          faultOf("result", heads.length, last.value.results),
        ]
      : []),
  ].filter((fault) => fault !== null);
  // Also those after a gap: money that they tell of was spent.
  const allEvents = readable.flatMap(({ body }) => body?.events ?? []);
  const counts = { messages: messages.length, events: events.length, results: heads.length };
  const state =
    last.ok && !hasLostEnd
      ? last.value
      : { ...stateFrom(states, known, Math.max(spentBy(allEvents), settledNanoUsd ?? 0), now), ...counts };
  const isBroken = faults.length > 0 && state.ending === null;
  return {
    settings: known,
    pinned: pinned ?? { system: "", tools: [] },
    state,
    base: states.at(-1)?.record ?? NO_STATE,
    messages,
    events,
    heads,
    broken: isBroken ? advance(state, { kind: "broke", message: brokenMessage(faults[0] ?? "") }, now) : null,
  };
}

/** What the rows have added, up to the first that is missing or broken: what comes after refers to what is lost. */
function upToGap(rows: readonly Readable[]): readonly { readonly number: number; readonly body: StepBody }[] {
  const bodies: { number: number; body: StepBody }[] = [];
  for (const { number, body } of rows) {
    if (body === null || number !== bodies.length) break;
    bodies.push({ number, body });
  }
  return bodies;
}

/**
 * The state after the last row. A state whose meters are over its limits was not written by us as it stands: no
 * transition would take it.
 */
function decodeLast(states: readonly FoldedState[]): Result<AgentState, string> {
  const record = states.at(-1)?.record ?? null;
  if (record === null) return err("The stored state is not JSON, or differs from one that cannot be read.");
  const decoded = decodeState(JSON.stringify(record));
  if (!decoded.ok) return err(decoded.error.message);
  if (decoded.value.ending !== null || isWithinLimits(decoded.value)) return decoded;
  return err("The stored state has spent more than its limits allow.");
}

function isWithinLimits(state: AgentState): boolean {
  try {
    assertWithinLimits(state);
    return true;
  } catch {
    // What it says stands in the assertion; here it only matters that the record is not to be believed.
    return false;
  }
}

function brokenMessage(fault: string): string {
  return `The record of this run could not be read, so it cannot go on: ${fault} What it spent is kept. Ask again.`;
}

function faultOf(what: string, readable: number, expected: number): string | null {
  return readable >= expected ? null : `Stored ${what} ${readable + 1} of ${expected} is missing or broken.`;
}

/** Settings of a run whose own are lost. Nothing is allowed in them: they only serve to show the run. */
function settingsFrom(id: string, state: AgentState | null): RunSettings {
  const limits = resolveLimits({}, DEFAULT_LIMITS, DEFAULT_LIMITS);
  assert(limits.ok, "the defaults are within themselves");
  return {
    id: state?.id ?? id,
    question: state?.question ?? "(The question could not be read.)",
    caller: state?.caller ?? "unknown",
    mode: state?.mode ?? "auto",
    grounding: state?.grounding ?? "report",
    model: state?.model ?? "unknown",
    tools: [],
    limits: state?.limits ?? limits.value,
    scopes: { tables: { allow: [] } },
    callbackUrl: null,
    inheritedNanoUsd: 0,
  };
}

/** A state for a run whose own is lost: the newest checkpoint that can be read, with all that was spent since. */
function stateFrom(
  states: readonly FoldedState[],
  settings: RunSettings,
  spentNanoUsd: number,
  now: number,
): AgentState {
  const { id, question, caller, mode, grounding, model, tools, limits } = settings;
  const fresh = createState({ id, question, caller, mode, grounding, model, tools: [...tools], limits }, now);
  const newest = checkpointsOf(states).findLast(({ state }) => isWithinLimits(state));
  const base = newest?.state ?? fresh;
  const costNanoUsd = Math.max(base.usage.costNanoUsd, spentNanoUsd);
  return { ...base, usage: { ...base.usage, costNanoUsd: Math.min(costNanoUsd, base.limits.costNanoUsdMax) } };
}

/** What the run had spent when its ledger was told, with what it began with; null when it never was. */
function readSettled(sql: SqlStorage, { inheritedNanoUsd }: RunSettings): number | null {
  const text = readFact(sql, SETTLED);
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) + inheritedNanoUsd : null;
}

/** What the events say was spent, at most: an attempt without a bill counts at its reservation. */
function spentBy(events: readonly RunEvent[]): number {
  let settled = 0;
  let open = 0;
  for (const event of events) {
    if (event.type === "step_started") open = event.reservedNanoUsd;
    if (event.type === "attempt_lost" || event.type === "model_failed") {
      settled += open;
      open = 0;
    }
    if (event.type === "model_replied") {
      settled = event.totalNanoUsd;
      open = 0;
    }
    if (event.type === "tool_observed") settled += (event.query?.rowsRead ?? 0) * NANO_USD_PER_ROW;
  }
  return settled + open;
}
