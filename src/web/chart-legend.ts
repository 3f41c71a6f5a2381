/**
 * The legend of a picture with several series: where each name stands. It is drawn into the picture itself, so that a
 * saved file has it too. Leaves to others: drawing it (chart-marks.ts, svg-frame.ts). Pure.
 */
import { CHAR_EM, type ChartLook } from "./chart-frame.ts";

export const LEGEND_ROW_EM = 1.7;

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
