import { describe, expect, it } from "vitest";
import { limitChanges, tellLimitChanges } from "../../src/agent/limit-changes.ts";
import { limitsWith } from "./states.ts";

describe("limitChanges", () => {
  it("names each limit that differs, as callers write it, with both values, and says which way it went", () => {
    const before = limitsWith({ stepsMax: 3, costNanoUsdMax: 500_000_000, wallClockMs: 300_000 });
    const after = { ...before, stepsMax: 12, costNanoUsdMax: 200_000_000, wallClockMs: 600_000 };
    const changes = limitChanges(before, after);
    expect(changes).toEqual([
      { name: "max_steps", from: 3, to: 12 },
      { name: "wall_clock_s", from: 300, to: 600 },
      { name: "budget_usd", from: 0.5, to: 0.2 },
    ]);
    expect(tellLimitChanges(changes)).toBe(
      "max_steps raised from 3 to 12, wall_clock_s raised from 300 to 600, budget_usd lowered from 0.5 to 0.2",
    );
  });

  it("is empty between equal limits", () => {
    expect(limitChanges(limitsWith({}), limitsWith({}))).toEqual([]);
  });
});
