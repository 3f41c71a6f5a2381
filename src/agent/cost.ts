/**
 * What a model call costs: priced by the vendor's counts, reserved at its worst case, fitted into what is left.
 *
 * Owns: the worst case (every prompt token at the dearest way in, every output token used) and the share that is kept
 * back from the start for the last call. Leaves to others: what is left (budget.ts), when to ask (step.ts).
 * All money is integer nano-dollars. Pure: no I/O, no clock.
 */
import { assert } from "../lib/assert.ts";
import type { ModelInfo, PriceTier, TokenUsage } from "./model.ts";

/** D1 charges $0.001 per million rows read: one nano-dollar a row. */
export const NANO_USD_PER_ROW = 1;
/** Below this many output tokens a model cannot finish a thought and a query. */
export const MAX_TOKENS_FLOOR = 1_024;
/** The last call answers in a few paragraphs. */
export const LAST_CALL_MAX_TOKENS = 2_048;
/** Prompt bytes of the last call's own short transcript (prompt.ts cuts to it), which bound its tokens. */
export const LAST_CALL_PROMPT_BYTES_MAX = 14_000;

/** What a call cost, by the vendor's own token counts, rounded up to a whole nano-dollar. */
export function priceUsage(info: ModelInfo, usage: TokenUsage, multiplier: number): number {
  const prompt = usage.input + usage.cacheWrite5m + usage.cacheWrite1h + usage.cacheRead;
  const tier = tierFor(info, prompt);
  const nano =
    usage.input * tier.input +
    usage.cacheWrite5m * tier.cacheWrite5m +
    usage.cacheWrite1h * tier.cacheWrite1h +
    usage.cacheRead * tier.cacheRead +
    usage.output * tier.output;
  return Math.ceil(nano * multiplier);
}

/** The most that a call can cost: every prompt token at the dearest way in, every output token used, dearest tier. */
export function worstCaseNanoUsd(info: ModelInfo, promptTokensMax: number, maxTokens: number): number {
  const tiers = info.tiers.filter((tier) => tier.abovePromptTokens === 0 || promptTokensMax > tier.abovePromptTokens);
  const dearest = (pick: (tier: PriceTier) => number): number => Math.max(...tiers.map(pick));
  const inputPrice = dearest((tier) => Math.max(tier.input, tier.cacheWrite5m, tier.cacheWrite1h, tier.cacheRead));
  const outputPrice = dearest((tier) => tier.output);
  return Math.ceil((promptTokensMax * inputPrice + maxTokens * outputPrice) * info.priceMultiplierMax);
}

/** Nano-dollars kept back from the start for the last, tool-less call. */
export function keptBackNanoUsd(info: ModelInfo): number {
  return worstCaseNanoUsd(info, LAST_CALL_PROMPT_BYTES_MAX, LAST_CALL_MAX_TOKENS);
}

export type CallPlan = { readonly maxTokens: number; readonly reservedNanoUsd: number };

/**
 * Fits a call into what remains after `keptNanoUsd`: the wanted output if possible, a smaller one down to `floor`
 * otherwise, null when even that does not fit.
 */
export function planCall(
  info: ModelInfo,
  promptTokensMax: number,
  wantedMaxTokens: number,
  floor: number,
  availableNanoUsd: number,
): CallPlan | null {
  const wanted = Math.min(wantedMaxTokens, info.maxOutputTokens);
  const full = worstCaseNanoUsd(info, promptTokensMax, wanted);
  if (full <= availableNanoUsd) return { maxTokens: wanted, reservedNanoUsd: full };
  const least = Math.min(floor, wanted);
  if (worstCaseNanoUsd(info, promptTokensMax, least) > availableNanoUsd) return null;
  // The cost grows with the output: `maxTokens` fits and `tooMany` does not, until nothing lies between them.
  let maxTokens = least;
  let tooMany = wanted;
  while (tooMany - maxTokens > 1) {
    const middle = Math.floor((maxTokens + tooMany) / 2);
    if (worstCaseNanoUsd(info, promptTokensMax, middle) <= availableNanoUsd) maxTokens = middle;
    else tooMany = middle;
  }
  return { maxTokens, reservedNanoUsd: worstCaseNanoUsd(info, promptTokensMax, maxTokens) };
}

/** The price tier for a prompt of so many tokens. */
function tierFor(info: ModelInfo, promptTokens: number): PriceTier {
  const tier = info.tiers.findLast((candidate) => promptTokens > candidate.abovePromptTokens) ?? info.tiers[0];
  assert(tier !== undefined, "a model has at least one price tier");
  return tier;
}
