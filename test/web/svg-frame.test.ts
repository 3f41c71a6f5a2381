import { describe, expect, test } from "vitest";
import { layOutLegend } from "../../src/web/chart-legend.ts";
import { THEME_COLORS } from "../../src/web/chart-svg.ts";
import { fittingText, frameOf, legendOf, measureTitle, nameAxis, yAxis } from "../../src/web/svg-frame.ts";

const LOOK = { width: 300, fontPx: 13, colors: THEME_COLORS.light, interactive: false };
const FRAME = frameOf(300, 240, { top: 20, right: 20, bottom: 20, left: 40 });

describe("the frame of a file's picture", () => {
  test("an axis has a line and a label for each tick, inside the frame", () => {
    const axis = yAxis(FRAME, (value) => 220 - value * 2, [0, 100], LOOK);
    expect([...axis.matchAll(/>(\d+)<\/text>/g)].map(([, text]) => text)).toEqual(["0", "20", "40", "60", "80", "100"]);
    expect(axis.match(/<line /g)?.length).toBe(6);
    expect(axis).toContain('x1="40"');
  });

  test("names that do not fit side by side are turned", () => {
    const middle = () => 50;
    expect(nameAxis(FRAME, ["2024-01-01"], middle, true, LOOK)).toContain("rotate(-45 50");
    expect(nameAxis(FRAME, ["2024-01-01"], middle, false, LOOK)).not.toContain("rotate");
  });

  test("a long label is cut and keeps the whole of it as a title, escaped", () => {
    const text = fittingText(0, 0, `<b>${"long ".repeat(20)}`, 80, LOOK);
    expect(text).toMatch(/<title>&lt;b&gt;long (?:long )+<\/title>&lt;b&gt;.{1,10}…<\/text>$/);
    expect(fittingText(0, 0, "short", 80, LOOK)).not.toContain("<title>");
  });

  test("the legend has a dot and a name for each series, in the colour of its marks", () => {
    const legend = legendOf(layOutLegend(["one", "two"], LOOK), ["one", "two"], LOOK);
    expect([...legend.matchAll(/<circle[^>]*fill="([^"]+)"/g)].map(([, fill]) => fill)).toEqual(
      THEME_COLORS.light.series.slice(0, 2),
    );
    expect(legend).toContain(">two</text>");
  });

  test("without one measure there is no title of it", () => {
    expect(measureTitle(FRAME, "", LOOK)).toBe("");
    expect(measureTitle(FRAME, "total", LOOK)).toContain(">total</text>");
  });
});
