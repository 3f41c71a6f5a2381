/**
 * The port to an LLM. One adapter a vendor in models/ implements `Model`; nothing else knows a vendor.
 *
 * Owns: the neutral shapes of a request, a reply and a failure. Leaves to others: prices (budget.ts computes with the
 * numbers given in `ModelInfo`), what to do about a failure (recovery.ts).
 *
 * Contract of every adapter: `complete` never throws and never rejects; it makes exactly one request, with no retry of
 * its own; it ends soon after the signal aborts. `boundInputTokens` is pure and never below the true number.
 */

/** What one message of a run's history holds. Rows are append-only: a message, once stored, is never edited. */
export type Message =
  | { readonly role: "user"; readonly text: string }
  /** `content` is the vendor's own content, kept and sent back verbatim (thinking blocks are bound to it). */
  | {
      readonly role: "assistant";
      readonly content: unknown;
      readonly text: string;
      readonly calls: readonly ToolCall[];
    }
  /** Every call of the reply before, answered in order; `note` is our own text after the results. */
  | { readonly role: "tool"; readonly results: readonly ToolResult[]; readonly note?: string };

/** A call as the model wrote it. `input` is unknown on purpose: it is validated at the tool boundary. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** `content` is the observation envelope as JSON text. */
export interface ToolResult {
  readonly callId: string;
  readonly content: string;
  readonly isError: boolean;
}

/** A tool as shown to a model; `inputSchema` is JSON Schema. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly [key: string]: unknown };
}

export interface ModelRequest {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
  readonly maxTokens: number;
  /** `none` keeps the tools in the request (so the cached prefix stands) and forbids calling them. */
  readonly toolChoice: "auto" | "none";
  /** Upper bound of the call's duration in milliseconds; the signal enforces the same. */
  readonly timeoutMs: number;
}

/** Why the model stopped, whatever the vendor calls it. `other` is a reason nobody has heard of. */
export type FinishReason =
  | "end_turn"
  | "tool_use"
  | "max_tokens"
  | "stop_sequence"
  | "pause_turn"
  | "refusal"
  | "context_window"
  | "other";

/** Tokens of one call. The prompt's size is the four input numbers added. All are integers ≥ 0. */
export interface TokenUsage {
  readonly input: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
  readonly output: number;
}

export interface ModelReply {
  /** The vendor's content array, verbatim. */
  readonly content: unknown;
  /** All text blocks joined by blank lines; thinking is not text. */
  readonly text: string;
  /** True when the reply holds thinking, whether or not its text is shown. */
  readonly hasThinking: boolean;
  readonly calls: readonly ToolCall[];
  readonly finish: FinishReason;
  /** The vendor's own word for `finish`, for the journal. */
  readonly rawFinish: string;
  readonly usage: TokenUsage;
  /** Multiplies every price of the call (inference region, speed); 1 in the ordinary case. */
  readonly priceMultiplier: number;
  readonly requestId: string | null;
}

/**
 * A failed call. `retryable`: the same request may succeed later (408, 409, 429, ≥ 500, connection, timeout).
 * `fatal`: it cannot. `aborted`: our signal ended it. In all three the call may have been billed unless `unbilled`.
 */
export interface ModelFailure {
  readonly kind: "retryable" | "fatal" | "aborted";
  /** Short stable code such as `rate_limited`, `overloaded`, `authentication`, `invalid_request`, `connection`. */
  readonly code: string;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  /** For the person: what was wrong and what to do. Holds no key and no prompt text. */
  readonly message: string;
  /** The vendor answered with an error before generating anything, so nothing was charged. */
  readonly unbilled: boolean;
  readonly requestId: string | null;
}

export type ModelOutcome = { readonly kind: "reply"; readonly reply: ModelReply } | ModelFailure;

/** Nano-dollars per token. */
export interface TokenPrices {
  readonly input: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
  readonly output: number;
}

/** Prices that apply when the prompt is longer than `abovePromptTokens` (0 for the first tier). Ascending. */
export interface PriceTier extends TokenPrices {
  readonly abovePromptTokens: number;
}

export interface ModelInfo {
  readonly id: string;
  /** Tokens. */
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** At least one tier; a model without prices cannot be made (models/prices.ts refuses it). */
  readonly tiers: readonly PriceTier[];
  /** The dearest multiplier a reply may carry; reservations use it. */
  readonly priceMultiplierMax: number;
}

export interface Model {
  readonly info: ModelInfo;
  /** Upper bound of the request's prompt tokens from its bytes alone. Pure. */
  boundInputTokens(request: ModelRequest): number;
  /** The vendor's own estimate at no cost, or null when it cannot be had. Never throws. */
  countInputTokens(request: ModelRequest, signal: AbortSignal): Promise<number | null>;
  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelOutcome>;
}
