/**
 * The picture that a model asks for with its answer: a kind, and the result that it is of.
 *
 * Owns: the names of the kinds, which are also those of `GET /v1/runs/:id/chart.svg`, and the stored shape. A wish, no
 * order: whoever draws looks at the rows, and falls back to the rules where they do not suit the kind (web/chart-rules.ts).
 * Pure: no I/O, no clock.
 */
import * as z from "zod";

/** `table` asks for no picture: the rows are better read. */
export const CHART_KINDS = ["number", "line", "bar", "share", "dots", "table"] as const;

/** Stored contract (part of an ending): fields are only ever added, with a default. */
export const chartWishSchema = z.strictObject({
  kind: z.enum(CHART_KINDS),
  /** Reference of the result; null: the first of the answer that suits the kind. */
  result: z.string().nullable(),
});

export type ChartWish = z.infer<typeof chartWishSchema>;
