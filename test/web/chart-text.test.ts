import { describe, expect, test } from "vitest";
import { suggestCharts } from "../../src/web/chart-rules.ts";
import { describeChart, KIND_NAMES } from "../../src/web/chart-text.ts";

function describeFirst(columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const [chart] = suggestCharts(columns, rows);
  if (chart === undefined) throw new Error("no picture suits these rows");
  return describeChart(chart, columns, rows);
}

describe("a picture in words", () => {
  test("a few values are named one by one", () => {
    expect(
      describeFirst(
        ["country", "n"],
        [
          ["USA", 1_300],
          ["Chile", 5],
        ],
      ),
    ).toBe("Bar chart: n by country. USA 1,300; Chile 5.");
  });

  test("of many, the extremes; of a course over time also its ends", () => {
    const months = Array.from({ length: 12 }, (_, n) => [`2024-${String(n + 1).padStart(2, "0")}`, n]);
    expect(describeFirst(["month", "n"], months)).toBe(
      "Line chart: n by month. 12 values of n. From 2024-01 to 2024-12. Highest: 2024-12 11. Lowest: 2024-01 0.",
    );
  });

  test("what is left out is said", () => {
    const ranking = Array.from({ length: 50 }, (_, n) => [`n${n}`, 50 - n]);
    expect(describeFirst(["Name", "n"], ranking)).toContain("The first 25 of 50 rows.");
  });

  test("numbers are read out with their names, and every kind has one", () => {
    expect(describeFirst(["albums", "tracks"], [[347, 3_503]])).toBe("albums 347, tracks 3503.");
    expect(Object.values(KIND_NAMES).every((name) => name.length > 2)).toBe(true);
  });
});
