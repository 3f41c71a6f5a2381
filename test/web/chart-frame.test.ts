import { describe, expect, test } from "vitest";
import { toPoints } from "../../src/web/chart-frame.ts";
import { suggestCharts } from "../../src/web/chart-rules.ts";

describe("the frame of a picture", () => {
  test("points carry what is said at the pointer", () => {
    const columns = ["month", "country", "n"];
    const rows = [
      ["2024-01", "USA", 1],
      ["2024-02", "USA", 2.5],
      ["2024-01", "Chile", null],
    ];
    const [chart] = suggestCharts(columns, rows);
    if (chart === undefined) throw new Error("no picture");
    expect(toPoints(chart, columns, rows).map(({ series, y, tip }) => [series, y, tip])).toEqual([
      ["USA", 1, "2024-01\nUSA 1"],
      ["USA", 2.5, "2024-02\nUSA 2.5"],
    ]);
  });
});
