/** Prices, reserves and ceilings: every comparison at the limit, one below and one above (G, A4, A6, A8, C10). */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  abortAt,
  activeMsAt,
  assertWithinLimits,
  ceilingReached,
  deadlineAt,
  hasExtraCall,
  keptBackNanoUsd,
  LAST_CALL_MAX_TOKENS,
  LAST_CALL_PROMPT_BYTES_MAX,
  planCall,
  plannedRows,
  priceUsage,
  remainingNanoUsd,
  reserveForRows,
  worstCaseNanoUsd,
} from "../../src/agent/budget.ts";
import type { ModelInfo, PriceTier, TokenUsage } from "../../src/agent/model.ts";
import type { AgentState, StopReason } from "../../src/agent/state.ts";
import { PRICED } from "../fakes/function-model.ts";
import { endingWith, LIMITS, modelAttempt, START, type StateParts, stateWith, toolsAttempt } from "./states.ts";

const usageOf = (parts: Partial<TokenUsage>): TokenUsage => ({
  input: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  cacheRead: 0,
  output: 0,
  ...parts,
});

/** Prices of two tiers, the long prompt at twice the price. */
const TWO_TIERS: ModelInfo = {
  ...PRICED,
  priceMultiplierMax: 1.1,
  tiers: [
    { abovePromptTokens: 0, input: 1_000, cacheWrite5m: 1_250, cacheWrite1h: 2_000, cacheRead: 100, output: 5_000 },
    {
      abovePromptTokens: 200_000,
      input: 2_000,
      cacheWrite5m: 2_500,
      cacheWrite1h: 4_000,
      cacheRead: 200,
      output: 7_500,
    },
  ],
};

/** Dear ones, and ones so cheap that every rounding shows. */
const price = fc.oneof(fc.integer({ min: 0, max: 100_000 }), fc.nat(7));
const tier = (abovePromptTokens: number): fc.Arbitrary<PriceTier> =>
  fc.record({
    abovePromptTokens: fc.constant(abovePromptTokens),
    input: price,
    cacheWrite5m: price,
    cacheWrite1h: price,
    cacheRead: price,
    output: price,
  });
const anyInfo: fc.Arbitrary<ModelInfo> = fc
  .tuple(tier(0), tier(1_000), tier(200_000), fc.integer({ min: 1, max: 3 }), fc.constantFrom(1, 1.1, 1.25, 6))
  .map(([first, second, third, count, priceMultiplierMax]) => ({
    ...PRICED,
    priceMultiplierMax,
    tiers: [first, second, third].slice(0, count),
  }));
const tokens = fc.oneof(fc.nat(2_000), fc.nat(1_000_000));

describe("priceUsage", () => {
  it("C12: is the sum of every kind of token at its own price", () => {
    const usage = usageOf({ input: 1, cacheWrite5m: 10, cacheWrite1h: 100, cacheRead: 1_000, output: 10_000 });
    const { tiers } = PRICED;
    expect(tiers[0]).toBeDefined();
    expect(priceUsage(PRICED, usage, 1)).toBe(1 * 2_000 + 10 * 2_500 + 100 * 4_000 + 1_000 * 200 + 10_000 * 10_000);
  });

  it.each([
    [199_999, 1_000],
    [200_000, 1_000],
    [200_001, 2_000],
  ])("a prompt of %s tokens is billed in the tier of %s a token", (input, perToken) => {
    expect(priceUsage(TWO_TIERS, usageOf({ input }), 1)).toBe(input * perToken);
  });

  it("the tier is chosen by the whole prompt, cached parts included, and not by the output", () => {
    const prompt = usageOf({ input: 1, cacheWrite5m: 100_000, cacheWrite1h: 50_000, cacheRead: 50_000 });
    expect(priceUsage(TWO_TIERS, prompt, 1)).toBe(2_000 + 100_000 * 2_500 + 50_000 * 4_000 + 50_000 * 200);
    expect(priceUsage(TWO_TIERS, usageOf({ input: 1, output: 900_000 }), 1)).toBe(1_000 + 900_000 * 5_000);
  });

  it("the multiplier covers everything, and a part of a nano-dollar is a whole one", () => {
    expect(priceUsage(PRICED, usageOf({ input: 1 }), 1.1)).toBe(2_200);
    expect(priceUsage(TWO_TIERS, usageOf({ cacheRead: 1 }), 1.001)).toBe(101);
    expect(priceUsage(PRICED, usageOf({}), 1)).toBe(0);
  });

  it("a model without a price tier is a bug, never priced at zero", () => {
    expect(() => priceUsage({ ...PRICED, tiers: [] }, usageOf({ input: 1 }), 1)).toThrow("at least one price tier");
  });
});

describe("worstCaseNanoUsd", () => {
  it("G: is never below the price of any usage within the bound, at any multiplier up to the dearest", () => {
    const usage = fc.record({
      input: tokens,
      cacheWrite5m: tokens,
      cacheWrite1h: tokens,
      cacheRead: tokens,
      output: tokens,
    });
    fc.assert(
      fc.property(anyInfo, usage, fc.nat(5_000), fc.nat(5_000), fc.boolean(), (info, used, more, moreOut, dearest) => {
        const prompt = used.input + used.cacheWrite5m + used.cacheWrite1h + used.cacheRead;
        const worst = worstCaseNanoUsd(info, prompt + more, used.output + moreOut);
        expect(worst).toBeGreaterThanOrEqual(priceUsage(info, used, dearest ? info.priceMultiplierMax : 1));
      }),
      { numRuns: 2_000 },
    );
  });

  it("grows with the prompt, with the output, and is a whole number", () => {
    fc.assert(
      fc.property(anyInfo, tokens, tokens, fc.nat(1_000), (info, prompt, output, more) => {
        const worst = worstCaseNanoUsd(info, prompt, output);
        expect(Number.isSafeInteger(worst)).toBe(true);
        expect(worstCaseNanoUsd(info, prompt + more, output)).toBeGreaterThanOrEqual(worst);
        expect(worstCaseNanoUsd(info, prompt, output + more)).toBeGreaterThanOrEqual(worst);
      }),
    );
  });

  it("takes the dearest way in, and a tier only once the prompt can reach it", () => {
    expect(worstCaseNanoUsd(PRICED, 1_000, 100)).toBe(1_000 * 4_000 + 100 * 10_000);
    expect(worstCaseNanoUsd(TWO_TIERS, 200_000, 10)).toBe(Math.ceil((200_000 * 2_000 + 10 * 5_000) * 1.1));
    expect(worstCaseNanoUsd(TWO_TIERS, 200_001, 10)).toBe(Math.ceil((200_001 * 4_000 + 10 * 7_500) * 1.1));
  });

  it("A31: the share kept back pays for the last call's own short transcript", () => {
    expect(keptBackNanoUsd(PRICED)).toBe(worstCaseNanoUsd(PRICED, LAST_CALL_PROMPT_BYTES_MAX, LAST_CALL_MAX_TOKENS));
    expect(keptBackNanoUsd(PRICED)).toBe(14_000 * 4_000 + 2_048 * 10_000);
  });
});

describe("planCall", () => {
  const plan = fc.record({
    info: anyInfo,
    prompt: fc.nat(300_000),
    wanted: fc.integer({ min: 1, max: 100_000 }),
    floor: fc.integer({ min: 1, max: 2_000 }),
    available: fc.oneof(fc.integer({ min: -1_000, max: 1_000_000 }), fc.nat(2_000_000_000), fc.nat(100_000)),
  });

  it("A4: what it plans always fits, and never asks for more than wanted or than the model can write", () => {
    fc.assert(
      fc.property(plan, ({ info, prompt, wanted, floor, available }) => {
        const planned = planCall(info, prompt, wanted, floor, available);
        if (planned === null) return;
        expect(planned.reservedNanoUsd).toBe(worstCaseNanoUsd(info, prompt, planned.maxTokens));
        expect(planned.reservedNanoUsd).toBeLessThanOrEqual(available);
        expect(planned.maxTokens).toBeLessThanOrEqual(Math.min(wanted, info.maxOutputTokens));
        expect(planned.maxTokens).toBeGreaterThanOrEqual(Math.min(floor, wanted, info.maxOutputTokens));
      }),
      { numRuns: 2_000 },
    );
  });

  it("is maximal: one token more would not fit, and null means that not even the floor fits", () => {
    fc.assert(
      fc.property(plan, ({ info, prompt, wanted, floor, available }) => {
        const most = Math.min(wanted, info.maxOutputTokens);
        const planned = planCall(info, prompt, wanted, floor, available);
        if (planned === null) {
          expect(worstCaseNanoUsd(info, prompt, Math.min(floor, most))).toBeGreaterThan(available);
        } else if (planned.maxTokens < most) {
          expect(worstCaseNanoUsd(info, prompt, planned.maxTokens + 1)).toBeGreaterThan(available);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  const fullCost = worstCaseNanoUsd(PRICED, 1_000, 8_192);
  const leastCost = worstCaseNanoUsd(PRICED, 1_000, 1_024);
  it.each([
    [fullCost + 1, 8_192],
    [fullCost, 8_192],
    [fullCost - 1, 8_191],
    [leastCost + 9_999, 1_024],
    [leastCost, 1_024],
    [leastCost - 1, null],
    [0, null],
    [-1, null],
  ])("with %s nano-dollars it plans %s tokens", (available, maxTokens) => {
    expect(planCall(PRICED, 1_000, 8_192, 1_024, available)?.maxTokens ?? null).toBe(maxTokens);
  });

  it("a model that costs nothing is planned in full with nothing left", () => {
    const free: ModelInfo = {
      ...PRICED,
      tiers: [{ abovePromptTokens: 0, input: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, output: 0 }],
    };
    expect(planCall(free, 50_000, 8_192, 1_024, 0)).toEqual({ maxTokens: 8_192, reservedNanoUsd: 0 });
  });

  it("never plans more than the model can write", () => {
    expect(planCall({ ...PRICED, maxOutputTokens: 4_096 }, 10, 8_192, 1_024, 1e12)?.maxTokens).toBe(4_096);
    expect(planCall({ ...PRICED, maxOutputTokens: 500 }, 10, 8_192, 1_024, 1e12)?.maxTokens).toBe(500);
  });
});

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

describe("the clock", () => {
  const state = stateWith({ usage: { activeMs: 1_000 }, touchedAt: START, dueAt: START + 2_000 });

  it.each([
    [START - 5_000, 1_000],
    [START, 1_000],
    [START + 1_999, 2_999],
    [START + 2_000, 3_000],
    [START + 2_001, 3_000],
    [START + 9_999_999, 3_000],
  ])("at %s the run has been active for %s ms: idle time beyond the due instant is nobody's", (now, activeMs) => {
    expect(activeMsAt(state, now)).toBe(activeMs);
  });

  it("a finished run is active no longer", () => {
    expect(activeMsAt({ ...state, ending: endingWith() }, START + 2_000)).toBe(1_000);
  });

  it("the deadline is when the rest of the active time is used up, or the expiry if that is sooner", () => {
    expect(deadlineAt(state, START)).toBe(START + 299_000);
    expect(deadlineAt(state, START + 500)).toBe(START + 299_000);
    expect(deadlineAt({ ...state, expiresAt: START + 7 }, START)).toBe(START + 7);
  });

  it.each<[string, StateParts, "step" | "last" | "critic", number]>([
    ["a step gets its own time", {}, "step", 60_000],
    [
      "a step leaves a tenth of the clock, at most 30 s, for the last call",
      { limits: { wallClockMs: 70_000 } },
      "step",
      60_000,
    ],
    ["… a tenth", { limits: { wallClockMs: 20_000 } }, "step", 18_000],
    ["… at most 30 s", { limits: { wallClockMs: 600_000, stepTimeoutMs: 590_000 } }, "step", 570_000],
    ["… so does a critic", { limits: { wallClockMs: 20_000 } }, "critic", 18_000],
    ["the last call may use it", { limits: { wallClockMs: 20_000 } }, "last", 20_000],
    ["never before now", { limits: { wallClockMs: 20_000 }, usage: { activeMs: 30_000 } }, "step", 0],
  ])("L3: %s", (_what, parts, purpose, afterMs) => {
    expect(abortAt(stateWith(parts), purpose, START) - START).toBe(afterMs);
  });

  it("L3: no effect is ever allowed past the deadline, whatever the state", () => {
    const parts = fc.record({
      wallClockMs: fc.integer({ min: 1, max: 400_000 }),
      stepTimeoutMs: fc.integer({ min: 1, max: 400_000 }),
      activeMs: fc.nat(500_000),
      laterMs: fc.nat(500_000),
      purpose: fc.constantFrom("step" as const, "last" as const),
    });
    fc.assert(
      fc.property(parts, ({ wallClockMs, stepTimeoutMs, activeMs, laterMs, purpose }) => {
        const one = stateWith({ limits: { wallClockMs, stepTimeoutMs }, usage: { activeMs } });
        const now = START + laterMs;
        const at = abortAt(one, purpose, now);
        expect(at).toBeGreaterThanOrEqual(now);
        expect(at).toBeLessThanOrEqual(Math.max(now, deadlineAt(one, now)));
        expect(at).toBeLessThanOrEqual(now + stepTimeoutMs);
      }),
    );
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
