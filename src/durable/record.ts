/**
 * Stored forms of a run's rows, and what becomes of a record that cannot be read: the run ends as failed and says why,
 * what it spent is kept, and the object goes on answering (mechanism C52). It is never silently begun anew.
 *
 * Owns: the schemas of rows, the check that a record is whole, the account of money drawn from the events when the head
 * is lost. Leaves to others: the schema of the head (agent/state.ts), writing (journal.ts).
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
import type { Cell } from "../agent/tool.ts";
import { assert } from "../lib/assert.ts";
import { err, type Result } from "../lib/result.ts";
import { newestCheckpoint } from "./checkpoints.ts";
import { readHead } from "./head.ts";
import { countRows, readFact, readRow, readRows } from "./rows.ts";
import { decodeSettings, type RunSettings } from "./settings.ts";
import { messageSchema } from "./stored-message.ts";

export interface RunRecord {
  readonly settings: RunSettings;
  readonly pinned: Pinned;
  readonly state: AgentState;
  readonly messages: readonly Message[];
  readonly events: readonly RunEvent[];
  readonly heads: readonly ResultHead[];
  /** What must be saved first, because the record could not be read: the run's ending. */
  readonly broken: Advance | null;
}

const eventHeadSchema = z.looseObject({ type: z.string(), at: z.int(), step: z.int(), phase: z.string() });
export const eventSchema = z.custom<RunEvent>((value) => eventHeadSchema.safeParse(value).success);
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
const resultHeadSchema = z.looseObject({
  ref: z.string(),
  sha256: z.string(),
  sql: z.string(),
  columns: z.array(z.string()),
  totalRows: z.int().nullable(),
  truncated: z.boolean(),
});
export const rowsSchema = z.custom<readonly (readonly Cell[])[]>(
  (value) => Array.isArray(value) && value.every((row) => Array.isArray(row)),
);

/** A stored result without its rows. */
export type ResultHead = z.infer<typeof resultHeadSchema>;

/** JSON text to a row of the given form, or null. */
export function decodeRow<T>(text: string, schema: z.ZodType<T>): T | null {
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    // Not JSON: the caller says which row it was.
    return null;
  }
}

/** Reads the whole record; what is broken about it, if anything, has become an ending. */
export function readRecord(sql: SqlStorage, id: string, now: number): RunRecord {
  const messages = decodeRows(readRows(sql, "messages"), messageSchema);
  const events = decodeRows(readRows(sql, "events"), eventSchema);
  const heads = decodeRows(readRows(sql, "results"), resultHeadSchema);
  const pinned = decodeRow(readRow(sql, "pinned", 0) ?? "", pinnedSchema);
  const settings = decodeSettings(readFact(sql, "settings") ?? "");
  const head = decodeHead(readHead(sql));
  const faults = [
    head.ok ? null : head.error,
    settings.ok ? null : settings.error,
    pinned === null ? "The stored system text and tools cannot be read." : null,
    ...(head.ok
      ? [
          faultOf("message", messages.length, head.value.messages),
          faultOf("event", events.length, head.value.events),
          faultOf("result", heads.length, head.value.results),
        ]
      : []),
  ].filter((fault) => fault !== null);
  const known = settings.ok ? settings.value : settingsFrom(id, head.ok ? head.value : null);
  const state = head.ok ? head.value : stateFrom(sql, known, events, now);
  const isBroken = faults.length > 0 && state.ending === null;
  return {
    settings: known,
    pinned: pinned ?? { system: "", tools: [] },
    state,
    messages,
    events,
    heads,
    broken: isBroken ? advance(state, { kind: "broke", message: brokenMessage(faults[0] ?? "") }, now) : null,
  };
}

/** A head whose meters are over its limits was not written by us as it stands: no transition would take it. */
function decodeHead(text: string): Result<AgentState, string> {
  const decoded = decodeState(text);
  if (!decoded.ok) return err(decoded.error.message);
  if (decoded.value.ending !== null) return decoded;
  try {
    assertWithinLimits(decoded.value);
    return decoded;
  } catch {
    return err("The stored state has spent more than its limits allow.");
  }
}

function brokenMessage(fault: string): string {
  return `The record of this run could not be read, so it cannot go on: ${fault} What it spent is kept. Ask again.`;
}

function faultOf(what: string, readable: number, expected: number): string | null {
  return readable >= expected ? null : `Stored ${what} ${readable + 1} of ${expected} is missing or broken.`;
}

/** The rows up to the first that is broken. */
function decodeRows<T>(texts: readonly string[], schema: z.ZodType<T>): readonly T[] {
  const rows: T[] = [];
  for (const text of texts) {
    const row = decodeRow(text, schema);
    if (row === null) break;
    rows.push(row);
  }
  return rows;
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

/** A state for a run whose head is lost: the newest checkpoint that can be read, with all that was spent since. */
function stateFrom(sql: SqlStorage, settings: RunSettings, events: readonly RunEvent[], now: number): AgentState {
  const { id, question, caller, mode, grounding, model, tools, limits } = settings;
  const fresh = createState({ id, question, caller, mode, grounding, model, tools: [...tools], limits }, now);
  const base = newestCheckpoint(sql, settings.question) ?? fresh;
  const costNanoUsd = Math.max(base.usage.costNanoUsd, spentBy(events));
  return {
    ...base,
    usage: { ...base.usage, costNanoUsd: Math.min(costNanoUsd, base.limits.costNanoUsdMax) },
    messages: countRows(sql, "messages"),
    events: countRows(sql, "events"),
    results: countRows(sql, "results"),
  };
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
