/**
 * Graders: is an answer right? Execution match by value, text that holds the gold value, a refusal where one is due.
 *
 * Owns: what counts as equal: column order and names are free, extra columns are allowed (an identifying name beside a
 * figure), row order matters only where the gold query orders, numbers match within a tolerance. Pure: no I/O.
 */

export type Row = readonly unknown[];

/** Relative; sums of money in floating point differ in the last digits. */
const TOLERANCE = 1e-6;

/** Whether `ours` holds the gold rows: some choice of our columns, one for each gold column, makes the rows equal. */
export function matchesRows(gold: readonly Row[], ours: readonly Row[], isOrdered: boolean): boolean {
  if (gold.length !== ours.length) return false;
  if (gold.length === 0) return true;
  const width = gold[0]?.length ?? 0;
  const candidates = Array.from({ length: width }, (_, column) => fittingColumns(gold, ours, column));
  if (candidates.some((columns) => columns.length === 0)) return false;
  return tryColumns(candidates, [], (choice) => {
    const goldKeys = gold.map((row) => keyOf(row));
    const ourKeys = ours.map((row) => keyOf(choice.map((column) => row[column])));
    if (isOrdered) return goldKeys.every((key, index) => key === ourKeys[index]);
    const sorted = [...ourKeys].sort();
    return [...goldKeys].sort().every((key, index) => key === sorted[index]);
  });
}

/** Our columns that hold the same values as a gold column, in any order. */
function fittingColumns(gold: readonly Row[], ours: readonly Row[], column: number): number[] {
  const wanted = gold.map((row) => keyOf([row[column]])).sort();
  const width = ours[0]?.length ?? 0;
  return Array.from({ length: width }, (_, index) => index).filter((index) => {
    const values = ours.map((row) => keyOf([row[index]])).sort();
    return values.every((value, position) => value === wanted[position]);
  });
}

function tryColumns(
  candidates: readonly (readonly number[])[],
  chosen: readonly number[],
  isMatch: (choice: readonly number[]) => boolean,
): boolean {
  if (chosen.length === candidates.length) return isMatch(chosen);
  const next = candidates[chosen.length] ?? [];
  return next.some((column) => !chosen.includes(column) && tryColumns(candidates, [...chosen, column], isMatch));
}

/** Equal for values that count as equal: `1`, `1.0` and `"1"`, and numbers that agree to nine digits. */
function keyOf(row: Row): string {
  return JSON.stringify(row.map(normalize));
}

function normalize(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  // Past 2^53 every digit counts: such a number is told exactly or not at all.
  if (typeof value === "bigint") return isSafe(value) ? normalize(Number(value)) : String(value);
  if (typeof value === "number") return Math.abs(value) < TOLERANCE ? "0" : String(Number(value.toPrecision(9)));
  if (value instanceof Uint8Array) return `blob ${value.length}`;
  if (typeof value === "object") {
    // What JSON would lose travels as a tagged object with its text (see the API's cells).
    if ("text" in value && typeof value.text === "string") return normalize(value.text);
    if ("blob" in value && typeof value.blob === "number") return `blob ${value.blob}`;
    return JSON.stringify(value);
  }
  const text = String(value).trim();
  if (/^-?\d{16,}$/.test(text)) return normalize(BigInt(text));
  return text !== "" && Number.isFinite(Number(text)) ? normalize(Number(text)) : text;
}

function isSafe(value: bigint): boolean {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
}

/** Whether the text holds every value; digits may be grouped, case is free. */
export function containsAll(text: string, values: readonly string[]): boolean {
  return values.every((value) => toPlain(text).includes(toPlain(value)));
}

export function containsAny(text: string, values: readonly string[]): boolean {
  return values.some((value) => containsAll(text, [value]));
}

function toPlain(text: string): string {
  return text.toLowerCase().replace(/(\d)[,'’ ](?=\d{3})/g, "$1");
}

/** Whether a gold query asks for an order. */
export function isOrdered(sql: string): boolean {
  const withoutBrackets = sql.replace(/\([^()]*\)/g, " ").replace(/\([^()]*\)/g, " ");
  return /\border\s+by\b/i.test(withoutBrackets);
}
