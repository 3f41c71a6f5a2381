/**
 * The difference between two states of a run, so that what a step stores depends on that step and not on the run's
 * length. The first state of a run is its difference from nothing.
 *
 * Owns: the stored form and both ways. Values are absolute: a meter as it stands, not what was added. A difference from
 * nothing names its version and stands for itself, whatever was before it; so is a state told whose record was of another
 * version. Leaves to others: what a state means (agent/state.ts), where it is kept (rows.ts).
 *
 * STORED CONTRACT: fields are only ever added. Pure: no I/O, no clock.
 */
import * as z from "zod";
import type { AgentState } from "../agent/state.ts";
import { decodeJson } from "../lib/json.ts";

/** A state as it is stored, which may be of an older version. */
export type StateRecord = { readonly [field: string]: unknown };

export const NO_STATE: StateRecord = {};

const patchSchema = z.looseObject({
  /** Fields with a new value. */
  set: z.record(z.string(), z.unknown()),
  /** Meters with a new value. */
  usage: z.record(z.string(), z.unknown()).optional(),
  /** The detector's window: how many of its newest calls still stand, and the calls after them. */
  recent: z.strictObject({ kept: z.int().min(0), added: z.array(z.unknown()) }).optional(),
});

/** JSON text that `applyPatch` takes from `record` to `after`. */
export function patchOf(record: StateRecord, after: AgentState): string {
  const before = record.version === after.version ? record : NO_STATE;
  const { usage, recent, ...fields } = after;
  const set = changedFields(before, fields);
  const meters = changedFields(asRecord(before.usage), usage);
  const window = changedWindow(asList(before.recent), recent);
  return JSON.stringify({
    set,
    ...(Object.keys(meters).length > 0 ? { usage: meters } : {}),
    ...(window === null ? {} : { recent: window }),
  });
}

/**
 * The state after `before`, or null when `text` is no difference. `before`: null when it is not known, and then only a
 * difference from nothing can be read.
 */
export function applyPatch(before: StateRecord | null, text: string): StateRecord | null {
  const patch = decodeJson(text, patchSchema);
  if (patch === null) return null;
  const from = patch.set.version === undefined ? before : NO_STATE;
  return from === null ? null : layOver(from, patch);
}

function layOver(before: StateRecord, patch: z.infer<typeof patchSchema>): StateRecord {
  const recent = asList(before.recent);
  const { kept, added } = patch.recent ?? { kept: recent.length, added: [] };
  return {
    ...before,
    ...patch.set,
    usage: { ...asRecord(before.usage), ...patch.usage },
    recent: [...recent.slice(recent.length - Math.min(kept, recent.length)), ...added],
  };
}

function changedFields(before: StateRecord, after: StateRecord): StateRecord {
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => !isSame(before[name], value)));
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object") return false;
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Null when nothing changed. Calls are never edited, so one that stands in both windows is the same value. */
function changedWindow(before: readonly unknown[], after: AgentState["recent"]) {
  const start = after.length === 0 ? -1 : before.findIndex((call) => isSame(call, after[0]));
  const kept = start === -1 ? 0 : before.length - start;
  const stands = kept <= after.length && before.slice(before.length - kept).every((call, i) => isSame(call, after[i]));
  if (!stands) return { kept: 0, added: after };
  if (kept === before.length && kept === after.length) return null;
  return { kept, added: after.slice(kept) };
}

function asRecord(value: unknown): StateRecord {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
