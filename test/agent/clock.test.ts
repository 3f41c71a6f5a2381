/** Prices, reserves and ceilings: every comparison at the limit, one below and one above (G, A4, A6, A8, C10). */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { abortAt, activeMsAt, deadlineAt } from "../../src/agent/clock.ts";
import { endingWith, START, type StateParts, stateWith } from "./states.ts";

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
