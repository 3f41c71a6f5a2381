/**
 * Draws a picture of a result on the page, with Observable Plot. The same picture as a file is drawn by svg-marks.ts.
 *
 * Owns: marks, axes and margins of each kind. Leaves to others: which picture it is (chart-rules.ts), points and colours
 * (chart-frame.ts), the legend (chart-legend.ts, chart-marks.ts), words (chart-text.ts). Loaded when the first picture is
 * wanted, never before: the library is larger than all the rest.
 */
import * as Plot from "@observablehq/plot";
import { formatAlike, formatNumber, type Row, toCellNumber, toWords } from "./cells.ts";
import {
  CHAR_EM,
  type ChartLook,
  colorOf,
  formatTick,
  isOverTime,
  type Point,
  tickRoom,
  toPoints,
} from "./chart-frame.ts";
import { type Legend, layOutLegend, NO_LEGEND } from "./chart-legend.ts";
import { legendMarks, measureName, nameMark } from "./chart-marks.ts";
import { type Chart, SERIES_MAX } from "./chart-rules.ts";

/** Fixed, so that the one style element that Plot writes is the same text everywhere and a policy can name its hash. */
export const CHART_CLASS = "chart";

/** Labels are cut by Plot's own measure of a narrower font than some systems have. */
const LABEL_CHAR_EM = 0.62;
const LABEL_EM_MAX = 17;
const BAR_EM = 2;

interface Parts {
  readonly chart: Chart;
  readonly columns: readonly string[];
  readonly points: readonly Point[];
  readonly series: readonly string[];
  readonly legend: Legend;
  readonly look: ChartLook;
}

/** The picture as an SVG element. */
export function drawChart(chart: Chart, columns: readonly string[], rows: readonly Row[], look: ChartLook) {
  const shown = rows.slice(0, chart.rowsShown);
  if (chart.kind === "number") return drawNumbers(chart, columns, shown, look);
  const points = toPoints(chart, columns, shown);
  const series = [...new Set(points.map((point) => point.series))].slice(0, SERIES_MAX + 1);
  const legend = series.length > 1 || chart.kind === "share" ? layOutLegend(series, look) : NO_LEGEND;
  const parts = { chart, columns, points, series, legend, look };
  switch (chart.kind) {
    case "line":
      return finish(parts, lineOptions(parts));
    case "bar":
      return finish(parts, isOverTime(parts.points) ? columnOptions(parts) : barOptions(parts));
    case "share":
      return finish(parts, shareOptions(parts));
    case "dots":
      return finish(parts, dotOptions(parts));
  }
}

function finish({ chart, legend, series, look, points }: Parts, options: Plot.PlotOptions) {
  const { colors, width } = look;
  // Sideways bars have their values written beside them, and stacked ones tell theirs by the browser's own hint.
  const isPlainBar = chart.kind === "bar" && chart.series === null;
  const hasTip = chart.kind === "line" || chart.kind === "dots" || (isPlainBar && isOverTime(points));
  const atPointer = chart.kind === "dots" ? Plot.pointer : Plot.pointerX;
  const tip = { x: "x", y: "y", title: "tip", fontSize: look.fontPx, fill: colors.surface, stroke: colors.muted };
  const pointer = look.interactive ? [Plot.tip(points, atPointer(tip))] : [];
  const marks = [
    ...(options.marks ?? []),
    ...(hasTip ? pointer : []),
    ...legend.entries.flatMap((entry) => legendMarks(entry, series, look, options)),
  ];
  return Plot.plot({
    ...options,
    width,
    className: CHART_CLASS,
    style: { fontSize: `${look.fontPx}px`, color: colors.muted, background: "none" },
    color: { domain: [...series], range: series.map((_name, index) => colorOf(index, colors)) },
    marks,
    ...(look.document === undefined ? {} : { document: look.document }),
  });
}

function lineOptions({ chart, columns, points, legend, look }: Parts): Plot.PlotOptions {
  const { colors, width, fontPx: em } = look;
  const values = points.map((point) => point.y);
  const low = Math.min(...values);
  return {
    height: Math.round(Math.min(360, Math.max(240, width * 0.45))) + legend.height,
    marginTop: em * 1.9 + legend.height,
    marginLeft: tickRoom(points, em),
    marginRight: 20,
    marginBottom: em * 2.6,
    x: { type: "utc", label: null },
    // Always from zero: a cut axis makes a mountain of any change.
    y: { label: null, nice: true, zero: true },
    marks: [
      Plot.gridY({ stroke: colors.grid, strokeOpacity: 1 }),
      Plot.axisX({ color: colors.muted, tickSize: 0, tickPadding: em * 0.7, tickSpacing: 80, label: null }),
      Plot.axisY({ color: colors.muted, tickSize: 0, tickFormat: formatTick, tickSpacing: 50, label: null }),
      Plot.ruleY(low < 0 ? [0] : [], { stroke: colors.muted }),
      Plot.lineY(points, { x: "x", y: "y", stroke: "series", strokeWidth: 2.25, curve: "linear" }),
      ...(points.length <= 60 ? [Plot.dot(points, { x: "x", y: "y", fill: "series", r: 3 })] : []),
      measureName(chart, columns, look),
    ],
  };
}

function barOptions({ chart, columns, points, legend, look }: Parts): Plot.PlotOptions {
  const { colors, width, fontPx: em } = look;
  const names = [...new Set(points.map((point) => String(point.x)))];
  const labels = Math.min(
    em * LABEL_EM_MAX,
    width * 0.4,
    22 + em * LABEL_CHAR_EM * Math.max(...names.map((name) => name.length)),
  );
  const isStacked = chart.series !== null;
  const format = formatAlike(points.map((point) => point.y));
  const valueTexts = isStacked ? [] : points.map((point) => format(point.y));
  const valueRoom = 10 + em * CHAR_EM * Math.max(0, ...valueTexts.map((text) => text.length));
  const hasNegative = points.some((point) => point.y < 0);
  return {
    height: names.length * em * BAR_EM + 28 + legend.height,
    marginTop: em * 1.9 + legend.height,
    marginBottom: 4,
    marginLeft: labels,
    marginRight: isStacked ? 16 : valueRoom,
    x: { label: null, axis: null, insetLeft: hasNegative ? valueRoom : 0 },
    y: { label: null, domain: names, padding: 0.28 },
    marks: [
      Plot.axisY({
        color: colors.ink,
        tickSize: 0,
        label: null,
        lineWidth: (labels - 8) / em / 1.08,
        textOverflow: "ellipsis",
      }),
      Plot.barX(points, {
        x: "y",
        y: "x",
        fill: "series",
        rx: 2,
        ...hint(look),
      }),
      Plot.ruleX([0], { stroke: colors.muted }),
      ...(isStacked
        ? []
        : [
            Plot.text(points, {
              x: "y",
              y: "x",
              text: (point: Point) => format(point.y),
              textAnchor: "start",
              dx: 6,
              fill: colors.ink,
              fontVariant: "tabular-nums",
              filter: (point: Point) => point.y >= 0,
            }),
            Plot.text(points, {
              x: "y",
              y: "x",
              text: (point: Point) => format(point.y),
              textAnchor: "end",
              dx: -6,
              fill: colors.ink,
              fontVariant: "tabular-nums",
              filter: (point: Point) => point.y < 0,
            }),
          ]),
      measureName(chart, columns, look),
    ],
  };
}

/** Upright bars, for times: a row of years is read from left to right. */
function columnOptions({ chart, columns, points, legend, look }: Parts): Plot.PlotOptions {
  const { colors, width, fontPx: em } = look;
  const names = [...new Set(points.map((point) => String(point.x)))];
  const longest = Math.max(...names.map((name) => name.length));
  const isTight = (names.length * (longest + 2) * em * CHAR_EM) / width > 0.9;
  return {
    height: Math.round(Math.min(340, Math.max(240, width * 0.42))) + legend.height,
    marginTop: em * 1.9 + legend.height,
    marginLeft: tickRoom(points, em),
    marginBottom: isTight ? em + longest * em * CHAR_EM * 0.72 : em * 2.3,
    x: { domain: names, padding: 0.25, label: null },
    y: { label: null, nice: true },
    marks: [
      Plot.gridY({ stroke: colors.grid, strokeOpacity: 1 }),
      Plot.axisX({ color: colors.muted, tickSize: 0, label: null, ...(isTight ? { tickRotate: -45 } : {}) }),
      Plot.axisY({ color: colors.muted, tickSize: 0, tickFormat: formatTick, tickSpacing: 50, label: null }),
      Plot.barY(points, { x: "x", y: "y", fill: "series", rx: 2, ...(chart.series === null ? {} : hint(look)) }),
      Plot.ruleY([0], { stroke: colors.muted }),
      measureName(chart, columns, look),
    ],
  };
}

function shareOptions({ points, legend, look }: Parts): Plot.PlotOptions {
  const total = points.reduce((sum, point) => sum + point.y, 0);
  const share = (value: number): string => `${formatNumber((value / total) * 100)} %`;
  return {
    height: look.fontPx * 4.6 + legend.height,
    marginTop: 8 + legend.height,
    marginLeft: 0,
    marginRight: 0,
    marginBottom: 0,
    x: { axis: null, domain: [0, total] },
    marks: [
      Plot.barX(
        points,
        Plot.stackX({
          x: "y",
          fill: "series",
          inset: 1,
          rx: 2,
          ...(look.interactive ? { title: (point: Point) => `${point.tip}\n${share(point.y)}` } : {}),
        }),
      ),
      Plot.text(
        points,
        Plot.stackX({
          x: "y",
          text: (point: Point) => ((point.y / total) * look.width > 56 ? share(point.y) : ""),
          fill: look.colors.surface,
          fontWeight: 600,
        }),
      ),
    ],
  };
}

function dotOptions({ chart, columns, points, look }: Parts): Plot.PlotOptions {
  const { colors, width, fontPx: em } = look;
  const [y = 0] = chart.y;
  return {
    height: Math.round(Math.min(420, Math.max(260, width * 0.55))),
    marginTop: em * 1.9,
    marginLeft: tickRoom(points, em),
    marginRight: 20,
    marginBottom: em * 3.4,
    x: { nice: true, label: null },
    y: { nice: true, label: null },
    marks: [
      Plot.gridX({ stroke: colors.grid, strokeOpacity: 1 }),
      Plot.gridY({ stroke: colors.grid, strokeOpacity: 1 }),
      Plot.axisX({
        color: colors.muted,
        tickSize: 0,
        tickFormat: formatTick,
        label: toWords(columns[chart.x ?? 0] ?? ""),
        labelArrow: "none",
      }),
      Plot.axisY({ color: colors.muted, tickSize: 0, tickFormat: formatTick, label: null }),
      Plot.dot(points, { x: "x", y: "y", fill: colorOf(0, colors), fillOpacity: 0.7, r: 4 }),
      nameMark(toWords(columns[y] ?? ""), look),
    ],
  };
}

/** Large figures in a row; on the page they are text, so this is for the file. */
function drawNumbers(chart: Chart, columns: readonly string[], rows: readonly Row[], look: ChartLook) {
  const { colors, width } = look;
  const tiles = chart.y.map((index, position) => ({
    x: (position + 0.5) / chart.y.length,
    value: formatNumber(toCellNumber(rows[0]?.[index]) ?? 0),
    name: toWords(columns[index] ?? ""),
  }));
  return Plot.plot({
    width,
    height: 120,
    margin: 0,
    className: CHART_CLASS,
    style: { fontSize: `${look.fontPx}px`, color: colors.ink, background: "none" },
    x: { axis: null, domain: [0, 1] },
    y: { axis: null, domain: [0, 1] },
    marks: [
      Plot.text(tiles, { x: "x", y: () => 0.58, text: "value", fontSize: 44, fontWeight: 600, fill: colors.ink }),
      Plot.text(tiles, { x: "x", y: () => 0.16, text: "name", fill: colors.muted }),
    ],
    ...(look.document === undefined ? {} : { document: look.document }),
  });
}

/** The browser's own hint at the pointer. */
function hint(look: ChartLook): { readonly title?: string } {
  return look.interactive ? { title: "tip" } : {};
}
