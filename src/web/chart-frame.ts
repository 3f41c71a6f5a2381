/**
 * What every kind of picture is made of, in the page and in a file: colours, points read from rows, room for texts.
 * Leaves to others: marks and axes of each kind (chart-draw.ts, svg-marks.ts), the legend (chart-legend.ts).
 * Imports types of the chart library only: the worker, which draws without it, imports this. Pure.
 */
import type * as Plot from "@observablehq/plot";
import { formatNumber, type Row, toCellNumber, toCellText, toWords } from "./cells.ts";
import { type Chart, toTime } from "./chart-rules.ts";

/** Colours as the place of the picture knows them: custom properties on the page, plain values in a file. */
export interface ChartColors {
  readonly ink: string;
  readonly muted: string;
  readonly grid: string;
  readonly surface: string;
  readonly series: readonly string[];
}

export interface ChartLook {
  readonly width: number;
  /** Size of its text in pixels. */
  readonly fontPx: number;
  readonly colors: ChartColors;
  /** The document to draw in; absent: the page's own. */
  readonly document?: NonNullable<Plot.PlotOptions["document"]>;
  /** Values shown at the pointer; needs a real document. */
  readonly interactive: boolean;
}

/** All lengths follow the size of the text: these are in ems. */
export const CHAR_EM = 0.56;

export interface Point {
  readonly x: string | number | Date;
  readonly y: number;
  readonly series: string;
  readonly tip: string;
}

export function toPoints(chart: Chart, columns: readonly string[], rows: readonly Row[]): readonly Point[] {
  return chart.y.flatMap((index) =>
    rows.flatMap((row): readonly Point[] => {
      const y = toCellNumber(row[index]);
      const cell = chart.x === null ? null : row[chart.x];
      const x = chart.kind === "line" ? toDate(cell) : chart.kind === "dots" ? toCellNumber(cell) : toCellText(cell);
      if (y === null || x === null) return [];
      const measure = toWords(columns[index] ?? "");
      const name = chart.series === null ? measure : toCellText(row[chart.series]);
      const series = chart.kind === "share" ? toCellText(cell) : name;
      const label = chart.label === null ? [] : [toCellText(row[chart.label])];
      const across =
        chart.kind === "dots" ? `${toWords(columns[chart.x ?? 0] ?? "")} ${formatNumber(Number(x))}` : toCellText(cell);
      return [{ x, y, series, tip: [...label, across, `${name} ${formatNumber(y)}`].join("\n") }];
    }),
  );
}

/** Whether the bars stand for times, and so stand upright. */
export function isOverTime(points: readonly Point[]): boolean {
  return points.length > 0 && points.every((point) => typeof point.x === "string" && isTimeText(point.x));
}

function isTimeText(text: string): boolean {
  return toTime(/^\d{4}$/.test(text) ? Number(text) : text) !== null;
}

/** Room for the texts of an upright axis. */
export function tickRoom(points: readonly Point[], em: number): number {
  return 12 + em * CHAR_EM * Math.max(...points.map((point) => formatTick(point.y).length));
}

export function colorOf(index: number, colors: ChartColors): string {
  return colors.series[index % colors.series.length] ?? colors.ink;
}

function toDate(cell: unknown): Date | null {
  const time = toTime(cell);
  return time === null ? null : new Date(time);
}

const TICK_FORMAT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });

export function formatTick(value: number): string {
  return Math.abs(value) >= 10_000 ? TICK_FORMAT.format(value) : formatNumber(value);
}
