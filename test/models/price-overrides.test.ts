/** The strict check of QUERENT_PRICES: what is wrong is said with its place, and nothing wrong gets through. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePrices, toTiers } from "../../src/models/price-overrides.ts";

const entry = (fields: string) => `{"my-model":{"input":2,"output":10${fields}}}`;

describe("parsePrices", () => {
  test.each([
    ["not JSON", "{my-model", "not valid JSON"],
    ["empty", "", "not valid JSON"],
    ["a price that stands twice", '{"my-model":{"input":2,"input":1,"output":10}}', "A key stands twice"],
    ["a list", "[]", "QUERENT_PRICES is wrong: Must be an object, not a list."],
    ["null", "null", "QUERENT_PRICES is wrong"],
    ["a number for an entry", '{"my-model":2}', "at my-model"],
    ["no output price", '{"my-model":{"input":2}}', "at my-model.output"],
    ["no input price", '{"my-model":{"output":2}}', "at my-model.input"],
    ["a free model", '{"my-model":{"input":0,"output":10}}', "at my-model.input"],
    ["a negative price", '{"my-model":{"input":2,"output":-1}}', "at my-model.output"],
    [
      "a price that is text",
      '{"my-model":{"input":"2","output":10}}',
      'at my-model.input: Must be a number, not the text "2".',
    ],
    ["a null price", '{"my-model":{"input":null,"output":10}}', "at my-model.input"],
    ["an infinite price", '{"my-model":{"input":1e999,"output":10}}', "at my-model.input"],
    ["a price in the wrong unit", '{"my-model":{"input":2000000000,"output":10}}', "at my-model.input"],
    ["an unknown field", entry(',"cached":1'), "at my-model"],
    ["a misspelt field", entry(',"cacheRead":1'), "at my-model"],
    ["a free cache read", entry(',"cache_read":0'), "at my-model.cache_read"],
    ["a window of 0", entry(',"context_window":0'), "at my-model.context_window"],
    ["a window of 1.5", entry(',"context_window":1.5'), "at my-model.context_window"],
    ["a multiplier under 1", entry(',"price_multiplier_max":0.5'), "at my-model.price_multiplier_max"],
    ["another vendor", entry(',"vendor":"acme"'), "at my-model.vendor"],
    [
      "tiers that fall",
      entry(',"tiers":[{"above_prompt_tokens":9,"input":1,"output":1},{"above_prompt_tokens":5,"input":1,"output":1}]'),
      "at my-model.tiers",
    ],
    ["a tier without prices", entry(',"tiers":[{"above_prompt_tokens":9}]'), "at my-model.tiers.0"],
    ["a model without a name", '{"":{"input":2,"output":10}}', "QUERENT_PRICES is wrong"],
  ])("%s is refused, with the place and an example", (_what, json, where) => {
    const parsed = parsePrices(json);
    expect(parsed.ok).toBe(false);
    expect(parsed.ok ? "" : parsed.error).toContain(where);
    expect(parsed.ok ? "" : parsed.error).toContain('{"my-model": {"input": 2, "output": 10}}');
  });

  test("an empty object adds nothing", () => expect(parsePrices("{}")).toEqual({ ok: true, value: {} }));
});

describe("toTiers", () => {
  test("whole prices come out exactly, without the noise of binary fractions", () => {
    for (const [usd, nano] of [
      [0.1, 100],
      [0.29, 290],
      [2.5, 2_500],
      [0.0375, 38],
      [0.0001, 1],
      [0.3, 300],
      [1.005, 1_005],
    ] as const) {
      expect(toTiers({ input: usd, output: usd })[0]).toMatchObject({ input: nano, output: nano });
    }
  });

  test("a price is a positive whole number of nano-dollars, understated by less than a millionth of one", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e6, noNaN: true }), (usd) => {
        const tier = toTiers({ input: usd, output: usd })[0];
        expect(Number.isSafeInteger(tier?.input)).toBe(true);
        expect(tier?.input).toBeGreaterThanOrEqual(Math.max(1, usd * 1_000 - 2e-6));
        expect(tier?.input).toBeLessThan(usd * 1_000 + 1.001);
      }),
    );
  });
});
