/**
 * What a run has found, in plain words, without asking a model: the fallback partial answer, and the material of the
 * last call. Pure: no I/O, no clock.
 */
import { cutMiddle, cutToBytes } from "../lib/bytes.ts";
import type { Message } from "./model.ts";
import { sqlOf } from "./run-event.ts";
import type { Cell, StoredResult } from "./tool.ts";

/** Rows of a result that are told in words. */
export const ROWS_TOLD_MAX = 5;
const RESULTS_TOLD_MAX = 4;
const PARTIAL_BYTES_MAX = 6_000;

/** The partial answer that is made without a model; null when nothing was found. */
export function tellPartial(results: readonly StoredResult[]): string | null {
  return tellFindings(results, PARTIAL_BYTES_MAX);
}

/** The latest results, newest first, at most `bytesMax` bytes; null when there is nothing to tell. */
export function tellFindings(results: readonly StoredResult[], bytesMax: number): string | null {
  const told = results.filter((result) => result.columns.length > 0).slice(-RESULTS_TOLD_MAX);
  if (told.length === 0) return null;
  return cutToBytes(told.reverse().map(tellResult).join("\n\n"), bytesMax);
}

export function tellResult(result: StoredResult): string {
  const { ref, sql, rows, columns, truncated } = result;
  const shown = rows.slice(0, ROWS_TOLD_MAX).map((row) => {
    return `- ${columns.map((column, index) => `${column}: ${tellCell(row[index] ?? null)}`).join(", ")}`;
  });
  const more = rows.length - shown.length;
  const rest = more > 0 ? [`- … ${more} more rows`] : [];
  const many = truncated ? `${rows.length} or more rows` : rows.length === 1 ? "1 row" : `${rows.length} rows`;
  const count = rows.length === 0 ? "no rows" : many;
  return [`Result ${ref} (${count}) of: ${sql.replace(/\s+/g, " ").trim()}`, ...shown, ...rest].join("\n");
}

export function tellCell(cell: Cell): string {
  if (cell === null) return "NULL";
  if (typeof cell === "string") return cell;
  // A tagged value (sql/values.ts) is told by its text.
  if (typeof cell === "object" && "text" in cell && typeof cell.text === "string") return cell.text;
  return JSON.stringify(cell);
}

/** Calls of the run that are told of; the newest. */
const ATTEMPTS_TOLD_MAX = 12;

/** One line a call: what was asked and what came of it, oldest first; null when no call was made. */
export function tellAttempts(messages: readonly Message[], bytesMax: number, errorsOnly: boolean): string | null {
  const lines: string[] = [];
  messages.forEach((message, index) => {
    const answered = messages[index + 1];
    if (message.role !== "assistant" || answered?.role !== "tool") return;
    message.calls.forEach((call, position) => {
      const result = answered.results[position];
      if (result === undefined || (errorsOnly && !result.isError)) return;
      const asked = sqlOf(call.input) ?? JSON.stringify(call.input) ?? "";
      lines.push(`- ${call.name}: ${shortLine(asked, 300)} → ${shortLine(summaryOf(result.content), 300)}`);
    });
  });
  if (lines.length === 0) return null;
  return cutToBytes([...new Set(lines)].slice(-ATTEMPTS_TOLD_MAX).join("\n"), bytesMax);
}

function summaryOf(content: string): string {
  const observation: unknown = JSON.parse(content);
  if (typeof observation !== "object" || observation === null || !("summary" in observation)) return "";
  return String(observation.summary);
}

function shortLine(text: string, charsMax: number): string {
  return cutMiddle(text.replace(/\s+/g, " ").trim(), charsMax);
}
