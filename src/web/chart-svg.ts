/**
 * A picture of a result as an SVG file, drawn in the worker: what `GET /v1/runs/:id/chart.svg` answers with.
 *
 * Owns: the two sets of plain colours, title and description inside the file. Leaves to others: which picture
 * (chart-rules.ts) and its marks (svg-marks.ts). Pure: no I/O, no clock.
 */
import type { Row } from "./cells.ts";
import type { ChartColors } from "./chart-frame.ts";
import type { Chart } from "./chart-rules.ts";
import { describeChart } from "./chart-text.ts";
import { drawMarks } from "./svg-marks.ts";
import { element, escapeXml, toPixels } from "./svg-text.ts";

export type ChartTheme = "light" | "dark";

/** The same as in style.css; a test compares them. */
export const THEME_COLORS: { readonly [theme in ChartTheme]: ChartColors } = {
  light: {
    ink: "#1d2021",
    muted: "#5f6568",
    grid: "#e3e5e3",
    surface: "#ffffff",
    series: ["#2457c5", "#c2570c", "#0f766e", "#a21caf", "#8a6d00", "#be123c", "#4d7c0f", "#5b4fc7", "#6b7280"],
  },
  dark: {
    ink: "#e9ebea",
    muted: "#a2a9ab",
    grid: "#2f3437",
    surface: "#16191b",
    series: ["#8ab0ff", "#f5a35c", "#4fd1c0", "#e58bf0", "#e3c54a", "#ff8fa3", "#a5d65c", "#b3a8ff", "#b5bcc2"],
  },
};

const FONT_PX = 13;
const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

export interface SvgOptions {
  readonly width: number;
  readonly theme: ChartTheme;
}

/** The file's text. */
export function renderChartSvg(
  chart: Chart,
  columns: readonly string[],
  rows: readonly Row[],
  { width, theme }: SvgOptions,
): string {
  const colors = THEME_COLORS[theme];
  const { height, content } = drawMarks(chart, columns, rows, { width, fontPx: FONT_PX, colors, interactive: false });
  const size = { role: "img", xmlns: SVG_NAMESPACE, width, height, viewBox: `0 0 ${width} ${toPixels(height)}` };
  const font = { "font-family": "system-ui, sans-serif", "font-size": FONT_PX, fill: colors.muted };
  const svg = element(
    "svg",
    { ...size, ...font },
    element("title", {}, escapeXml(chart.title)),
    element("desc", {}, escapeXml(describeChart(chart, columns, rows))),
    element("rect", { width: "100%", height: "100%", fill: colors.surface }),
    content,
  );
  return `${svg}\n`;
}
