/**
 * `GET /v1/usage`: what the caller has asked and spent, day by day: runs, outcomes, dollars and seconds with their median
 * and 95th percentile, what is held by runs that go on, the alerts that were given; and the same of the last runs.
 *
 * Owns: the public shape. Leaves to others: the ledger (durable/).
 */
import { Hono } from "hono/tiny";
import * as z from "zod";
import type { DayUsage, RecentFigures } from "../durable/caller-contract.ts";
import { usdFromNano } from "../lib/money.ts";
import { callerObject, type HttpEnv } from "./context.ts";
import { queryParameters } from "./query.ts";

const DAYS_DEFAULT = 7;
const DAYS_MAX = 90;

export const usageQuerySchema = z.strictObject({
  days: z
    .string()
    .regex(/^(?:[1-9]|[1-8][0-9]|90)$/, `Write a whole number from 1 to ${DAYS_MAX}`)
    .optional()
    .meta({ description: `Days with any run, newest first; ${DAYS_DEFAULT} unless told.` }),
});

const count = z.int().min(0);
const usd = z.number().min(0);

const outcomes = z.strictObject({ answered: count, stopped: count, failed: count, cancelled: count, lost: count });
const runUsd = z
  .strictObject({ p50: usd, p95: usd })
  .nullable()
  .meta({ description: "What a finished run cost: median and 95th percentile; null when none is finished." });
const runSeconds = z
  .strictObject({ p50: z.number().min(0), p95: z.number().min(0) })
  .nullable()
  .meta({
    description:
      "From asking to the end with its cost known: median and 95th percentile; null when it is known of no run.",
  });

export const usageSchema = z.strictObject({
  daily_usd_max: usd,
  recent: z
    .strictObject({ runs: count, runs_max: count, outcomes, run_usd: runUsd, run_seconds: runSeconds })
    .meta({ description: "Of the last finished runs, whenever they were asked, at most `runs_max` of them." }),
  days: z.array(
    z.strictObject({
      day: z.string().meta({ description: "A UTC day. A run counts on the day it was asked." }),
      runs: count,
      outcomes,
      spent_usd: usd,
      reserved_usd: usd.meta({ description: "Held by runs that go on." }),
      run_usd: runUsd,
      run_seconds: runSeconds,
      alerts: z.array(count).meta({ description: "Per cent of the daily budget at which an alert was given." }),
    }),
  ),
});

export function createUsageRoutes() {
  return new Hono<HttpEnv>().get("/", queryParameters(usageQuerySchema), async (c) => {
    const { caller } = c.var;
    const ledger = callerObject(c.env, caller.name);
    const daysMax = Number(c.req.valid("query").days ?? DAYS_DEFAULT);
    const [days, recent] = await Promise.all([ledger.usage(daysMax), ledger.figures()]);
    return c.json(
      {
        daily_usd_max: usdFromNano(caller.dailyNanoUsdMax),
        recent: {
          runs: recent.runs,
          runs_max: recent.runsMax,
          outcomes: { ...recent.outcomes },
          ...toPublicFigures(recent),
        },
        days: days.map(toPublicDay),
      },
      200,
    );
  });
}

function toPublicDay(day: DayUsage): z.infer<typeof usageSchema>["days"][number] {
  return {
    day: day.day,
    runs: day.runs,
    outcomes: { ...day.outcomes },
    spent_usd: usdFromNano(day.spentNanoUsd),
    reserved_usd: usdFromNano(day.reservedNanoUsd),
    ...toPublicFigures(day),
    alerts: [...day.alerts],
  };
}

function toPublicFigures({ runCost, runTime }: Pick<DayUsage | RecentFigures, "runCost" | "runTime">) {
  return {
    run_usd: runCost == null ? null : { p50: usdFromNano(runCost.p50NanoUsd), p95: usdFromNano(runCost.p95NanoUsd) },
    run_seconds: runTime == null ? null : { p50: runTime.p50Ms / 1000, p95: runTime.p95Ms / 1000 },
  };
}
