/**
 * Claude, through `@anthropic-ai/sdk` and the Messages API version 2026-10-21.
 *
 * Owns: the SDK client and its settings, one call, and turning what comes back into an outcome. Leaves to others: the
 * body (anthropic-request.ts), the reply (anthropic-reply.ts), the table of failures (failure.ts), retries (the run).
 *
 * The settings matter. `maxRetries: 0`: an attempt of the SDK's own would be paid for and seen by nobody. An explicit
 * timeout: without one the SDK refuses a large `max_tokens` and waits ten minutes. Logging and tracing off: both could
 * be switched on by variables of the environment and would write prompts out. Redirects are not followed, so the key
 * and the prompt go to the configured address only.
 *
 * The two requests go through the client's own `post`: its resource classes bring streams, batches and helpers along,
 * 7 kB of the compressed worker that nothing here uses.
 */
import type { Anthropic } from "@anthropic-ai/sdk";
import { APIConnectionTimeoutError, APIError, BaseAnthropic } from "@anthropic-ai/sdk";
import type { Model, ModelFailure, ModelInfo, ModelOutcome, ModelRequest } from "../agent/model.ts";
import { parseIfText } from "../lib/json.ts";
import { errorBodySchema, toReply } from "./anthropic-reply.ts";
import { boundPromptTokens, type PrefixTtl, toCountBody, toMessagesBody } from "./anthropic-request.ts";
import { callOnce, toCallFailure, wholeMs } from "./call.ts";
import { checkKey, cleanDetail, toStatusFailure } from "./failure.ts";
import { isPlainObject, toMalformedFailure } from "./reply-parts.ts";
import { promptTexts } from "./well-formed.ts";

export interface AnthropicOptions {
  readonly apiKey: string;
  /** May hold a path, as the address of a gateway does. */
  readonly baseUrl?: string | undefined;
  readonly info: ModelInfo;
  /** Of the cache entry of tools, system text and schema; five minutes when absent. */
  readonly prefixTtl?: PrefixTtl | undefined;
  readonly fetch?: Fetch | undefined;
  /** For a retry-after given as a date. */
  readonly now?: () => number;
}

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

const SERVER = "Anthropic";
const BASE_URL = "https://api.anthropic.com";
/** A count that takes longer is not worth waiting for: it only tightens a bound that is there already. */
const COUNT_TIMEOUT_MS = 10_000;

/** Keeps `complete`'s promise of one request, no retry, no rejection. */
export function createAnthropicModel(options: AnthropicOptions): Model {
  const { apiKey, info, prefixTtl } = options;
  const now = options.now ?? Date.now;
  const client = new BaseAnthropic({
    apiKey,
    baseURL: options.baseUrl ?? BASE_URL,
    maxRetries: 0,
    logLevel: "off",
    openTelemetry: false,
    // Looked up at each call, and called as a plain function: workerd refuses a detached method.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    fetchOptions: { redirect: "manual" },
  });

  return {
    info,
    boundInputTokens: (request) => boundPromptTokens(request, info),

    async countInputTokens(request, signal) {
      const timeoutMs = Math.min(request.timeoutMs, COUNT_TIMEOUT_MS);
      const end = await callOnce(timeoutMs, signal, (inner) =>
        client.post<Anthropic.MessageTokensCount>("/v1/messages/count_tokens", {
          body: toCountBody(request, info, prefixTtl),
          signal: inner,
          timeout: wholeMs(timeoutMs),
        }),
      );
      if (end.kind !== "answer") return null;
      const counted: unknown = end.answer?.input_tokens;
      return typeof counted === "number" && Number.isInteger(counted) && counted >= 0 ? counted : null;
    },

    async complete(request, signal) {
      const badKey = checkKey(apiKey, SERVER);
      if (badKey !== null) return badKey;
      const body = toMessagesBody(request, info, prefixTtl);
      const end = await callOnce(request.timeoutMs, signal, (inner) =>
        client.post("/v1/messages", { body, signal: inner, timeout: wholeMs(request.timeoutMs) }).withResponse(),
      );
      switch (end.kind) {
        case "answer":
          return toOutcome(parseIfText(end.answer.data), end.answer.response, request, apiKey, now());
        case "thrown":
          return toThrownFailure(end.error, request, apiKey, now());
        case "aborted":
        case "timeout":
          return toCallFailure(end, SERVER, request.timeoutMs);
      }
    },
  };
}

/** An answer with a status of success: a reply, an error all the same, or nothing of use. */
function toOutcome(
  body: unknown,
  response: Response,
  request: ModelRequest,
  apiKey: string,
  now: number,
): ModelOutcome {
  const requestId = response.headers.get("request-id");
  const isError = isPlainObject(body) && body.type === "error" && errorBodySchema.safeParse(body).success;
  if (isError) return toErrorFailure(response.status, response.headers, body, request, apiKey, now);
  const reply = toReply(body, request, requestId);
  if (reply.ok) return { kind: "reply", reply: reply.value };
  return toMalformedFailure(reply.error, SERVER, response.status, requestId);
}

/** What the SDK threw, or what reading the body threw. */
function toThrownFailure(error: unknown, request: ModelRequest, apiKey: string, now: number): ModelFailure {
  if (error instanceof APIError && error.status !== undefined && error.headers !== undefined) {
    return toErrorFailure(error.status, error.headers, error.error, request, apiKey, now);
  }
  // The SDK's timer has the same length as ours and may be the first to fire.
  if (error instanceof APIConnectionTimeoutError) {
    return toCallFailure({ kind: "timeout", sent: true }, SERVER, request.timeoutMs);
  }
  if (error instanceof SyntaxError) {
    return toMalformedFailure({ kind: "retryable", detail: "the answer is cut or no JSON" }, SERVER, 200, null);
  }
  return toCallFailure({ kind: "connection", error }, SERVER, request.timeoutMs);
}

function toErrorFailure(
  status: number,
  headers: Headers,
  body: unknown,
  request: ModelRequest,
  apiKey: string,
  now: number,
): ModelFailure {
  const parsed = errorBodySchema.safeParse(body);
  const error = parsed.success ? parsed.data.error : null;
  return toStatusFailure(
    {
      server: SERVER,
      status,
      type: error?.type ?? null,
      errorCode: error?.details?.error_code ?? null,
      detail: cleanDetail(error?.message, apiKey, promptTexts(request)),
      headers,
      requestId: headers.get("request-id"),
    },
    now,
  );
}
