/**
 * Which of the pictures that suit a result is shown first: the one that the model asked for with its answer, if the rows
 * allow it, else the best by the rules. A wish never makes a picture of rows that it does not suit. Pure: no I/O, no clock.
 */
import type { Chart, ChartKind } from "./chart-rules.ts";

/** As the run's receipt has it. */
export interface ChartWish {
  readonly kind: ChartKind | "table";
  /** Null: of any result. */
  readonly result: string | null;
}

/** Of the result `ref`: a kind of `charts`, `table` where that was asked for, null when there is no picture at all. */
export function chooseKind(charts: readonly Chart[], wish: ChartWish | null, ref: string): ChartKind | "table" | null {
  const [best] = charts;
  if (best === undefined) return null;
  if (wish === null || (wish.result !== null && wish.result !== ref)) return best.kind;
  const isPossible = wish.kind === "table" || charts.some((chart) => chart.kind === wish.kind);
  return isPossible ? wish.kind : best.kind;
}
