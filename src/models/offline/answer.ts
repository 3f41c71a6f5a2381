/**
 * The answer in words, made from the rows of the query, with the cell behind each figure. Every figure is copied from a
 * cell (a long fraction is rounded), or is the number of rows.
 * Leaves to others: what to say when there is no answer (decline.ts). Pure: no I/O, no clock.
 */
import type { ChartWish } from "../../agent/chart-wish.ts";
import type { Intent } from "./intent.ts";
import type { ShownRows } from "./transcript.ts";
import { pluralName, readableName } from "./words.ts";

export interface CitedFigure {
  readonly figure: string;
  readonly result: string;
  readonly row: number;
  readonly column: string;
}

export interface FinalAnswer {
  readonly answer: string;
  readonly results: readonly string[];
  readonly citations: readonly CitedFigure[];
  /** The picture that the question asks for. */
  readonly chart?: Pick<ChartWish, "kind">;
}

/** Rows told one by one. */
const ROWS_TOLD_MAX = 10;
/** Columns of a row that are told; the table shows the rest. */
const COLUMNS_TOLD_MAX = 16;

type Cite = (row: number, column: number) => string;

/** The answer that the rows of result `ref` give; `intent` is what the query was after, if that is known. */
export function writeAnswer(rows: ShownRows, ref: string | null, intent: Intent | null): FinalAnswer {
  const results = ref === null ? [] : [ref];
  const citations: CitedFigure[] = [];
  const cite: Cite = (row, column) => {
    const figure = showCell(rows.rows[row]?.[column]);
    const name = rows.columns[column];
    if (ref !== null && name !== undefined && /\d/.test(figure))
      citations.push({ figure, result: ref, row: row + 1, column: name });
    return figure;
  };
  const answer = `${tellRows(rows, intent, cite)}${tellUnread(intent)}`;
  return { answer, results, citations };
}

function tellRows(rows: ShownRows, intent: Intent | null, cite: Cite): string {
  const [first] = rows.rows;
  if (first === undefined)
    return intent === null ? "No row matches." : `No row of ${intent.root} matches the question.`;
  if (rows.rows.length === 1 && rows.columns.length === 1) return tellFigure(rows, first[0], cite, intent);
  const hidden = keyColumns(rows);
  if (rows.rows.length === 1) return `${tellRow(rows, 0, hidden, cite, true)}.`;
  const total = rows.totalRows ?? rows.rows.length;
  const count = rows.truncated && rows.totalRows === null ? `More than ${rows.rows.length}` : String(total);
  const lines = rows.rows
    .slice(0, ROWS_TOLD_MAX)
    .map((_row, index) => `- ${tellRow(rows, index, hidden, cite, false)}`);
  const more = total > lines.length ? "\n- … the other rows are in the table." : "";
  return `${count} rows (${headOf(rows, hidden)}):\n${lines.join("\n")}${more}`;
}

/** `Iron Maiden (album count: 21)`; in a list, `Iron Maiden: 21`. */
function tellRow(rows: ShownRows, row: number, hidden: ReadonlySet<number>, cite: Cite, named: boolean): string {
  const shown = rows.columns.map((_column, index) => index).filter((index) => !hidden.has(index));
  const told = shown.slice(0, COLUMNS_TOLD_MAX);
  const head = headColumns(rows, told);
  const title = head.map((index) => cite(row, index)).join(" ");
  const rest = told
    .slice(head.length)
    .map((index) => `${named ? `${spoken(rows.columns[index])}: ` : ""}${cite(row, index)}`);
  if (head.length === 0) return rest.join(", ");
  if (rest.length === 0) return title;
  return named ? `${title} (${rest.join(", ")})` : `${title}: ${rest.join(", ")}`;
}

/** The columns a row goes by: a first and a last name together, else the first column if it holds text. */
function headColumns(rows: ShownRows, shown: readonly number[]): readonly number[] {
  const [first, second] = shown;
  if (first === undefined || typeof rows.rows[0]?.[first] !== "string") return [];
  const names = [first, second].map((index) => (index === undefined ? "" : spoken(rows.columns[index])));
  const isPerson =
    second !== undefined &&
    names.some((name) => name.endsWith("first name")) &&
    names.some((name) => name.endsWith("last name"));
  return isPerson ? [first, second] : [first];
}

function headOf(rows: ShownRows, hidden: ReadonlySet<number>): string {
  return rows.columns
    .filter((_column, index) => !hidden.has(index))
    .slice(0, COLUMNS_TOLD_MAX)
    .map(spoken)
    .join(", ");
}

/** Keys tell a person little where the row has other columns. */
function keyColumns(rows: ShownRows): ReadonlySet<number> {
  const keys = rows.columns.flatMap((column, index) =>
    /^(id|ID|pk|code|Code)$|(_|[a-z])(id|ID|Id)$/.test(column) ? [index] : [],
  );
  return new Set(keys.length < rows.columns.length ? keys : []);
}

function tellFigure(rows: ShownRows, cell: unknown, cite: Cite, intent: Intent | null): string {
  const name = spoken(rows.columns[0]);
  if (cell === null) return `There is no ${name}: no row has a value for it.`;
  const figure = cite(0, 0);
  const different = /^distinct (.*)$/.exec(name)?.[1];
  if (different !== undefined) return `There are ${figure} different ${pluralName(different, Number(cell))}.`;
  const things = /^(.*) count$/.exec(name)?.[1];
  if (things === undefined || /^(average|min|max|total) /.test(name)) return `The ${name} is ${figure}.`;
  const filtered = intent === null || intent.conditions.length > 0;
  const noun = pluralName(things, Number(cell));
  const verbs = Number(cell) === 1 ? { match: "matches", be: "is" } : { match: "match", be: "are" };
  return filtered ? `${figure} ${noun} ${verbs.match}.` : `There ${verbs.be} ${figure} ${noun}.`;
}

/** What was left out is said, so that nobody takes the answer for more than it is. */
function tellUnread(intent: Intent | null): string {
  const words = (intent?.unread ?? []).slice(0, 5);
  if (words.length === 0) return "";
  return `\nI could not place ${words.map((word) => `"${word}"`).join(", ")} in the question and left it out.`;
}

function spoken(column: string | undefined): string {
  return column === undefined ? "" : readableName(column);
}

/** Decimals of a fraction that are told. */
const DECIMALS_TOLD = 2;

function showCell(cell: unknown): string {
  if (cell === null || cell === undefined) return "(none)";
  if (typeof cell === "string") return cell;
  if (typeof cell === "number") return showNumber(cell);
  // Values that JSON cannot hold as they are come in an envelope: their text (large integers, infinities, cut text), or bytes.
  if (typeof cell === "object" && "text" in cell && typeof cell.text === "string") return cell.text;
  if (typeof cell === "object" && "blob" in cell) return `(${String(cell.blob)} bytes)`;
  return typeof cell === "boolean" ? String(cell) : JSON.stringify(cell);
}

function showNumber(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const rounded = Math.abs(value) >= 1 ? value.toFixed(DECIMALS_TOLD) : value.toPrecision(3);
  return String(Number(rounded));
}
