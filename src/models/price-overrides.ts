/**
 * The prices an operator adds: the JSON of QUERENT_PRICES, laid over the built-in table of prices.ts.
 *
 * Owns: the shape of one entry, its strict check, and its translation to nano-dollars a token. An entry replaces the
 * prices of its model as a whole, so a half-written entry can never mix with built-in numbers; the facts beside prices
 * (context window, output limit) fall back to the built-in ones, or to cautious defaults for a model nobody has heard of.
 * Leaves to others: reading the variable (config.ts) and the table itself (prices.ts). Pure: no I/O, no clock.
 */
import * as z from "zod";
import type { PriceTier, TokenPrices } from "../agent/model.ts";
import { tellIssue } from "../lib/issue-text.ts";
import type { Result } from "../lib/result.ts";
import { err, ok } from "../lib/result.ts";
import { parseStrictJson } from "../lib/strict-json.ts";

/** Dollars per million tokens above which an entry is taken for a slip of the unit (nano-dollars, say, or per token). */
const USD_PER_MILLION_MAX = 1_000_000;
/** One dollar per million tokens is a thousand nano-dollars a token. */
const NANO_PER_TOKEN_AT_ONE_USD_PER_MILLION = 1_000;

const usdPerMillion = z.number().positive().max(USD_PER_MILLION_MAX);
const tokens = z.int().positive().max(100_000_000);

const priceFields = {
  input: usdPerMillion,
  output: usdPerMillion,
  cache_write_5m: usdPerMillion.optional(),
  cache_write_1h: usdPerMillion.optional(),
  cache_read: usdPerMillion.optional(),
};

const entrySchema = z
  .strictObject({
    ...priceFields,
    /** Dearer prices for long prompts, in ascending order. */
    tiers: z.array(z.strictObject({ above_prompt_tokens: tokens, ...priceFields })).optional(),
    context_window: tokens.optional(),
    max_output_tokens: tokens.optional(),
    /** Raises what is reserved, for a gateway that adds a region or a speed of its own. */
    price_multiplier_max: z.number().min(1).max(100).optional(),
    /** Which adapter speaks to the model; by default ids that start with `claude-` are Anthropic's. */
    vendor: z.enum(["anthropic", "openai"]).optional(),
  })
  .refine((entry) => ascends(entry.tiers ?? []), {
    path: ["tiers"],
    error: "above_prompt_tokens must rise from tier to tier",
  });

const overridesSchema = z.record(z.string().min(1).max(200), entrySchema);

export type PriceEntry = z.infer<typeof entrySchema>;
/** Keyed by model id. Look ids up with `Object.hasOwn`: an id may be `constructor`. */
export type PriceOverrides = Readonly<Record<string, PriceEntry>>;

/** Checks the text of QUERENT_PRICES. The error says which entry and field is wrong and shows a right one. */
export function parsePrices(json: string): Result<PriceOverrides, string> {
  // A price that stands twice must not be decided by which comes last.
  const read = parseStrictJson(json);
  if (!read.ok) return err(`QUERENT_PRICES is not valid JSON: ${read.error.message} ${PRICE_EXAMPLE}`);
  const parsed = overridesSchema.safeParse(read.value, { error: tellIssue });
  if (parsed.success) return ok(parsed.data);
  const issue = parsed.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
  return err(
    `QUERENT_PRICES is wrong${where}: ${(issue?.message ?? "unknown fault").replace(/\.$/, "")}. ${PRICE_EXAMPLE}`,
  );
}

/** How to write an entry, for every message that asks for one. */
export const PRICE_EXAMPLE =
  'Prices are dollars per million tokens and above zero, for example {"my-model": {"input": 2, "output": 10}}; ' +
  "cache_write_5m, cache_write_1h, cache_read, tiers, context_window, max_output_tokens, price_multiplier_max and vendor are optional.";

/** The tiers of an entry. A cache price that is not given is taken at the dearest any vendor asks for. */
export function toTiers(entry: PriceEntry): readonly PriceTier[] {
  const upper = (entry.tiers ?? []).map((tier) => ({ abovePromptTokens: tier.above_prompt_tokens, ...toPrices(tier) }));
  return [{ abovePromptTokens: 0, ...toPrices(entry) }, ...upper];
}

function toPrices(entry: Pick<PriceEntry, keyof typeof priceFields>): TokenPrices {
  return {
    input: nanoPerToken(entry.input),
    cacheWrite5m: nanoPerToken(entry.cache_write_5m ?? entry.input * 1.25),
    cacheWrite1h: nanoPerToken(entry.cache_write_1h ?? entry.input * 2),
    cacheRead: nanoPerToken(entry.cache_read ?? entry.input),
    output: nanoPerToken(entry.output),
  };
}

/** Rounded up to a whole nano-dollar, so that a price is never understated; the nudge keeps 0.1 * 1000 at 100. */
function nanoPerToken(usd: number): number {
  return Math.max(1, Math.ceil(usd * NANO_PER_TOKEN_AT_ONE_USD_PER_MILLION - 1e-6));
}

function ascends(tiers: readonly { readonly above_prompt_tokens: number }[]): boolean {
  return tiers.every(
    (tier, index) => index === 0 || tier.above_prompt_tokens > (tiers[index - 1]?.above_prompt_tokens ?? 0),
  );
}
