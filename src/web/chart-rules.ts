/**
 * Which pictures suit a result, by its shape alone. The first one is shown, the others are offered; none means that the
 * rows are better read than looked at. The rules, in order:
 *
 * 1. One row of up to four measures: the numbers themselves, large.
 * 2. A time column and measures: a line; with a category of up to eight values, a line for each. Bars are offered.
 * 3. A category whose values are all different, and a measure: bars. Up to eight parts of a whole: shares are offered, and
 *    come first when the numbers say so (they add up to 1 or 100, or the column calls itself a share).
 * 4. Two categories and a measure that may be added up: stacked bars.
 * 5. Two measures over five rows or more: dots; first when no category names the rows, offered otherwise.
 *
 * Keys (`…Id`) are names, not measures. A picture never leaves out rows silently: `rowsShown` says how many it draws.
 * Pure: no I/O, no clock.
 */
import { isNumericColumn, type Row, toCellNumber, toCellText, toWords } from "./cells.ts";

export type ChartKind = "number" | "line" | "bar" | "share" | "dots";

/** A picture of a result; columns by their index. */
export interface Chart {
  readonly kind: ChartKind;
  readonly title: string;
  /** Categories, times, or the measure across; null where there is none. */
  readonly x: number | null;
  readonly y: readonly number[];
  /** The column whose values make the series. */
  readonly series: number | null;
  /** The column that names a dot. */
  readonly label: number | null;
  readonly rowsShown: number;
}

type Role = "time" | "measure" | "category" | "key" | "other";

export const SERIES_MAX = 8;
/** More bars than this are a texture. */
export const BARS_MAX = 40;
/** Of a longer ranking, its head. */
const RANKING_BARS_MAX = 25;
const NUMBERS_MAX = 4;
const SHARES_MAX = 8;
const DOTS_MIN = 5;
const CATEGORY_CHARS_MAX = 120;
/** Lines of measures that differ more than this in size would lie on the floor. */
const SCALE_RATIO_MAX = 20;

/** Beyond these, differences and sums of numbers are no numbers any more, and no axis can be drawn. */
const MAGNITUDE_MAX = 1e290;
const MAGNITUDE_MIN = 1e-290;

const KEY_NAME = /(^|[_\s])(id|key|uuid|guid|rowid)$/i;
/** `AlbumId`, `albumID`; but not `paid`. */
const KEY_CAMEL = /[a-z]I[dD]$/;
const YEAR_NAME = /year|jahr|année|annee|\byr\b/i;
const SHARE_NAME = /share|percent|pct|ratio|fraction|%/i;
/** Averages and extremes of parts say nothing about a whole. */
const NOT_ADDITIVE_NAME = /avg|average|mean|median|min|max|rate|price|percent|pct|share|ratio|per[_\s]|%/i;
const TIME_TEXT = /^\d{4}(-(0[1-9]|1[0-2])(-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?)?)?$/;
const QUARTER_TEXT = /^(\d{4})[-\s]?Q([1-4])$/i;

/** The pictures that suit the result, best first. */
export function suggestCharts(columns: readonly string[], rows: readonly Row[]): readonly Chart[] {
  if (rows.length === 0 || columns.length === 0) return [];
  const roles = columns.map((name, index) => roleOf(name, rows, index));
  const all = (role: Role): readonly number[] => roles.flatMap((found, index) => (found === role ? [index] : []));
  const measures = all("measure");
  if (measures.length === 0) return [];
  if (rows.length === 1) return suggestNumbers(columns, measures);
  const shape = { columns, rows, measures, categories: all("category") };
  const [time] = all("time");
  const charts = time === undefined ? [] : suggestLines(shape, time);
  return charts.length > 0 ? charts : [...suggestBars(shape), ...suggestDots(shape)];
}

/** Milliseconds of a time as a result holds it: a year, a month, a quarter, a day, an instant. Null: it is none. */
export function toTime(cell: unknown): number | null {
  if (typeof cell === "number") return Number.isInteger(cell) ? Date.UTC(cell, 0) : null;
  if (typeof cell !== "string") return null;
  const quarter = QUARTER_TEXT.exec(cell);
  if (quarter !== null) return Date.UTC(Number(quarter[1]), (Number(quarter[2]) - 1) * 3);
  if (!TIME_TEXT.test(cell)) return null;
  const text = cell.replace(" ", "T");
  // Without a zone, an instant would be read in the reader's own.
  const value = Date.parse(text.includes("T") && !/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? `${text}Z` : text);
  return Number.isNaN(value) ? null : value;
}

interface Shape {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly measures: readonly number[];
  readonly categories: readonly number[];
}

function roleOf(name: string, rows: readonly Row[], index: number): Role {
  const cells = rows.map((row) => row[index]).filter((cell) => cell !== null && cell !== undefined);
  if (cells.length === 0) return "other";
  if (isNumericColumn(rows, index)) {
    if (KEY_NAME.test(name) || KEY_CAMEL.test(name)) return "key";
    const isYear = YEAR_NAME.test(name) && cells.every((cell) => Number(cell) >= 1500 && Number(cell) <= 2200);
    if (isYear && cells.every((cell) => Number.isInteger(cell))) return "time";
    return cells.every(fitsAxis) ? "measure" : "other";
  }
  if (!cells.every((cell) => typeof cell === "string")) return "other";
  if (cells.length === rows.length && cells.every((cell) => toTime(cell) !== null)) return "time";
  return cells.every((cell) => toCellText(cell).length <= CATEGORY_CHARS_MAX) ? "category" : "other";
}

function fitsAxis(cell: Row[number]): boolean {
  const size = Math.abs(toCellNumber(cell) ?? 0);
  return size === 0 || (size > MAGNITUDE_MIN && size < MAGNITUDE_MAX);
}

function suggestNumbers(columns: readonly string[], measures: readonly number[]): readonly Chart[] {
  if (measures.length > NUMBERS_MAX) return [];
  const title = measures.map((index) => toWords(columns[index] ?? "")).join(", ");
  return [{ kind: "number", title, x: null, y: measures, series: null, label: null, rowsShown: 1 }];
}

function suggestLines(shape: Shape, time: number): readonly Chart[] {
  const { rows, measures, categories } = shape;
  const [measure = 0] = measures;
  const base = { x: time, label: null, rowsShown: rows.length };
  const isUnique = countDistinct(rows, [time]) === rows.length;
  const asBars = (chart: Chart): readonly Chart[] =>
    rows.length <= BARS_MAX ? [chart, { ...chart, kind: "bar" }] : [chart];
  if (isUnique) {
    const y = ofOneScale(rows, measures);
    const line: Chart = { ...base, kind: "line", title: titleOf(shape, y, time), y, series: null };
    return y.length === 1 ? asBars(line) : [line];
  }
  const series = categories.find((index) => countDistinct(rows, [index]) <= SERIES_MAX);
  if (series === undefined || countDistinct(rows, [time, series]) !== rows.length) return [];
  return [{ ...base, kind: "line", title: titleOf(shape, [measure], time, series), y: [measure], series }];
}

function suggestBars(shape: Shape): readonly Chart[] {
  const { rows, measures, categories, columns } = shape;
  const [measure = 0] = measures;
  const category = categories.find((index) => countDistinct(rows, [index]) === rows.length);
  if (category === undefined) return suggestStacks(shape, measure);
  const rowsShown = rows.length <= BARS_MAX ? rows.length : isRanking(rows, measure) ? RANKING_BARS_MAX : 0;
  if (rowsShown === 0) return [];
  const title = titleOf(shape, [measure], category);
  const bar: Chart = { kind: "bar", title, x: category, y: [measure], series: null, label: null, rowsShown };
  const share: Chart = { ...bar, kind: "share" };
  const values = rows.map((row) => toCellNumber(row[measure]) ?? 0);
  if (rows.length > SHARES_MAX || values.some((value) => value < 0)) return [bar];
  const name = columns[measure] ?? "";
  const sum = values.reduce((total, value) => total + value, 0);
  const isWhole = Math.abs(sum - 100) < 0.5 || Math.abs(sum - 1) < 0.005;
  if (isWhole && (SHARE_NAME.test(name) || values.some((value) => !Number.isInteger(value)))) return [share, bar];
  return sum > 0 && !NOT_ADDITIVE_NAME.test(name) ? [bar, share] : [bar];
}

function suggestStacks(shape: Shape, measure: number): readonly Chart[] {
  const { rows, categories, columns } = shape;
  const [first, second] = categories;
  if (first === undefined || second === undefined || countDistinct(rows, [first, second]) !== rows.length) return [];
  const isAdditive =
    !NOT_ADDITIVE_NAME.test(columns[measure] ?? "") && rows.every((row) => (toCellNumber(row[measure]) ?? 0) >= 0);
  const series = [second, first].find((index) => countDistinct(rows, [index]) <= SERIES_MAX);
  if (!isAdditive || series === undefined) return [];
  const x = series === second ? first : second;
  if (countDistinct(rows, [x]) > BARS_MAX) return [];
  const title = titleOf(shape, [measure], x, series);
  return [{ kind: "bar", title, x, y: [measure], series, label: null, rowsShown: rows.length }];
}

function suggestDots(shape: Shape): readonly Chart[] {
  const { rows, measures, categories, columns } = shape;
  const [x, y] = measures;
  if (x === undefined || y === undefined || rows.length < DOTS_MIN) return [];
  const title = `${toWords(columns[y] ?? "")} against ${toWords(columns[x] ?? "")}`;
  return [{ kind: "dots", title, x, y: [y], series: null, label: categories[0] ?? null, rowsShown: rows.length }];
}

function titleOf(shape: Shape, y: readonly number[], x: number, series?: number): string {
  const name = (index: number): string => toWords(shape.columns[index] ?? "");
  return `${y.map(name).join(", ")} by ${[x, ...(series === undefined ? [] : [series])].map(name).join(" and ")}`;
}

function countDistinct(rows: readonly Row[], indexes: readonly number[]): number {
  return new Set(rows.map((row) => JSON.stringify(indexes.map((index) => row[index])))).size;
}

/** The measures that can share one axis with the first. */
function ofOneScale(rows: readonly Row[], measures: readonly number[]): readonly number[] {
  const height = (index: number): number => Math.max(...rows.map((row) => Math.abs(toCellNumber(row[index]) ?? 0)));
  const first = height(measures[0] ?? 0);
  const fits = (index: number): boolean => {
    const ratio = height(index) / first;
    return ratio <= SCALE_RATIO_MAX && ratio >= 1 / SCALE_RATIO_MAX;
  };
  return measures.filter((index, position) => position === 0 || fits(index)).slice(0, NUMBERS_MAX);
}

function isRanking(rows: readonly Row[], measure: number): boolean {
  const values = rows.map((row) => toCellNumber(row[measure]) ?? Number.NEGATIVE_INFINITY);
  return values.every((value, index) => index === 0 || value <= (values[index - 1] ?? value));
}
