/**
 * Where a value stands on an axis, and which values are named there: for the pictures that the worker draws.
 * Leaves to others: marks (svg-marks.ts). Pure: no I/O, no clock; all times are UTC.
 */

/** From values to pixels. */
export type Scale = (value: number) => number;

export interface TimeTick {
  readonly at: number;
  /** One line, or two: the second says the larger unit, where it changes. */
  readonly lines: readonly string[];
}

/** `low` at `start`, `high` at `end`; when both are one value, it stands in the middle. */
export function linearScale(low: number, high: number, start: number, end: number): Scale {
  if (low === high) return () => (start + end) / 2;
  return (value) => start + ((value - low) / (high - low)) * (end - start);
}

/** Round numbers between `low` and `high`, about `count` of them. */
export function linearTicks(low: number, high: number, count: number): readonly number[] {
  if (!(high > low)) return [low];
  const step = roundStep((high - low) / Math.max(1, count));
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  // Of a step such as 0.1, products gather an error that would be seen in a label; 12 digits hold every step.
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** The range grown to round numbers, so that an axis begins and ends at a tick. */
export function niceRange(low: number, high: number, count = 10): readonly [number, number] {
  if (!(high > low)) return [low, high];
  const step = roundStep((high - low) / Math.max(1, count));
  return [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
}

/** Places for names side by side, with `padding` (a share of a place) between them and at both ends. */
export function bandScale(names: readonly string[], start: number, end: number, padding: number) {
  const step = (end - start) / Math.max(1, names.length + padding);
  const places = new Map(names.map((name, index) => [name, start + step * (padding + index)]));
  return { place: (name: string): number => places.get(name) ?? start, width: step * (1 - padding) };
}

/** 1, 2 or 5 times a power of ten, the nearest. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = least / power;
  return power * (factor > 7.07 ? 10 : factor > 3.16 ? 5 : factor > 1.41 ? 2 : 1);
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MONTH_MS = 30.44 * DAY_MS;
const YEAR_MS = 365.25 * DAY_MS;
const FIXED_STEPS_MS = [1, 5, 15, 30]
  .flatMap((n) => [n * SECOND_MS, n * MINUTE_MS])
  .concat([1, 3, 6, 12].map((n) => n * HOUR_MS))
  .concat([1, 2, 7].map((n) => n * DAY_MS))
  .toSorted((a, b) => a - b);
const MONTH_STEPS = [1, 3, 6];
/** Month after month, in short names, may stand a little closer. */
const MONTH_ROOM = 0.85;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/** The first Monday of the epoch: weeks begin there. */
const MONDAY_MS = 4 * DAY_MS;

/** The unit that the times are told in: no tick should be finer. Zero: they have instants. */
export function unitOf(times: readonly number[]): number {
  if (times.some((at) => at % DAY_MS !== 0)) return 0;
  const dates = times.map((at) => new Date(at));
  if (dates.some((date) => date.getUTCDate() !== 1)) return DAY_MS;
  return dates.some((date) => date.getUTCMonth() !== 0) ? MONTH_MS : YEAR_MS;
}

/** Round instants between `low` and `high`, at most `count` and a few, at least `unit` apart. */
export function timeTicks(low: number, high: number, count: number, unit = 0): readonly TimeTick[] {
  const least = Math.max(unit, (high - low) / Math.max(1, count));
  const fixed = FIXED_STEPS_MS.find((step) => step >= least);
  if (!(high > low)) return named([low], Math.max(unit, DAY_MS));
  if (fixed !== undefined) {
    const origin = fixed === 7 * DAY_MS ? MONDAY_MS : 0;
    const first = Math.ceil((low - origin) / fixed) * fixed + origin;
    const length = Math.max(0, Math.floor((high - first) / fixed) + 1);
    return named(
      Array.from({ length }, (_, index) => first + index * fixed),
      fixed,
    );
  }
  const months = MONTH_STEPS.find((step) => step * MONTH_MS >= least * (step === 1 ? MONTH_ROOM : 1));
  const step = months ?? 12 * Math.max(1, roundStep(least / YEAR_MS));
  const monthOf = (at: number): number => new Date(at).getUTCFullYear() * 12 + new Date(at).getUTCMonth();
  const first = Math.ceil((monthOf(low) + (startOfMonth(monthOf(low)) < low ? 1 : 0)) / step);
  const last = Math.floor(monthOf(high) / step);
  const instants = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
    startOfMonth((first + index) * step),
  );
  return named(instants, months === undefined ? YEAR_MS : MONTH_MS);
}

function startOfMonth(month: number): number {
  // Not Date.UTC alone: it reads years below 100 as of the last century.
  return new Date(0).setUTCFullYear(Math.floor(month / 12), month % 12, 1);
}

function named(instants: readonly number[], step: number): readonly TimeTick[] {
  let before = "";
  return instants.map((at) => {
    const [first, second] = wordsOf(new Date(at), step);
    const lines = second === "" || second === before ? [first] : [first, second];
    before = second;
    return { at, lines };
  });
}

function wordsOf(date: Date, step: number): readonly [string, string] {
  const [year, month, day] = [String(date.getUTCFullYear()), MONTHS[date.getUTCMonth()] ?? "", date.getUTCDate()];
  if (step >= YEAR_MS) return [year, ""];
  if (step >= MONTH_MS) return [month, year];
  if (step >= DAY_MS) return [String(day), `${month} ${year}`];
  return [date.toISOString().slice(11, step >= MINUTE_MS ? 16 : 19), `${month} ${day}`];
}
