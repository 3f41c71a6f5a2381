/**
 * Marks that several kinds of picture share on the page: the name of the measure, an entry of the legend.
 * Leaves to others: where they stand (chart-frame.ts, chart-legend.ts), marks of each kind (chart-draw.ts).
 */
import * as Plot from "@observablehq/plot";
import { toWords } from "./cells.ts";
import { type ChartLook, colorOf } from "./chart-frame.ts";
import { LEGEND_ROW_EM, type Legend } from "./chart-legend.ts";
import type { Chart } from "./chart-rules.ts";

/** The name of the measure, where an axis title would be. */
export function measureName(chart: Chart, columns: readonly string[], look: ChartLook) {
  const named = chart.y.length > 1 ? "" : toWords(columns[chart.y[0] ?? 0] ?? "");
  return nameMark(named, look);
}

export function nameMark(text: string, { colors, fontPx: em }: ChartLook) {
  return Plot.text([text], {
    frameAnchor: "top-left",
    text: (each: string) => each,
    dy: -em * 1.5,
    fill: colors.muted,
    textAnchor: "start",
  });
}

export function legendMarks(
  { name, x, row }: Legend["entries"][number],
  series: readonly string[],
  { colors, fontPx: em }: ChartLook,
  { marginTop = 0, marginLeft = 0 }: Plot.PlotOptions,
) {
  const index = series.findIndex((full) => full === name || full.startsWith(name.replace(/…$/, "")));
  const at = { frameAnchor: "top-left", dx: x - marginLeft + 6, dy: row * em * LEGEND_ROW_EM + 8 - marginTop } as const;
  return [
    Plot.dot([name], { ...at, r: 5, fill: colorOf(index, colors) }),
    Plot.text([name], {
      ...at,
      dx: at.dx + em * 0.9,
      text: (each: string) => each,
      textAnchor: "start",
      fill: colors.ink,
    }),
  ];
}
