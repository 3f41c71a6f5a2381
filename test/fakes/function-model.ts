/**
 * A model that is a function of the request and the number of the call, with builders for replies of every shape.
 * Priced like a mid-size model unless told otherwise, so that budgets mean something.
 */
import type {
  FinishReason,
  Model,
  ModelFailure,
  ModelInfo,
  ModelOutcome,
  ModelReply,
  ModelRequest,
} from "../../src/agent/model.ts";
import { byteLength } from "../../src/lib/bytes.ts";

export const PRICED: ModelInfo = {
  id: "test-model",
  contextWindow: 200_000,
  maxOutputTokens: 64_000,
  priceMultiplierMax: 1,
  tiers: [
    { abovePromptTokens: 0, input: 2_000, cacheWrite5m: 2_500, cacheWrite1h: 4_000, cacheRead: 200, output: 10_000 },
  ],
};

export function functionModel(
  reply: (request: ModelRequest, call: number) => ModelOutcome,
  info: ModelInfo = PRICED,
): Model {
  let calls = 0;
  const bound = (request: ModelRequest) =>
    byteLength(JSON.stringify([request.system, request.tools, request.messages]));
  return {
    info,
    boundInputTokens: bound,
    countInputTokens: async (request) => Math.ceil(bound(request) / 3),
    complete: async (request, signal) => {
      if (signal.aborted) return failed("aborted", "aborted");
      return reply(request, calls++);
    },
  };
}

/** Call ids never repeat within a test file. */
let callIds = 0;

export function replied(parts: Partial<ModelReply>, finish?: FinishReason): ModelOutcome {
  const calls = parts.calls ?? [];
  const reason = finish ?? parts.finish ?? (calls.length > 0 ? "tool_use" : "end_turn");
  const reply: ModelReply = {
    content: [{ type: "text", text: parts.text ?? "" }, ...calls],
    text: "",
    hasThinking: false,
    calls,
    usage: { input: 500, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, output: 100 },
    priceMultiplier: 1,
    requestId: null,
    ...parts,
    finish: reason,
    rawFinish: reason,
  };
  return { kind: "reply", reply };
}

export function calling(...calls: readonly (readonly [name: string, input: unknown])[]): ModelOutcome {
  return replied({ calls: calls.map(([name, input]) => ({ id: `call_${callIds++}`, name, input })) });
}

export function saying(text: string): ModelOutcome {
  return replied({ text });
}

export function answering(answer: string, results: readonly string[] = []): ModelOutcome {
  return calling(["final_answer", { answer, results }]);
}

export function querying(sql: string): ModelOutcome {
  return calling(["execute_read_only_sql", { sql }]);
}

export function failed(kind: ModelFailure["kind"], code: string, parts: Partial<ModelFailure> = {}): ModelOutcome {
  return {
    kind,
    code,
    status: null,
    retryAfterMs: null,
    message: `The provider said ${code}.`,
    unbilled: false,
    requestId: null,
    ...parts,
  };
}
