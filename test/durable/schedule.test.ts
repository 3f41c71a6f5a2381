import { describe, expect, it } from "vitest";
import type { AgentState } from "../../src/agent/state.ts";
import { CALLER_GRACE_MS, duesOf, lateBillAt, mayStep, WATCHDOG_MS } from "../../src/durable/schedule.ts";
import { endingWith, modelAttempt, START, type StateParts, stateWith } from "../agent/states.ts";

const NOW = START + 10;
const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/** Due times as `{kind: at}`. */
function dues(
  parts: StateParts,
  driver: Parameters<typeof duesOf>[1] = "alarm",
  settleAt: number | null = null,
): Record<string, number> {
  return Object.fromEntries(
    duesOf(stateWith(parts), driver, { settleAt, deliveryAt: null, retentionMs: RETENTION_MS }, NOW).map((due) => [
      due.kind,
      due.at,
    ]),
  );
}

const waiting = { kind: "retry", until: NOW + 700, code: "overloaded" } as const;
const ended: StateParts = { phase: "finish", ending: endingWith({ at: NOW }) };

describe("due times", () => {
  it("O2: a run that is not finished always has one, whoever drives and whatever is open", () => {
    const states: StateParts[] = [
      {},
      { mode: "manual" },
      { waiting },
      { mode: "manual", waiting },
      { attempt: modelAttempt() },
      { mode: "manual", attempt: modelAttempt() },
      { phase: "action" },
      { concluding: "budget" },
      { failedTries: 2 },
    ];
    for (const parts of states) {
      for (const driver of ["alarm", "caller", "busy"] as const) {
        expect(Object.keys(dues(parts, driver)).length).toBeGreaterThan(0);
      }
    }
  });

  it("an auto run is due at once by alarm, and after the caller's grace when a caller drives", () => {
    expect(dues({})).toMatchObject({ step: NOW });
    expect(dues({}, "caller")).toMatchObject({ step: NOW + CALLER_GRACE_MS });
    expect(dues({}, "busy")).toEqual({ watchdog: NOW + WATCHDOG_MS });
  });

  it("a manual run at rest waits for nothing but its deadline; what is under way is finished by alarm", () => {
    const manual: StateParts = { mode: "manual" };
    const state = stateWith(manual);
    expect(Object.keys(dues(manual))).toEqual(["deadline"]);
    expect(dues(manual).deadline).toBeLessThanOrEqual(START + state.limits.wallClockMs);
    expect(dues({ ...manual, attempt: modelAttempt() })).toMatchObject({ step: NOW });
    expect(dues({ ...manual, phase: "action" })).toMatchObject({ step: NOW });
    expect(dues({ ...manual, waiting })).toMatchObject({ retry: waiting.until });
  });

  it("B65: a retry is waited for by alarm", () => {
    expect(dues({ waiting })).toMatchObject({ retry: NOW + 700 });
    expect(dues({ waiting }, "caller")).toMatchObject({ retry: NOW + 700 + CALLER_GRACE_MS });
  });

  it("nothing that is past makes the alarm ring at every millisecond while a caller drives", () => {
    const past = { kind: "retry", until: START - 5_000, code: "overloaded" } as const;
    const limits = { wallClockMs: 1 };
    for (const parts of [
      { waiting: past },
      { limits },
      { limits, waiting: past },
      { limits, mode: "manual" as const },
    ]) {
      expect(Math.min(...Object.values(dues(parts, "caller")))).toBeGreaterThanOrEqual(NOW + CALLER_GRACE_MS);
    }
  });

  it("after the end: the late bill, the ledger, and one day the deletion", () => {
    expect(dues(ended)).toEqual({ retention: NOW + RETENTION_MS });
    const attempt = modelAttempt({ abortAt: NOW + 500 });
    expect(dues({ ...ended, attempt }, "alarm", NOW)).toEqual({
      retention: NOW + RETENTION_MS,
      late_bill: lateBillAt(NOW + 500),
      settlement: NOW,
    });
    // Not before the call must have been aborted, with time for its answer to come.
    expect(lateBillAt(NOW + 500)).toBe(NOW + 10_500);
  });
});

describe("a wake", () => {
  const may = (parts: StateParts, now = NOW): boolean => mayStep(stateWith(parts), now);

  it("begins no step of a manual run, but finishes one, and ends the run at its deadline", () => {
    const state: AgentState = stateWith({ mode: "manual" });
    expect(may({ mode: "manual" })).toBe(false);
    expect(may({ mode: "manual", attempt: modelAttempt() })).toBe(true);
    expect(may({ mode: "manual", phase: "action" })).toBe(true);
    const dueAt = START + state.limits.wallClockMs;
    expect(may({ mode: "manual", dueAt }, dueAt - 1)).toBe(false);
    expect(may({ mode: "manual", dueAt }, dueAt)).toBe(true);
  });

  it("drives an auto run, and no finished one", () => {
    expect(may({})).toBe(true);
    expect(may(ended)).toBe(false);
  });
});
