/**
 * Rows as a table of plain text: for a terminal of a given width, or for a pipe.
 *
 * Owns: how a cell reads, what is cut when the room is short, and saying what was left out. Pure: no I/O, no clock.
 */
import * as z from "zod";
import { cutToWidth, padToWidth, toSafeLine, widthOf } from "./terminal-text.ts";

export interface TableRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** Rows that there are in all, or null when nobody counted. */
  readonly totalRows: number | null;
  /** True when there are more rows than anybody counted. */
  readonly truncated: boolean;
}

/** Rows shown: what fits a screen beside the answer. The rest is said, and can be had over HTTP. */
export const TABLE_ROWS_MAX = 20;
/** A longer cell pushes the others off the screen. */
const CELL_WIDTH_MAX = 48;
/** A column narrower than this says nothing; columns are left out before they shrink below it. */
const COLUMN_WIDTH_MIN = 8;
const GAP = "  ";
/** What JSON cannot hold comes as an object: a large integer, an infinity, a BLOB, a text that was cut. */
const taggedSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  blob: z.number().optional(),
  bytes: z.number().optional(),
  cut: z.boolean().optional(),
});

/** Lines of the table, at most `widthMax` columns wide. A result without columns has none. */
export function renderTable(table: TableRows, widthMax: number): readonly string[] {
  if (table.columns.length === 0) return [];
  const shown = table.rows.slice(0, TABLE_ROWS_MAX);
  const header = table.columns.map((name) => cutToWidth(toSafeLine(name), CELL_WIDTH_MAX));
  const cells = shown.map((row) => header.map((_name, index) => cutToWidth(cellText(row[index]), CELL_WIDTH_MAX)));
  const natural = header.map((name, index) =>
    Math.max(widthOf(name), 1, ...cells.map((row) => widthOf(row[index] ?? ""))),
  );
  const widths = fitWidths(natural, widthMax);
  const sides = widths.map((_width, index) => (isNumeric(shown, index) ? "right" : "left"));

  const line = (texts: readonly string[]) =>
    widths
      .map((width, index) => padToWidth(cutToWidth(texts[index] ?? "", width), width, sides[index] ?? "left"))
      .join(GAP)
      .trimEnd();
  return [
    line(header),
    widths.map((width) => "-".repeat(width)).join(GAP),
    ...cells.map(line),
    ...notes(table, shown.length, widths.length).map((note) => cutToWidth(note, widthMax)),
  ];
}

/** How a value reads in a cell: always one line, with nothing in it that a terminal would obey. */
export function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "NULL";
  if (typeof cell === "string") return toSafeLine(cell);
  if (typeof cell !== "object") return String(cell);
  const tagged = taggedSchema.safeParse(cell);
  if (!tagged.success) return toSafeLine(JSON.stringify(cell));
  const { blob, text = "", cut, bytes } = tagged.data;
  if (blob !== undefined) return `<blob ${blob.toLocaleString("en")} ${blob === 1 ? "byte" : "bytes"}>`;
  return `${toSafeLine(text)}${cut === true ? `… (${bytes?.toLocaleString("en")} bytes)` : ""}`;
}

function isNumeric(rows: readonly (readonly unknown[])[], index: number): boolean {
  const values = rows.map((row) => row[index]).filter((value) => value !== null && value !== undefined);
  return values.length > 0 && values.every((value) => typeof value === "number" || isLargeNumber(value));
}

function isLargeNumber(value: unknown): boolean {
  const tagged = taggedSchema.safeParse(value);
  return tagged.success && /^(?:integer|real|number)$/.test(tagged.data.type);
}

/** Takes columns off the widest until the table fits, then leaves out the last ones. */
function fitWidths(natural: readonly number[], widthMax: number): readonly number[] {
  const widths = [...natural];
  const total = () => widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);
  while (total() > widthMax) {
    const widest = widths.indexOf(Math.max(...widths));
    const width = widths[widest] ?? 0;
    if (width > COLUMN_WIDTH_MIN) widths[widest] = width - 1;
    else if (widths.length > 1) widths.pop();
    else break;
  }
  return widths;
}

function notes(table: TableRows, shownRows: number, shownColumns: number): readonly string[] {
  const said: string[] = [];
  const total = table.totalRows ?? table.rows.length;
  const more = total - shownRows;
  if (shownRows === 0) said.push("(no rows)");
  else if (more > 0)
    said.push(
      `… ${more.toLocaleString("en")} more ${more === 1 ? "row" : "rows"}${table.truncated ? " and further ones" : ""}`,
    );
  else if (table.truncated) said.push("… and more rows");
  const columns = table.columns.length - shownColumns;
  if (columns > 0) said.push(`… ${columns} more ${columns === 1 ? "column" : "columns"}`);
  return said;
}
