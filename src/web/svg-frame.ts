/**
 * What the worker's pictures share: the frame, its axes, grid, legend and the name of the measure, as SVG text.
 * Leaves to others: scales (svg-scales.ts), marks of each kind (svg-marks.ts). Pure: no I/O, no clock.
 */
import { CHAR_EM, type ChartLook, colorOf, formatTick } from "./chart-frame.ts";
import { LEGEND_ROW_EM, type Legend } from "./chart-legend.ts";
import { linearTicks, type Scale, type TimeTick } from "./svg-scales.ts";
import { BASELINE_EM, element, escapeXml, group, middleText, rule, textAt } from "./svg-text.ts";

/** Pixels of the whole picture, and of the part inside its margins. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export interface Margins {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

const Y_TICK_SPACING_PX = 50;
const X_TICK_SPACING_PX = 80;

export function frameOf(width: number, height: number, margins: Margins): Frame {
  return {
    width,
    height,
    left: margins.left,
    right: width - margins.right,
    top: margins.top,
    bottom: height - margins.bottom,
  };
}

/** Labels at the left and a line across for each tick. */
export function yAxis(frame: Frame, y: Scale, range: readonly [number, number], look: ChartLook): string {
  const ticks = linearTicks(...range, (frame.bottom - frame.top) / Y_TICK_SPACING_PX);
  const lines = ticks.map((tick) => rule(frame.left, y(tick), frame.right, y(tick), look.colors.grid));
  const labels = ticks.map((tick) => middleText(frame.left - 6, y(tick), formatTick(tick), look, "end"));
  return lines.join("") + group({ fill: look.colors.muted, "font-variant": "tabular-nums" }, labels);
}

/** Labels below, and a line upwards for each tick. */
export function xAxis(frame: Frame, x: Scale, range: readonly [number, number], look: ChartLook): string {
  const ticks = linearTicks(...range, (frame.right - frame.left) / X_TICK_SPACING_PX);
  const lines = ticks.map((tick) => rule(x(tick), frame.top, x(tick), frame.bottom, look.colors.grid));
  const labels = ticks.map((tick) => textAt(x(tick), frame.bottom + look.fontPx * 1.1, formatTick(tick)));
  return lines.join("") + group({ fill: look.colors.muted, "text-anchor": "middle" }, labels);
}

export function timeAxis(frame: Frame, x: Scale, ticks: readonly TimeTick[], look: ChartLook): string {
  const labels = ticks.flatMap(({ at, lines }) =>
    lines.map((line, index) => textAt(x(at), frame.bottom + look.fontPx * (1.4 + 1.1 * index), line)),
  );
  return group({ fill: look.colors.muted, "text-anchor": "middle" }, labels);
}

/** Names below bars; turned when they would not fit side by side. */
export function nameAxis(
  frame: Frame,
  names: readonly string[],
  middleOf: (name: string) => number,
  isTurned: boolean,
  look: ChartLook,
): string {
  const y = frame.bottom + look.fontPx * (isTurned ? 0.6 : 1.1);
  const labels = names.map((name) => {
    const x = middleOf(name);
    return textAt(x, y, name, isTurned ? { transform: `rotate(-45 ${Math.round(x)} ${Math.round(y)})` } : {});
  });
  return group({ fill: look.colors.muted, "text-anchor": isTurned ? "end" : "middle" }, labels);
}

/** The name of the measure, where an axis title would be. */
export function measureTitle(frame: Frame, text: string, { colors, fontPx: em }: ChartLook): string {
  return text === "" ? "" : middleText(frame.left, frame.top - em * 1.05, text, { fontPx: em }, "start", colors.muted);
}

export function legendOf({ entries }: Legend, series: readonly string[], { colors, fontPx: em }: ChartLook): string {
  return entries
    .map(({ name, x, row }) => {
      const index = series.findIndex((full) => full === name || full.startsWith(name.replace(/…$/, "")));
      const y = row * em * LEGEND_ROW_EM + 8;
      const dot = element("circle", { cx: x + 6, cy: y, r: 5, fill: colorOf(index, colors) });
      return dot + middleText(x + 6 + em * 0.9, y, name, { fontPx: em }, "start", colors.ink);
    })
    .join("");
}

/** The text as far as it fits, with the whole of it as a title. */
export function fittingText(x: number, y: number, text: string, widthPx: number, look: ChartLook): string {
  const charsMax = Math.max(1, Math.floor(widthPx / (look.fontPx * CHAR_EM)));
  if (text.length <= charsMax) return middleText(x, y, text, look, "end");
  const cut = `${text.slice(0, charsMax - 1).toWellFormed()}…`;
  const attributes = { x, y: y + look.fontPx * BASELINE_EM, "text-anchor": "end" };
  return element("text", attributes, `<title>${escapeXml(text)}</title>`, escapeXml(cut));
}
