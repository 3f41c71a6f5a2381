/**
 * Any server that speaks OpenAI's chat completions with tools: OpenAI itself, gateways, vLLM, Ollama, llama.cpp.
 *
 * Owns: one call, and turning what comes back into an outcome. Leaves to others: sending it, and why without the
 * vendor's package (chat-call.ts), the body (openai-request.ts), the reply (openai-reply.ts), the table of failures
 * (failure.ts), retries (the run), prices: there is no built-in table for these models, so lookUpModel refuses one that
 * QUERENT_PRICES does not price.
 */
import * as z from "zod";
import type { Model, ModelFailure, ModelInfo, ModelOutcome, ModelRequest } from "../agent/model.ts";
import { parseIfText } from "../lib/json.ts";
import { callOnce, toCallFailure } from "./call.ts";
import { type ChatAnswer, postChat } from "./chat-call.ts";
import { checkKey, cleanDetail, toStatusFailure } from "./failure.ts";
import { toChatReply } from "./openai-reply.ts";
import { boundChatTokens, toChatBody } from "./openai-request.ts";
import { isJsonType, toMalformedFailure } from "./reply-parts.ts";
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

  const send = (request: ModelRequest, signal: AbortSignal): Promise<ChatAnswer> => {
    // Looked up at each call, and called as a plain function: workerd refuses a detached method.
    const plainFetch = options.fetch ?? ((input, init) => fetch(input, init));
    return postChat({ baseUrl, apiKey, body: toChatBody(request, info), fetch: plainFetch }, signal);
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
          return toOutcome(end.answer, info, context);
        case "thrown":
          return toCallFailure({ kind: "connection", error: end.error }, server, request.timeoutMs);
        case "aborted":
        case "timeout":
          return toCallFailure(end, server, request.timeoutMs);
      }
    },
  };
}

function toOutcome({ status, headers, text }: ChatAnswer, info: ModelInfo, context: Context): ModelOutcome {
  const requestId = headers.get("x-request-id");
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && !text.ok)
    return toMalformedFailure({ kind: "fatal", detail: text.error }, context.server, status, requestId);
  const body = text.ok ? parseIfText(text.value) : null;
  const failed = errorBodySchema.safeParse(body);
  if (failed.success || !isSuccess) return toErrorFailure(status, headers, failed.data?.error ?? null, context);
  if (typeof body === "string" && isJsonType(headers)) {
    const fault = { kind: "retryable", detail: "the answer is cut or no JSON" } as const;
    return toMalformedFailure(fault, context.server, status, requestId);
  }
  const reply = toChatReply(body, context.request, requestId, info.priceMultiplierMax);
  if (reply.ok) return { kind: "reply", reply: reply.value };
  return toMalformedFailure(reply.error, context.server, status, requestId);
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
