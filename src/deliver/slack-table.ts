/**
 * Rows of a stored result as a Slack table block, or as a block of code where Slack does not take one.
 *
 * Owns: Slack's limits on tables (100 rows of 20 cells, 10,000 characters over all cells, no empty cell) and how a cell is
 * written. Cells are `raw_text`, which Slack shows as it stands: no markup, no mention, no link. What is left out is
 * counted, never hidden. Pure: no I/O, no clock.
 */
import type { Cell } from "../agent/tool.ts";
import { toCodeBlock } from "../lib/mrkdwn.ts";
import type { SlackBlock, TableCell } from "./slack-blocks.ts";

/** A page of a stored result, as the run object has it. */
export interface ShownRows {
  readonly ref: string;
  readonly columns: readonly string[];
  /** The first rows of the result, as many as may be shown. */
  readonly rows: readonly (readonly Cell[])[];
  /** Rows that are kept. */
  readonly storedRows: number;
  /** Rows that the query has; null when nobody counted. */
  readonly totalRows: number | null;
  readonly truncated: boolean;
}

export interface TableOptions {
  /** Rows without the header. */
  readonly rowsMax: number;
  readonly charsMax: number;
}

export interface SlackTable {
  readonly block: SlackBlock;
  /** The same as a block of code in mrkdwn, of at most `CODE_CHARS_MAX` characters. */
  readonly code: string;
  readonly rows: number;
  readonly columns: number;
  readonly hasCutCells: boolean;
}

/** Slack takes 100 rows, the header among them. */
export const TABLE_ROWS_MAX = 99;
const TABLE_COLUMNS_MAX = 20;
/** Slack's limit over all cells of a message. */
const TABLE_CHARS_MAX = 10_000;
/** Two lines of a wide cell: enough to know which row it is. */
const CELL_CHARS_MAX = 120;
/** A section has 3,000; escaping may lengthen a text, so the rows are measured as they are sent. */
const CODE_CHARS_MAX = 2_800;

/** The rows as a table, or null when there is nothing to show. */
export function toSlackTable(shown: ShownRows, options: TableOptions): SlackTable | null {
  const columns = Math.min(shown.columns.length, TABLE_COLUMNS_MAX);
  if (columns === 0 || shown.rows.length === 0) return null;
  const charsMax = Math.min(options.charsMax, TABLE_CHARS_MAX);
  const lines = [shown.columns.slice(0, columns).map((name) => toCellText(name))];
  let chars = lengthOf(lines[0] ?? []);
  if (chars > charsMax) return null;
  for (const row of shown.rows.slice(0, Math.min(options.rowsMax, TABLE_ROWS_MAX))) {
    const line = Array.from({ length: columns }, (_, index) => toCellText(row[index] ?? null));
    chars += lengthOf(line);
    if (chars > charsMax) break;
    lines.push(line);
  }
  const rows = lines.length - 1;
  if (rows === 0) return null;
  const column_settings = Array.from({ length: columns }, (_, index) => ({
    align: isNumeric(shown.rows, index) ? ("right" as const) : ("left" as const),
    is_wrapped: true,
  }));
  const cells = lines.map((line) => line.map(({ text }): TableCell => ({ type: "raw_text", text })));
  return {
    block: { type: "table", rows: cells, column_settings },
    code: toCode(lines, Math.min(CODE_CHARS_MAX, charsMax)),
    rows,
    columns,
    hasCutCells: lines.some((line) => line.some((cell) => cell.isCut)),
  };
}

/** A sentence on what the table leaves out, or null when it shows everything that the query found. */
export function tellLeftOut(shown: ShownRows, table: SlackTable): string | null {
  const total = shown.totalRows ?? shown.storedRows;
  const isRowsCut = table.rows < total || shown.totalRows === null;
  const count = shown.totalRows === null ? `more than ${shown.storedRows}` : String(total);
  const parts = [
    ...(isRowsCut ? [`rows 1 to ${table.rows} of ${count}`] : []),
    ...(table.columns < shown.columns.length ? [`columns 1 to ${table.columns} of ${shown.columns.length}`] : []),
    ...(table.hasCutCells || (shown.truncated && !isRowsCut) ? ["long cells are cut"] : []),
  ];
  return parts.length === 0 ? null : `Not all shown: ${parts.join(", ")}.`;
}

interface CellText {
  readonly text: string;
  readonly isCut: boolean;
}

/** Never empty: NULL and texts without anything to see are named. */
function toCellText(cell: Cell): CellText {
  const { text, isCut } = readCell(cell);
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim();
  if (line === "") return { text: text === "" ? '""' : '" "', isCut: false };
  const characters = Array.from(line);
  if (line.length <= CELL_CHARS_MAX) return { text: line, isCut };
  let kept = "";
  for (const character of characters) {
    if (kept.length + character.length >= CELL_CHARS_MAX) break;
    kept += character;
  }
  return { text: `${kept}…`, isCut: true };
}

/** Tagged cells are those of sql/values.ts: what JSON itself could not hold. */
function readCell(cell: Cell): CellText {
  if (cell === null) return { text: "NULL", isCut: false };
  if (typeof cell === "string") return { text: cell, isCut: false };
  if (typeof cell === "object" && "type" in cell) {
    if (cell.type === "blob") return { text: `<blob ${String(cell.blob)} bytes>`, isCut: false };
    if (typeof cell.text === "string") return { text: cell.text, isCut: cell.cut === true };
  }
  return { text: typeof cell === "object" ? JSON.stringify(cell) : String(cell), isCut: false };
}

function isNumeric(rows: readonly (readonly Cell[])[], index: number): boolean {
  const cells = rows.map((row) => row[index] ?? null).filter((cell) => cell !== null);
  const isNumber = (cell: Cell): boolean =>
    typeof cell === "number" ||
    (typeof cell === "object" && cell !== null && "type" in cell && (cell.type === "integer" || cell.type === "real"));
  return cells.length > 0 && cells.every(isNumber);
}

function lengthOf(line: readonly CellText[]): number {
  return line.reduce((length, cell) => length + cell.text.length, 0);
}

/** Columns side by side, as far as they fit; the last line says so when they do not. */
function toCode(lines: readonly (readonly CellText[])[], charsMax: number): string {
  const widths = (lines[0] ?? []).map((_, index) =>
    Math.min(30, Math.max(...lines.map((line) => line[index]?.text.length ?? 0))),
  );
  const texts = lines.map((line) =>
    line
      .map((cell, index) =>
        cell.text
          .slice(0, 30)
          .toWellFormed()
          .padEnd(widths[index] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  let kept = texts;
  while (kept.length > 1 && toCodeBlock(kept.join("\n")).length > charsMax - 40) kept = kept.slice(0, -1);
  const code = toCodeBlock(kept.join("\n"));
  const left = texts.length - kept.length;
  if (code.length > charsMax) return "The rows are too wide to be shown here.";
  return left === 0 ? code : `${code}\n… ${left} more rows do not fit here.`;
}
