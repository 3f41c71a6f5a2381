/**
 * `POST /v1/runs/:id/again`: the queries of an answered run once more, as a new run that asks no model.
 *
 * What a schedule or a saved question posts. The new run is one like any other (limits, budget, callback, idempotency),
 * and reads what its caller may read today. Limits that are not named are those of the old run, lowered to the caller's
 * maximum. Leaves to others: what the plan is (agent/stored-plan.ts), the way in (open-run.ts).
 */
import { Hono } from "hono/tiny";
import * as z from "zod";
import { limitsRequestSchema, rowsNanoUsdMax } from "../agent/limits.ts";
import { NO_MODEL } from "../config.ts";
import { ok } from "../lib/result.ts";
import { ownRun, runNotFound } from "./access.ts";
import { answerRun, openingOf } from "./answer-run.ts";
import { askSchema, checkApproval, checkCallback, checkLimits } from "./ask.ts";
import { optionalJsonBody } from "./body.ts";
import { toFullLimits } from "./carry-on.ts";
import { type HttpEnv, runObject } from "./context.ts";
import { enterRun } from "./open-run.ts";
import { problem, refuse } from "./problems.ts";

export const againSchema = z.strictObject({
  limits: limitsRequestSchema.optional().meta({ description: "Absent ones are those of the old run." }),
  mode: askSchema.shape.mode,
  approve_above_rows: askSchema.shape.approve_above_rows,
  callback_url: askSchema.shape.callback_url,
});

export function createAgainRoutes() {
  return new Hono<HttpEnv>().post("/:id/again", optionalJsonBody(againSchema), async (c) => {
    const id = c.req.param("id");
    const wish = c.req.valid("json");
    const { caller, config } = c.var;
    const offer = await ownRun(c, id).offerPlan();
    if (offer.kind === "not_found") throw runNotFound();
    if (offer.kind === "refused") throw problem(REFUSAL_CODES[offer.reason], offer.message);
    const { run, plan, tools } = offer;
    const limits = checkLimits(wish.limits, { default: toFullLimits(run), max: caller.limits.max });
    if (!limits.ok) throw refuse(limits.error);
    const ownHost = new URL(c.req.url).hostname;
    const callbackUrl = checkCallback(wish.callback_url ?? caller.callbackUrl, config, ownHost);
    if (!callbackUrl.ok) throw refuse(callbackUrl.error);
    const approval = checkApproval(wish.approve_above_rows, caller);
    if (!approval.ok) throw refuse(approval.error);
    const mode = wish.mode ?? "auto";
    const opening = openingOf(c, { again: id, ...wish }, mode);
    const start = {
      question: run.question,
      caller: caller.name,
      scopes: caller.scopes,
      mode,
      grounding: run.grounding,
      model: NO_MODEL,
      tools,
      limits: limits.value,
      callbackUrl: callbackUrl.value,
      ...approval.value,
      plan,
    };
    const opened = await enterRun(
      {
        // Only rows cost.
        reserveNanoUsd: rowsNanoUsdMax(limits.value),
        question: run.question,
        begin: async (runId, driver) => ok(await runObject(c.env, runId).start({ ...start, id: runId }, driver)),
      },
      opening,
    );
    if (!opened.ok) throw refuse(opened.error);
    return answerRun(c, opened.value, opening);
  });
}

const REFUSAL_CODES = { not_finished: "run_not_finished", not_repeatable: "run_not_repeatable" } as const;
