import { describe, expect, test } from "vitest";
import { countOf, formatAgo, formatCount, formatMs, formatUsd, tellSpent } from "../../../src/web/client/format.ts";

describe("amounts for people", () => {
  test("dollars keep the digits that matter", () => {
    expect([0, 0.000003, 0.0123, 0.5, 0.05, 1.5, 12].map(formatUsd)).toEqual([
      "$0",
      "<$0.0001",
      "$0.0123",
      "$0.50",
      "$0.05",
      "$1.50",
      "$12.00",
    ]);
  });

  test("times and counts are written out", () => {
    expect([0, 12.4, 1_234, 125_000].map(formatMs)).toEqual(["0 ms", "12 ms", "1.2 s", "2 min 5 s"]);
    expect(formatCount(3_503)).toBe("3,503");
    expect([countOf(1, "row"), countOf(2, "row"), countOf(0, "query", "queries")]).toEqual([
      "1 row",
      "2 rows",
      "0 queries",
    ]);
  });

  test("how long ago, then the day", () => {
    const now = Date.UTC(2026, 11, 1, 12);
    const ago = (minutes: number) => formatAgo(now - minutes * 60_000, now);
    expect([ago(0), ago(5), ago(125), ago(60 * 48)]).toEqual(["just now", "5 min ago", "2 h ago", "Nov 29, 2026"]);
  });
});

test("what was spent is said to be at most that where a bill never came", () => {
  expect(tellSpent({ cost_usd: 0.4712, unbilled_usd: 0.46 })).toBe("up to $0.4712");
  expect(tellSpent({ cost_usd: 0.4712, unbilled_usd: 0 })).toBe("$0.4712");
});
