/**
 * Who may ask, and within what: the caller fields that API keys, webhook sources and Slack share.
 *
 * Owns: the JSON of QUERENT_CALLERS and its translation to `Caller`, every default filled in. Leaves to others: checking
 * a key (http/auth.ts), enforcing scopes (sql/scopes.ts), rates and dollars (durable/caller-object.ts).
 *
 *     {"analytics": {
 *        "keys": ["sha256:<64 hex digits>"],                  as `npm run key` prints them; two while one is replaced
 *        "scopes": {"tables": {"allow": ["Customer"], "deny": []},
 *                   "columns": {"deny": ["Customer.Email"], "mask": ["*.Phone"]},
 *                   "mask_values": ["email"], "row_cap": 500},
 *        "models": ["claude-sonnet-5-5"],                     absent: every model that is configured
 *        "limits": {"default": {"budget_usd": 0.2}, "max": {"budget_usd": 1}},
 *        "daily_usd": 5, "rate": {"per_minute": 30}, "runs_at_once": 4,
 *        "callback_url": "https://example.com/hook",          used when a question names none
 *        "may_ask": true,                                     the model may ask the person back; absent: false, in Slack true
 *        "approve_above_rows": 1000000,                       a query that reads more waits for a person; absent: none does
 *        "prompt_cache": "1h"}}                               for questions that come 5 to 60 minutes apart; absent: "5m"
 *
 * A caller without keys cannot use the API. Nothing means unlimited. Pure: no I/O, no clock.
 */
import * as z from "zod";
import { type FullLimits, type LimitName, type LimitsRequest, limitsRequestSchema } from "../agent/limits.ts";
import { nanoFromUsd } from "../lib/money.ts";
import type { Scopes } from "../sql/scopes.ts";
import { ConfigError, type VariableName } from "./variables.ts";

export interface LimitPair {
  readonly default: FullLimits;
  readonly max: FullLimits;
}

export interface Caller {
  /** Unique over all doors; those of webhooks and Slack have a colon in it, which a configured name cannot have. */
  readonly name: string;
  /** SHA-256 of each key, 64 hex digits. */
  readonly keyHashes: readonly string[];
  readonly scopes: Scopes;
  /** Null: every model that is configured. */
  readonly models: readonly string[] | null;
  readonly limits: LimitPair;
  readonly dailyNanoUsdMax: number;
  readonly ratePerMinuteMax: number;
  readonly runsAtOnceMax: number;
  readonly callbackUrl: string | null;
  /** The model may ask the person who asked a question back. */
  readonly mayAsk: boolean;
  /** Queries whose plans expect to read more rows wait for a person; null: none does. */
  readonly approveAboveRows: number | null;
  /** How long the vendor keeps what all of the caller's questions begin with. */
  readonly promptCache: "5m" | "1h";
}

/** Twenty questions at the default ceiling: a leaked key costs a lunch, not a month. */
const DAILY_USD_DEFAULT = 10;
/** One a second; a person or a dashboard never gets there. */
const RATE_PER_MINUTE_DEFAULT = 60;
const RUNS_AT_ONCE_DEFAULT = 8;

const names = z.array(z.string().min(1).max(200)).max(1_000);
const columns = z
  .array(
    z
      .string()
      .regex(/^[^.]+\..+$/, 'write columns as "Table.Column" or "*.Column"')
      .max(400),
  )
  .max(1_000);

export const limitPairSchema = z
  .strictObject({ default: limitsRequestSchema.optional(), max: limitsRequestSchema.optional() })
  .describe("Limits: `default` for a question that names none, `max` for what it may ask at most.");

/** The fields that every kind of caller has. */
export const callerFields = {
  scopes: z
    .strictObject({
      tables: z.strictObject({ allow: names.optional(), deny: names.optional() }).optional(),
      columns: z.strictObject({ deny: columns.optional(), mask: columns.optional() }).optional(),
      mask_values: z.array(z.enum(["email", "phone", "credit_card", "us_ssn", "ip_address"])).optional(),
      row_cap: z.int().min(1).optional(),
    })
    .optional(),
  models: z.array(z.string().min(1)).min(1).optional(),
  limits: limitPairSchema.optional(),
  daily_usd: z.number().positive().max(1_000_000).optional(),
  rate: z.strictObject({ per_minute: z.int().min(1).max(100_000) }).optional(),
  runs_at_once: z.int().min(1).max(10_000).optional(),
  callback_url: z.string().min(1).max(2_000).optional(),
  may_ask: z.boolean().optional(),
  approve_above_rows: z.int().min(0).optional(),
  prompt_cache: z.enum(["5m", "1h"]).optional(),
};

const fieldsSchema = z.strictObject(callerFields);
export type CallerFields = z.infer<typeof fieldsSchema>;

const HASH_ADVICE = 'a key is listed by its hash, "sha256:" and 64 hex digits; `npm run key` prints both';
const hash = z.string().regex(/^sha256:[0-9a-f]{64}$/, HASH_ADVICE);
const keySchema = z.union([hash, z.strictObject({ hash, note: z.string().max(200).optional() })], {
  error: HASH_ADVICE,
});

export const callersSchema = z.record(
  z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "a caller's name is 1 to 64 letters, digits, dots, dashes"),
  z.strictObject({ keys: z.array(keySchema).max(20), ...callerFields }),
);

export const CALLERS_EXAMPLE =
  'For example {"analytics": {"keys": ["sha256:…"], "daily_usd": 5}}; `npm run key` prints a key and its entry.';

/** Lays `given` over the limits that hold without it. */
export function toLimitPair(
  given: z.infer<typeof limitPairSchema> | undefined,
  base: LimitPair,
  where: string,
): LimitPair {
  const max = overlay(base.max, given?.max);
  for (const name of limitsRequestSchema.keyof().options) {
    const value = given?.default?.[name];
    const most = max[name];
    if (value !== undefined && value > most) {
      throw new ConfigError(
        `${where}: the default of ${name} is ${value}, above its maximum of ${most}. Raise max too.`,
      );
    }
  }
  return { default: overlay(base.default, given?.default), max };
}

/** The caller that `fields` describe. `where` names the setting in messages. */
export function toCaller(name: string, fields: CallerFields, base: LimitPair, where: string): Caller {
  const { max, default: given } = toLimitPair(fields.limits, base, where);
  const dailyUsd = fields.daily_usd ?? DAILY_USD_DEFAULT;
  // A question that names no budget must fit the day: the default is never more than the whole of it.
  const limits = { max, default: { ...given, budget_usd: Math.min(given.budget_usd, dailyUsd) } };
  return {
    name,
    keyHashes: [],
    scopes: toScopes(fields.scopes),
    models: fields.models ?? null,
    limits,
    dailyNanoUsdMax: nanoFromUsd(dailyUsd),
    ratePerMinuteMax: fields.rate?.per_minute ?? RATE_PER_MINUTE_DEFAULT,
    runsAtOnceMax: fields.runs_at_once ?? RUNS_AT_ONCE_DEFAULT,
    callbackUrl: fields.callback_url ?? null,
    mayAsk: fields.may_ask ?? false,
    approveAboveRows: fields.approve_above_rows ?? null,
    promptCache: fields.prompt_cache ?? "5m",
  };
}

/** Every caller of QUERENT_CALLERS. A key hash that stands twice is refused: it would name two callers. */
export function toCallers(
  given: z.infer<typeof callersSchema>,
  base: LimitPair,
  variable: VariableName,
): ReadonlyMap<string, Caller> {
  const owners = new Map<string, string>();
  const callers = new Map<string, Caller>();
  for (const [name, { keys, ...fields }] of Object.entries(given)) {
    if (name === LOCAL_CALLER_NAME) throw new ConfigError(`${variable}: the name "${name}" is taken. Choose another.`);
    const keyHashes = keys.map((key) => (typeof key === "string" ? key : key.hash).slice("sha256:".length));
    for (const keyHash of keyHashes) {
      const owner = owners.get(keyHash);
      if (owner !== undefined) {
        throw new ConfigError(`${variable}: ${owner} and ${name} list the same key. Make one of its own for each.`);
      }
      if (keyHash === EMPTY_SHA256) throw new ConfigError(`${variable}: ${name} lists the hash of an empty key.`);
      owners.set(keyHash, name);
    }
    callers.set(name, { ...toCaller(name, fields, base, `${variable}, ${name}`), keyHashes });
  }
  return callers;
}

/** Who asks when the worker runs on the developer's own machine. */
export const LOCAL_CALLER_NAME = "local";
const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

function overlay(base: FullLimits, given: LimitsRequest | undefined): FullLimits {
  const pick = (name: LimitName): number => given?.[name] ?? base[name];
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

function toScopes(given: CallerFields["scopes"]): Scopes {
  if (given === undefined) return {};
  const { tables, columns: rules, mask_values: maskValues, row_cap: rowCap } = given;
  return {
    ...(tables && {
      tables: { ...(tables.allow && { allow: tables.allow }), ...(tables.deny && { deny: tables.deny }) },
    }),
    ...(rules && { columns: { ...(rules.deny && { deny: rules.deny }), ...(rules.mask && { mask: rules.mask }) } }),
    ...(maskValues && { maskValues }),
    ...(rowCap !== undefined && { rowCap }),
  };
}
