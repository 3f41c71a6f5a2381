/**
 * The legend of a picture with several series, drawn into the picture itself, so that a saved file has it too.
 */
import * as Plot from "@observablehq/plot";
import { CHAR_EM, type ChartLook, colorOf } from "./chart-frame.ts";

const LEGEND_ROW_EM = 1.7;

export interface Legend {
  readonly entries: readonly { readonly name: string; readonly x: number; readonly row: number }[];
  readonly height: number;
}

export const NO_LEGEND: Legend = { entries: [], height: 0 };

export function layOutLegend(series: readonly string[], { width, fontPx: em }: ChartLook): Legend {
  const entries: { name: string; x: number; row: number }[] = [];
  let [x, row] = [0, 0];
  for (const full of series) {
    const name = full.length > 28 ? `${full.slice(0, 27)}…` : full;
    const room = em * (2.8 + name.length * CHAR_EM);
    if (x > 0 && x + room > width) [x, row] = [0, row + 1];
    entries.push({ name, x, row });
    x += room;
  }
  return { entries, height: (row + 1) * em * LEGEND_ROW_EM + 8 };
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
