/**
 * `POST /v1/runs`, `GET /v1/runs`, `GET /v1/runs/:id`: ask, list, look.
 *
 * Owns: status codes and headers of these three. Leaves to others: whether a question may be asked (ask.ts), the way in
 * (open-run.ts), driving while the client waits (drive.ts).
 */

import { etag } from "hono/etag";
import { Hono } from "hono/tiny";
import * as z from "zod";
import type { LedgerEntry } from "../durable/caller-contract.ts";
import { usdFromNano } from "../lib/money.ts";
import { ownRun, runHeaders, runNotFound } from "./access.ts";
import { answerRun, openingOf } from "./answer-run.ts";
import { askSchema, checkAsk } from "./ask.ts";
import { invalidRequest, jsonBody } from "./body.ts";
import { callerObject, type HttpEnv } from "./context.ts";
import { openRun } from "./open-run.ts";
import { refuse } from "./problems.ts";
import { queryParameters } from "./query.ts";
import type { listedRunSchema } from "./schemas.ts";

const LIST_LIMIT_DEFAULT = 20;
const LIST_LIMIT_MAX = 100;

export const listQuerySchema = z.strictObject({
  limit: z
    .string()
    .regex(/^(?:[1-9][0-9]?|100)$/, `Write a whole number from 1 to ${LIST_LIMIT_MAX}`)
    .optional()
    .meta({ description: `Runs of one page, ${LIST_LIMIT_DEFAULT} unless told.` }),
  cursor: z.string().min(1).max(200).optional().meta({ description: "`next_cursor` of the page before." }),
});

export function createRunRoutes() {
  return new Hono<HttpEnv>()
    .post("/", jsonBody(askSchema), async (c) => {
      const ask = c.req.valid("json");
      const opening = openingOf(c, ask, ask.mode ?? "auto");
      const checked = checkAsk(ask, c.var.caller, c.var.config, new URL(c.req.url).hostname);
      if (!checked.ok) throw refuse(checked.error);
      const opened = await openRun(checked.value, opening);
      if (!opened.ok) throw refuse(opened.error);
      return answerRun(c, opened.value, opening);
    })
    .get("/", queryParameters(listQuerySchema), async (c) => {
      const { limit, cursor } = c.req.valid("query");
      const page = await callerObject(c.env, c.var.caller.name).list(
        cursor ?? null,
        limit === undefined ? LIST_LIMIT_DEFAULT : Number(limit),
      );
      if (page === null) {
        throw invalidRequest([{ detail: "Take the cursor from `next_cursor` of a page.", parameter: "cursor" }]);
      }
      return c.json({ runs: page.runs.map(toListedRun), next_cursor: page.next }, 200);
    })
    .get("/:id", etag(), async (c) => {
      const run = await ownRun(c, c.req.param("id")).view();
      if (run === null) throw runNotFound();
      c.header("cache-control", "private, no-cache");
      return c.json(run, 200, runHeaders(run));
    });
}

function toListedRun(entry: LedgerEntry): z.infer<typeof listedRunSchema> {
  return {
    id: entry.id,
    question: entry.question,
    outcome: entry.outcome,
    cost_usd: usdFromNano(entry.costNanoUsd),
    reserved_usd: entry.outcome === null ? usdFromNano(entry.reservedNanoUsd) : 0,
    links: { self: `/v1/runs/${entry.id}` },
    created_at: new Date(entry.admittedAt).toISOString(),
  };
}
