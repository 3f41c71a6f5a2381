import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bandScale, linearScale, linearTicks, niceRange, timeTicks, unitOf } from "../../src/web/svg-scales.ts";

const day = (text: string): number => Date.parse(`${text}Z`);
const linesOf = (from: string, to: string, count: number) =>
  timeTicks(day(from), day(to), count).map((tick) => tick.lines.join(" "));

describe("numbers on an axis", () => {
  test("ticks are round and written without the error of their sum", () => {
    expect(linearTicks(0, 1, 10)).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]);
    expect(linearTicks(-3, 449, 5)).toEqual([0, 100, 200, 300, 400]);
    expect(linearTicks(7, 7, 5)).toEqual([7]);
  });

  test("of any range, ticks lie within, rise, and are about as many as wanted", () => {
    const value = fc.double({ min: -1e12, max: 1e12, noNaN: true });
    fc.assert(
      fc.property(
        value,
        fc.double({ min: 1e-3, max: 1e12, noNaN: true }),
        fc.integer({ min: 2, max: 20 }),
        (low, size, count) => {
          const high = low + size;
          fc.pre(size > Math.abs(low) * 1e-6);
          const ticks = linearTicks(low, high, count);
          const slack = (high - low) * 1e-3;
          expect(ticks.every((tick, n) => tick > (ticks[n - 1] ?? Number.NEGATIVE_INFINITY))).toBe(true);
          expect(ticks.every((tick) => tick >= low - slack && tick <= high + slack)).toBe(true);
          expect(ticks.length).toBeLessThanOrEqual(count * 2 + 1);
          const [niceLow, niceHigh] = niceRange(low, high);
          expect(niceLow <= low + slack && niceHigh >= high - slack).toBe(true);
        },
      ),
    );
  });

  test("a range grows to round numbers at both ends", () => {
    expect(niceRange(-3, 481.5)).toEqual([-50, 500]);
    expect(niceRange(4, 4)).toEqual([4, 4]);
  });

  test("both ends of a range stand at both ends of the axis; a single value stands in the middle", () => {
    const scale = linearScale(10, 20, 0, 100);
    expect([scale(10), scale(15), scale(20)]).toEqual([0, 50, 100]);
    expect(linearScale(5, 5, 0, 100)(5)).toBe(50);
  });
});

describe("times on an axis", () => {
  test("years, months, days and hours, each with the larger unit where it changes", () => {
    expect(linesOf("2009-01-01", "2013-01-01", 7)).toEqual(["2009", "2010", "2011", "2012", "2013"]);
    expect(linesOf("2023-11-15", "2024-02-01", 6)).toEqual(["Dec 2023", "Jan 2024", "Feb"]);
    expect(linesOf("2024-01-30", "2024-02-02", 3)).toEqual(["30 Jan 2024", "31", "1 Feb 2024", "2"]);
    expect(linesOf("2024-01-01T22:00", "2024-01-02T02:00", 4)).toEqual([
      "22:00 Jan 1",
      "23:00",
      "00:00 Jan 2",
      "01:00",
      "02:00",
    ]);
    expect(linesOf("2024-01-01T00:00:00", "2024-01-01T00:00:03", 3)).toEqual([
      "00:00:00 Jan 1",
      "00:00:01",
      "00:00:02",
      "00:00:03",
    ]);
  });

  test("weeks begin on a Monday, and long spans are told in round years", () => {
    const weeks = timeTicks(day("2024-01-01"), day("2024-03-01"), 10);
    expect(new Set(weeks.map(({ at }) => new Date(at).getUTCDay()))).toEqual(new Set([1]));
    expect(linesOf("1903-01-01", "2024-01-01", 8).slice(0, 2)).toEqual(["1920", "1940"]);
  });

  test("of any span the ticks lie within it, and never crowd", () => {
    const time = fc.integer({ min: day("1000-01-01"), max: day("2999-01-01") });
    fc.assert(
      fc.property(time, fc.integer({ min: 1_000, max: 1e13 }), fc.integer({ min: 2, max: 15 }), (low, size, count) => {
        const ticks = timeTicks(low, low + size, count);
        expect(ticks.every(({ at }) => at >= low && at <= low + size)).toBe(true);
        expect(ticks.length).toBeLessThanOrEqual(count * 2 + 1);
      }),
    );
  });

  test("no tick is finer than the unit that the times are told in", () => {
    const unit = unitOf([day("2024-01-01"), day("2024-03-01")]);
    expect(timeTicks(day("2024-01-01"), day("2024-03-01"), 20, unit)).toHaveLength(3);
    expect(unitOf([day("2024-01-01"), day("2023-01-01")])).toBeGreaterThan(unit);
    expect(unitOf([day("2024-01-01"), day("2024-01-02")])).toBeLessThan(unit);
    expect(unitOf([day("2024-01-01T10:00")])).toBe(0);
  });

  test("one instant is one tick", () => {
    expect(linesOf("2024-05-06", "2024-05-06", 5)).toEqual(["6 May 2024"]);
  });
});

test("bands lie side by side, with room between them and at both ends", () => {
  const { place, width } = bandScale(["a", "b"], 0, 100, 0.5);
  expect(width).toBeCloseTo(20);
  expect([place("a"), place("b")]).toEqual([20, 60]);
});
