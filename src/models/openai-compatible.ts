/**
 * Any server that speaks OpenAI's chat completions with tools, through the `openai` package: OpenAI itself, gateways,
 * vLLM, Ollama, llama.cpp.
 *
 * Owns: the SDK client and its settings, one call, and turning what comes back into an outcome. Leaves to others: the
 * body (openai-request.ts), the reply (openai-reply.ts), the table of failures (failure.ts), retries (the run), prices:
 * there is no built-in table for these models, so lookUpModel refuses one that QUERENT_PRICES does not price.
 *
 * The SDK is loaded at the first call: it is large, and a worker that only asks Claude should not pay for it at start.
 * The settings are those of anthropic.ts, for the same reasons.
 */
import * as z from "zod";
import type { Model, ModelFailure, ModelInfo, ModelOutcome, ModelRequest } from "../agent/model.ts";
import { callOnce, toCallFailure, wholeMs } from "./call.ts";
import { checkKey, cleanDetail, toStatusFailure } from "./failure.ts";
import { toChatReply } from "./openai-reply.ts";
import { boundChatTokens, toChatBody } from "./openai-request.ts";
import { parseAnswer, toMalformedFailure } from "./reply-parts.ts";
import { promptTexts } from "./well-formed.ts";

export interface OpenAiCompatibleOptions {
  /** Absent for a local server that asks for none. */
  readonly apiKey?: string | undefined;
  /** With its version path, as in `http://127.0.0.1:11434/v1`. */
  readonly baseUrl?: string | undefined;
  readonly info: ModelInfo;
  readonly fetch?: ((input: string | URL | Request, init?: RequestInit) => Promise<Response>) | undefined;
  /** For a retry-after given as a date. */
  readonly now?: () => number;
}

const BASE_URL = "https://api.openai.com/v1";

/** Of an error body; servers differ, and some send the text alone. */
const errorSchema = z.union([
  z.object({
    message: z.string().nullish(),
    type: z.string().nullish(),
    code: z.union([z.string(), z.number()]).nullish(),
  }),
  z.string().transform((message) => ({ message, type: null, code: null })),
]);
const errorBodySchema = z.object({ error: errorSchema });

interface Context {
  readonly server: string;
  readonly apiKey: string;
  readonly request: ModelRequest;
  readonly now: number;
}

/** Keeps `complete`'s promise of one request, no retry, no rejection. */
export function createOpenAiCompatibleModel(options: OpenAiCompatibleOptions): Model {
  const { info } = options;
  const apiKey = options.apiKey ?? "";
  const baseUrl = options.baseUrl ?? BASE_URL;
  const server = URL.canParse(baseUrl) ? new URL(baseUrl).host : "The model server";
  const now = options.now ?? Date.now;

  const send = async (request: ModelRequest, signal: AbortSignal) => {
    const { OpenAI } = await import("openai");
    const client = new OpenAI({
      // The SDK wants a key; a server that asks for none ignores it.
      apiKey: apiKey === "" ? "none" : apiKey,
      adminAPIKey: null,
      organization: null,
      project: null,
      baseURL: baseUrl,
      maxRetries: 0,
      logLevel: "off",
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
      fetchOptions: { redirect: "manual" },
    });
    const settings = { signal, timeout: wholeMs(request.timeoutMs) };
    return await client.chat.completions.create(toChatBody(request, info), settings).withResponse();
  };

  return {
    info,
    boundInputTokens: (request) => boundChatTokens(request, info),
    // The protocol has no way to count.
    countInputTokens: async () => null,
    async complete(request, signal) {
      const badKey = apiKey === "" ? null : checkKey(apiKey, server);
      if (badKey !== null) return badKey;
      const context = { server, apiKey, request, now: now() };
      const end = await callOnce(request.timeoutMs, signal, (inner) => send(request, inner));
      switch (end.kind) {
        case "answer":
          return toOutcome(parseAnswer(end.answer.data), end.answer.response, info, context);
        case "thrown":
          return await toThrownFailure(end.error, context);
        case "aborted":
        case "timeout":
          return toCallFailure(end, server, request.timeoutMs);
      }
    },
  };
}

function toOutcome(body: unknown, response: Response, info: ModelInfo, context: Context): ModelOutcome {
  const failed = errorBodySchema.safeParse(body);
  if (failed.success) return toErrorFailure(response.status, response.headers, failed.data.error, context);
  const requestId = response.headers.get("x-request-id");
  const reply = toChatReply(body, context.request, requestId, info.priceMultiplierMax);
  if (reply.ok) return { kind: "reply", reply: reply.value };
  return toMalformedFailure(reply.error, context.server, response.status, requestId);
}

async function toThrownFailure(error: unknown, context: Context): Promise<ModelFailure> {
  const { APIConnectionTimeoutError, APIError } = await import("openai");
  if (error instanceof APIError && error.status !== undefined && error.headers !== undefined) {
    const parsed = errorSchema.safeParse(error.error);
    return toErrorFailure(error.status, error.headers, parsed.success ? parsed.data : null, context);
  }
  if (error instanceof APIConnectionTimeoutError)
    return toCallFailure({ kind: "timeout", sent: true }, context.server, context.request.timeoutMs);
  if (error instanceof SyntaxError) {
    return toMalformedFailure({ kind: "retryable", detail: "the answer is cut or no JSON" }, context.server, 200, null);
  }
  return toCallFailure({ kind: "connection", error }, context.server, context.request.timeoutMs);
}

function toErrorFailure(
  status: number,
  headers: Headers,
  error: z.infer<typeof errorSchema> | null,
  context: Context,
): ModelFailure {
  return toStatusFailure(
    {
      server: context.server,
      status,
      type: error?.type ?? null,
      errorCode: error?.code === undefined || error.code === null ? null : String(error.code),
      detail: cleanDetail(error?.message, context.apiKey, promptTexts(context.request)),
      headers,
      requestId: headers.get("x-request-id"),
    },
    context.now,
  );
}
