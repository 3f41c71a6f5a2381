import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type ChartKind, suggestCharts } from "../../src/web/chart-rules.ts";
import { type ChartTheme, renderChartSvg, THEME_COLORS } from "../../src/web/chart-svg.ts";
import { describeChart } from "../../src/web/chart-text.ts";

type Rows = readonly (readonly unknown[])[];

const RESULTS: { readonly [name: string]: readonly [readonly string[], Rows] } = {
  number: [["albums", "tracks"], [[347, 3_503]]],
  line: [
    ["month", "country", "n"],
    Array.from({ length: 6 }, (_, n) => [`2024-0${(n % 3) + 1}`, n < 3 ? "A" : "B", n]),
  ],
  years: [
    ["year", "total"],
    [
      [2009, 449.5],
      [2010, 481.5],
      [2011, -3],
    ],
  ],
  bar: [
    ["Name", "n"],
    [
      ["Rock & Roll", 10],
      ['<script>alert("x")</script>', -4],
    ],
  ],
  share: [
    ["country", "share"],
    [
      ["USA", 60],
      ["Chile", 40],
    ],
  ],
  stacked: [
    ["country", "media", "n"],
    [
      ["A", "x", 1],
      ["A", "y", 2],
      ["B", "x", 3],
    ],
  ],
  dots: [["length", "price"], Array.from({ length: 9 }, (_, n) => [n, n * n])],
};

function draw(name: string, kind?: ChartKind, theme: ChartTheme = "light"): string {
  const [columns, rows] = RESULTS[name] ?? [[], []];
  const charts = suggestCharts(columns, rows);
  const chart = kind === undefined ? charts[0] : charts.find((one) => one.kind === kind);
  if (chart === undefined) throw new Error(`no picture suits ${name}`);
  return renderChartSvg(chart, columns, rows, { width: 640, theme });
}

describe("a picture as a file", () => {
  test.each(Object.keys(RESULTS))("%s: one SVG element of the wanted width, with title and description", (name) => {
    const svg = draw(name);
    expect(svg).toMatch(/^<svg role="img" xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*viewBox="0 0 640 \d+/);
    expect(svg.endsWith("</svg>\n")).toBe(true);
    expect(svg).toMatch(/<title>[^<]+<\/title><desc>[^<]+<\/desc>/);
    expect(svg).not.toMatch(/NaN|undefined|\[object/);
    expect(svg).not.toMatch(/<(?:script|image|a|foreignObject)\b/);
  });

  test("text of rows is escaped, in names and in the description", () => {
    const svg = draw("bar");
    expect(svg).toContain("Rock &amp; Roll");
    expect(svg).toContain("&lt;script&gt;");
    expect(svg).not.toContain("<script");
  });

  test("the same rows give the same file, and each theme has its colours", () => {
    expect(draw("line")).toBe(draw("line"));
    expect(draw("bar", "bar", "dark")).toContain(THEME_COLORS.dark.series[0]);
    expect(draw("bar", "bar", "light")).toContain(THEME_COLORS.light.series[0]);
  });

  test("bars over time stand upright", () => {
    expect(draw("years", "bar")).toContain(">2010<");
  });

  test("its words are those of the page", () => {
    const [columns, rows] = RESULTS.share ?? [[], []];
    const [chart] = suggestCharts(columns, rows);
    if (chart === undefined) throw new Error("no picture");
    expect(draw("share")).toContain(describeChart(chart, columns, rows));
  });

  test("the plain colours are those of the page's style", () => {
    const css = readFileSync(new URL("../../src/web/client/styles/base.css", import.meta.url), "utf8");
    const pairs = [...css.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\)/g)];
    const named = (name: string, theme: ChartTheme) =>
      pairs.find((pair) => pair[1] === name)?.[theme === "light" ? 2 : 3];
    for (const theme of ["light", "dark"] as const) {
      const { ink, muted, grid, surface, series } = THEME_COLORS[theme];
      expect([ink, muted, grid, surface]).toEqual(
        ["ink", "muted", "line", "surface"].map((name) => named(name, theme)),
      );
      expect([...series]).toEqual(series.map((_, index) => named(`series-${index + 1}`, theme)));
    }
  });
});
