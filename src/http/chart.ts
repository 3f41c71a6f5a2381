/**
 * `GET /v1/runs/:id/chart.svg`: a result as a picture, for documents, mails and whoever gets a callback.
 *
 * Owns: which result is drawn when none is named (the one that the model asked to have drawn, or the first one of the
 * answer that is better looked at than read), and the headers of a file that holds text from rows. Leaves to others: rules and drawing (web/). The drawing code is
 * loaded when the first picture is wanted.
 */
import { Hono } from "hono/tiny";
import * as z from "zod";
import type { PublicRun } from "../agent/view.ts";
import type { ResultPage, RunApi } from "../durable/contract.ts";
import { type ChartWish, chooseKind } from "../web/chart-choice.ts";
import { type Chart, suggestCharts } from "../web/chart-rules.ts";
import { ownRun, runNotFound } from "./access.ts";
import type { HttpEnv } from "./context.ts";
import { problem } from "./problems.ts";
import { queryParameters } from "./query.ts";

const ROWS_MAX = 1_000;
const WIDTH_DEFAULT = 720;
const RESULTS_TRIED_MAX = 8;

export const chartQuerySchema = z.strictObject({
  result: z
    .string()
    .regex(/^r[1-9][0-9]{0,5}$/, "Write the reference of a result, such as r1")
    .optional()
    .meta({
      description:
        "Which result; absent: what the model asked to have drawn, or the first of the answer that suits a picture.",
    }),
  kind: z.enum(["number", "line", "bar", "share", "dots"]).optional().meta({
    description:
      "Absent: what the model asked for in `receipt.chart` where the rows allow it, else what suits them best. One that does not suit them is refused.",
  }),
  theme: z.enum(["light", "dark"]).optional(),
  width: z
    .string()
    .regex(/^(?:2[4-9][0-9]|[3-9][0-9]{2}|1[0-9]{3}|2000)$/, "Write a width in pixels from 240 to 2000")
    .optional()
    .meta({ description: `Pixels, 240 to 2000; ${WIDTH_DEFAULT} unless told.` }),
});

export function createChartRoutes() {
  return new Hono<HttpEnv>().get("/:id/chart.svg", queryParameters(chartQuerySchema), async (c) => {
    const { result, kind, theme, width } = c.req.valid("query");
    const object = ownRun(c, c.req.param("id"));
    const run = await object.view();
    if (run === null) throw runNotFound();
    const refs = result === undefined ? resultsOf(run) : [result];
    const found = await findChart(object, refs, kind, run.receipt.chart);
    if (found === null) throw noChart(result, kind);
    const { renderChartSvg } = await import("../web/chart-svg.ts");
    const { columns, rows } = found.page;
    const options = { width: Number(width ?? WIDTH_DEFAULT), theme: theme ?? "light" };
    return c.body(renderChartSvg(found.chart, columns, rows, options), 200, {
      "content-type": "image/svg+xml; charset=utf-8",
      // Opened by itself, an SVG is a document: it may have the style of its own text and nothing else.
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
      "cache-control": "private, max-age=60",
    });
  });
}

interface Found {
  readonly chart: Chart;
  readonly page: ResultPage;
}

/** The first picture of the kind; with no kind named the one of the wish, if there is any, else the first of all. */
async function findChart(
  object: RunApi,
  refs: readonly string[],
  kind: string | undefined,
  wish: ChartWish | null,
): Promise<Found | null> {
  let first: Found | null = null;
  for (const ref of refs.slice(0, RESULTS_TRIED_MAX)) {
    const page = await object.result(ref, 1, ROWS_MAX);
    if (page === null) continue;
    const charts = suggestCharts(page.columns, page.rows);
    const wanted = kind ?? chooseKind(charts, wish, ref);
    const chart = charts.find((suggested) => suggested.kind === wanted) ?? (kind === undefined ? charts[0] : undefined);
    if (chart === undefined) continue;
    first ??= { chart, page };
    const isWished = wish !== null && wish.kind === chart.kind && (wish.result ?? ref) === ref;
    if (kind !== undefined || wish === null || wish.kind === "table" || isWished) return { chart, page };
  }
  return first;
}

/** What the model asked to have drawn, then the results of the answer, or of the queries so far, the latest first. */
function resultsOf(run: PublicRun): readonly string[] {
  const { results, chart } = run.receipt;
  if (results.length > 0) return [...new Set([...(chart?.result ? [chart.result] : []), ...results])];
  return run.receipt.queries.flatMap((query) => query.result ?? []).toReversed();
}

function noChart(result: string | undefined, kind: string | undefined) {
  const what = result === undefined ? "No result of this run" : `The result ${result} does not exist or`;
  const verb = result === undefined ? "suits" : "does not suit";
  const picture = kind === undefined ? "a picture" : `a picture of the kind ${kind}`;
  return problem("result_not_found", `${what} ${verb} ${picture}. Its rows can be read as JSON or CSV.`);
}
