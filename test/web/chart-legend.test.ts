import { describe, expect, test } from "vitest";
import { layOutLegend } from "../../src/web/chart-legend.ts";
import { THEME_COLORS } from "../../src/web/chart-svg.ts";

const LOOK = { width: 300, fontPx: 13, colors: THEME_COLORS.light, interactive: false };

describe("the legend", () => {
  test("goes on in another row when the width is used up, and shortens long names", () => {
    const { entries, height } = layOutLegend(["one", "two", `three ${"long ".repeat(9)}`, "four"], LOOK);
    expect(entries.map((entry) => entry.row)).toEqual([0, 0, 1, 2]);
    expect(entries[2]?.name.length).toBeLessThanOrEqual(28);
    expect(height).toBeGreaterThan(2 * LOOK.fontPx);
  });
});
