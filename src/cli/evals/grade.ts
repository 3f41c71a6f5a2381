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
  if (typeof value === "bigint") return Number(value).toPrecision(9);
  if (typeof value === "number") return Math.abs(value) < TOLERANCE ? "0" : String(Number(value.toPrecision(9)));
  if (value instanceof Uint8Array) return `blob ${value.length}`;
  if (typeof value === "object") {
    if ("value" in value && typeof value.value === "string") return normalize(value.value);
    return JSON.stringify(value);
  }
  const text = String(value).trim();
  return text !== "" && Number.isFinite(Number(text)) ? normalize(Number(text)) : text;
}

/** Whether the text holds every gold value; digits may be grouped. */
export function containsAll(text: string, values: readonly string[]): boolean {
  const plain = (given: string): string => given.toLowerCase().replace(/(\d)[,'’ ](?=\d{3})/g, "$1");
  return values.every((value) => plain(text).includes(plain(value)));
}

/** Whether a gold query asks for an order. */
export function isOrdered(sql: string): boolean {
  const withoutBrackets = sql.replace(/\([^()]*\)/g, " ").replace(/\([^()]*\)/g, " ");
  return /\border\s+by\b/i.test(withoutBrackets);
}
