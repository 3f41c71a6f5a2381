/**
 * A finished run as text: the answer, the rows behind it as a table, one receipt line, and what to know about them.
 *
 * Leaves to others: progress while the run goes on (progress.ts). Pure: no I/O, no clock.
 */
import { count, formatUsd } from "./progress.ts";
import type { Run } from "./run-client.ts";
import { renderTable, type TableRows } from "./table.ts";
import { toSafeLine, toSafeText } from "./terminal-text.ts";

export interface ReportContext {
  /** Rows of the last result, or null when the run has none. */
  readonly table: TableRows | null;
  readonly widthMax: number;
  /** Whether a key for Claude is set, which decides what the offline model's line advises. */
  readonly hasAnthropicKey: boolean;
}

const OFFLINE_MODEL = "offline";

/** The result to show: the last one that the answer's figures come from, else that of the last query that gave one. */
export function lastResultOf(run: Run): string | null {
  // A declined question has no rows behind it: what was looked up on the way is not what was asked for.
  if (run.stop_reason === "refusal") return null;
  const queried = run.receipt.queries.flatMap((query) => query.result ?? []);
  return run.receipt.results.at(-1) ?? queried.at(-1) ?? null;
}

export function renderReport(run: Run, context: ReportContext): string {
  const table = context.table === null ? [] : renderTable(context.table, context.widthMax);
  const parts = [
    headOf(run),
    table.join("\n"),
    [
      receiptLine(run),
      ...offlineLine(run, context),
      ...run.warnings.map((warning) => `Note: ${toSafeLine(warning)}`),
    ].join("\n"),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** 0 when the question was answered, 1 for every other ending. */
export function exitCodeOf(run: Run): 0 | 1 {
  return run.outcome === "answered" ? 0 : 1;
}

function headOf(run: Run): string {
  if (run.status !== "finished") return `Not finished: the run is ${toSafeLine(run.status)}.`;
  if (run.outcome === "answered") return toSafeText(run.answer ?? "");
  const why = toSafeText(run.message ?? `The run ended without an answer: ${run.stop_reason ?? "no reason given"}.`);
  if (!run.partial_answer) return why;
  return `${why}\n\nPartial answer, written when a limit was reached:\n${toSafeText(run.partial_answer)}`;
}

function receiptLine(run: Run): string {
  const { steps, queries, rows_read, cost_usd, seconds } = run.receipt;
  // Calls whose bill never came count at the most that they can have cost.
  const unbilled = run.usage?.unbilled_usd ?? 0;
  return [
    count(steps, "step"),
    `${queries.length.toLocaleString("en")} ${queries.length === 1 ? "query" : "queries"}`,
    `${count(rows_read, "row")} read`,
    `${unbilled > 0 ? "up to " : ""}${formatUsd(cost_usd)}${heldAmount(run)}`,
    `${seconds.toFixed(1)} s`,
    toSafeLine(run.stop_reason ?? run.status),
  ].join(" · ");
}

/** A call that was in flight when the run ended may still be charged. */
function heldAmount(run: Run): string {
  const held = run.usage?.reserved_usd ?? 0;
  return held > 0 ? ` and up to ${formatUsd(held)} for a call in flight` : "";
}

function offlineLine(run: Run, context: ReportContext): readonly string[] {
  if (run.model !== OFFLINE_MODEL) return [];
  const verb = run.outcome === "answered" ? "Answered" : "Handled";
  return [`${verb} by the offline model${context.hasAnthropicKey ? "" : " (set ANTHROPIC_API_KEY for Claude)"}.`];
}
