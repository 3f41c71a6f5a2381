/**
 * What a fake Messages API is told to answer: plain JSON, so that a script can be written in a test, in a file for the
 * command line, or sent from a test inside workerd. Owns: the items, their builders, and the answer's envelope.
 * Pure: no I/O, no clock.
 */

import type { MeteredUsage, PromptMeter } from "./anthropic-meter.ts";
import type { JsonObject } from "./anthropic-rules.ts";
import { isObject } from "./anthropic-rules.ts";
import { prefixHash, signThinking } from "./anthropic-thinking.ts";

/** A content block of a reply. Thinking is signed by the fake; a tool call without an id gets a fresh one. */
export type ScriptBlock = { readonly type: string; readonly [key: string]: unknown };

export type ScriptItem =
  | ScriptBlock
  | readonly ScriptBlock[]
  | MessageItem
  | StatusItem
  | RawItem
  | { readonly kind: "hang" | "cut" | "stall"; readonly delay_ms?: number };

export interface MessageItem {
  readonly kind: "message";
  readonly content: readonly ScriptBlock[];
  readonly stop_reason?: string | null;
  /** Laid over the metered usage; null removes it. */
  readonly usage?: JsonObject | null;
  /** Laid over the finished answer, for answers that the real API would never give. */
  readonly raw?: JsonObject;
  readonly delay_ms?: number;
}

export interface StatusItem {
  readonly kind: "status";
  readonly status: number;
  readonly type?: string;
  readonly message?: string;
  readonly error_code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delay_ms?: number;
}

export interface RawItem {
  readonly kind: "raw";
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  readonly delay_ms?: number;
}

/** Answers with text. */
export function text(value: string): ScriptBlock {
  return { type: "text", text: value };
}

/** Calls a tool. */
export function toolUse(name: string, input: unknown, id?: string): ScriptBlock {
  return { type: "tool_use", name, input, ...(id === undefined ? {} : { id }) };
}

/** A thinking block, signed and bound to the request it answers. Hidden thinking shows no text. */
export function thinking(value = "Let me see.", hidden = false): ScriptBlock {
  return { type: "thinking", thinking: value, hidden };
}

/** A whole reply, with a finish reason, usage or fields of its own. */
export function message(
  content: readonly ScriptBlock[],
  options: Omit<MessageItem, "kind" | "content"> = {},
): MessageItem {
  return { kind: "message", content, ...options };
}

/** An error answer with the documented body. `retryAfter` is the header as it is: seconds or a date. */
export function status(
  code: number,
  options: Omit<StatusItem, "kind" | "status"> & { readonly retryAfter?: string | number } = {},
): StatusItem {
  const { retryAfter, ...rest } = options;
  const headers = { ...rest.headers, ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }) };
  return { kind: "status", status: code, ...rest, headers };
}

/** Never answers; the connection stays open. */
export function hang(): ScriptItem {
  return { kind: "hang" };
}

/** Sends the headers and half of the body, then breaks the connection. */
export function cut(): ScriptItem {
  return { kind: "cut" };
}

/** Sends the headers and half of the body, then nothing more. */
export function stall(): ScriptItem {
  return { kind: "stall" };
}

/** Any bytes with any headers. */
export function raw(body: string, options: Omit<RawItem, "kind" | "body"> = {}): RawItem {
  return { kind: "raw", body, ...options };
}

const TYPES: ReadonlyMap<number, readonly [string, string]> = new Map([
  [400, ["invalid_request_error", "There was an issue with the format or content of your request."]],
  [401, ["authentication_error", "There's an issue with your API key."]],
  [402, ["billing_error", "There's an issue with your billing or payment information."]],
  [403, ["permission_error", "Your API key does not have permission to use the specified resource."]],
  [404, ["not_found_error", "The requested resource was not found."]],
  [409, ["conflict_error", "The request conflicts with the current state of the resource."]],
  [413, ["request_too_large", "Request exceeds the maximum allowed number of bytes."]],
  [429, ["rate_limit_error", "Your account has hit a rate limit."]],
  [500, ["api_error", "An unexpected error has occurred internal to Anthropic's systems."]],
  [504, ["timeout_error", "The request timed out while processing."]],
  [529, ["overloaded_error", "Overloaded"]],
]);

/** The body of an error, as documented. */
export function errorBody(item: Omit<StatusItem, "kind">, requestId: string): JsonObject {
  const [type, published] = TYPES.get(item.status) ??
    TYPES.get(item.status >= 500 ? 500 : 400) ?? ["api_error", "Error"];
  return {
    type: "error",
    error: {
      type: item.type ?? type,
      message: item.message ?? published,
      ...(item.error_code === undefined ? {} : { details: { error_code: item.error_code } }),
    },
    request_id: requestId,
  };
}

/** Short forms (a block, a list of blocks) as whole items. */
export function toItem(item: ScriptItem): Exclude<ScriptItem, ScriptBlock | readonly ScriptBlock[]> {
  if (Array.isArray(item)) return message(item);
  if (isItem(item)) return item;
  if (isObject(item) && typeof item.type === "string") return message([{ ...item, type: item.type }]);
  throw new Error(`fake-anthropic: not a script item: ${JSON.stringify(item)}`);
}

function isItem(item: ScriptItem): item is Exclude<ScriptItem, ScriptBlock | readonly ScriptBlock[]> {
  return "kind" in item && typeof item.kind === "string";
}

/** The finished answer to `body`. `nextId` numbers what the script left without an id. */
export function toMessage(
  item: MessageItem,
  body: JsonObject,
  usage: MeteredUsage,
  meter: PromptMeter,
  nextId: () => string,
): JsonObject {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const prefix = prefixHash(body, messages);
  const content = item.content.map((block) => finishBlock(block, prefix, String(body.model), nextId));
  const tokens = meter.countOutput(content);
  const maxTokens = Number(body.max_tokens);
  const natural = content.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn";
  const answer: JsonObject = {
    id: `msg_${nextId()}`,
    type: "message",
    role: "assistant",
    model: body.model,
    content,
    // More than was allowed cannot come out: it ends where the allowance ends.
    stop_reason: item.stop_reason === undefined ? (tokens > maxTokens ? "max_tokens" : natural) : item.stop_reason,
    stop_sequence: null,
    stop_details: item.stop_reason === "refusal" ? { type: "refusal", category: null, explanation: null } : null,
    container: null,
    diagnostics: null,
    usage: {
      ...usage,
      output_tokens: Math.min(tokens, maxTokens),
      output_tokens_details: {
        thinking_tokens: Math.min(maxTokens, meter.countOutput(content.filter((block) => block.type === "thinking"))),
      },
      server_tool_use: null,
      service_tier: "standard",
      inference_geo: "global",
      speed: "standard",
      ...item.usage,
    },
  };
  const { usage: _usage, ...withoutUsage } = answer;
  return { ...(item.usage === null ? withoutUsage : answer), ...item.raw };
}

function finishBlock(block: ScriptBlock, prefix: string, model: string, nextId: () => string): JsonObject {
  if (block.type === "text") return { citations: null, ...block };
  if (block.type === "tool_use") return { id: `toolu_${nextId()}`, caller: { type: "direct" }, ...block };
  if (block.type === "thinking" && block.signature === undefined) {
    return signThinking(String(block.thinking), block.hidden === true, prefix, model);
  }
  return block;
}
