/** The thresholds of the cycle detector as settings, and its words (B23, B24). */
import { describe, expect, it } from "vitest";
import { cycleGuidance, DEFAULT_LOOP, findCycle, type RecentCall } from "../../src/agent/cycles.ts";

const windowOf = (letters: string): RecentCall[] =>
  [...letters].map((letter, index) => ({
    signature: letter,
    result: letter,
    tool: `tool_${letter}`,
    step: index + 1,
    isError: false,
    ref: null,
  }));

describe("findCycle with other settings", () => {
  it.each([
    ["AB", 2, null],
    ["XAB", 2, null],
    ["ABAB", 2, 2],
    ["AA", 2, 1],
    ["ABAB", 4, null],
    ["ABABAB", 4, 2],
    ["AAA", 4, null],
    ["AAAA", 4, 1],
  ])("B24: in %s, asked for %s equal calls, finds period %s", (letters, cycleRepeats, period) => {
    expect(findCycle(windowOf(letters), { ...DEFAULT_LOOP, cycleRepeats })?.period ?? null).toBe(period);
  });
});

describe("cycleGuidance", () => {
  it.each([
    ["AAA", "the same call (tool_A; last in step 3) came back 3 times with the same result (period 1)"],
    ["ABAB", "the same 2 calls (tool_A → tool_B; last in step 3, 4) came back 2 times with the same result (period 2)"],
  ])("B23: of %s names the period, the tools and the steps", (letters, words) => {
    const cycle = findCycle(windowOf(letters), DEFAULT_LOOP);
    if (cycle === null) throw new Error("a cycle");
    expect(cycleGuidance(cycle)).toContain(words);
  });
});
