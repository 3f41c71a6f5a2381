/**
 * A neutral request as the body of the Messages API, version 2026-10-21.
 *
 * Owns: the order of blocks, cache marks, what must never be sent (empty text, lone surrogates, sampling parameters, a
 * forced tool choice, a prefill), and the bound of the prompt's tokens by its bytes. Leaves to others: sending.
 * Pure: no I/O, no clock.
 *
 * R1 assistant content goes back verbatim; thinking blocks are bound to everything before them, so the body of step n
 *    begins with the body of step n - 1 apart from cache marks, which the vendor leaves out of the comparison.
 * R2 every call is answered in the one user message after it, results first, our note last.
 * R3 at most three cache marks of the four allowed; one that asks for an hour stands before all others, as the API asks.
 */
import type { Anthropic } from "@anthropic-ai/sdk";
import * as z from "zod";
import type { Message, ModelInfo, ModelRequest } from "../agent/model.ts";
import { byteLength } from "../lib/bytes.ts";
import { toWellFormed } from "./well-formed.ts";

/**
 * Tokens that the vendor adds to a prompt beyond our bytes: the system prompt for tool use (159 to 530 by the published
 * tables, per model) and the framing of roles, which our JSON already outweighs. Rounded up with room for a newer model.
 */
export const ADDED_TOKENS_MAX = 1_000;

/** What stands for a user message without any text, which the API would refuse. */
const EMPTY_TEXT = "(empty)";

/** How long the vendor keeps what never changes in a run; what the conversation adds is always kept for five minutes. */
export type PrefixTtl = "5m" | "1h";

const EPHEMERAL: Mark = { type: "ephemeral" };
/** Of the marks: within messages, and on the system text or the last tool. */
const MARKS_BYTES_MAX = ',"ttl":"1h"'.length + 3 * ',"cache_control":{"type":"ephemeral"}'.length;
/** What stands around the system text and the tools. */
const FRAME_BYTES_MAX = '"tools":[],"system":[{"type":"text","text":""}],"tool_choice":{"type":"auto"},'.length;

type Body = Anthropic.MessageCreateParamsNonStreaming;
type Block = Anthropic.ContentBlockParam;
type Mark = Anthropic.CacheControlEphemeral;
/** Blocks of our own messages, the only ones that may carry a mark. */
type OwnBlock = Anthropic.TextBlockParam | Anthropic.ToolResultBlockParam;

/** Stored content is ours to trust but typed `unknown`: whatever is an array of tagged objects is taken as it is. */
const contentSchema = z.array(z.custom<Block>((block) => isTagged(block)));

/** The body of `messages.create`. */
export function toMessagesBody(request: ModelRequest, info: ModelInfo, ttl?: PrefixTtl): Body {
  return {
    model: info.id,
    max_tokens: Math.min(request.maxTokens, info.maxOutputTokens),
    ...toPrompt(request, ttl),
    ...(request.tools.length === 0 ? {} : { tool_choice: { type: request.toolChoice } }),
  };
}

/** The body of `messages.countTokens`: the same prompt. */
export function toCountBody(
  request: ModelRequest,
  info: ModelInfo,
  ttl?: PrefixTtl,
): Anthropic.MessageCountTokensParams {
  return { model: info.id, ...toPrompt(request, ttl) };
}

/**
 * An upper bound of the prompt's tokens: no tokenizer makes more tokens than there are bytes, and hidden thinking is
 * carried by its signature, which is longer than the tokens it stands for.
 */
export function boundPromptTokens(request: ModelRequest, info: ModelInfo): number {
  const { messages, system } = request;
  const tools = toTools(request.tools);
  // The frame without what is measured apart: the same few fields in every request.
  const bare = toMessagesBody({ ...request, system: "", tools: [], messages: [] }, info);
  const frame = byteLength(JSON.stringify(bare)) + FRAME_BYTES_MAX + prefixBytes(tools, system);
  // Each message with its comma; marks are on the last blocks only.
  const all = messages.reduce((sum, message) => sum + toParam(message).bytes + 1, 0);
  return frame + all + MARKS_BYTES_MAX + ADDED_TOKENS_MAX;
}

/** By the list of tools, the same object in every request of a run: the system text beside it, and the bytes of both. */
const prefixes = new WeakMap<object, { readonly system: string; readonly bytes: number }>();

function prefixBytes(tools: readonly Anthropic.Tool[], system: string): number {
  const known = prefixes.get(tools);
  if (known?.system === system) return known.bytes;
  const bytes = byteLength(JSON.stringify(tools)) + byteLength(JSON.stringify(system.toWellFormed()));
  prefixes.set(tools, { system, bytes });
  return bytes;
}

/**
 * Three marks. Tools and system never change in a run, so the mark on the system block is written once and read by
 * every step. The mark on the last block makes this step's prompt readable by the next. The mark where the step before
 * ended is the place of its entry: the vendor looks back 20 blocks only, and a step of twenty parallel calls is longer.
 * A call that forbids tools is the last of its run, and its different tool choice makes the entries of the messages
 * unreadable: there only the first mark stays, since what nobody will read is not worth the price of a write. A call
 * without tools (a critic, a summary) has a prompt of its own that nobody reads again: it carries no mark.
 */
function toPrompt(request: ModelRequest, ttl?: PrefixTtl): Pick<Body, "system" | "tools" | "messages"> {
  const prefixMark: Mark = ttl === "1h" ? { ...EPHEMERAL, ttl } : EPHEMERAL;
  const answeredAt = request.messages.findLastIndex((message) => message.role === "assistant");
  const ends = request.toolChoice === "none" ? [] : [request.messages[answeredAt - 1], request.messages.at(-1)];
  const messages = request.messages.flatMap((message): Anthropic.MessageParam[] => {
    const { param } = toParam(message);
    if (param === null) return [];
    return [ends.includes(message) ? withMark(param) : param];
  });
  const isReadAgain = request.tools.length > 0 || request.toolChoice !== "none";
  const text: Anthropic.TextBlockParam = { type: "text", text: request.system.toWellFormed() };
  const system = isBlank(request.system) ? [] : [isReadAgain ? marked(text, prefixMark) : text];
  const tools = toTools(request.tools);
  const lastTool = tools.at(-1);
  const isMarkedTool = system.length === 0 && lastTool !== undefined;
  return {
    ...(tools.length === 0
      ? {}
      : { tools: isMarkedTool ? [...tools.slice(0, -1), { ...lastTool, cache_control: prefixMark }] : tools }),
    ...(system.length === 0 ? {} : { system }),
    messages,
  };
}

interface Param {
  /** Null for a reply without any content. */
  readonly param: Anthropic.MessageParam | null;
  /** Of its JSON, without marks. */
  readonly bytes: number;
}

/** Messages are never edited, so each is translated once and not at every step that sends it. */
const params = new WeakMap<Message, Param>();
const toolParams = new WeakMap<ModelRequest["tools"], Anthropic.Tool[]>();

function toParam(message: Message): Param {
  const known = params.get(message);
  if (known !== undefined) return known;
  const translated =
    message.role === "assistant" ? toAssistant(message) : { role: "user" as const, content: toOwnBlocks(message) };
  const param = translated === null ? null : toWellFormed(translated);
  const made = { param, bytes: param === null ? 0 : byteLength(JSON.stringify(param)) };
  params.set(message, made);
  return made;
}

function toTools(specs: ModelRequest["tools"]): Anthropic.Tool[] {
  const known = toolParams.get(specs);
  if (known !== undefined) return known;
  const tools = toWellFormed(
    specs.map(
      (tool): Anthropic.Tool => ({
        name: tool.name,
        description: tool.description,
        input_schema: { ...tool.inputSchema, type: "object" },
      }),
    ),
  );
  toolParams.set(specs, tools);
  return tools;
}

/** R1. A reply without any content cannot be sent back, so it is left out; two user messages in a row are allowed. */
function toAssistant(message: Extract<Message, { role: "assistant" }>): Anthropic.MessageParam | null {
  const parsed = contentSchema.safeParse(message.content);
  // Content of another vendor's adapter, in a run that changed its model: said again from the neutral fields.
  const content = parsed.success ? parsed.data : toNeutralBlocks(message);
  return content.length === 0 ? null : { role: "assistant", content };
}

function toNeutralBlocks(message: Extract<Message, { role: "assistant" }>): Block[] {
  const calls = message.calls.map(
    (call): Block => ({ type: "tool_use", id: call.id, name: call.name, input: call.input }),
  );
  return isBlank(message.text) ? calls : [{ type: "text", text: message.text }, ...calls];
}

/** R2. */
function toOwnBlocks(message: Exclude<Message, { role: "assistant" }>): OwnBlock[] {
  if (message.role === "user") return [{ type: "text", text: isBlank(message.text) ? EMPTY_TEXT : message.text }];
  const results = message.results.map(
    (result): OwnBlock => ({
      type: "tool_result",
      tool_use_id: result.callId,
      ...(result.content === "" ? {} : { content: result.content }),
      ...(result.isError ? { is_error: true } : {}),
    }),
  );
  const note = message.note ?? "";
  if (!isBlank(note)) return [...results, { type: "text", text: note }];
  return results.length === 0 ? [{ type: "text", text: EMPTY_TEXT }] : results;
}

function marked<Marked extends Block>(block: Marked, mark: Mark): Marked {
  return { ...block, cache_control: mark };
}

/** The message with a mark on its last block. Only our own messages are marked: what a model said stays verbatim. */
function withMark(param: Anthropic.MessageParam): Anthropic.MessageParam {
  const blocks = typeof param.content === "string" ? [] : param.content;
  const last = blocks.at(-1);
  if (param.role !== "user" || last === undefined || isEmptyBlock(last)) return param;
  return { ...param, content: [...blocks.slice(0, -1), marked(last, EPHEMERAL)] };
}

/** A mark on an empty block is refused. Text is never empty here; a result without content is. */
function isEmptyBlock(block: Block): boolean {
  return block.type === "tool_result" && block.content === undefined;
}

/** The API refuses text blocks of white space alone. */
function isBlank(text: string): boolean {
  return text.trim() === "";
}

function isTagged(block: unknown): boolean {
  return typeof block === "object" && block !== null && "type" in block && typeof block.type === "string";
}
