/**
 * An exported journal, the lines of `GET /v1/runs/:id/transcript`, as the record that a replay takes. Pure.
 */
import * as z from "zod";
import { err, ok, type Result } from "../lib/result.ts";
import type { Message } from "./model.ts";
import type { PublicRunEvent } from "./run-event.ts";
import type { AgentState } from "./state.ts";
import { decodeState } from "./state-record.ts";

export interface RecordedRun {
  /** The states at rest, oldest first, and the last state of the run at the end. */
  readonly states: readonly AgentState[];
  readonly messages: readonly Message[];
  readonly events: readonly PublicRunEvent[];
}

const messageSchema = z.looseObject({
  kind: z.literal("message"),
  number: z.int().min(0),
  message: z.custom<Message>((value) => typeof value === "object" && value !== null && "role" in value),
});
const eventSchema = z.looseObject({
  kind: z.literal("event"),
  event: z.looseObject({ type: z.string(), at: z.iso.datetime(), step: z.int() }),
});
const stateSchema = z.looseObject({ kind: z.literal("state"), state: z.unknown() });

/** The error is for the person who named the file. */
export function toRecord(entries: readonly unknown[]): Result<RecordedRun, string> {
  const pick = <T>(schema: z.ZodType<T>): T[] =>
    entries.flatMap((entry) => {
      const parsed = schema.safeParse(entry);
      return parsed.success ? [parsed.data] : [];
    });
  const states: AgentState[] = [];
  for (const { state } of pick(stateSchema)) {
    const decoded = decodeState(JSON.stringify(state));
    if (!decoded.ok) return err(decoded.error.message);
    states.push(decoded.value);
  }
  if (states.length === 0) return err("it holds no states: it was exported by an older release, or cut.");
  if (states.at(-1)?.ending === null) return err("the run was not finished when it was exported.");
  const messages = pick(messageSchema).sort((a, b) => a.number - b.number);
  return ok({
    states,
    messages: messages.map((entry) => entry.message),
    events: pick(eventSchema).map((entry) => entry.event),
  });
}
