import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bootstrapInterval, mean, passAtK, passHatK, quantile } from "../../../src/cli/evals/statistics.ts";

describe("figures of a report", () => {
  it("quantiles go by the nearest rank", () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2);
    expect(quantile([1, 2, 3, 4, 100], 0.95)).toBe(100);
    expect(quantile([], 0.5)).toBe(0);
    expect(mean([])).toBe(0);
  });

  it("a bootstrap interval holds the mean, and is the same for the same seed", () => {
    const groups = [...Array(30).fill([1]), ...Array(20).fill([0])];
    const [low, high] = bootstrapInterval(groups, 1);
    expect(low).toBeLessThan(0.6);
    expect(high).toBeGreaterThan(0.6);
    expect(bootstrapInterval(groups, 1)).toEqual([low, high]);
    expect(bootstrapInterval([], 1)).toEqual([0, 0]);
    expect(bootstrapInterval([[1], [1], [1]], 1)).toEqual([1, 1]);
  });

  it("asking a question again makes the interval no narrower when it always comes out the same", () => {
    const once = [...Array(6).fill([1]), ...Array(4).fill([0])];
    const fiveTimes = once.map(([value]) => Array(5).fill(value));
    expect(bootstrapInterval(fiveTimes, 1)).toEqual(bootstrapInterval(once, 1));
  });

  it("pass@1 and pass^1 are the share that passed; pass@k rises and pass^k falls with k", () => {
    expect(passAtK(1, 4, 1)).toBeCloseTo(0.25);
    expect(passHatK(1, 4, 1)).toBeCloseTo(0.25);
    expect(passAtK(1, 4, 4)).toBe(1);
    expect(passHatK(3, 4, 4)).toBe(0);
    expect(passHatK(4, 4, 4)).toBe(1);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.nat(12), (tries, nat) => {
        const passed = Math.min(nat, tries);
        for (let k = 2; k <= tries; k += 1) {
          expect(passAtK(passed, tries, k)).toBeGreaterThanOrEqual(passAtK(passed, tries, k - 1) - 1e-12);
          expect(passHatK(passed, tries, k)).toBeLessThanOrEqual(passHatK(passed, tries, k - 1) + 1e-12);
        }
      }),
    );
  });
});
