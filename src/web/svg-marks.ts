/**
 * Each kind of picture as SVG text, drawn in the worker for `chart.svg`.
 *
 * The page draws the same pictures with Observable Plot, which can show values at the pointer. Plot and the d3 packages
 * under it would be 105 kB of a compressed worker of 250 and no part of it can be left out by import, so a file that
 * stands still is drawn here: same rules, points, colours, lengths and texts (chart-rules, chart-frame, chart-legend).
 * Pure: no I/O, no clock.
 */
import { formatAlike, formatNumber, type Row, toCellNumber, toWords } from "./cells.ts";
import { CHAR_EM, type ChartLook, colorOf, isOverTime, type Point, tickRoom, toPoints } from "./chart-frame.ts";
import { type Legend, layOutLegend, NO_LEGEND } from "./chart-legend.ts";
import { type Chart, SERIES_MAX } from "./chart-rules.ts";
import * as frames from "./svg-frame.ts";
import { bandScale, linearScale, niceRange, timeTicks, unitOf } from "./svg-scales.ts";
import { element, group, middleText, rule, toPixels } from "./svg-text.ts";

/** The elements of a picture, and how high it is. */
export interface Drawn {
  readonly height: number;
  readonly content: string;
}

interface Parts {
  readonly chart: Chart;
  readonly points: readonly Point[];
  readonly series: readonly string[];
  readonly legend: Legend;
  readonly look: ChartLook;
  /** The name of the measure, where there is one. */
  readonly title: string;
  readonly xTitle: string;
}

const BAR_EM = 2;
const LABEL_CHAR_EM = 0.62;
const LABEL_EM_MAX = 17;
/** Narrower shares have no room for their text. */
const SHARE_TEXT_PX_MIN = 56;
const DOTS_ON_LINE_MAX = 60;
const TIME_SPACING_PX = 56;

export function drawMarks(chart: Chart, columns: readonly string[], rows: readonly Row[], look: ChartLook): Drawn {
  const shown = rows.slice(0, chart.rowsShown);
  if (chart.kind === "number") return drawNumbers(chart, columns, shown, look);
  const points = toPoints(chart, columns, shown);
  const series = [...new Set(points.map((point) => point.series))].slice(0, SERIES_MAX + 1);
  const legend = series.length > 1 || chart.kind === "share" ? layOutLegend(series, look) : NO_LEGEND;
  const title = chart.y.length > 1 ? "" : toWords(columns[chart.y[0] ?? 0] ?? "");
  const xTitle = toWords(columns[chart.x ?? 0] ?? "");
  const parts = { chart, points, series, legend, look, title, xTitle };
  const draw = {
    line: drawLines,
    bar: isOverTime(points) ? drawColumns : drawBars,
    share: drawShares,
    dots: drawDots,
  }[chart.kind];
  const { height, content } = draw(parts);
  return { height, content: content + frames.legendOf(legend, series, look) };
}

function drawLines({ points, series, legend, look, title }: Parts): Drawn {
  const { colors, width, fontPx: em } = look;
  const height = Math.round(Math.min(360, Math.max(240, width * 0.45))) + legend.height;
  const margins = { top: em * 1.9 + legend.height, right: 20, bottom: em * 2.6, left: tickRoom(points, em) };
  const frame = frames.frameOf(width, height, margins);
  const times = points.map((point) => Number(point.x));
  const [xLow, xHigh] = extent(times);
  const ticks = timeTicks(xLow, xHigh, (frame.right - frame.left) / TIME_SPACING_PX, unitOf(times));
  const range = niceRange(...withZero(points.map((point) => point.y)));
  const x = linearScale(xLow, xHigh, frame.left, frame.right);
  const y = linearScale(...range, frame.bottom, frame.top);
  const lines = series.map((name, index) => {
    const own = points.filter((point) => point.series === name);
    const path = own.map((point) => `${toPixels(x(Number(point.x)))},${toPixels(y(point.y))}`).join("L");
    return element("path", { d: `M${path}`, fill: "none", stroke: colorOf(index, colors), "stroke-width": 2.25 });
  });
  const dots =
    points.length > DOTS_ON_LINE_MAX
      ? []
      : points.map((point) => dot(x(Number(point.x)), y(point.y), 3, colorFor(point, series, look)));
  const content = [
    frames.yAxis(frame, y, range, look),
    frames.timeAxis(frame, x, ticks, look),
    range[0] < 0 ? rule(frame.left, y(0), frame.right, y(0), colors.muted) : "",
    ...lines,
    ...dots,
    frames.measureTitle(frame, title, look),
  ];
  return { height, content: content.join("") };
}

function drawBars({ chart, points, series, legend, look, title }: Parts): Drawn {
  const { colors, width, fontPx: em } = look;
  const names = namesOf(points);
  const labels = Math.min(em * LABEL_EM_MAX, width * 0.4, 22 + em * LABEL_CHAR_EM * longestOf(names));
  const isStacked = chart.series !== null;
  const format = formatAlike(points.map((point) => point.y));
  const valueRoom = 10 + em * CHAR_EM * longestOf(isStacked ? [] : points.map((point) => format(point.y)));
  const height = names.length * em * BAR_EM + 28 + legend.height;
  const margins = { top: em * 1.9 + legend.height, right: isStacked ? 16 : valueRoom, bottom: 4, left: labels };
  const frame = frames.frameOf(width, height, margins);
  const stacks = stack(points);
  const [low, high] = withZero(stacks.flatMap(({ from, to }) => [from, to]));
  const x = linearScale(low, high, frame.left + (low < 0 ? valueRoom : 0), frame.right);
  const band = bandScale(names, frame.top, frame.bottom, 0.28);
  const middle = (name: string): number => band.place(name) + band.width / 2;
  const bars = stacks.map(({ point, from, to }) => {
    const [start, end] = [x(Math.min(from, to)), x(Math.max(from, to))];
    const box = { x: start, y: band.place(String(point.x)), width: end - start, height: band.width };
    return element("rect", { ...box, rx: 2, fill: colorFor(point, series, look) });
  });
  const values = points.map((point) => {
    const isNegative = point.y < 0;
    const at = x(point.y) + (isNegative ? -6 : 6);
    return middleText(at, middle(String(point.x)), format(point.y), look, isNegative ? "end" : "start");
  });
  const content = [
    group(
      { fill: colors.ink },
      names.map((name) => frames.fittingText(labels - 6, middle(name), name, labels - 8, look)),
    ),
    ...bars,
    rule(x(0), frame.top, x(0), frame.bottom, colors.muted),
    isStacked ? "" : group({ fill: colors.ink, "font-variant": "tabular-nums" }, values),
    frames.measureTitle(frame, title, look),
  ];
  return { height, content: content.join("") };
}

/** Upright bars, for times: a row of years is read from left to right. */
function drawColumns({ points, series, legend, look, title }: Parts): Drawn {
  const { colors, width, fontPx: em } = look;
  const names = namesOf(points);
  const isTight = (names.length * (longestOf(names) + 2) * em * CHAR_EM) / width > 0.9;
  const height = Math.round(Math.min(340, Math.max(240, width * 0.42))) + legend.height;
  const bottom = isTight ? em + longestOf(names) * em * CHAR_EM * 0.72 : em * 2.3;
  const margins = { top: em * 1.9 + legend.height, right: 20, bottom, left: tickRoom(points, em) };
  const frame = frames.frameOf(width, height, margins);
  const stacks = stack(points);
  const range = niceRange(...withZero(stacks.flatMap(({ from, to }) => [from, to])));
  const y = linearScale(...range, frame.bottom, frame.top);
  const band = bandScale(names, frame.left, frame.right, 0.25);
  const bars = stacks.map(({ point, from, to }) => {
    const [upper, lower] = [y(Math.max(from, to)), y(Math.min(from, to))];
    const box = { x: band.place(String(point.x)), y: upper, width: band.width, height: lower - upper };
    return element("rect", { ...box, rx: 2, fill: colorFor(point, series, look) });
  });
  const content = [
    frames.yAxis(frame, y, range, look),
    frames.nameAxis(frame, names, (name) => band.place(name) + band.width / 2, isTight, look),
    ...bars,
    rule(frame.left, y(0), frame.right, y(0), colors.muted),
    frames.measureTitle(frame, title, look),
  ];
  return { height, content: content.join("") };
}

function drawShares({ points, series, legend, look }: Parts): Drawn {
  const height = look.fontPx * 4.6 + legend.height;
  const frame = frames.frameOf(look.width, height, { top: 8 + legend.height, right: 0, bottom: 0, left: 0 });
  const total = points.reduce((sum, point) => sum + point.y, 0);
  const x = linearScale(0, total, frame.left, frame.right);
  let sum = 0;
  const parts = points.map((point) => {
    const [start, end] = [x(sum), x(sum + point.y)];
    sum += point.y;
    const box = {
      x: start + 1,
      y: frame.top + 1,
      width: Math.max(0, end - start - 2),
      height: frame.bottom - frame.top - 2,
    };
    const rect = element("rect", { ...box, rx: 2, fill: colorFor(point, series, look) });
    if (end - start <= SHARE_TEXT_PX_MIN) return rect;
    const text = `${formatNumber((point.y / total) * 100)} %`;
    return rect + middleText((start + end) / 2, (frame.top + frame.bottom) / 2, text, look, "middle");
  });
  return { height, content: group({ "font-weight": "600", fill: look.colors.surface }, parts) };
}

function drawDots({ points, look, title, xTitle }: Parts): Drawn {
  const { colors, width, fontPx: em } = look;
  const height = Math.round(Math.min(420, Math.max(260, width * 0.55)));
  const margins = { top: em * 1.9, right: 20, bottom: em * 3.4, left: tickRoom(points, em) };
  const frame = frames.frameOf(width, height, margins);
  const xRange = niceRange(...extent(points.map((point) => Number(point.x))));
  const yRange = niceRange(...extent(points.map((point) => point.y)));
  const x = linearScale(...xRange, frame.left, frame.right);
  const y = linearScale(...yRange, frame.bottom, frame.top);
  const content = [
    frames.xAxis(frame, x, xRange, look),
    frames.yAxis(frame, y, yRange, look),
    group(
      { "fill-opacity": "0.7" },
      points.map((point) => dot(x(Number(point.x)), y(point.y), 4, colorOf(0, colors))),
    ),
    middleText(frame.right, height - em * 0.8, xTitle, look, "end", colors.muted),
    frames.measureTitle(frame, title, look),
  ];
  return { height, content: content.join("") };
}

/** Large figures in a row; on the page they are text. */
function drawNumbers(chart: Chart, columns: readonly string[], rows: readonly Row[], look: ChartLook): Drawn {
  const height = 120;
  const tiles = chart.y.map((index, position) => {
    const x = ((position + 0.5) / chart.y.length) * look.width;
    const value = formatNumber(toCellNumber(rows[0]?.[index]) ?? 0);
    const figure = middleText(x, height * 0.42, value, { fontPx: 44 }, "middle");
    const name = middleText(x, height * 0.84, toWords(columns[index] ?? ""), look, "middle", look.colors.muted);
    return group({ "font-size": "44", "font-weight": "600", fill: look.colors.ink }, [figure]) + name;
  });
  return { height, content: tiles.join("") };
}

/** Values of one name end to end, those below zero downwards. */
function stack(
  points: readonly Point[],
): readonly { readonly point: Point; readonly from: number; readonly to: number }[] {
  const ends = new Map<string, number>();
  return points.map((point) => {
    const key = `${point.y < 0}${String(point.x)}`;
    const from = ends.get(key) ?? 0;
    ends.set(key, from + point.y);
    return { point, from, to: from + point.y };
  });
}

function dot(cx: number, cy: number, r: number, fill: string): string {
  return element("circle", { cx, cy, r, fill });
}

function colorFor(point: Point, series: readonly string[], { colors }: ChartLook): string {
  return colorOf(Math.max(0, series.indexOf(point.series)), colors);
}

function namesOf(points: readonly Point[]): readonly string[] {
  return [...new Set(points.map((point) => String(point.x)))];
}

function longestOf(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => text.length));
}

function extent(values: readonly number[]): readonly [number, number] {
  return [Math.min(...values), Math.max(...values)];
}

function withZero(values: readonly number[]): readonly [number, number] {
  return [Math.min(0, ...values), Math.max(0, ...values)];
}
