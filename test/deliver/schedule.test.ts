import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextTryAt, SLACK_PAUSES_MS, WEBHOOK_PAUSES_MS } from "../../src/deliver/schedule.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe("when a delivery is tried again", () => {
  it("follows the times that Standard Webhooks proposes", () => {
    const pauses = [0, 5_000, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
    expect(WEBHOOK_PAUSES_MS).toEqual(pauses);
    expect(pauses.map((_, tries) => nextTryAt(WEBHOOK_PAUSES_MS, tries, 1_000, 0, null))).toEqual(
      pauses.map((pause) => 1_000 + pause),
    );
  });

  it("ends after the tenth try", () => {
    expect(nextTryAt(WEBHOOK_PAUSES_MS, 10, 0, 0, null)).toBeNull();
  });

  it("tries Slack soon and then less and less often, as a person is waiting", () => {
    expect(SLACK_PAUSES_MS).toEqual([0, 2_000, 5_000, 15_000, 45_000, 2 * MINUTE, 4 * MINUTE, 8 * MINUTE]);
  });

  it("fits Slack's tries into the half hour of a response URL, jitter included", () => {
    const longest = SLACK_PAUSES_MS.reduce((sum, pause) => sum + pause * 1.2, 0);
    expect(longest).toBeLessThan(30 * MINUTE - 8 * 15_000);
  });

  it("is never earlier than the pause or the Retry-After, and at most a fifth later", () => {
    const tries = fc.integer({ min: 0, max: 9 });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const after = fc.option(fc.integer({ min: 1, max: 100 * HOUR }), { nil: null });
    fc.assert(
      fc.property(tries, random, after, (count, chance, afterMs) => {
        const at = nextTryAt(WEBHOOK_PAUSES_MS, count, 5_000, chance, afterMs) ?? Number.NaN;
        const base = Math.max(WEBHOOK_PAUSES_MS[count] ?? 0, afterMs ?? 0);
        expect(at).toBeGreaterThanOrEqual(5_000 + base);
        expect(at).toBeLessThanOrEqual(5_000 + base * 1.2 + 1);
      }),
    );
  });

  it("spreads receivers that failed together", () => {
    expect(nextTryAt(WEBHOOK_PAUSES_MS, 2, 0, 0.5, null)).toBe(330_000);
  });
});
