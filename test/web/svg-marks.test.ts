import { describe, expect, test } from "vitest";
import { type Chart, suggestCharts } from "../../src/web/chart-rules.ts";
import { THEME_COLORS } from "../../src/web/chart-svg.ts";
import { drawMarks } from "../../src/web/svg-marks.ts";

type Rows = readonly (readonly unknown[])[];

function draw(columns: readonly string[], rows: Rows, kind?: Chart["kind"], fontPx = 13) {
  const charts = suggestCharts(columns, rows);
  const chart = kind === undefined ? charts[0] : charts.find((one) => one.kind === kind);
  if (chart === undefined) throw new Error("no picture suits these rows");
  return drawMarks(chart, columns, rows, { width: 480, fontPx, colors: THEME_COLORS.light, interactive: false });
}

function boxes(content: string) {
  const number = (text: string, name: string): number => Number(new RegExp(` ${name}="([-\\d.]+)"`).exec(text)?.[1]);
  return [...content.matchAll(/<rect[^>]*>/g)].map(([text]) => ({
    x: number(text, "x"),
    y: number(text, "y"),
    width: number(text, "width"),
    height: number(text, "height"),
    fill: /fill="([^"]+)"/.exec(text)?.[1],
  }));
}

const COUNTRIES = [
  ["USA", 494],
  ["Canada", 535],
  ["Brazil", 427],
];

describe("drawing a file", () => {
  test("each bar is as long as its value, and its value stands beside it", () => {
    const { content } = draw(["country", "n"], COUNTRIES);
    const widths = boxes(content).map(({ width }) => width);
    expect(widths.length).toBe(3);
    expect((widths[0] ?? 0) / (widths[1] ?? 1)).toBeCloseTo(494 / 535, 2);
    for (const text of COUNTRIES.flat()) expect(content).toContain(`>${text}<`);
  });

  test("a negative bar ends where the others begin", () => {
    const [up, down] = boxes(
      draw(
        ["country", "change"],
        [
          ["USA", 10],
          ["Chile", -5],
        ],
      ).content,
    );
    expect((down?.x ?? 0) + (down?.width ?? 0)).toBeCloseTo(up?.x ?? 0, 1);
    expect((up?.width ?? 0) / (down?.width ?? 1)).toBeCloseTo(2, 1);
  });

  test("stacked bars stand end to end, one colour a series", () => {
    const drawn = boxes(
      draw(
        ["country", "media", "n"],
        [
          ["A", "x", 1],
          ["A", "y", 2],
          ["B", "x", 3],
        ],
      ).content,
    );
    const [ax, ay, bx] = drawn;
    expect(ay?.x).toBeCloseTo((ax?.x ?? 0) + (ax?.width ?? 0), 1);
    expect(ay?.y).toBe(ax?.y);
    expect(bx?.x).toBe(ax?.x);
    expect([ax?.fill === bx?.fill, ax?.fill === ay?.fill]).toEqual([true, false]);
  });

  test("bars over time stand upright on one line", () => {
    const years = Array.from({ length: 5 }, (_, n) => [2009 + n, 100 + n * 50]);
    const drawn = boxes(draw(["year", "total"], years, "bar").content);
    expect(new Set(drawn.map(({ y, height }) => Math.round(y + height))).size).toBe(1);
    expect((drawn[4]?.height ?? 0) / (drawn[0]?.height ?? 1)).toBeCloseTo(3, 1);
  });

  test("shares fill the whole width", () => {
    const { content } = draw(
      ["country", "share"],
      [
        ["USA", 60],
        ["Chile", 40],
      ],
    );
    const drawn = boxes(content);
    expect(drawn.map(({ width }) => width)).toEqual([480 * 0.6 - 2, 480 * 0.4 - 2]);
    expect(content).toContain(">60 %<");
  });

  test("a line goes through each of its points, and values that cannot be drawn are left out, not drawn as zero", () => {
    const { content } = draw(
      ["day", "n"],
      [
        ["2024-01-01", 1],
        ["2024-01-02", null],
        ["2024-01-03", 3],
      ],
    );
    expect(content.match(/<circle/g)?.length).toBe(2);
    expect(/ d="(M[^"]+)"/.exec(content)?.[1]?.split("L").length).toBe(2);
  });

  test("dots name both measures", () => {
    const { content } = draw(
      ["length_s", "price"],
      Array.from({ length: 9 }, (_, n) => [n, n * n]),
    );
    expect(content.match(/<circle/g)?.length).toBe(9);
    expect(content).toContain(">length s<");
    expect(content).toContain(">price<");
  });

  test("everything grows with the size of the text", () => {
    expect(draw(["country", "n"], COUNTRIES, "bar", 26).height).toBeGreaterThan(
      draw(["country", "n"], COUNTRIES, "bar", 13).height * 1.6,
    );
  });
});
