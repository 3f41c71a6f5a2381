import { describe, expect, test } from "vitest";
import { layOutLegend, toPoints } from "../../src/web/chart-frame.ts";
import { suggestCharts } from "../../src/web/chart-rules.ts";
import { THEME_COLORS } from "../../src/web/chart-svg.ts";

const LOOK = { width: 300, fontPx: 13, colors: THEME_COLORS.light, interactive: false };

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

  test("a legend goes on in another row when the width is used up, and shortens long names", () => {
    const { entries, height } = layOutLegend(["one", "two", `three ${"long ".repeat(9)}`, "four"], LOOK);
    expect(entries.map((entry) => entry.row)).toEqual([0, 0, 1, 2]);
    expect(entries[2]?.name.length).toBeLessThanOrEqual(28);
    expect(height).toBeGreaterThan(2 * LOOK.fontPx);
  });
});
