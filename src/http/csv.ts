/**
 * Stored rows as CSV: RFC 4180 (CRLF, quotes doubled), UTF-8 without a byte order mark, the first line the column names.
 *
 * CSV knows only text, so it is the lossy form; JSON is the exact one. NULL is an empty field and an empty text is `""`.
 * Texts that a spreadsheet would run as a formula (they start with `=`, `+`, `-`, `@`, a tab or a return) get an
 * apostrophe in front, column names too; numbers stay bare. Pure: no I/O, no clock.
 */
import type { Cell } from "../agent/tool.ts";

const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

export function toCsvLine(cells: readonly Cell[]): string {
  return `${cells.map(toCsvField).join(",")}\r\n`;
}

function toCsvField(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number" || typeof cell === "boolean") return String(cell);
  if (typeof cell === "string") return quoteText(cell);
  // A tagged cell: what JSON itself could not hold (sql/values.ts).
  if ("type" in cell && typeof cell.text === "string") {
    return cell.type === "text" ? quoteText(cell.text) : quote(cell.text);
  }
  if ("hex" in cell && typeof cell.hex === "string") return quote(cell.hex);
  return quoteText(JSON.stringify(cell));
}

function quoteText(text: string): string {
  return quote(FORMULA.test(text) ? `'${text}` : text);
}

function quote(text: string): string {
  return text !== "" && !/[",\r\n]/.test(text) && text.trim() === text ? text : `"${text.replaceAll('"', '""')}"`;
}
