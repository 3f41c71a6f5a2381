import * as Plot from "@observablehq/plot";
import { describe, expect, test } from "vitest";
import { layOutLegend } from "../../src/web/chart-legend.ts";
import { legendMarks, nameMark } from "../../src/web/chart-marks.ts";
import { THEME_COLORS } from "../../src/web/chart-svg.ts";
import { createSvgDocument, type ElementNode, toXml } from "../fakes/svg-document.ts";

const LOOK = { width: 300, fontPx: 13, colors: THEME_COLORS.light, interactive: false };

function draw(marks: Plot.Markish[]): string {
  const document = createSvgDocument();
  const drawn: unknown = Plot.plot({ marks, document: document as NonNullable<Plot.PlotOptions["document"]> });
  return toXml(drawn as ElementNode);
}

describe("marks of the page's pictures", () => {
  test("an entry of the legend is a dot in the colour of its series, and its name", () => {
    const series = ["one", "two"];
    const { entries } = layOutLegend(series, LOOK);
    const xml = draw(entries.flatMap((entry) => legendMarks(entry, series, LOOK, {})));
    expect([...xml.matchAll(/fill="(#[0-9a-f]{6})"/g)].map(([, fill]) => fill)).toEqual([
      THEME_COLORS.light.series[0],
      THEME_COLORS.light.ink,
      THEME_COLORS.light.series[1],
      THEME_COLORS.light.ink,
    ]);
    expect(xml).toContain(">two<");
  });

  test("the measure is named above the frame", () => {
    expect(draw([nameMark("total", LOOK)])).toContain(">total<");
  });
});
