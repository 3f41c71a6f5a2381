/**
 * `POST /v1/runs/:id/continue` and `/fork`: a new run that goes on from a finished one, with its spend.
 *
 * Limits that are not named are the old run's; so a run that was stopped by one is continued by naming that one, higher.
 * What the caller may use and see (model, scopes, rows that need no approval) is what is set for them now.
 * Owns: what is refused at the door, and that only what is not spent yet is held anew. Leaves to others: what the new run
 * takes over (agent/fork.ts), the way in (open-run.ts).
 */
import type { Context } from "hono";
import { Hono } from "hono/tiny";
import * as z from "zod";
import { DEFAULT_LIMITS, type FullLimits, limitsRequestSchema } from "../agent/limits.ts";
import type { PublicRun } from "../agent/view.ts";
import type { Caller } from "../config/callers.ts";
import { NO_MODEL } from "../config.ts";
import type { CarryOn, CarryOnReply } from "../durable/contract.ts";
import { nanoFromUsd } from "../lib/money.ts";
import { err, ok, type Result } from "../lib/result.ts";
import { ownRun, runNotFound } from "./access.ts";
import { answerRun, openingOf } from "./answer-run.ts";
import { checkLimits } from "./ask.ts";
import { optionalJsonBody } from "./body.ts";
import type { HttpEnv } from "./context.ts";
import { enterRun, termsOf } from "./open-run.ts";
import { problem, type Refusal, refuse } from "./problems.ts";

const limits = limitsRequestSchema.optional().meta({ description: "Absent ones are those of the old run." });

export const continueSchema = z.strictObject({ limits });
export const forkSchema = z.strictObject({
  step: z
    .int()
    .min(0)
    .optional()
    .meta({ description: "The step to go on after; 0: from the start; absent: the last." }),
  limits,
});

type Wish = Pick<CarryOn, "kind" | "step"> & { readonly limits: z.output<typeof limits> };

export function createCarryOnRoutes() {
  return new Hono<HttpEnv>()
    .post("/:id/continue", optionalJsonBody(continueSchema), async (c) =>
      carryOn(c, c.req.param("id"), { kind: "continue", step: null, limits: c.req.valid("json").limits }),
    )
    .post("/:id/fork", optionalJsonBody(forkSchema), async (c) =>
      carryOn(c, c.req.param("id"), {
        kind: "fork",
        step: c.req.valid("json").step ?? null,
        limits: c.req.valid("json").limits,
      }),
    );
}

async function carryOn(c: Context<HttpEnv>, id: string, wish: Wish) {
  const object = ownRun(c, id);
  const parent = await object.view();
  if (parent === null) throw runNotFound();
  if (parent.status !== "finished") throw problem("run_not_finished", "Wait for its end, or cancel it.");
  const { caller } = c.var;
  const barred = refuseModel(parent, caller);
  if (barred !== null) throw refuse(barred);
  const checked = checkLimits(wish.limits, { default: toFullLimits(parent), max: caller.limits.max });
  if (!checked.ok) throw refuse(checked.error);
  const opening = openingOf(c, { id, ...wish }, parent.mode);
  const opened = await enterRun(
    {
      reserveNanoUsd: Math.max(0, checked.value.costNanoUsdMax - nanoFromUsd(parent.usage.cost_usd)),
      question: parent.question,
      begin: async (runId, driver) => {
        const { kind, step } = wish;
        const request = { id: runId, kind, step, limits: checked.value, terms: termsOf(caller) };
        return toRun(await object.carryOn(request, driver));
      },
    },
    opening,
  );
  if (!opened.ok) throw refuse(opened.error);
  return answerRun(c, opened.value, opening);
}

function toRun(reply: CarryOnReply): Result<PublicRun, Refusal> {
  if (reply.kind === "started") return ok(reply.run);
  if (reply.kind === "not_found") return err({ code: "run_not_found", detail: "No run of yours has this id." });
  return err({ code: REFUSAL_CODES[reply.reason], detail: reply.message });
}

const REFUSAL_CODES = {
  not_finished: "run_not_finished",
  not_continuable: "run_not_continuable",
  no_such_step: "step_not_found",
  limit_not_raised: "limit_not_raised",
} as const;

/** A run goes on with its own model: not with one that its caller may not use any more. */
export function refuseModel({ model }: PublicRun, { models }: Caller): Refusal | null {
  // What has followed a plan is refused for that reason.
  if (models === null || models.includes(model) || model === NO_MODEL) return null;
  const detail = `This run used ${model}, which you may not use any more. Ask anew with ${models.join(" or ")}.`;
  return { code: "model_not_available", detail, options: { more: { available: models } } };
}

/** The limits of a run as a request would write them. */
export function toFullLimits(run: PublicRun): FullLimits {
  const pick = (name: keyof FullLimits): number => run.limits[name] ?? DEFAULT_LIMITS[name];
  return {
    max_steps: pick("max_steps"),
    max_hops: pick("max_hops"),
    max_consecutive_errors: pick("max_consecutive_errors"),
    max_errors: pick("max_errors"),
    max_model_calls: pick("max_model_calls"),
    wall_clock_s: pick("wall_clock_s"),
    step_timeout_s: pick("step_timeout_s"),
    budget_usd: pick("budget_usd"),
    max_rows_read: pick("max_rows_read"),
  };
}
