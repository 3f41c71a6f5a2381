/**
 * `read_result`: more rows of a stored result. Rows count from 1; a negative start means the last rows; no range means
 * the first page. Never unbounded, and no cost: the rows are stored with the run.
 */
import * as z from "zod";
import { failure, success, warning } from "../agent/observation.ts";
import { defineTool, type StoredResult, type Tool, type ToolOutput } from "../agent/tool.ts";
import { INSTRUCTION_LABEL, looksLikeInstruction, PAGE_ROWS_MAX, toPage } from "./rows.ts";

/** Rows of one page that a model may ask for. */
const RANGE_ROWS_MAX = 200;

const DESCRIPTION = `Reads rows of a stored result by its reference (r1, r2, …), without running the query again.
from_row and to_row count from 1 and are both included; a negative from_row reads the last rows (-20: the last 20).
Without a range: the first ${PAGE_ROWS_MAX} rows. At most ${RANGE_ROWS_MAX} rows a call.`;

const inputSchema = z.strictObject({
  ref: z.string().describe("A reference such as r1."),
  from_row: z.int().optional(),
  to_row: z.int().min(1).optional(),
});

export function createReadResultTool(): Tool {
  return defineTool({
    name: "read_result",
    description: DESCRIPTION,
    input: inputSchema,
    run: async ({ ref, from_row, to_row }, context) => {
      const result = context.results.get(ref);
      if (result === null)
        return answer(
          failure(`There is no result "${ref.slice(0, 20)}" in this run.`, [
            "Run a query first, or use a reference from an observation.",
          ]),
        );
      return answer(readRows(result, from_row, to_row));
    },
  });
}

function readRows(result: StoredResult, fromRow: number | undefined, toRow: number | undefined) {
  const count = result.rows.length;
  const range = toRange(count, fromRow, toRow);
  if (range === null) {
    return failure(`Result ${result.ref} has rows 1 to ${count}; the range asked for is outside.`, [
      "Ask for a range within these rows.",
    ]);
  }
  const page = toPage(result, range.from, range.to);
  const data = { ...page, row_numbers: page.rows.map((_, index) => page.from_row + index) };
  const summary =
    count === 0
      ? `${result.ref} has no rows.`
      : `Rows ${page.from_row} to ${page.to_row} of ${count} in ${result.ref}.`;
  const advice: string[] = [];
  if (page.rows.length > 0 && page.to_row < range.to)
    advice.push(`The page is full: go on from row ${page.to_row + 1}.`);
  if (looksLikeInstruction(page)) advice.push(INSTRUCTION_LABEL);
  return advice.length > 0 ? warning(summary, advice, data) : success(summary, data);
}

/** 1-based inclusive range within `count` rows, or null when there is nothing in it. */
export function toRange(
  count: number,
  fromRow: number | undefined,
  toRow: number | undefined,
): { readonly from: number; readonly to: number } | null {
  const from = fromRow === undefined ? 1 : fromRow < 0 ? Math.max(1, count + fromRow + 1) : fromRow;
  const length = fromRow === undefined && toRow === undefined ? PAGE_ROWS_MAX : RANGE_ROWS_MAX;
  const to = Math.min(toRow ?? count, count, from + length - 1);
  if (count === 0 && (fromRow === undefined || fromRow === 1)) return { from: 1, to: 0 };
  return from < 1 || from > count || to < from ? null : { from, to };
}

function answer(observation: ReturnType<typeof success>): ToolOutput {
  return { observation, rowsRead: 0, query: null };
}
