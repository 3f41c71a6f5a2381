import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatUsd, NANO_PER_USD, nanoFromUsd, usdFromNano } from "../../src/lib/money.ts";

describe("money", () => {
  it("every whole number of nano-dollars up to a million dollars survives the way to dollars and back", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 * NANO_PER_USD }), (nano) => {
        expect(nanoFromUsd(usdFromNano(nano))).toBe(nano);
      }),
      { numRuns: 2_000 },
    );
  });

  it("rounding never raises a limit by a whole nano-dollar", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 10_000, noNaN: true }), (usd) => {
        const nano = nanoFromUsd(usd);
        expect(Number.isSafeInteger(nano)).toBe(true);
        expect(nano).toBeLessThanOrEqual(Math.round(usd * NANO_PER_USD));
        expect(nano).toBeGreaterThan(usd * NANO_PER_USD - 1.001);
      }),
    );
  });

  it.each([
    [0.5, 500_000_000],
    [0.29, 290_000_000],
    [0.1, 100_000_000],
    [1e-9, 1],
    [1.9e-9, 1],
    [1e-10, 0],
    [0, 0],
  ])("%s dollars are %s nano-dollars", (usd, nano) => {
    expect(nanoFromUsd(usd)).toBe(nano);
  });

  it.each([
    [0, "$0"],
    [1, "<$0.0001"],
    [99_999, "<$0.0001"],
    [100_000, "$0.0001"],
    [12_300_000, "$0.0123"],
    [1_500_000_000, "$1.5000"],
  ])("%s nano-dollars read %s", (nano, text) => {
    expect(formatUsd(nano)).toBe(text);
  });
});
