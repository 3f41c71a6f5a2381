/**
 * What a question will cost, before it is asked: at most, and most likely. Asks no model.
 *
 * Owns: the arithmetic. "At most" rests on the bound of bytes and on the limits, which hold whatever happens; "most
 * likely" on a small table of what questions of our own sets take, and is a guess that says so. Leaves to others: the
 * prices (given in `ModelInfo`), the schema text, HTTP. Pure: no I/O, no clock. All money is integer nano-dollars.
 */
import { byteLength } from "../lib/bytes.ts";
import { keptBackNanoUsd, planCall, priceUsage } from "./cost.ts";
import { DEFAULT_LOOP } from "./cycles.ts";
import type { Limits } from "./limits.ts";
import type { ModelInfo } from "./model.ts";
import { openingText, SCHEMA_BYTES_MAX, systemText } from "./prompt.ts";

/** Bytes of schema text that a model is shown. */
export const SCHEMA_BYTES_SHOWN_MAX = SCHEMA_BYTES_MAX;

/** Of the tools' names, descriptions and schemas as JSON, and what a vendor lays on top; a test holds the tools to it. */
export const TOOLS_BYTES_MAX = 8_000;

/**
 * What a question takes, as measured on the demo set: calls (a query, a look at what came back, the answer), tokens that
 * a call adds to the conversation and writes, bytes of prompt that make a token.
 */
const TYPICAL = { calls: 3, addedTokens: 400, outputTokens: 250, bytesPerToken: 3.5 };

export interface EstimateInput {
  readonly info: ModelInfo;
  readonly question: string;
  readonly limits: Limits;
  /** As it stands in the system text. */
  readonly schemaText: string;
}

export interface RunEstimate {
  /** The run cannot cost more: its limit, or less where its calls cannot reach it. */
  readonly worstCaseNanoUsd: number;
  readonly expectedNanoUsd: number;
  /** Upper bound of the first prompt. */
  readonly promptTokensMax: number;
  readonly expectedPromptTokens: number;
  /** Of the limit, held back for the last call from the start. */
  readonly keptBackNanoUsd: number;
  /** Reserved for the first call; null when it does not fit into the limit, so that the run would stop at once. */
  readonly firstCallNanoUsd: number | null;
}

export function estimateRun({ info, question, limits, schemaText }: EstimateInput): RunEstimate {
  const promptBytes = byteLength(systemText(schemaText)) + byteLength(openingText(question, limits)) + TOOLS_BYTES_MAX;
  const limit = limits.costNanoUsdMax;
  const kept = Math.min(limit, keptBackNanoUsd(info));
  const first = planCall(info, promptBytes, DEFAULT_LOOP.maxTokens, DEFAULT_LOOP.maxTokens, limit - kept);
  const isFree = info.tiers.every((tier) => tier.output === 0 && tier.input === 0);
  return {
    worstCaseNanoUsd: isFree ? Math.min(limit, limits.rowsReadMax) : limit,
    expectedNanoUsd: Math.min(limit, expectedNanoUsd(info, promptBytes, limits)),
    promptTokensMax: promptBytes,
    expectedPromptTokens: Math.ceil(promptBytes / TYPICAL.bytesPerToken),
    keptBackNanoUsd: kept,
    firstCallNanoUsd: first?.reservedNanoUsd ?? null,
  };
}

/** Each call reads what the one before wrote, and writes what it adds. */
function expectedNanoUsd(info: ModelInfo, promptBytes: number, limits: Limits): number {
  const prompt = Math.ceil(promptBytes / TYPICAL.bytesPerToken);
  const calls = Math.max(1, Math.min(TYPICAL.calls, limits.stepsMax));
  let nano = 0;
  for (let call = 0; call < calls; call += 1) {
    const read = call === 0 ? 0 : prompt + (call - 1) * TYPICAL.addedTokens;
    const written = call === 0 ? prompt : TYPICAL.addedTokens;
    const usage = { input: 0, cacheWrite5m: written, cacheWrite1h: 0, cacheRead: read, output: TYPICAL.outputTokens };
    nano += priceUsage(info, usage, 1);
  }
  return nano;
}
