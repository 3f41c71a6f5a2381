/**
 * A stored state and back: JSON text of the current version, old versions carried forward, everything else a reason.
 *
 * Owns: `decodeState`, `encodeState` and the way from each version to the next. An unknown or corrupt record is told,
 * never replaced by a fresh start. STORED CONTRACT: see state.ts. Pure: no I/O, no clock.
 */
import * as z from "zod";
import { err, ok, type Result } from "../lib/result.ts";
import { type AgentState, STATE_VERSION, stateSchema } from "./state.ts";

export type StateError = { readonly kind: "corrupt" | "unknown_version"; readonly message: string };

/** Carries a record of version N to version N + 1. */
const MIGRATIONS: { readonly [from: number]: (record: Record<string, unknown>) => Record<string, unknown> } = {};

/** JSON text to a state of the current version. */
export function decodeState(text: string): Result<AgentState, StateError> {
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return err({ kind: "corrupt", message: "The stored state is not JSON." });
  }
  const versioned = z.looseObject({ version: z.int().min(1) }).safeParse(record);
  if (!versioned.success) return err({ kind: "corrupt", message: "The stored state has no version." });
  let current: Record<string, unknown> & { version: number } = versioned.data;
  if (current.version > STATE_VERSION) {
    const message = `The stored state has version ${current.version}; this release knows versions up to ${STATE_VERSION}.`;
    return err({ kind: "unknown_version", message });
  }
  while (current.version < STATE_VERSION) {
    const migrate = MIGRATIONS[current.version];
    if (migrate === undefined) {
      return err({ kind: "unknown_version", message: `No way to carry version ${current.version} forward.` });
    }
    current = { ...migrate(current), version: current.version + 1 };
  }
  const parsed = stateSchema.safeParse(current);
  if (parsed.success) return ok(parsed.data);
  const where = parsed.error.issues[0]?.path.join(".") ?? "";
  return err({ kind: "corrupt", message: `The stored state does not fit its schema at "${where}".` });
}

/** The stored form: one line of JSON, about 1.5 kB plus the question and the answer. */
export function encodeState(state: AgentState): string {
  return JSON.stringify(state);
}
