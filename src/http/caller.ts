/**
 * `GET /v1/caller`: what the key that asks may use: models, limits with their maxima, its scopes in short, and how much of
 * its day is left. A form that is filled from it is refused nothing.
 *
 * Owns: the public shape. Names of hidden tables and columns stay out of it: those that may be read are in
 * `GET /v1/schema`. Leaves to others: the ledger (durable/), what a question may carry (ask.ts).
 */
import { Hono } from "hono/tiny";
import * as z from "zod";
import { limitsRequestSchema } from "../agent/limits.ts";
import type { Caller } from "../config/callers.ts";
import { usdFromNano } from "../lib/money.ts";
import { hasColumnRules } from "../sql/scopes.ts";
import { defaultModelOf, modelsOf } from "./ask.ts";
import { callerObject, type HttpEnv } from "./context.ts";

const limits = limitsRequestSchema.required();
const usd = z.number().min(0);

export const callerSchema = z.strictObject({
  name: z.string(),
  models: z.array(z.string()).meta({ description: "What `model` of a question may be." }),
  default_model: z.string().nullable().meta({ description: "Used when a question names none." }),
  limits: z.strictObject({
    default: limits.meta({ description: "Of a question that names none." }),
    max: limits.meta({ description: "What a question may ask for at most." }),
  }),
  scopes: z.strictObject({
    all_tables: z.boolean().meta({ description: "False: only some may be read. `GET /v1/schema` has those." }),
    all_columns: z.boolean().meta({ description: "False: some are hidden or masked." }),
    masked_values: z.array(z.string()).meta({ description: "Kinds of values that are masked wherever they stand." }),
    row_cap: z.int().min(1).nullable().meta({ description: "Rows of a result that are kept; null: as many as fit." }),
  }),
  daily_usd: z.strictObject({
    max: usd,
    left: usd.meta({ description: "Of the UTC day; what runs that go on hold is not left." }),
  }),
  may_ask: z.boolean().meta({ description: "Whether the model may ask you back when a question does not say." }),
  approve_above_rows: z.int().min(0).nullable().meta({
    description: "Queries that read more rows by their plan wait for a person; null: none does.",
  }),
  rate_per_minute: z.int().min(1),
  runs_at_once: z.int().min(1),
});

const DAY_CHARS = "2026-11-30".length;

export function createCallerRoutes() {
  return new Hono<HttpEnv>().get("/", async (c) => {
    const { caller, config, ports } = c.var;
    const [day] = await callerObject(c.env, caller.name).usage(1);
    // The ledger's newest day may be an earlier one: then today is whole.
    const isToday = day?.day === new Date(ports.now()).toISOString().slice(0, DAY_CHARS);
    const taken = day !== undefined && isToday ? day.spentNanoUsd + day.reservedNanoUsd : 0;
    return c.json(
      {
        name: caller.name,
        models: [...modelsOf(caller, config)],
        default_model: defaultModelOf(caller, config) ?? null,
        limits: { default: { ...caller.limits.default }, max: { ...caller.limits.max } },
        scopes: toPublicScopes(caller.scopes),
        daily_usd: {
          max: usdFromNano(caller.dailyNanoUsdMax),
          left: usdFromNano(Math.max(0, caller.dailyNanoUsdMax - taken)),
        },
        may_ask: caller.mayAsk,
        approve_above_rows: caller.approveAboveRows,
        rate_per_minute: caller.ratePerMinuteMax,
        runs_at_once: caller.runsAtOnceMax,
      } satisfies z.infer<typeof callerSchema>,
      200,
    );
  });
}

function toPublicScopes(scopes: Caller["scopes"]): z.infer<typeof callerSchema>["scopes"] {
  const { tables, maskValues, rowCap } = scopes;
  return {
    all_tables: tables?.allow === undefined && (tables?.deny ?? []).length === 0,
    all_columns: !hasColumnRules(scopes),
    masked_values: [...(maskValues ?? [])],
    row_cap: rowCap ?? null,
  };
}
