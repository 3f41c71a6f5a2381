/**
 * Errors that no value stands for: which are the platform's, and how a bug of ours is logged.
 *
 * Owns: the one line that a bug leaves in the log. It holds no question, row, answer or secret: of an error it tells the
 * name, the places in our code, and the message only where that is a rule of ours (lib/assert.ts).
 */
import type { AgentState } from "../agent/state.ts";
import { AssertionError } from "../lib/assert.ts";

/** Texts of the runtime for an object that is being reset or replaced; it retries alarms that end with one of them. */
const PLATFORM_ERROR =
  /reset because its code was updated|Durable Object (?:storage|reset|is overloaded)|storage (?:caused object to be reset|operation exceeded timeout)|Application called abort|internal error; reference|Network connection lost|broken\.(?:outputGate|exceeded)|exceeded its (?:memory|CPU) limit/i;

/** True when the platform, not our code, failed: the object is reset, replaced or cut off from its storage. */
export function isPlatformError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("durableObjectReset" in error && error.durableObjectReset === true) return true;
  if ("retryable" in error && error.retryable === true) return true;
  return PLATFORM_ERROR.test(error.message);
}

/** Writes one structured line about a bug. */
export function logBug(where: string, state: Pick<AgentState, "id" | "phase" | "usage"> | null, error: unknown): void {
  logLine("error", {
    event: "bug",
    where,
    run: state?.id ?? null,
    phase: state?.phase ?? null,
    step: state?.usage.steps ?? null,
    error: error instanceof Error ? error.name : typeof error,
    rule: error instanceof AssertionError ? error.message : null,
    stack: error instanceof Error ? placesOf(error) : [],
  });
}

/** Writes one line of JSON to the log. Nothing in it may come from a question, a row, a key or an answer. */
export function logLine(
  level: "info" | "warn" | "error",
  fields: { readonly event: string; readonly [field: string]: unknown },
): void {
  // biome-ignore lint/suspicious/noConsole: the platform's log is the console; this is the one place that writes to it.
  console[level](JSON.stringify({ level, ...fields }));
}

/** The places of a stack, without the message that it begins with, which may hold lines of any kind. */
function placesOf(error: Error): string[] {
  const stack = error.stack ?? "";
  const message = stack.indexOf(error.message);
  const places = message < 0 ? stack : stack.slice(message + error.message.length);
  const lines = places.split("\n").map((line) => line.trim());
  return lines.filter((line) => /^at .*:\d+:\d+\)?$/.test(line)).slice(0, 8);
}
