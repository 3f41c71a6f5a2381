import { describe, expect, it } from "vitest";
import { modelFailed } from "../../src/agent/replay-failures.ts";
import type { PublicRunEvent } from "../../src/agent/run-event.ts";
import { endingWith, modelAttempt, stateWith } from "./states.ts";

const at = "2026-11-30T12:00:00.000Z";
const RESERVED = 5_000_000;

const failed = (status: number): PublicRunEvent => ({ type: "model_failed", at, step: 1, code: "x", status });
const retry: PublicRunEvent = { type: "retry_scheduled", at, step: 1, code: "x", until: at, attempt: 2 };
const started = (dollars: number): PublicRunEvent => ({
  type: "step_started",
  at,
  step: 1,
  purpose: "step",
  reserved_usd: dollars,
});
const lost: PublicRunEvent = { type: "attempt_lost", at, step: 1, kept_usd: 0.005 };
const replied: PublicRunEvent = { type: "model_replied", at, step: 1, cost_usd: 0.001, cost_total_usd: 0.006 };

/** The cost of the first of `events`, a failure of a call that had reserved half a cent, in a run that cost `total`. */
function costOf(events: readonly PublicRunEvent[], total = 0): number {
  const last = stateWith({ phase: "finish", ending: endingWith({}), usage: { costNanoUsd: total } });
  const state = stateWith({ events: 0, attempt: modelAttempt({ reservedNanoUsd: RESERVED }) });
  const [told] = events;
  if (told === undefined) throw new Error("a failure is looked at");
  return modelFailed({ states: [last], messages: [], events }, state, told).costNanoUsd;
}

describe("what a failed call cost, in a replay", () => {
  it("all that was reserved, where no other failure can have cost what was spent until the next total", () => {
    expect(costOf([failed(500), retry, started(0.005), replied])).toBe(RESERVED);
    expect(costOf([failed(500), retry, started(0.004), failed(500), retry, started(0.005), replied])).toBe(RESERVED);
    expect(costOf([failed(500)], RESERVED)).toBe(RESERVED);
  });

  it("A4: nothing, where a later one of the same size can: no reservation after it finds too little left", () => {
    expect(costOf([failed(429), retry, started(0.005), failed(500), retry, started(0.005), replied])).toBe(0);
    const two = [failed(429), retry, started(0.003), failed(500), retry, started(0.002), failed(500), retry];
    expect(costOf([...two, started(0.005), replied])).toBe(0);
    expect(costOf([failed(429), retry, started(0.005), failed(500)], RESERVED)).toBe(0);
  });

  it("what lost calls have kept is theirs", () => {
    expect(costOf([failed(429), retry, started(0.005), lost, started(0.005), replied])).toBe(0);
    expect(costOf([failed(500), retry, started(0.005), lost], 2 * RESERVED)).toBe(RESERVED);
  });
});
