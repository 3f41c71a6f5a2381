/** Prices, reserves and ceilings: every comparison at the limit, one below and one above (G, A4, A6, A8, C10). */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  keptBackNanoUsd,
  LAST_CALL_MAX_TOKENS,
  LAST_CALL_PROMPT_BYTES_MAX,
  planCall,
  priceUsage,
  worstCaseNanoUsd,
} from "../../src/agent/cost.ts";
import type { ModelInfo, PriceTier, TokenUsage } from "../../src/agent/model.ts";
import { PRICED } from "../fakes/function-model.ts";

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
