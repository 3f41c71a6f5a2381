import { describe, expect, it } from "vitest";
import {
  assertWithinLimits,
  ceilingReached,
  hasExtraCall,
  plannedRows,
  remainingNanoUsd,
  reserveForRows,
} from "../../src/agent/budget.ts";
import type { AgentState, StopReason } from "../../src/agent/state.ts";
import { LIMITS, modelAttempt, START, type StateParts, stateWith, toolsAttempt } from "./states.ts";

describe("what is left", () => {
  it("money: the limit less what is spent and what is reserved", () => {
    const state = stateWith({ usage: { costNanoUsd: 200 }, limits: { costNanoUsdMax: 1_000 } });
    expect(remainingNanoUsd(state)).toBe(800);
    expect(remainingNanoUsd({ ...state, attempt: modelAttempt({ reservedNanoUsd: 300 }) })).toBe(500);
  });

  it.each<[string, StateParts, number, number]>([
    ["by the meter", { limits: { rowsReadMax: 100 }, usage: { rowsRead: 40 } }, 0, 60],
    ["by the money", { limits: { costNanoUsdMax: 100 }, usage: { costNanoUsd: 30 } }, 50, 20],
    ["nothing when the money kept back is all", { limits: { costNanoUsdMax: 100 } }, 100, 0],
    ["never below zero", { limits: { costNanoUsdMax: 100 } }, 500, 0],
    ["never below zero by the meter", { limits: { rowsReadMax: 5 }, usage: { rowsRead: 9, rowsOverrun: 4 } }, 0, 0],
  ])("rows %s", (_what, parts, kept, rows) => {
    expect(plannedRows(stateWith(parts), kept)).toBe(rows);
  });

  it.each([
    [0, 0],
    [1, 1_004],
    [250, 2_000],
  ])(
    "for a query that is to read %s rows by its plan, %s are reserved: generous, and nothing for nothing",
    (estimate, rows) => {
      expect(reserveForRows(estimate)).toBe(rows);
    },
  );

  it.each([
    [2, true],
    [3, false],
    [4, false],
  ])("after %s of 4 model calls an extra one still leaves one for the end: %s", (modelCalls, has) => {
    expect(hasExtraCall(stateWith({ limits: { modelCallsMax: 4 }, usage: { modelCalls } }))).toBe(has);
  });
});

/** A ceiling at `limit`, and the state that stands at `value` of its meter. */
type Ceiling = readonly [reason: StopReason, meter: string, limit: number, at: (value: number) => AgentState];

const CEILINGS: readonly Ceiling[] = [
  [
    "budget",
    "dollars",
    1_000,
    (costNanoUsd) => stateWith({ usage: { costNanoUsd }, limits: { costNanoUsdMax: 1_000 } }),
  ],
  ["budget", "rows", 50, (rowsRead) => stateWith({ usage: { rowsRead }, limits: { rowsReadMax: 50 } })],
  ["retry_ceiling", "errors in a row", 3, (consecutiveErrors) => stateWith({ consecutiveErrors })],
  ["error_budget", "errors in all", 4, (errors) => stateWith({ usage: { errors } })],
  ["cycle", "rungs", 3, (rung) => stateWith({ rung })],
  ["max_hops", "hops", 8, (hops) => stateWith({ usage: { hops } })],
  ["max_steps", "steps", 12, (steps) => stateWith({ usage: { steps } })],
  ["budget", "model calls (one is kept back)", 19, (modelCalls) => stateWith({ usage: { modelCalls } })],
  ["timeout", "milliseconds (a tenth is kept back)", 270_000, (activeMs) => stateWith({ usage: { activeMs } })],
];

describe("ceilingReached", () => {
  it("a fresh run stands below every ceiling", () => {
    expect(ceilingReached(stateWith(), START)).toBeNull();
  });

  it.each(CEILINGS)("A6, A8, A18: %s by %s compares with >=: at %s no further step", (reason, _meter, limit, at) => {
    expect(ceilingReached(at(limit - 1), START)).toBeNull();
    expect(ceilingReached(at(limit), START)).toBe(reason);
    expect(ceilingReached(at(limit + 1), START)).toBe(reason);
  });

  it("the numbers of the table are the defaults", () => {
    expect(LIMITS).toMatchObject({
      stepsMax: 12,
      hopsMax: 8,
      consecutiveErrorsMax: 3,
      errorsMax: 4,
      modelCallsMax: 20,
    });
  });

  it("C10: time comes first, then money, then errors, cycle, hops, steps, calls", () => {
    const all: StateParts = {
      usage: { activeMs: 300_000, costNanoUsd: 500_000_000, errors: 4, hops: 8, steps: 12, modelCalls: 20 },
      consecutiveErrors: 3,
      rung: 3,
    };
    const order: StopReason[] = [];
    const clear: readonly StateParts[] = [
      {},
      { usage: { ...all.usage, activeMs: 0 } },
      { usage: { errors: 4, hops: 8, steps: 12, modelCalls: 20 } },
      { usage: { errors: 4, hops: 8, steps: 12, modelCalls: 20 }, consecutiveErrors: 0 },
      { usage: { hops: 8, steps: 12, modelCalls: 20 }, consecutiveErrors: 0 },
      { usage: { hops: 8, steps: 12, modelCalls: 20 }, consecutiveErrors: 0, rung: 0 },
      { usage: { steps: 12, modelCalls: 20 }, consecutiveErrors: 0, rung: 0 },
      { usage: { modelCalls: 20 }, consecutiveErrors: 0, rung: 0 },
    ];
    for (const parts of clear) order.push(ceilingReached(stateWith({ ...all, ...parts }), START) ?? "done");
    expect(order).toEqual([
      "timeout",
      "budget",
      "retry_ceiling",
      "error_budget",
      "cycle",
      "max_hops",
      "max_steps",
      "budget",
    ]);
  });

  it("a step that is being tried again is not a new one: the last step may still be retried", () => {
    expect(ceilingReached(stateWith({ usage: { steps: 12 }, failedTries: 1 }), START)).toBeNull();
  });

  it("a cycle waits for its critic, if one is due", () => {
    expect(ceilingReached(stateWith({ rung: 3, critic: "due" }), START)).toBeNull();
    expect(ceilingReached(stateWith({ rung: 3, critic: "used" }), START)).toBe("cycle");
  });

  it("with a single model call allowed, the first one is made", () => {
    const one = { limits: { modelCallsMax: 1 } };
    expect(ceilingReached(stateWith(one), START)).toBeNull();
    expect(ceilingReached(stateWith({ ...one, usage: { modelCalls: 1 } }), START)).toBe("budget");
  });
});

const METERS: readonly (readonly [meter: string, limit: number, at: (value: number) => AgentState])[] = [
  ["steps", 12, (steps) => stateWith({ usage: { steps } })],
  ["hops", 8, (hops) => stateWith({ usage: { hops } })],
  ["model calls", 20, (modelCalls) => stateWith({ usage: { modelCalls } })],
  ["errors", 4, (errors) => stateWith({ usage: { errors } })],
  ["dollars", 1_000, (costNanoUsd) => stateWith({ usage: { costNanoUsd }, limits: { costNanoUsdMax: 1_000 } })],
  ["rows read", 50, (rowsRead) => stateWith({ usage: { rowsRead }, limits: { rowsReadMax: 50 } })],
];

describe("assertWithinLimits", () => {
  it.each(METERS)("A4: %s may stand at %s and not one above", (meter, limit, at) => {
    expect(() => assertWithinLimits(at(limit - 1))).not.toThrow();
    expect(() => assertWithinLimits(at(limit))).not.toThrow();
    expect(() => assertWithinLimits(at(limit + 1))).toThrow(`A4: ${meter} ${limit + 1} is over the limit ${limit}`);
  });

  it.each(METERS)("A4: %s is a whole number", (meter, _limit, at) => {
    for (const broken of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => assertWithinLimits(at(broken))).toThrow(`${meter}: a meter is a whole number`);
    }
    expect(() => assertWithinLimits(at(0))).not.toThrow();
  });

  it("A4: what is reserved counts with what is spent", () => {
    const limits = { costNanoUsdMax: 1_000, rowsReadMax: 50 };
    const spent = stateWith({ limits, usage: { costNanoUsd: 400, rowsRead: 20 } });
    const money = (reservedNanoUsd: number) => ({ ...spent, attempt: modelAttempt({ reservedNanoUsd }) });
    expect(() => assertWithinLimits(money(600))).not.toThrow();
    expect(() => assertWithinLimits(money(601))).toThrow("A4: dollars 1001 is over the limit 1000");
    const rows = (reservedRows: number) => ({ ...spent, attempt: toolsAttempt({ reservedNanoUsd: 0, reservedRows }) });
    expect(() => assertWithinLimits(rows(30))).not.toThrow();
    expect(() => assertWithinLimits(rows(31))).toThrow("A4: rows read 51 is over the limit 50");
  });

  it("rows that the engine read beyond its own estimate are told, and allowed for", () => {
    const limits = { costNanoUsdMax: 50, rowsReadMax: 50 };
    const over = (rowsRead: number) =>
      stateWith({ limits, usage: { rowsRead, costNanoUsd: rowsRead, rowsOverrun: 7 } });
    expect(() => assertWithinLimits(over(57))).not.toThrow();
    expect(() => assertWithinLimits(over(58))).toThrow("A4");
  });
});
