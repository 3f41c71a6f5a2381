/**
 * What a failed model call was, for a replay: its failure, its cost, and what was changed for the next try.
 *
 * Owns: the cost, which no event tells: a call that was refused before it began cost nothing, any other all that was
 * reserved. The next total that is told is the sum of these. Leaves to others: every other input (replay-inputs.ts). Pure.
 */
import { nanoFromUsd } from "../lib/money.ts";
import type { Event } from "./event.ts";
import type { RecordedRun } from "./replay-record.ts";
import type { PublicRunEvent } from "./run-event.ts";
import type { AgentState } from "./state.ts";

type ModelFailed = Extract<Event, { kind: "model_failed" }>;

export function modelFailed(record: RecordedRun, state: AgentState, told: PublicRunEvent): ModelFailed {
  const next = record.events[state.events + 1];
  const failure = {
    kind: "retryable",
    code: String(told.code),
    status: typeof told.status === "number" ? told.status : null,
    retryAfterMs: null,
    message: String(told.message ?? ""),
    unbilled: false,
    requestId: null,
  } as const;
  return {
    kind: "model_failed",
    failure,
    costNanoUsd: failedCost(record, state),
    retryAt: next?.type === "retry_scheduled" ? Date.parse(String(next.until)) : null,
    repair: repairOf(next),
  };
}

function repairOf(next: PublicRunEvent | undefined): ModelFailed["repair"] {
  if (next?.type !== "recovery" || next.what !== "repair") return null;
  const rows = /messages (\d+) to (\d+) left out/.exec(String(next.message));
  return rows === null ? { kind: "renew" } : { kind: "omit", from: Number(rows[1]), to: Number(rows[2]) + 1 };
}

/**
 * Nothing when the failures after it can make up what was spent until the next total, else all that was reserved: of
 * calls that reserved as much, the later ones are taken as billed, so that no reservation after them finds too little left.
 */
function failedCost(record: RecordedRun, state: AgentState): number {
  const reserved = state.attempt?.reservedNanoUsd ?? 0;
  const later = record.events.slice(state.events + 1);
  const end = later.findIndex((event) => event.type === "model_replied");
  const until = end < 0 ? later : later.slice(0, end);
  const reply = later[end];
  const total =
    reply === undefined
      ? (record.states.at(-1)?.usage.costNanoUsd ?? 0)
      : toNano(reply.cost_total_usd) - toNano(reply.cost_usd);
  const lost = until.reduce((sum, event) => sum + (event.type === "attempt_lost" ? toNano(event.kept_usd) : 0), 0);
  const spent = total - state.usage.costNanoUsd - lost;
  if (canMakeUp(spent, reservedByFailures(until))) return 0;
  return spent >= reserved ? reserved : 0;
}

/** What each call reserved that failed later. */
function reservedByFailures(events: readonly PublicRunEvent[]): readonly number[] {
  return events.flatMap((event, index) => {
    if (event.type !== "model_failed") return [];
    return [toNano(events.slice(0, index).findLast((before) => before.type === "step_started")?.reserved_usd)];
  });
}

/** True when some of `parts` add up to `sum`. */
function canMakeUp(sum: number, parts: readonly number[]): boolean {
  const sums = new Set([0]);
  for (const part of parts) for (const one of [...sums]) if (one + part <= sum) sums.add(one + part);
  return sums.has(sum);
}

function toNano(dollars: unknown): number {
  return nanoFromUsd(Number(dollars ?? 0));
}
