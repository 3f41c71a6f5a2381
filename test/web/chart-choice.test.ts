import { describe, expect, test } from "vitest";
import { chooseKind } from "../../src/web/chart-choice.ts";
import { suggestCharts } from "../../src/web/chart-rules.ts";

const PARTS = suggestCharts(
  ["Name", "n"],
  [
    ["Rock", 3],
    ["Jazz", 1],
  ],
);

describe("which picture is shown first", () => {
  test.each([
    ["no wish: the best by the rules", null, "bar"],
    ["a wish that the rows allow", { kind: "share", result: null }, "share"],
    ["a wish for this result", { kind: "share", result: "r1" }, "share"],
    ["a wish for another result: the rules", { kind: "share", result: "r2" }, "bar"],
    ["a wish that the rows do not allow: the rules", { kind: "line", result: "r1" }, "bar"],
    ["a table is always possible", { kind: "table", result: null }, "table"],
  ] as const)("%s", (_what, wish, kind) => {
    expect(chooseKind(PARTS, wish, "r1")).toBe(kind);
  });

  test("rows that suit no picture get none, whatever is wished", () => {
    expect(chooseKind([], { kind: "bar", result: "r1" }, "r1")).toBeNull();
  });
});
