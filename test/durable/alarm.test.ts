import fc from "fast-check";
import { expect, it } from "vitest";
import { alarmAt, isEarlier, isLost, isSoon } from "../../src/durable/alarm.ts";
import { WATCHDOG_MS } from "../../src/durable/schedule.ts";

const NOW = 1_000_000;

it("is set for the earliest due time, and never for this very millisecond", () => {
  const dues = fc.array(fc.integer({ min: 0, max: 2 * NOW }), { minLength: 1 });
  fc.assert(
    fc.property(dues, (times) => {
      const at = alarmAt(
        times.map((time) => ({ kind: "step", at: time })),
        NOW,
      );
      expect(at).toBeGreaterThan(NOW);
      expect(at).toBe(Math.max(NOW + 1, Math.min(...times)));
    }),
  );
});

it("is lost when it is missing or long past, and not when it is merely late", () => {
  expect(isLost(null, NOW)).toBe(true);
  expect(isLost(NOW - 60_000, NOW)).toBe(true);
  expect(isLost(NOW - 1_000, NOW)).toBe(false);
  expect(isLost(NOW + 1, NOW)).toBe(false);
});

it("serves as the watchdog of a step when it rings neither at once nor too late", () => {
  expect(isSoon(NOW + 3_000, NOW)).toBe(true);
  expect(isSoon(NOW + WATCHDOG_MS, NOW)).toBe(true);
  expect(isSoon(NOW + WATCHDOG_MS + 1, NOW)).toBe(false);
  expect(isSoon(NOW + 1, NOW)).toBe(false);
  expect(isSoon(0, NOW)).toBe(false);
});

it("stands in for a later one, unless it would ring for nothing at once", () => {
  expect(isEarlier(NOW + 2_000, NOW + 3_000, NOW)).toBe(true);
  expect(isEarlier(NOW + 3_000, NOW + 3_000, NOW)).toBe(true);
  expect(isEarlier(NOW + 3_001, NOW + 3_000, NOW)).toBe(false);
  expect(isEarlier(NOW + 1, NOW + 3_000, NOW)).toBe(false);
  expect(isEarlier(0, NOW + 3_000, NOW)).toBe(false);
});
