/**
 * What a run leaves to read: the rows of a stored result, in pages or as CSV, and the whole journal as JSON lines.
 *
 * Rows and entries are fetched from the object page by page as the client reads, so neither a long result nor a slow
 * reader costs memory.
 */
import { Hono } from "hono/tiny";
import * as z from "zod";
import type { ResultPage, RunApi } from "../durable/contract.ts";
import { ownRun, runNotFound } from "./access.ts";
import type { HttpEnv } from "./context.ts";
import { toCsvLine } from "./csv.ts";
import { problem } from "./problems.ts";
import { queryParameters } from "./query.ts";
import { textStream } from "./text-stream.ts";

const ROWS_PAGE_DEFAULT = 100;
const ROWS_PAGE_MAX = 1_000;

export const resultQuerySchema = z.strictObject({
  format: z.enum(["json", "csv"]).optional().meta({ description: "Wins over the Accept header. CSV holds all rows." }),
  from: z
    .string()
    .regex(/^[1-9][0-9]{0,8}$/, "Write the number of a row, from 1")
    .optional()
    .meta({ description: "Number of the first row, from 1. `next` of a page names the one to go on with." }),
  limit: z
    .string()
    .regex(/^(?:[1-9][0-9]{0,2}|1000)$/, `Write a whole number from 1 to ${ROWS_PAGE_MAX}`)
    .optional()
    .meta({ description: `Rows of one page, ${ROWS_PAGE_DEFAULT} unless told.` }),
});

export function createRecordRoutes() {
  return new Hono<HttpEnv>()
    .get("/:id/results/:ref", queryParameters(resultQuerySchema), async (c) => {
      const id = c.req.param("id");
      const ref = c.req.param("ref");
      const query = c.req.valid("query");
      const object = ownRun(c, id);
      const from = Number(query.from ?? 1);
      const rowsMax = query.limit === undefined ? ROWS_PAGE_DEFAULT : Number(query.limit);
      const isCsv = (query.format ?? preferredFormat(c.req.header("accept"))) === "csv";
      c.header("vary", "accept", { append: true });
      const page = await object.result(ref, from, isCsv ? from + ROWS_PAGE_MAX - 1 : from + rowsMax - 1);
      if (page === null) {
        if ((await object.view()) === null) throw runNotFound();
        throw problem("result_not_found", "The run has no result with this reference. Its receipt lists them.");
      }
      if (!isCsv) return c.json(toPublicPage(id, page, rowsMax), 200);
      return c.body(textStream(csvLines(object, page)), 200, {
        "content-type": "text/csv; charset=utf-8; header=present",
        "content-disposition": `attachment; filename="${id}-${page.ref}.csv"`,
        "querent-truncated": String(page.truncated),
      });
    })
    .get("/:id/transcript", async (c) => {
      const object = ownRun(c, c.req.param("id"));
      const first = await object.transcript();
      if (first === null) throw runNotFound();
      return c.body(textStream(transcriptLines(object, first)), 200, { "content-type": "application/jsonl" });
    });
}

function toPublicPage(id: string, page: ResultPage, rowsMax: number) {
  const next = page.fromRow + page.rows.length;
  const hasMore = page.rows.length > 0 && next <= page.storedRows;
  return {
    ref: page.ref,
    sha256: page.sha256,
    sql: page.sql,
    columns: page.columns,
    rows: page.rows,
    from: page.fromRow,
    stored_rows: page.storedRows,
    total_rows: page.totalRows,
    truncated: page.truncated,
    next: hasMore ? `/v1/runs/${id}/results/${page.ref}?from=${next}&limit=${rowsMax}` : null,
  };
}

/** All rows from `first` on, the column names before them. */
export async function* csvLines(object: RunApi, first: ResultPage): AsyncGenerator<string> {
  yield toCsvLine(first.columns);
  let page: ResultPage | null = first;
  while (page !== null) {
    yield page.rows.map(toCsvLine).join("");
    const next: number = page.fromRow + page.rows.length;
    if (page.rows.length === 0 || next > page.storedRows) return;
    page = await object.result(page.ref, next, next + ROWS_PAGE_MAX - 1);
  }
}

async function* transcriptLines(
  object: RunApi,
  first: NonNullable<Awaited<ReturnType<RunApi["transcript"]>>>,
): AsyncGenerator<string> {
  let page: typeof first | null = first;
  while (page !== null) {
    yield page.entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
    if (page.next === null) return;
    page = await object.transcript(page.next);
  }
}

/** CSV only for a client that names it and does not like JSON as much. */
function preferredFormat(accept: string | undefined): "json" | "csv" {
  const quality = (type: string): number => {
    const range = (accept ?? "").split(",").find((part) => part.split(";")[0]?.trim().toLowerCase() === type);
    const q = /;\s*q=([0-9.]+)/.exec(range ?? "")?.[1];
    return range === undefined ? -1 : Number(q ?? 1);
  };
  const csv = quality("text/csv");
  return csv > 0 && csv > quality("application/json") ? "csv" : "json";
}
