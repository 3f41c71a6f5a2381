/**
 * The dated price table, and the look-up that every run starts with: a model without a price is refused, never priced
 * at zero (a ceiling in dollars is worth nothing when a call counts as free).
 *
 * Owns: built-in prices and limits of Claude models, as integer nano-dollars a token; which adapter an id belongs to.
 * Leaves to others: arithmetic with the numbers (agent/budget.ts), what operators add (price-overrides.ts).
 * Pure: no I/O, no clock.
 *
 * Ids match whole: a dated alias such as `claude-opus-4-5-20251101` is refused unless it is listed, because nothing
 * says that it costs the same. Where a number rests on third parties only (cache reads of Opus 5.5, Sonnet 5.5 and
 * Fable 5.2) the table holds the published number; reservations price every prompt token as a cache write, which is
 * dearer than any candidate, so a reservation holds whichever is right.
 */
import type { ModelInfo, PriceTier } from "../agent/model.ts";
import type { Result } from "../lib/result.ts";
import { err, ok } from "../lib/result.ts";
import type { PriceOverrides } from "./price-overrides.ts";
import { PRICE_EXAMPLE, toTiers } from "./price-overrides.ts";

/** When the table was last compared with https://platform.claude.com/docs/en/about-claude/pricing. */
export const PRICES_AS_OF = "2026-11-30";

/**
 * Every token price of a reply served in the region "us" is multiplied by this. A workspace can default to that region
 * without the request saying so, hence it is always reserved for.
 */
export const REGION_MULTIPLIER = 1.1;

/**
 * Fast mode doubles every price (Opus 5.5: $8 and $40 instead of $4 and $20). A request must ask for it and ours never
 * do, so it is not reserved for; a reply that reports it all the same is priced with it. An operator whose gateway
 * turns it on sets price_multiplier_max in QUERENT_PRICES.
 */
export const FAST_MULTIPLIER = 2;

/** Limits of a model that only QUERENT_PRICES knows, when its entry names none: low enough for any server of today. */
const UNLISTED_CONTEXT_TOKENS = 128_000;
const UNLISTED_OUTPUT_TOKENS_MAX = 8_192;

const MILLION_TOKENS = 1_000_000;
/** 128K output on every model since Opus 4.6. */
const LONG_OUTPUT_TOKENS = 128_000;

const OPUS_BEFORE_5_5 = tier(0, 5_000, 6_250, 10_000, 500, 25_000);

const MODELS: ReadonlyMap<string, ModelInfo> = new Map(
  [
    model("claude-fable-5-2", [tier(0, 8_000, 10_000, 16_000, 200, 40_000)]),
    model("claude-fable-5-1", [tier(0, 10_000, 12_500, 20_000, 250, 50_000)]),
    model("claude-opus-5-5", [tier(0, 4_000, 5_000, 8_000, 200, 20_000)]),
    model("claude-opus-5", [OPUS_BEFORE_5_5]),
    model("claude-opus-4-8", [OPUS_BEFORE_5_5]),
    model("claude-opus-4-7", [OPUS_BEFORE_5_5]),
    model("claude-opus-4-6", [OPUS_BEFORE_5_5]),
    model("claude-opus-4-5", [OPUS_BEFORE_5_5], 200_000, 64_000),
    // The cache read fell from 0.20 to 0.10 on 2026-10-07.
    model("claude-sonnet-5-5", [tier(0, 2_000, 2_500, 4_000, 100, 10_000)]),
    model("claude-sonnet-5", [tier(0, 2_000, 2_500, 4_000, 200, 10_000)]),
    // Above 100,000 prompt tokens (input, cache reads and cache writes together) the whole request is dearer.
    model("claude-haiku-5-5", [tier(0, 100, 125, 200, 10, 500), tier(100_000, 500, 625, 1_000, 50, 2_500)]),
    model("claude-haiku-4-5", [tier(0, 1_000, 1_250, 2_000, 100, 5_000)], 200_000, 64_000),
  ].map((info) => [info.id, info]),
);

/** Ids of the built-in table, for messages and for the page. */
export const KNOWN_MODEL_IDS: readonly string[] = [...MODELS.keys()];

/** Prices and limits of a model, or a message that lists the known ids and says how to add one. */
export function lookUpModel(id: string, overrides: PriceOverrides = {}): Result<ModelInfo, string> {
  const known = MODELS.get(id);
  const entry = Object.hasOwn(overrides, id) ? overrides[id] : undefined;
  if (entry !== undefined) {
    return ok({
      id,
      contextWindow: entry.context_window ?? known?.contextWindow ?? UNLISTED_CONTEXT_TOKENS,
      maxOutputTokens: entry.max_output_tokens ?? known?.maxOutputTokens ?? UNLISTED_OUTPUT_TOKENS_MAX,
      tiers: toTiers(entry),
      priceMultiplierMax:
        entry.price_multiplier_max ?? (vendorOf(id, overrides) === "anthropic" ? REGION_MULTIPLIER : 1),
    });
  }
  if (known !== undefined) return ok(known);
  const ids = [...new Set([...KNOWN_MODEL_IDS, ...Object.keys(overrides)])].join(", ");
  return err(
    `No price is known for the model ${JSON.stringify(id)}, so its cost could not be bounded. Known models: ${ids}, offline. ` +
      `To use another one, add it to QUERENT_PRICES. ${PRICE_EXAMPLE}`,
  );
}

/** Which adapter speaks to a model: the one its entry names, else Anthropic's for `claude-…`, else OpenAI-compatible. */
export function vendorOf(id: string, overrides: PriceOverrides = {}): "anthropic" | "openai" {
  const named = Object.hasOwn(overrides, id) ? overrides[id]?.vendor : undefined;
  return named ?? (id.startsWith("claude-") ? "anthropic" : "openai");
}

function tier(
  abovePromptTokens: number,
  input: number,
  cacheWrite5m: number,
  cacheWrite1h: number,
  cacheRead: number,
  output: number,
): PriceTier {
  return { abovePromptTokens, input, cacheWrite5m, cacheWrite1h, cacheRead, output };
}

function model(
  id: string,
  tiers: readonly PriceTier[],
  contextWindow: number = MILLION_TOKENS,
  maxOutputTokens: number = LONG_OUTPUT_TOKENS,
): ModelInfo {
  return { id, contextWindow, maxOutputTokens, tiers, priceMultiplierMax: REGION_MULTIPLIER };
}
