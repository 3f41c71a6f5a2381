import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DEFAULT_LIMITS,
  DEFAULT_LIMITS_MAX,
  type LimitName,
  limitsRequestSchema,
  limitsSchema,
  resolveLimits,
  rowsNanoUsdMax,
  toPublicLimits,
} from "../../src/agent/limits.ts";
import { limitsWith } from "./states.ts";

const NAMES = Object.keys(DEFAULT_LIMITS) as LimitName[];
const SECONDS_OR_DOLLARS: readonly LimitName[] = ["wall_clock_s", "step_timeout_s", "budget_usd"];
const WHOLE = NAMES.filter((name) => !SECONDS_OR_DOLLARS.includes(name));

const accepts = (value: unknown): boolean => limitsRequestSchema.safeParse(value).success;

/** `__proto__` and the like aside, JSON can write all of these. */
const NEVER: readonly (readonly [string, unknown])[] = [
  ["0", 0],
  ["-1", -1],
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
  ["1e999 as JSON", JSON.parse("1e999")],
  ['"5"', "5"],
  ["null", null],
  ["true", true],
  ["[5]", [5]],
];

describe("limitsRequestSchema", () => {
  it.each(NEVER)("refuses %s for every limit: nothing means unlimited", (_what, value) => {
    expect(NAMES.filter((name) => accepts({ [name]: value }))).toEqual([]);
  });

  it("a count is whole; seconds and dollars need not be", () => {
    expect(NAMES.filter((name) => accepts({ [name]: 1.5 }))).toEqual(SECONDS_OR_DOLLARS);
    expect(NAMES.filter((name) => accepts({ [name]: 1e-9 }))).toEqual(SECONDS_OR_DOLLARS);
  });

  it("every limit is optional, and one is enough for all", () => {
    expect(accepts({})).toBe(true);
    expect(NAMES.every((name) => accepts({ [name]: 1 }))).toBe(true);
    expect(limitsRequestSchema.parse({ max_steps: 3 })).toEqual({ max_steps: 3 });
  });

  it("an unknown limit is refused, so that a slip of the pen is no silent default", () => {
    expect(accepts({ max_step: 3 })).toBe(false);
    expect(accepts({ stepsMax: 3 })).toBe(false);
  });
});

describe("resolveLimits", () => {
  it("C7: without a request the run has 12 steps, 8 hops, 60 s a step, 300 s and $0.50", () => {
    const resolved = resolveLimits({}, DEFAULT_LIMITS, DEFAULT_LIMITS_MAX);
    expect(resolved).toEqual({
      ok: true,
      value: {
        stepsMax: 12,
        hopsMax: 8,
        consecutiveErrorsMax: 3,
        errorsMax: 4,
        modelCallsMax: 20,
        wallClockMs: 300_000,
        stepTimeoutMs: 60_000,
        costNanoUsdMax: 500_000_000,
        rowsReadMax: 5_000_000,
      },
    });
  });

  it.each(NAMES)("%s may be asked for up to the caller's maximum, and not one above", (name) => {
    const max = DEFAULT_LIMITS_MAX[name];
    expect(resolveLimits({ [name]: max }, DEFAULT_LIMITS, DEFAULT_LIMITS_MAX).ok).toBe(true);
    expect(resolveLimits({ [name]: max + 1 }, DEFAULT_LIMITS, DEFAULT_LIMITS_MAX)).toEqual({
      ok: false,
      error: [{ name, requested: max + 1, max }],
    });
  });

  it.each(NAMES)("1e9 for %s is an excess that names the maximum", (name) => {
    expect(resolveLimits({ [name]: 1e9 }, DEFAULT_LIMITS, DEFAULT_LIMITS_MAX)).toEqual({
      ok: false,
      error: [{ name, requested: 1e9, max: DEFAULT_LIMITS_MAX[name] }],
    });
  });

  it("names every excess, not only the first", () => {
    const resolved = resolveLimits({ max_steps: 500, max_hops: 2, budget_usd: 99 }, DEFAULT_LIMITS, DEFAULT_LIMITS_MAX);
    expect(!resolved.ok && resolved.error.map(({ name }) => name)).toEqual(["max_steps", "budget_usd"]);
  });

  it("a default above the caller's maximum is lowered to it, silently: nobody asked for it", () => {
    const max = { ...DEFAULT_LIMITS_MAX, max_steps: 5, budget_usd: 0.1 };
    const resolved = resolveLimits({}, DEFAULT_LIMITS, max);
    expect(resolved).toMatchObject({ ok: true, value: { stepsMax: 5, costNanoUsdMax: 100_000_000, hopsMax: 8 } });
  });

  it("the smallest seconds are a millisecond, and dollars are never rounded up", () => {
    const tiny = { wall_clock_s: 1e-9, step_timeout_s: 1e-9, budget_usd: 1.9e-9 };
    expect(resolveLimits(tiny, DEFAULT_LIMITS, DEFAULT_LIMITS_MAX)).toMatchObject({
      ok: true,
      value: { wallClockMs: 1, stepTimeoutMs: 1, costNanoUsdMax: 1 },
    });
  });

  it("whatever the schema accepts and the maximum allows is a valid stored form, within what was asked", () => {
    const wholes = Object.fromEntries(
      WHOLE.map((name) => [name, fc.integer({ min: 1, max: DEFAULT_LIMITS_MAX[name] })]),
    );
    const parts = Object.fromEntries(
      SECONDS_OR_DOLLARS.map((name) => [name, fc.double({ min: 1e-12, max: DEFAULT_LIMITS_MAX[name], noNaN: true })]),
    );
    fc.assert(
      fc.property(fc.record({ ...wholes, ...parts }, { requiredKeys: [] }), (asked) => {
        const request = limitsRequestSchema.parse(asked);
        const resolved = resolveLimits(request, DEFAULT_LIMITS, DEFAULT_LIMITS_MAX);
        if (!resolved.ok) throw new Error("within the maximum");
        expect(limitsSchema.safeParse(resolved.value).success).toBe(true);
        const told = toPublicLimits(resolved.value);
        for (const name of WHOLE) expect(told[name]).toBe(request[name] ?? DEFAULT_LIMITS[name]);
        expect(told.budget_usd).toBeLessThanOrEqual((request.budget_usd ?? DEFAULT_LIMITS.budget_usd) + 1e-12);
      }),
    );
  });
});

describe("toPublicLimits", () => {
  it("gives back what was asked for, in the words of the wire", () => {
    const resolved = resolveLimits(DEFAULT_LIMITS, DEFAULT_LIMITS, DEFAULT_LIMITS_MAX);
    if (!resolved.ok) throw new Error("the defaults are within the maximum");
    expect(toPublicLimits(resolved.value)).toEqual(DEFAULT_LIMITS);
  });
});

describe("limitsSchema", () => {
  it.each(["stepsMax", "hopsMax", "modelCallsMax", "wallClockMs", "rowsReadMax"])(
    "a stored %s is at least one",
    (name) => {
      const resolved = resolveLimits({}, DEFAULT_LIMITS, DEFAULT_LIMITS_MAX);
      if (!resolved.ok) throw new Error("the defaults are within the maximum");
      expect(limitsSchema.safeParse({ ...resolved.value, [name]: 0 }).success).toBe(false);
      expect(limitsSchema.safeParse({ ...resolved.value, [name]: 1 }).success).toBe(true);
    },
  );
});

describe("rowsNanoUsdMax", () => {
  it("is a nano-dollar a row, within the budget", () => {
    expect(rowsNanoUsdMax(limitsWith({ rowsReadMax: 5_000, costNanoUsdMax: 1_000_000 }))).toBe(5_000);
    expect(rowsNanoUsdMax(limitsWith({ rowsReadMax: 5_000, costNanoUsdMax: 40 }))).toBe(40);
  });
});
