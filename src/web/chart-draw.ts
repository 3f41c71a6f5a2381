/**
 * Draws a picture of a result with Observable Plot: the same in the browser and, over `svg-document.ts`, in the worker.
 *
 * Owns: marks, axes, margins, legends inside the picture. Leaves to others: which picture it is (chart-rules.ts), words
 * (chart-text.ts). Loaded when the first picture is wanted, never before: the library is larger than all the rest.
 */
import * as Plot from "@observablehq/plot";
import { formatNumber, type Row, toCellNumber, toCellText, toWords } from "./cells.ts";
import { type Chart, SERIES_MAX, toTime } from "./chart-rules.ts";

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
  readonly colors: ChartColors;
  /** The document to draw in; absent: the page's own. */
  readonly document?: NonNullable<Plot.PlotOptions["document"]>;
  /** Values shown at the pointer; needs a real document. */
  readonly interactive: boolean;
}

/** Fixed, so that the one style element that Plot writes is the same text everywhere and a policy can name its hash. */
export const CHART_CLASS = "chart";

const LABEL_PX_MAX = 220;
const CHAR_PX = 7.2;
/** Labels are cut by Plot's own measure of a narrower font than some systems have. */
const LABEL_CHAR_PX = 8;
const BAR_PX = 26;
const LEGEND_ROW_PX = 22;
const FONT_PX = 13;

interface Point {
  readonly x: string | number | Date;
  readonly y: number;
  readonly series: string;
  readonly tip: string;
}

/** The picture as an SVG element. */
export function drawChart(chart: Chart, columns: readonly string[], rows: readonly Row[], look: ChartLook) {
  const shown = rows.slice(0, chart.rowsShown);
  if (chart.kind === "number") return drawNumbers(chart, columns, shown, look);
  const points = toPoints(chart, columns, shown);
  const series = [...new Set(points.map((point) => point.series))].slice(0, SERIES_MAX + 1);
  const legend = series.length > 1 || chart.kind === "share" ? layOutLegend(series, look.width) : NO_LEGEND;
  const parts = { chart, columns, points, series, legend, look };
  switch (chart.kind) {
    case "line":
      return finish(parts, lineOptions(parts));
    case "bar":
      return finish(parts, isOverTime(parts) ? columnOptions(parts) : barOptions(parts));
    case "share":
      return finish(parts, shareOptions(parts));
    case "dots":
      return finish(parts, dotOptions(parts));
  }
}

interface Parts {
  readonly chart: Chart;
  readonly columns: readonly string[];
  readonly points: readonly Point[];
  readonly series: readonly string[];
  readonly legend: Legend;
  readonly look: ChartLook;
}

interface Legend {
  readonly entries: readonly { readonly name: string; readonly x: number; readonly row: number }[];
  readonly height: number;
}

const NO_LEGEND: Legend = { entries: [], height: 0 };

function toPoints(chart: Chart, columns: readonly string[], rows: readonly Row[]): readonly Point[] {
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

function finish({ chart, legend, series, look, points }: Parts, options: Plot.PlotOptions) {
  const { colors, width } = look;
  const hasTimes = chart.kind === "line" || chart.kind === "dots";
  const atPointer = chart.kind === "line" ? Plot.pointerX : Plot.pointer;
  const tip = { x: "x", y: "y", title: "tip", fontSize: FONT_PX, fill: colors.surface, stroke: colors.muted };
  const pointer = look.interactive ? [Plot.tip(points, atPointer(tip))] : [];
  const marks = [
    ...(options.marks ?? []),
    ...(hasTimes ? pointer : []),
    ...legend.entries.flatMap((entry) => legendMarks(entry, series, colors, options)),
  ];
  return Plot.plot({
    ...options,
    width,
    className: CHART_CLASS,
    style: { fontSize: `${FONT_PX}px`, color: colors.muted, background: "none" },
    color: { domain: [...series], range: series.map((_name, index) => colorOf(index, colors)) },
    marks,
    ...(look.document === undefined ? {} : { document: look.document }),
  });
}

function lineOptions({ chart, columns, points, legend, look }: Parts): Plot.PlotOptions {
  const { colors, width } = look;
  const values = points.map((point) => point.y);
  const low = Math.min(...values);
  return {
    height: Math.round(Math.min(360, Math.max(240, width * 0.45))) + legend.height,
    marginTop: 24 + legend.height,
    marginLeft: 12 + CHAR_PX * Math.max(...values.map((value) => formatTick(value).length)),
    marginRight: 20,
    marginBottom: 32,
    x: { type: "utc", label: null },
    // Always from zero: a cut axis makes a mountain of any change.
    y: { label: null, nice: true, zero: true },
    marks: [
      Plot.gridY({ stroke: colors.grid, strokeOpacity: 1 }),
      Plot.axisX({ color: colors.muted, tickSize: 0, tickSpacing: 80, label: null }),
      Plot.axisY({ color: colors.muted, tickSize: 0, tickFormat: formatTick, tickSpacing: 50, label: null }),
      Plot.ruleY(low < 0 ? [0] : [], { stroke: colors.muted }),
      Plot.lineY(points, { x: "x", y: "y", stroke: "series", strokeWidth: 2.25, curve: "linear" }),
      ...(points.length <= 60 ? [Plot.dot(points, { x: "x", y: "y", fill: "series", r: 3 })] : []),
      measureName(chart, columns, colors),
    ],
  };
}

function barOptions({ chart, columns, points, legend, look }: Parts): Plot.PlotOptions {
  const { colors, width } = look;
  const names = [...new Set(points.map((point) => String(point.x)))];
  const labels = Math.min(
    LABEL_PX_MAX,
    width * 0.4,
    22 + LABEL_CHAR_PX * Math.max(...names.map((name) => name.length)),
  );
  const isStacked = chart.series !== null;
  const valueTexts = isStacked ? [] : points.map((point) => formatNumber(point.y));
  const valueRoom = 10 + CHAR_PX * Math.max(0, ...valueTexts.map((text) => text.length));
  const hasNegative = points.some((point) => point.y < 0);
  return {
    height: names.length * BAR_PX + 28 + legend.height,
    marginTop: 24 + legend.height,
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
        lineWidth: (labels - 8) / FONT_PX / 1.08,
        textOverflow: "ellipsis",
      }),
      Plot.barX(points, {
        x: "y",
        y: "x",
        fill: "series",
        rx: 2,
        ...(look.interactive ? { title: "tip" } : {}),
      }),
      Plot.ruleX([0], { stroke: colors.muted }),
      ...(isStacked
        ? []
        : [
            Plot.text(points, {
              x: "y",
              y: "x",
              text: (point: Point) => formatNumber(point.y),
              textAnchor: "start",
              dx: 6,
              fill: colors.ink,
              fontVariant: "tabular-nums",
              filter: (point: Point) => point.y >= 0,
            }),
            Plot.text(points, {
              x: "y",
              y: "x",
              text: (point: Point) => formatNumber(point.y),
              textAnchor: "end",
              dx: -6,
              fill: colors.ink,
              fontVariant: "tabular-nums",
              filter: (point: Point) => point.y < 0,
            }),
          ]),
      measureName(chart, columns, colors),
    ],
  };
}

/** Upright bars, for times: a row of years is read from left to right. */
function columnOptions({ chart, columns, points, legend, look }: Parts): Plot.PlotOptions {
  const { colors, width } = look;
  const names = [...new Set(points.map((point) => String(point.x)))];
  const longest = Math.max(...names.map((name) => name.length));
  const isTight = (names.length * (longest + 2) * CHAR_PX) / width > 0.9;
  return {
    height: Math.round(Math.min(340, Math.max(240, width * 0.42))) + legend.height,
    marginTop: 24 + legend.height,
    marginLeft: 12 + CHAR_PX * Math.max(...points.map((point) => formatTick(point.y).length)),
    marginBottom: isTight ? 20 + longest * CHAR_PX * 0.72 : 30,
    x: { domain: names, padding: 0.25, label: null },
    y: { label: null, nice: true },
    marks: [
      Plot.gridY({ stroke: colors.grid, strokeOpacity: 1 }),
      Plot.axisX({ color: colors.muted, tickSize: 0, label: null, ...(isTight ? { tickRotate: -45 } : {}) }),
      Plot.axisY({ color: colors.muted, tickSize: 0, tickFormat: formatTick, tickSpacing: 50, label: null }),
      Plot.barY(points, { x: "x", y: "y", fill: "series", rx: 2, ...(look.interactive ? { title: "tip" } : {}) }),
      Plot.ruleY([0], { stroke: colors.muted }),
      measureName(chart, columns, colors),
    ],
  };
}

function shareOptions({ points, legend, look }: Parts): Plot.PlotOptions {
  const total = points.reduce((sum, point) => sum + point.y, 0);
  const share = (value: number): string => `${formatNumber((value / total) * 100)} %`;
  return {
    height: 64 + legend.height,
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
  const { colors, width } = look;
  const [y = 0] = chart.y;
  return {
    height: Math.round(Math.min(420, Math.max(260, width * 0.55))),
    marginTop: 28,
    marginLeft: 16 + CHAR_PX * Math.max(...points.map((point) => formatTick(point.y).length)),
    marginRight: 20,
    marginBottom: 44,
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
      nameMark(toWords(columns[y] ?? ""), colors),
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
    style: { fontSize: `${FONT_PX}px`, color: colors.ink, background: "none" },
    x: { axis: null, domain: [0, 1] },
    y: { axis: null, domain: [0, 1] },
    marks: [
      Plot.text(tiles, { x: "x", y: () => 0.58, text: "value", fontSize: 44, fontWeight: 600, fill: colors.ink }),
      Plot.text(tiles, { x: "x", y: () => 0.16, text: "name", fill: colors.muted }),
    ],
    ...(look.document === undefined ? {} : { document: look.document }),
  });
}

function isOverTime({ points }: Parts): boolean {
  return points.length > 0 && points.every((point) => typeof point.x === "string" && isTimeText(point.x));
}

function isTimeText(text: string): boolean {
  return toTime(/^\d{4}$/.test(text) ? Number(text) : text) !== null;
}

/** The name of the measure, where an axis title would be. */
function measureName(chart: Chart, columns: readonly string[], colors: ChartColors) {
  const named = chart.y.length > 1 ? "" : toWords(columns[chart.y[0] ?? 0] ?? "");
  return nameMark(named, colors);
}

function nameMark(text: string, colors: ChartColors) {
  return Plot.text([text], {
    frameAnchor: "top-left",
    text: (each: string) => each,
    dy: -20,
    fill: colors.muted,
    textAnchor: "start",
  });
}

function layOutLegend(series: readonly string[], width: number): Legend {
  const entries: { name: string; x: number; row: number }[] = [];
  let [x, row] = [0, 0];
  for (const full of series) {
    const name = full.length > 28 ? `${full.slice(0, 27)}…` : full;
    const room = 36 + name.length * CHAR_PX;
    if (x > 0 && x + room > width) [x, row] = [0, row + 1];
    entries.push({ name, x, row });
    x += room;
  }
  return { entries, height: (row + 1) * LEGEND_ROW_PX + 8 };
}

function legendMarks(
  { name, x, row }: Legend["entries"][number],
  series: readonly string[],
  colors: ChartColors,
  { marginTop = 0, marginLeft = 0 }: Plot.PlotOptions,
) {
  const index = series.findIndex((full) => full === name || full.startsWith(name.replace(/…$/, "")));
  const at = { frameAnchor: "top-left", dx: x - marginLeft + 6, dy: row * LEGEND_ROW_PX + 8 - marginTop } as const;
  return [
    Plot.dot([name], { ...at, r: 5, fill: colorOf(index, colors) }),
    Plot.text([name], { ...at, dx: at.dx + 12, text: (each: string) => each, textAnchor: "start", fill: colors.ink }),
  ];
}

function colorOf(index: number, colors: ChartColors): string {
  return colors.series[index % colors.series.length] ?? colors.ink;
}

function toDate(cell: unknown): Date | null {
  const time = toTime(cell);
  return time === null ? null : new Date(time);
}

const TICK_FORMAT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });

function formatTick(value: number): string {
  return Math.abs(value) >= 10_000 ? TICK_FORMAT.format(value) : formatNumber(value);
}
