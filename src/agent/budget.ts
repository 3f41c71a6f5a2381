/**
 * The budget: what a run may still spend, what a call is reserved at, and what it cost.
 *
 * Owns: A3 (usage never falls), A4 (spent + reserved ≤ limit for every meter), the worst case of a model call, and the
 * share kept back for the last one. Leaves to others: when to ask (step.ts), what to record (advance.ts).
 * All money is integer nano-dollars. Pure: no I/O, no clock; `now` is epoch milliseconds.
 */
import { assert } from "../lib/assert.ts";
import { RUNG_STOP } from "./cycles.ts";
import type { ModelInfo, PriceTier, TokenUsage } from "./model.ts";
import type { AgentState, Attempt, StopReason } from "./state.ts";

/** D1 charges $0.001 per million rows read: one nano-dollar a row. */
export const NANO_USD_PER_ROW = 1;
/** Below this many output tokens a model cannot finish a thought and a query. */
export const MAX_TOKENS_FLOOR = 1_024;
/** The last call answers in a few paragraphs. */
export const LAST_CALL_MAX_TOKENS = 2_048;
/** Prompt bytes of the last call's own short transcript (prompt.ts cuts to it), which bound its tokens. */
export const LAST_CALL_PROMPT_BYTES_MAX = 14_000;
/** Of the wall clock, kept back for the last call: a tenth, at most this. */
const LAST_CALL_MS_MAX = 30_000;

/** The price tier for a prompt of so many tokens. */
function tierFor(info: ModelInfo, promptTokens: number): PriceTier {
  const tier = info.tiers.findLast((candidate) => promptTokens > candidate.abovePromptTokens) ?? info.tiers[0];
  assert(tier !== undefined, "a model has at least one price tier");
  return tier;
}

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

/** Nano-dollars neither spent nor reserved. */
export function remainingNanoUsd(state: AgentState): number {
  return state.limits.costNanoUsdMax - state.usage.costNanoUsd - (state.attempt?.reservedNanoUsd ?? 0);
}

/** Whether a model call beside the steps still leaves one for the end. */
export function hasExtraCall(state: AgentState): boolean {
  return state.usage.modelCalls < state.limits.modelCallsMax - 1;
}

/** Active milliseconds as of `now`: the gap since the last touch counts up to the instant a driver was due. */
export function activeMsAt(state: AgentState, now: number): number {
  if (state.ending !== null) return state.usage.activeMs;
  return state.usage.activeMs + Math.max(0, Math.min(now, state.dueAt) - state.touchedAt);
}

/** The instant at which the active time is used up if the run stays active from `now` on. */
export function deadlineAt(state: AgentState, now: number): number {
  return Math.min(state.expiresAt, now + state.limits.wallClockMs - activeMsAt(state, now));
}

/** When an effect that starts now must be aborted: the step's own time, and the share of the clock for the last call. */
export function abortAt(state: AgentState, purpose: Attempt["purpose"], now: number): number {
  const keptMs = purpose === "last" ? 0 : Math.min(LAST_CALL_MS_MAX, Math.floor(state.limits.wallClockMs / 10));
  const deadline = deadlineAt(state, now);
  return Math.max(now, Math.min(now + state.limits.stepTimeoutMs, deadline - keptMs));
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

/**
 * Rows to reserve for a query that its plan expects to read so many: sorting and grouping read again, and a plan does
 * not know how many rows match. Generous on purpose, a row being a nano-dollar; what is not read is given back.
 */
export function reserveForRows(estimate: number): number {
  return estimate === 0 ? 0 : estimate * 4 + 1_000;
}

/** Rows that a round of tool calls may make the database read: what is left of the meter, and of the money. */
export function plannedRows(state: AgentState, keptNanoUsd: number): number {
  const byMeter = state.limits.rowsReadMax - state.usage.rowsRead;
  const byMoney = Math.floor((remainingNanoUsd(state) - keptNanoUsd) / NANO_USD_PER_ROW);
  return Math.max(0, Math.min(byMeter, byMoney));
}

/**
 * The first ceiling that forbids another step, in the order that a person would want to hear: time, money, errors,
 * steps, hops. Every comparison is `>=`: the limit itself is already too much for one more. Null when none is met.
 */
export function ceilingReached(state: AgentState, now: number): StopReason | null {
  const { limits, usage } = state;
  if (abortAt(state, "step", now) <= now) return "timeout";
  if (usage.costNanoUsd >= limits.costNanoUsdMax) return "budget";
  if (usage.rowsRead >= limits.rowsReadMax) return "budget";
  if (state.consecutiveErrors >= limits.consecutiveErrorsMax) return "retry_ceiling";
  if (usage.errors >= limits.errorsMax) return "error_budget";
  if (state.rung >= RUNG_STOP && state.critic !== "due") return "cycle";
  if (usage.hops >= limits.hopsMax) return "max_hops";
  if (usage.steps >= limits.stepsMax && state.failedTries === 0) return "max_steps";
  // One call is kept back for the end.
  if (usage.modelCalls >= Math.max(1, limits.modelCallsMax - 1)) return "budget";
  return null;
}

/** A4, and that the meters are whole numbers. Called on every state before it is saved. */
export function assertWithinLimits(state: AgentState): void {
  const { limits, usage, attempt } = state;
  // A running query cannot be stopped: what the engine read beyond a wrong estimate is told, and ends the run.
  const overrunNanoUsd = usage.rowsOverrun * NANO_USD_PER_ROW;
  const within: readonly (readonly [string, number, number])[] = [
    ["steps", usage.steps, limits.stepsMax],
    ["hops", usage.hops, limits.hopsMax],
    ["model calls", usage.modelCalls, limits.modelCallsMax],
    ["errors", usage.errors, limits.errorsMax],
    ["dollars", usage.costNanoUsd + (attempt?.reservedNanoUsd ?? 0), limits.costNanoUsdMax + overrunNanoUsd],
    ["rows read", usage.rowsRead + (attempt?.reservedRows ?? 0), limits.rowsReadMax + usage.rowsOverrun],
  ];
  for (const [meter, spent, limit] of within) {
    assert(Number.isSafeInteger(spent) && spent >= 0, `${meter}: a meter is a whole number`);
    assert(spent <= limit, `A4: ${meter} ${spent} is over the limit ${limit}`);
  }
}
