/**
 * How a stored cell reads on the page and in a picture: its text, its number, its place in an order.
 *
 * Owns: the tagged forms in which the API hands over what JSON cannot hold (a large integer, an infinity, a BLOB, a text
 * that was cut). Leaves to others: laying cells out. Pure: no I/O, no clock.
 */

/** A value of a result as the API sends it. */
export type Cell = unknown;
export type Row = readonly Cell[];

interface Tagged {
  readonly type: string;
  readonly text: string;
  readonly note: string | null;
}

const NUMBER_FORMAT = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const SMALL_NUMBER_FORMAT = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** The whole text of a cell. NULL is the word, in capitals, as SQLite's own tools write it. */
export function toCellText(cell: Cell): string {
  if (cell === null || cell === undefined) return "NULL";
  if (typeof cell === "string") return cell;
  if (typeof cell !== "object") return String(cell);
  return toTagged(cell)?.text ?? JSON.stringify(cell);
}

/** What is to be said beside the text: that it was cut, or how large the BLOB is. Null: the text is all there is. */
export function toCellNote(cell: Cell): string | null {
  return typeof cell === "object" && cell !== null ? (toTagged(cell)?.note ?? null) : null;
}

/** The cell as a number, when it is one and can be drawn. */
export function toCellNumber(cell: Cell): number | null {
  if (typeof cell === "number") return Number.isFinite(cell) ? cell : null;
  if (typeof cell !== "object" || cell === null) return null;
  const tagged = toTagged(cell);
  if (tagged === null || !/^(integer|real|number)$/.test(tagged.type)) return null;
  const value = Number(tagged.text);
  return Number.isFinite(value) ? value : null;
}

/** Whether a column holds numbers and nothing else but NULL. */
export function isNumericColumn(rows: readonly Row[], index: number): boolean {
  const values = rows.map((row) => row[index]).filter((cell) => cell !== null && cell !== undefined);
  return values.length > 0 && values.every(isNumber);
}

/** SQLite's own order: NULL, numbers, text. Texts compare as people sort them, "Track 2" before "Track 10". */
export function compareCells(a: Cell, b: Cell): number {
  const [rankA, rankB] = [rankOf(a), rankOf(b)];
  if (rankA !== rankB) return rankA - rankB;
  if (rankA === 1) return compareNumbers(a, b);
  return rankA === 2 ? COLLATOR.compare(toCellText(a), toCellText(b)) : 0;
}

/** For people: 1,234.5; a small share keeps its first three digits. */
export function formatNumber(value: number): string {
  return value !== 0 && Math.abs(value) < 0.01 ? SMALL_NUMBER_FORMAT.format(value) : NUMBER_FORMAT.format(value);
}

/** The same for numbers that stand in a column: all with as many decimals as the most exact has, at most two. */
export function formatAlike(values: readonly number[]): (value: number) => string {
  const decimals = Math.max(
    0,
    ...values.map((value) => /\.(\d+)$/.exec(NUMBER_FORMAT.format(value))?.[1]?.length ?? 0),
  );
  const format = new Intl.NumberFormat("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return (value) => (value !== 0 && Math.abs(value) < 0.01 ? formatNumber(value) : format.format(value));
}

/** `track_count` and `TrackCount` as words. */
export function toWords(name: string): string {
  return name
    .replace(/[_\s]+/g, " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .trim();
}

const COLLATOR = new Intl.Collator("en", { numeric: true, sensitivity: "variant" });

function isNumber(cell: Cell): boolean {
  if (typeof cell === "number") return true;
  return typeof cell === "object" && cell !== null && /^(integer|real|number)$/.test(toTagged(cell)?.type ?? "");
}

function rankOf(cell: Cell): number {
  if (cell === null || cell === undefined) return 0;
  return isNumber(cell) ? 1 : 2;
}

/** Integers beyond 2^53 are compared digit by digit, as integers; anything else as doubles. */
function compareNumbers(a: Cell, b: Cell): number {
  const [textA, textB] = [toCellText(a), toCellText(b)];
  if (/^-?\d+$/.test(textA) && /^-?\d+$/.test(textB)) {
    const [bigA, bigB] = [BigInt(textA), BigInt(textB)];
    return bigA < bigB ? -1 : bigA > bigB ? 1 : 0;
  }
  return Number(textA) - Number(textB);
}

function toTagged(cell: object): Tagged | null {
  if (!("type" in cell) || typeof cell.type !== "string") return null;
  if ("blob" in cell && typeof cell.blob === "number") {
    const hex = "hex" in cell && typeof cell.hex === "string" ? cell.hex : "";
    return { type: cell.type, text: hex, note: `BLOB of ${cell.blob.toLocaleString("en")} bytes` };
  }
  if (!("text" in cell) || typeof cell.text !== "string") return null;
  const bytes = "bytes" in cell && typeof cell.bytes === "number" ? cell.bytes : null;
  const note = bytes !== null ? `cut: ${bytes.toLocaleString("en")} bytes in all` : toRemark(cell);
  return { type: cell.type, text: cell.text, note };
}

function toRemark(cell: object): string | null {
  if ("invalid_utf8" in cell) return "holds bytes that are no text";
  return "inexact" in cell ? "rounded: the exact number does not fit" : null;
}
