import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { CHART_CLASS, drawChart } from "../../src/web/chart-draw.ts";
import { suggestCharts } from "../../src/web/chart-rules.ts";
import { THEME_COLORS } from "../../src/web/chart-svg.ts";
import { CHART_STYLE_HASH } from "../../src/web/shell.ts";
import { createSvgDocument, type ElementNode, toXml } from "../fakes/svg-document.ts";

function draw(columns: readonly string[], rows: readonly (readonly unknown[])[], fontPx = 13): ElementNode {
  const [chart] = suggestCharts(columns, rows);
  if (chart === undefined) throw new Error("no picture suits these rows");
  const look = { width: 480, fontPx, colors: THEME_COLORS.light, interactive: false, document: createSvgDocument() };
  const drawn: unknown = drawChart(chart, columns, rows, look);
  return drawn as ElementNode;
}

const COUNTRIES = [
  ["USA", 494],
  ["Canada", 535],
  ["Brazil", 427],
];

describe("drawing", () => {
  test("each bar is as long as its value, and its value stands beside it", () => {
    const xml = toXml(draw(["country", "n"], COUNTRIES));
    const widths = [...xml.matchAll(/<rect[^>]* width="([\d.]+)"/g)].map(([, width]) => Number(width));
    expect(widths.length).toBe(3);
    expect((widths[0] ?? 0) / (widths[1] ?? 1)).toBeCloseTo(494 / 535, 2);
    for (const text of COUNTRIES.flat()) expect(xml).toContain(`>${text}<`);
  });

  test("everything grows with the size of the text", () => {
    const height = (fontPx: number): number =>
      Number(draw(["country", "n"], COUNTRIES, fontPx).attributes.get("height"));
    expect(height(26)).toBeGreaterThan(height(13) * 1.6);
  });

  test("it has the class that the policy's hash was made for", () => {
    expect(draw(["country", "n"], COUNTRIES).attributes.get("class")).toBe(CHART_CLASS);
  });

  test("the policy of the page names the hash of the one style that the library writes", () => {
    const rows = [COUNTRIES, COUNTRIES.map(([, n], index) => [2001 + index, n]), [[1, 2]]];
    const hashes = rows.flatMap((each) =>
      [...toXml(draw(["year", "n"].slice(0, each[0]?.length), each)).matchAll(/<style>([^<]*)<\/style>/g)].map(
        ([, text = ""]) =>
          createHash("sha256").update(text.replaceAll("&gt;", ">").replaceAll("&amp;", "&")).digest("base64"),
      ),
    );
    expect(hashes).toHaveLength(rows.length);
    expect([...new Set(hashes)]).toEqual([CHART_STYLE_HASH.replace("sha256-", "")]);
  });

  test("values that cannot be drawn are left out, not drawn as zero", () => {
    const xml = toXml(
      draw(
        ["day", "n"],
        [
          ["2024-01-01", 1],
          ["2024-01-02", null],
          ["2024-01-03", 3],
        ],
      ),
    );
    expect(xml.match(/<circle/g)?.length).toBe(2);
  });
});
