/**
 * `GET /v1/usage`: what the caller has asked and spent, day by day: runs, outcomes, dollars with their median and 95th
 * percentile, what is held by runs that go on, and the alerts that were given.
 *
 * Owns: the public shape. Leaves to others: the ledger (durable/).
 */
import { Hono } from "hono";
import * as z from "zod";
import type { DayUsage } from "../durable/caller-contract.ts";
import { usdFromNano } from "../lib/money.ts";
import { callerObject, type HttpEnv } from "./context.ts";
import { queryParameters } from "./query.ts";

const DAYS_DEFAULT = 7;
const DAYS_MAX = 90;

export const usageQuerySchema = z.object({
  days: z
    .string()
    .regex(/^(?:[1-9]|[1-8][0-9]|90)$/, `a whole number from 1 to ${DAYS_MAX}`)
    .optional()
    .meta({ description: `Days with any run, newest first; ${DAYS_DEFAULT} unless told.` }),
});

const count = z.int().min(0);
const usd = z.number().min(0);

export const usageSchema = z.strictObject({
  daily_usd_max: usd,
  days: z.array(
    z.strictObject({
      day: z.string().meta({ description: "A UTC day. A run counts on the day it was asked." }),
      runs: count,
      outcomes: z.strictObject({ answered: count, stopped: count, failed: count, cancelled: count, lost: count }),
      spent_usd: usd,
      reserved_usd: usd.meta({ description: "Held by runs that go on." }),
      run_usd: z
        .strictObject({ p50: usd, p95: usd })
        .nullable()
        .meta({ description: "What a finished run cost; null when none is finished." }),
      alerts: z.array(count).meta({ description: "Per cent of the daily budget at which an alert was given." }),
    }),
  ),
});

export function createUsageRoutes() {
  return new Hono<HttpEnv>().get("/", queryParameters(usageQuerySchema), async (c) => {
    const { caller } = c.var;
    const days = await callerObject(c.env, caller.name).usage(Number(c.req.valid("query").days ?? DAYS_DEFAULT));
    return c.json({ daily_usd_max: usdFromNano(caller.dailyNanoUsdMax), days: days.map(toPublicDay) }, 200);
  });
}

function toPublicDay(day: DayUsage): z.infer<typeof usageSchema>["days"][number] {
  const { runCost } = day;
  return {
    day: day.day,
    runs: day.runs,
    outcomes: { ...day.outcomes },
    spent_usd: usdFromNano(day.spentNanoUsd),
    reserved_usd: usdFromNano(day.reservedNanoUsd),
    run_usd: runCost == null ? null : { p50: usdFromNano(runCost.p50NanoUsd), p95: usdFromNano(runCost.p95NanoUsd) },
    alerts: [...day.alerts],
  };
}
