/**
 * A neutral request as the body of a chat completion, for any server that speaks OpenAI's protocol.
 *
 * Owns: messages and tools in that protocol, and the bound of the prompt's tokens by its bytes. Leaves to others:
 * sending. Pure: no I/O, no clock. Such servers cache prompts by themselves, so there are no cache marks here; the body
 * of each step begins with the body of the one before.
 */
import type { OpenAI } from "openai";
import * as z from "zod";
import type { Message, ModelInfo, ModelRequest } from "../agent/model.ts";
import { byteLength } from "../lib/bytes.ts";
import { toWellFormed } from "./well-formed.ts";

/** Tokens that a server's chat template adds beyond our bytes: how to call tools, roles, separators. */
const ADDED_TOKENS_MAX = 1_000;

type Body = OpenAI.ChatCompletionCreateParamsNonStreaming;
type MessageParam = OpenAI.ChatCompletionMessageParam;

/** Stored content is ours to trust but typed `unknown`: an assistant message object is taken as it is. */
const contentSchema = z.custom<OpenAI.ChatCompletionAssistantMessageParam>(
  (value) => typeof value === "object" && value !== null && "role" in value && value.role === "assistant",
);

/** The body of `chat.completions.create`. */
export function toChatBody(request: ModelRequest, info: ModelInfo): Body {
  const system: MessageParam[] = request.system.trim() === "" ? [] : [{ role: "system", content: request.system }];
  const tools = request.tools.map(
    (tool): OpenAI.ChatCompletionTool => ({
      type: "function",
      function: { name: tool.name, description: tool.description, parameters: { ...tool.inputSchema } },
    }),
  );
  return toWellFormed({
    model: info.id,
    max_completion_tokens: Math.min(request.maxTokens, info.maxOutputTokens),
    messages: [...system, ...request.messages.flatMap(toMessages)],
    ...(tools.length === 0 ? {} : { tools, tool_choice: request.toolChoice }),
  });
}

/** An upper bound of the prompt's tokens: no tokenizer makes more tokens than there are bytes. */
export function boundChatTokens(request: ModelRequest, info: ModelInfo): number {
  return byteLength(JSON.stringify(toChatBody(request, info))) + ADDED_TOKENS_MAX;
}

function toMessages(message: Message): MessageParam[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: message.text }];
    case "tool": {
      const results = message.results.map(
        (result): MessageParam => ({ role: "tool", tool_call_id: result.callId, content: result.content }),
      );
      const note = message.note ?? "";
      return note.trim() === "" ? results : [...results, { role: "user", content: note }];
    }
    case "assistant": {
      const parsed = contentSchema.safeParse(message.content);
      const sent = parsed.success ? parsed.data : toNeutral(message);
      const isEmpty =
        (sent.content ?? "") === "" && (sent.tool_calls ?? []).length === 0 && (sent.refusal ?? "") === "";
      return isEmpty ? [] : [sent];
    }
  }
}

/** Content of another vendor's adapter, said again from the neutral fields. */
function toNeutral(message: Extract<Message, { role: "assistant" }>): OpenAI.ChatCompletionAssistantMessageParam {
  const calls = message.calls.map(
    (call): OpenAI.ChatCompletionMessageToolCall => ({
      type: "function",
      id: call.id,
      function: { name: call.name, arguments: JSON.stringify(call.input) ?? "{}" },
    }),
  );
  return {
    role: "assistant",
    content: message.text === "" ? null : message.text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}
