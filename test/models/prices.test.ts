/** The price table: every number, the refusal of what is not in it, and entries laid over it. */
import { describe, expect, test } from "vitest";
import { parsePrices } from "../../src/models/price-overrides.ts";
import {
  FAST_MULTIPLIER,
  KNOWN_MODEL_IDS,
  lookUpModel,
  PRICES_AS_OF,
  REGION_MULTIPLIER,
  vendorOf,
} from "../../src/models/prices.ts";
import { infoOf } from "./requests.ts";

/** Dollars per million tokens as published: input, 5 min write, 1 h write, cache read, output; above how many tokens. */
const PUBLISHED: readonly (readonly [string, number, number, number, number, number, number])[] = [
  ["claude-fable-5-2", 0, 8, 10, 16, 0.2, 40],
  ["claude-fable-5-1", 0, 10, 12.5, 20, 0.25, 50],
  ["claude-opus-5-5", 0, 4, 5, 8, 0.2, 20],
  ["claude-opus-5", 0, 5, 6.25, 10, 0.5, 25],
  ["claude-opus-4-8", 0, 5, 6.25, 10, 0.5, 25],
  ["claude-opus-4-7", 0, 5, 6.25, 10, 0.5, 25],
  ["claude-opus-4-6", 0, 5, 6.25, 10, 0.5, 25],
  ["claude-opus-4-5", 0, 5, 6.25, 10, 0.5, 25],
  ["claude-sonnet-5-5", 0, 2, 2.5, 4, 0.1, 10],
  ["claude-sonnet-5", 0, 2, 2.5, 4, 0.2, 10],
  ["claude-haiku-5-5", 0, 0.1, 0.125, 0.2, 0.01, 0.5],
  ["claude-haiku-5-5", 100_000, 0.5, 0.625, 1, 0.05, 2.5],
  ["claude-haiku-4-5", 0, 1, 1.25, 2, 0.1, 5],
];

describe("the built-in table", () => {
  test.each(PUBLISHED)("%s above %i tokens", (id, above, ...usd) => {
    const tier = infoOf(id).tiers.find((one) => one.abovePromptTokens === above);
    const [input, cacheWrite5m, cacheWrite1h, cacheRead, output] = usd.map((price) => Math.round(price * 1_000));
    expect(tier).toEqual({ abovePromptTokens: above, input, cacheWrite5m, cacheWrite1h, cacheRead, output });
  });

  test("holds nothing that is not checked above, and says of which day it is", () => {
    expect(new Set(PUBLISHED.map(([id]) => id))).toEqual(new Set(KNOWN_MODEL_IDS));
    expect(KNOWN_MODEL_IDS.flatMap((id) => infoOf(id).tiers)).toHaveLength(PUBLISHED.length);
    expect(PRICES_AS_OF).toMatch(/^2026-\d\d-\d\d$/);
  });

  test.each(KNOWN_MODEL_IDS.map((id) => [id]))(
    "%s: whole nano-dollars, ascending tiers, a write is the dearest prompt token, the region is reserved for",
    (id) => {
      const { tiers, priceMultiplierMax, contextWindow, maxOutputTokens } = infoOf(id);
      expect(tiers[0]?.abovePromptTokens).toBe(0);
      for (const [index, tier] of tiers.entries()) {
        expect(Object.values(tier).every(Number.isSafeInteger)).toBe(true);
        expect(tier.cacheWrite5m).toBeGreaterThan(Math.max(tier.input, tier.cacheRead));
        expect(tier.cacheWrite1h).toBeGreaterThan(tier.cacheWrite5m);
        expect(tier.abovePromptTokens).toBeGreaterThanOrEqual(tiers[index - 1]?.abovePromptTokens ?? 0);
      }
      expect(priceMultiplierMax).toBe(REGION_MULTIPLIER);
      expect(maxOutputTokens).toBeLessThan(contextWindow);
    },
  );

  test("fast mode doubles", () => expect(FAST_MULTIPLIER).toBe(2));
});

describe("a model without a price (G1)", () => {
  test.each([
    "claude-opus-9.9",
    "claude-opus-4-5-20251101",
    "claude-sonnet-5-5-20260928",
    "CLAUDE-SONNET-5-5",
    " claude-sonnet-5-5",
    "gpt-7",
    "",
    "constructor",
    "__proto__",
  ])("%j is refused with the known ids and how to add a price", (id) => {
    const found = lookUpModel(id);
    expect(found.ok).toBe(false);
    const error = found.ok ? "" : found.error;
    for (const known of KNOWN_MODEL_IDS) expect(error).toContain(known);
    expect(error).toContain(JSON.stringify(id));
    expect(error).toContain("add it to QUERENT_PRICES");
    expect(error).toContain('{"my-model": {"input": 2, "output": 10}}');
  });
});

describe("an entry of QUERENT_PRICES", () => {
  const overrides = (json: string) => {
    const parsed = parsePrices(json);
    if (!parsed.ok) throw new Error(parsed.error);
    return parsed.value;
  };

  test("prices a model nobody knows, with cautious limits", () => {
    expect(lookUpModel("my-model", overrides('{"my-model":{"input":2,"output":10}}'))).toEqual({
      ok: true,
      value: {
        id: "my-model",
        contextWindow: 128_000,
        maxOutputTokens: 8_192,
        tiers: [
          {
            abovePromptTokens: 0,
            input: 2_000,
            cacheWrite5m: 2_500,
            cacheWrite1h: 4_000,
            cacheRead: 2_000,
            output: 10_000,
          },
        ],
        priceMultiplierMax: 1,
      },
    });
  });

  test("replaces the prices of a known model as a whole and keeps its limits", () => {
    const found = lookUpModel(
      "claude-haiku-5-5",
      overrides('{"claude-haiku-5-5":{"input":1,"output":2,"cache_read":0.5}}'),
    );
    expect(found).toMatchObject({
      ok: true,
      value: { contextWindow: 1_000_000, maxOutputTokens: 128_000, priceMultiplierMax: 1.1 },
    });
    expect(found.ok && found.value.tiers).toEqual([
      { abovePromptTokens: 0, input: 1_000, cacheWrite5m: 1_250, cacheWrite1h: 2_000, cacheRead: 500, output: 2_000 },
    ]);
  });

  test("may have tiers, limits, a multiplier and a vendor of its own", () => {
    const json =
      '{"m":{"input":1,"output":2,"tiers":[{"above_prompt_tokens":1000,"input":3,"output":4}],"context_window":4096,"max_output_tokens":512,"price_multiplier_max":2.2,"vendor":"anthropic"}}';
    expect(lookUpModel("m", overrides(json))).toMatchObject({
      ok: true,
      value: {
        contextWindow: 4_096,
        maxOutputTokens: 512,
        priceMultiplierMax: 2.2,
        tiers: [{ input: 1_000 }, { abovePromptTokens: 1_000, input: 3_000 }],
      },
    });
    expect(vendorOf("m", overrides(json))).toBe("anthropic");
  });

  test("is listed among the known ids when another id is refused", () => {
    const found = lookUpModel("other", overrides('{"my-model":{"input":2,"output":10}}'));
    expect(found.ok ? "" : found.error).toContain("my-model");
  });

  test("leaves other models alone, whatever their names", () => {
    expect(lookUpModel("constructor", overrides('{"my-model":{"input":2,"output":10}}')).ok).toBe(false);
    expect(lookUpModel("claude-opus-5-5", overrides('{"my-model":{"input":2,"output":10}}'))).toEqual(
      lookUpModel("claude-opus-5-5"),
    );
  });
});

test.each([
  ["claude-sonnet-5-5", "anthropic"],
  ["claude-anything", "anthropic"],
  ["gpt-7", "openai"],
  ["llama3.3:70b", "openai"],
  ["constructor", "openai"],
])("%s is spoken to through %s", (id, vendor) => expect(vendorOf(id)).toBe(vendor));
