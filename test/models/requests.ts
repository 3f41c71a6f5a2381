/** Requests for the tests of models: one with tools, and how a conversation goes on. Pure. */
import type {
  Message,
  ModelFailure,
  ModelInfo,
  ModelOutcome,
  ModelReply,
  ModelRequest,
  ToolSpec,
} from "../../src/agent/model.ts";
import { lookUpModel } from "../../src/models/prices.ts";

export const NEVER = new AbortController().signal;

export const SQL_TOOL: ToolSpec = {
  name: "execute_read_only_sql",
  description: "Runs one SELECT.",
  inputSchema: {
    type: "object",
    properties: { sql: { type: "string" } },
    required: ["sql"],
    additionalProperties: false,
  },
};

/** A system prompt long enough to be cached. */
export const LONG_SYSTEM = `You answer questions about a database.\n${"table Album: AlbumId, Title, ArtistId\n".repeat(120)}`;

export function ask(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: "You answer questions about a database.",
    tools: [SQL_TOOL],
    messages: [{ role: "user", text: "How many albums are there?" }],
    maxTokens: 1_000,
    toolChoice: "auto",
    timeoutMs: 5_000,
    ...overrides,
  };
}

/** The same request after `reply`, every call of it answered. */
export function answered(
  request: ModelRequest,
  reply: ModelReply,
  content = '{"status":"success"}',
  note?: string,
): ModelRequest {
  const said: Message = { role: "assistant", content: reply.content, text: reply.text, calls: reply.calls };
  const results = reply.calls.map((call) => ({ callId: call.id, content, isError: false }));
  const told: Message =
    results.length === 0
      ? { role: "user", text: note ?? "Go on." }
      : { role: "tool", results, ...(note === undefined ? {} : { note }) };
  return { ...request, messages: [...request.messages, said, told] };
}

export function infoOf(id = "claude-sonnet-5-5"): ModelInfo {
  const found = lookUpModel(id);
  if (!found.ok) throw new Error(found.error);
  return found.value;
}

export function replyOf(outcome: ModelOutcome): ModelReply {
  if (outcome.kind !== "reply") throw new Error(`expected a reply, got ${outcome.code}: ${outcome.message}`);
  return outcome.reply;
}

export function failureOf(outcome: ModelOutcome): ModelFailure {
  if (outcome.kind === "reply") throw new Error("expected a failure, got a reply");
  return outcome;
}
