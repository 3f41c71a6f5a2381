/**
 * The ceilings of a run: what a caller may ask for, the defaults, and the one place where the two meet.
 *
 * Owns: names on the wire (snake_case, dollars and seconds) and in the core (camelCase, nano-dollars and milliseconds).
 * Nothing means unlimited: absent is the default, and 0, negative, NaN, Infinity and strings are refused by the schema.
 * Pure: no I/O, no clock.
 */
import * as z from "zod";
import { nanoFromUsd, usdFromNano } from "../lib/money.ts";
import { err, ok, type Result } from "../lib/result.ts";
import { NANO_USD_PER_ROW } from "./cost.ts";

// No upper bound here: what is too much is the caller's maximum, which answers with its own number.
const count = (what: string) => z.int().min(1).describe(what);

/** `limits` as callers write them. Every field is optional. */
export const limitsRequestSchema = z
  .strictObject({
    max_steps: count("Steps: one model call and its tool calls each."),
    max_hops: count("Tool calls, malformed ones included."),
    max_consecutive_errors: count("Failing tool calls in a row."),
    max_errors: count("Failing tool calls in all."),
    max_model_calls: count("Model calls of every kind, retries included."),
    wall_clock_s: z.number().positive().describe("Seconds of active time."),
    step_timeout_s: z.number().positive().describe("Seconds one model call or tool round may take."),
    budget_usd: z.number().positive().describe("Dollars, for everything the run does."),
    max_rows_read: z.int().min(1).describe("Rows the database may scan."),
  })
  .partial();

export type LimitsRequest = z.infer<typeof limitsRequestSchema>;
export type LimitName = keyof LimitsRequest;
export type FullLimits = { readonly [K in LimitName]: number };

/** Stored contract (part of `AgentState`): fields are only ever added, with a default. */
export const limitsSchema = z.strictObject({
  stepsMax: z.int().min(1),
  hopsMax: z.int().min(1),
  consecutiveErrorsMax: z.int().min(1),
  errorsMax: z.int().min(1),
  modelCallsMax: z.int().min(1),
  wallClockMs: z.int().min(1),
  stepTimeoutMs: z.int().min(1),
  costNanoUsdMax: z.int().min(0),
  rowsReadMax: z.int().min(1),
});

export type Limits = z.infer<typeof limitsSchema>;

/**
 * The defaults. Steps, hops, consecutive errors, times and dollars are the product's promise; four errors in all stops
 * an error that alternates with a success before the hops run out; twenty model calls leave room for twelve steps, the
 * last call and a few retries; five million rows cost half a cent.
 */
export const DEFAULT_LIMITS: FullLimits = {
  max_steps: 12,
  max_hops: 8,
  max_consecutive_errors: 3,
  max_errors: 4,
  max_model_calls: 20,
  wall_clock_s: 300,
  step_timeout_s: 60,
  budget_usd: 0.5,
  max_rows_read: 5_000_000,
};

/** The most that a caller with no maximum of its own may ask for. */
export const DEFAULT_LIMITS_MAX: FullLimits = {
  max_steps: 128,
  max_hops: 256,
  max_consecutive_errors: 16,
  max_errors: 64,
  max_model_calls: 512,
  wall_clock_s: 3_600,
  step_timeout_s: 300,
  budget_usd: 10,
  max_rows_read: 100_000_000,
};

/** A limit above the caller's maximum. */
export interface LimitExcess {
  readonly name: LimitName;
  readonly requested: number;
  readonly max: number;
}

/**
 * Lays `requested` over `defaults` and holds every field to `max`: a request above it is an excess, a default above it
 * is lowered to it.
 */
export function resolveLimits(
  requested: LimitsRequest,
  defaults: FullLimits,
  max: FullLimits,
): Result<Limits, readonly LimitExcess[]> {
  const excess: LimitExcess[] = [];
  const pick = (name: LimitName): number => {
    const wanted = requested[name];
    if (wanted === undefined) return Math.min(defaults[name], max[name]);
    if (wanted > max[name]) excess.push({ name, requested: wanted, max: max[name] });
    return wanted;
  };
  const limits: Limits = {
    stepsMax: pick("max_steps"),
    hopsMax: pick("max_hops"),
    consecutiveErrorsMax: pick("max_consecutive_errors"),
    errorsMax: pick("max_errors"),
    modelCallsMax: pick("max_model_calls"),
    wallClockMs: Math.max(1, Math.round(pick("wall_clock_s") * 1000)),
    stepTimeoutMs: Math.max(1, Math.round(pick("step_timeout_s") * 1000)),
    costNanoUsdMax: nanoFromUsd(pick("budget_usd")),
    rowsReadMax: pick("max_rows_read"),
  };
  return excess.length > 0 ? err(excess) : ok(limits);
}

/** The most that a run on a model without a price can cost: the rows that it may read. */
export function rowsNanoUsdMax(limits: Limits): number {
  return Math.min(limits.costNanoUsdMax, limits.rowsReadMax * NANO_USD_PER_ROW);
}

/** The public form. */
export function toPublicLimits(limits: Limits): FullLimits {
  return {
    max_steps: limits.stepsMax,
    max_hops: limits.hopsMax,
    max_consecutive_errors: limits.consecutiveErrorsMax,
    max_errors: limits.errorsMax,
    max_model_calls: limits.modelCallsMax,
    wall_clock_s: limits.wallClockMs / 1000,
    step_timeout_s: limits.stepTimeoutMs / 1000,
    budget_usd: usdFromNano(limits.costNanoUsdMax),
    max_rows_read: limits.rowsReadMax,
  };
}
