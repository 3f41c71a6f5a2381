/**
 * Bindings and variables to one frozen `Config`, or one clear error: the only reader of environment values.
 *
 * Owns: which settings there are, their defaults, and how they depend on each other. Leaves to others: the JSON shapes
 * of callers (config/callers.ts) and doors (config/doors.ts, cloudflare-access.ts), names and texts (config/variables.ts, addresses.ts), prices (models/).
 * Missing settings never open anything: without callers the API answers 401, without sources there is no webhook, without
 * CALLBACK_ORIGINS nothing is called back. An unknown name or field stops the start. Pure: no I/O, no clock.
 */
import type { LoopSettings } from "./agent/cycles.ts";
import { DEFAULT_LIMITS, DEFAULT_LIMITS_MAX } from "./agent/limits.ts";
import { readBaseUrl, readOrigins, toOrigin } from "./config/addresses.ts";
import { parseCallbackUrl } from "./config/callback-url.ts";
import {
  CALLERS_EXAMPLE,
  type Caller,
  callersSchema,
  type LimitPair,
  LOCAL_CALLER_NAME,
  limitPairSchema,
  toCaller,
  toCallers,
  toLimitPair,
} from "./config/callers.ts";
import { type AccessDoor, readAccess } from "./config/cloudflare-access.ts";
import {
  isWebhookSecret,
  SLACK_EXAMPLE,
  type SlackDoor,
  SOURCES_EXAMPLE,
  slackCallerSchema,
  sourcesSchema,
  toSources,
  type WebhookSource,
} from "./config/doors.ts";
import { LOOP_EXAMPLE, loopSettingsSchema, toLoopSettings } from "./config/loop.ts";
import { readRetentionMs } from "./config/retention.ts";
import {
  assertKnownNames,
  ConfigError,
  readJson,
  readText,
  readWord,
  type VariableName,
  type Variables,
} from "./config/variables.ts";
import { type PriceOverrides, parsePrices } from "./models/price-overrides.ts";
import { KNOWN_MODEL_IDS, lookUpModel, vendorOf } from "./models/prices.ts";

/** What wrangler.toml, the dashboard or a local command hands to the worker. Every value is checked before use. */
export interface Env extends Partial<Readonly<Record<VariableName, unknown>>> {
  readonly DB: D1Database;
  readonly RUNS: DurableObjectNamespace;
  readonly CALLERS: DurableObjectNamespace;
}

export interface Config {
  /** True on the developer's own machine, where no API key is needed. */
  readonly local: boolean;
  readonly anthropic: Vendor;
  readonly openai: Vendor;
  /** The model of a question that names none. */
  readonly model: string;
  /** Every model that a question may name. */
  readonly models: readonly string[];
  readonly prices: PriceOverrides;
  readonly limits: LimitPair;
  /** How patient the agent loop is. */
  readonly loop: LoopSettings;
  /** How long a finished run is kept. */
  readonly retentionMs: number;
  readonly callers: ReadonlyMap<string, Caller>;
  /** Who asks without a key; null unless the worker runs locally. */
  readonly localCaller: Caller | null;
  /** Who asks by Cloudflare Access; null: nobody. */
  readonly access: AccessDoor | null;
  readonly corsOrigins: readonly string[];
  readonly webhookSources: ReadonlyMap<string, WebhookSource>;
  /** Signs callbacks; several while one is replaced. Empty: nothing is called back. */
  readonly webhookSigningSecrets: readonly string[];
  /** Where callbacks may go: origins, or `*` for every public https host. Empty: nowhere. */
  readonly callbackOrigins: readonly string[];
  readonly slack: SlackDoor | null;
}

export interface Vendor {
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
}

export const OFFLINE_MODEL = "offline";
/** What stands for the model of a run that follows a stored plan. */
export const NO_MODEL = "none";
const CLAUDE_DEFAULT_MODEL = "claude-sonnet-5-5";
const LIMITS_EXAMPLE = 'For example {"default": {"budget_usd": 0.2}, "max": {"budget_usd": 1}}.';

/** Dollars a day for the developer's own machine: a whole day of trying things, never a surprise on the bill. */
const LOCAL_FIELDS = { daily_usd: 50, rate: { per_minute: 6_000 }, runs_at_once: 64 };

/** Reads the settings; throws a `ConfigError` at the first one that is wrong. */
export function readConfig(env: object): Config {
  const variables: Variables = { ...env };
  assertKnownNames(variables);
  const local = readLocal(variables);
  const limits = toLimitPair(
    readJson(variables, "QUERENT_LIMITS", limitPairSchema, LIMITS_EXAMPLE) ?? undefined,
    { default: DEFAULT_LIMITS, max: DEFAULT_LIMITS_MAX },
    "QUERENT_LIMITS",
  );
  const anthropic = readVendor(variables, "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL");
  const openai = readVendor(variables, "OPENAI_API_KEY", "OPENAI_BASE_URL");
  const prices = readPrices(variables);
  const models = availableModels(anthropic, openai, prices);
  const callers = toCallers(
    readJson(variables, "QUERENT_CALLERS", callersSchema, CALLERS_EXAMPLE) ?? {},
    limits,
    "QUERENT_CALLERS",
  );
  const sources = toSources(
    readJson(variables, "WEBHOOK_SOURCES", sourcesSchema, SOURCES_EXAMPLE) ?? {},
    callers,
    limits,
  );
  const slack = readSlack(variables, limits);
  const localCaller = local ? toCaller(LOCAL_CALLER_NAME, LOCAL_FIELDS, limits, "QUERENT_LOCAL") : null;
  const config: Config = {
    local,
    anthropic,
    openai,
    model: readModel(variables, models, anthropic, prices),
    models,
    prices,
    limits,
    loop: toLoopSettings(readJson(variables, "QUERENT_LOOP", loopSettingsSchema, LOOP_EXAMPLE) ?? {}),
    retentionMs: readRetentionMs(variables),
    callers,
    localCaller,
    access: readAccess(variables, callers),
    corsOrigins: readOrigins(variables, "QUERENT_CORS_ORIGINS"),
    webhookSources: sources,
    webhookSigningSecrets: readSigningSecrets(variables),
    callbackOrigins: readCallbackOrigins(variables),
    slack,
  };
  const everyone = [...callers.values(), ...[...sources.values()].map((source) => source.caller)];
  for (const caller of slack === null ? everyone : [...everyone, slack.caller]) {
    assertModels(caller, models);
    assertCallback(caller, config);
  }
  return freeze(config);
}

const known = new WeakMap<object, { readonly config: Config } | { readonly error: unknown }>();

/** `readConfig`, once for each env object: the platform hands in the same one for the life of an isolate. */
export function configOf(env: object): Config {
  let entry = known.get(env);
  if (entry === undefined) {
    try {
      entry = { config: readConfig(env) };
    } catch (error) {
      entry = { error };
    }
    known.set(env, entry);
  }
  if ("error" in entry) throw entry.error;
  return entry.config;
}

/** True when the env says that the worker runs on the developer's own machine; also when the rest of it is wrong. */
export function isLocal(env: object): boolean {
  return "QUERENT_LOCAL" in env && env.QUERENT_LOCAL === "1";
}

function readLocal(variables: Variables): boolean {
  const text = readText(variables, "QUERENT_LOCAL");
  if (text !== null && text !== "1") {
    throw new ConfigError("QUERENT_LOCAL is set by the local commands only, to 1. Remove it.");
  }
  return text === "1";
}

function readVendor(variables: Variables, key: VariableName, baseUrl: VariableName): Vendor {
  return { apiKey: readWord(variables, key), baseUrl: readBaseUrl(variables, baseUrl) };
}

function readPrices(variables: Variables): PriceOverrides {
  const given = variables.QUERENT_PRICES;
  const isObject = typeof given === "object" && given !== null;
  const text = isObject ? JSON.stringify(given) : readText(variables, "QUERENT_PRICES");
  if (text === null) return {};
  const parsed = parsePrices(text);
  if (!parsed.ok) throw new ConfigError(parsed.error);
  if (Object.hasOwn(parsed.value, OFFLINE_MODEL)) {
    throw new ConfigError(`QUERENT_PRICES: "${OFFLINE_MODEL}" is the built-in model, which costs nothing. Remove it.`);
  }
  return parsed.value;
}

/** Every model with a price whose vendor can be reached, and the offline one. */
function availableModels(anthropic: Vendor, openai: Vendor, prices: PriceOverrides): readonly string[] {
  const priced = [...new Set([...KNOWN_MODEL_IDS, ...Object.keys(prices)])];
  const isReachable = (id: string): boolean =>
    vendorOf(id, prices) === "anthropic"
      ? anthropic.apiKey !== null
      : openai.apiKey !== null || openai.baseUrl !== null;
  return [OFFLINE_MODEL, ...priced.filter(isReachable)];
}

function readModel(variables: Variables, models: readonly string[], anthropic: Vendor, prices: PriceOverrides): string {
  const model = readWord(variables, "QUERENT_MODEL");
  if (model === null) return anthropic.apiKey === null ? OFFLINE_MODEL : CLAUDE_DEFAULT_MODEL;
  if (models.includes(model)) return model;
  const found = lookUpModel(model, prices);
  if (!found.ok) throw new ConfigError(`QUERENT_MODEL: ${found.error}`);
  const needed = vendorOf(model, prices) === "anthropic" ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY or OPENAI_BASE_URL";
  throw new ConfigError(`QUERENT_MODEL is ${model}, which needs ${needed}. Set it, or set QUERENT_MODEL to offline.`);
}

function assertModels(caller: Caller, models: readonly string[]): void {
  const unknown = caller.models?.find((model) => !models.includes(model));
  if (unknown === undefined) return;
  throw new ConfigError(
    `The caller ${caller.name} lists the model ${JSON.stringify(unknown)}, which is not configured. Configured: ${models.join(", ")}.`,
  );
}

/** A fixed address that no run could be sent to would refuse every question of its caller. */
function assertCallback(caller: Caller, config: Config): void {
  if (caller.callbackUrl === null) return;
  // This server's own name is not known before somebody asks.
  const parsed = parseCallbackUrl(caller.callbackUrl, { origins: config.callbackOrigins, ownHost: "" });
  if (parsed.ok && config.webhookSigningSecrets.length > 0) return;
  const why = parsed.ok || config.callbackOrigins.length === 0 ? "" : ` ${parsed.error}`;
  throw new ConfigError(
    `The caller ${caller.name} has a callback_url, so CALLBACK_ORIGINS must list its origin and WEBHOOK_SIGNING_SECRET must be set.${why}`,
  );
}

function readSigningSecrets(variables: Variables): readonly string[] {
  const secrets = readText(variables, "WEBHOOK_SIGNING_SECRET")?.split(/[\s,]+/) ?? [];
  if (!secrets.every(isWebhookSecret)) {
    throw new ConfigError(
      'WEBHOOK_SIGNING_SECRET must be "whsec_" and the base64 of 24 to 64 random bytes: echo "whsec_$(openssl rand -base64 32)".',
    );
  }
  return secrets;
}

function readCallbackOrigins(variables: Variables): readonly string[] {
  return readText(variables, "CALLBACK_ORIGINS") === "*" ? ["*"] : readOrigins(variables, "CALLBACK_ORIGINS");
}

function readSlack(variables: Variables, limits: LimitPair): SlackDoor | null {
  const signingSecrets = readText(variables, "SLACK_SIGNING_SECRET")?.split(/[\s,]+/) ?? [];
  const botToken = readWord(variables, "SLACK_BOT_TOKEN");
  const fields = readJson(variables, "SLACK_CALLER", slackCallerSchema, SLACK_EXAMPLE);
  if (signingSecrets.length === 0) {
    const lone = fields !== null ? "SLACK_CALLER" : botToken !== null ? "SLACK_BOT_TOKEN" : null;
    if (lone !== null) throw new ConfigError(`${lone} is set but SLACK_SIGNING_SECRET is not. Set both, or neither.`);
    return null;
  }
  if (fields === null) {
    throw new ConfigError(`SLACK_SIGNING_SECRET is set but SLACK_CALLER does not say who may ask. ${SLACK_EXAMPLE}`);
  }
  const { teams, channels, users, ...callerFields } = fields;
  const origin = (name: VariableName, otherwise: string) => toOrigin(name, readText(variables, name) ?? otherwise);
  return {
    signingSecrets,
    botToken,
    // In Slack there is always somebody to ask.
    caller: toCaller("slack:app", { may_ask: true, ...callerFields }, limits, "SLACK_CALLER"),
    teams,
    channels: channels ?? null,
    users: users ?? null,
    responseOrigin: origin("SLACK_RESPONSE_ORIGIN", "https://hooks.slack.com"),
    apiOrigin: origin("SLACK_API_ORIGIN", "https://slack.com"),
  };
}

/** Freezes plain objects and lists at every depth; maps have no writer but us and are typed read-only. */
function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of value instanceof Map ? value.values() : Object.values(value)) freeze(inner);
  return Object.freeze(value);
}
