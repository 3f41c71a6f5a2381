/**
 * The optional `chart` of `final_answer`, read leniently.
 *
 * A picture is a courtesy beside an answer, so a wish that cannot be read is left out with a note and never sends the
 * answer back: a turn more would cost the caller dollars, and could cost the answer itself. That is why the tool's own
 * schema takes anything here and this file checks it. Pure: no I/O, no clock.
 */
import * as z from "zod";
import { CHART_KINDS, type ChartWish } from "../agent/chart-wish.ts";
import type { ToolContext } from "../agent/tool.ts";
import { err, ok, type Result } from "../lib/result.ts";

/** Other names that models have for the same pictures. */
const OTHER_NAMES: { readonly [name: string]: ChartWish["kind"] } = {
  scatter: "dots",
  pie: "share",
  column: "bar",
};

const wishSchema = z.strictObject({
  kind: z.preprocess((name) => (typeof name === "string" ? (OTHER_NAMES[name] ?? name) : name), z.enum(CHART_KINDS)),
  result: z.string().nullish(),
});

/** What the model is shown of it. */
export const chartField = z
  .unknown()
  .optional()
  .meta({
    type: "object",
    description:
      "Only if the question asks for a picture or one says more than the usual choice; dots: a scatter plot.",
    properties: { kind: { type: "string", enum: [...CHART_KINDS] }, result: { type: "string" } },
    required: ["kind"],
    additionalProperties: false,
  });

/** The wish, null when there is none, or why it was left out. */
export function parseChart(given: unknown, results: ToolContext["results"]): Result<ChartWish | null, string> {
  if (given === undefined || given === null) return ok(null);
  const parsed = wishSchema.safeParse(given);
  if (!parsed.success) {
    return err(
      parsed.error.issues.map(({ path, message }) => `${["chart", ...path].join(".")}: ${message}`).join("; "),
    );
  }
  const { kind, result = null } = parsed.data;
  if (result !== null && results.get(result) === null) return err(`chart.result: there is no result ${result}`);
  return ok({ kind, result });
}
