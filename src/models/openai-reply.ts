/**
 * A chat completion as a neutral reply. Owns: finish reasons, usage, calls, and the repairs without which a server may
 * refuse its own message when it is sent back. Leaves to others: errors (failure.ts), prices.
 * Pure: no I/O, no clock. An answer that cannot be used is a failure `malformed_reply`, by the rules of
 * anthropic-reply.ts: retryable when it may come out right, fatal when it is no JSON or its cost cannot be known.
 */
import * as z from "zod";
import type { FinishReason, ModelReply, ModelRequest, TokenUsage, ToolCall } from "../agent/model.ts";
import type { Result } from "../lib/result.ts";
import { err, ok } from "../lib/result.ts";
import type { MalformedReply } from "./reply-parts.ts";
import { createIdSource, isPlainObject } from "./reply-parts.ts";

const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ["stop", "end_turn"],
  ["tool_calls", "tool_use"],
  ["function_call", "tool_use"],
  ["length", "max_tokens"],
  ["content_filter", "refusal"],
]);

const count = z.number().min(0);
const optionalCount = count.nullish().transform((value) => value ?? 0);
const usageSchema = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: z
    .object({ cached_tokens: optionalCount, cache_write_tokens: optionalCount })
    .nullish()
    .transform((value) => value ?? { cached_tokens: 0, cache_write_tokens: 0 }),
});

/** The message and its calls are checked but never rebuilt: a parsed copy would have its fields in another order. */
const wireSchema = z.custom<Wire>(isPlainObject);
const callSchema = z.object({
  id: z.string().nullish(),
  function: z.object({ name: z.string().min(1), arguments: z.unknown().optional() }),
});
const messageSchema = z.object({
  content: z.union([z.string(), z.array(z.object({ type: z.string(), text: z.string().nullish() }))]).nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(wireSchema).nullish(),
  reasoning_content: z.string().nullish(),
  reasoning: z.unknown().optional(),
});
const choiceSchema = z.object({ message: wireSchema, finish_reason: z.unknown().optional() });
const answerSchema = z.object({
  choices: z.tuple([choiceSchema], z.unknown()),
  usage: z.unknown().optional(),
  service_tier: z.unknown().optional(),
});

interface Wire {
  readonly [field: string]: unknown;
}
type WireMessage = z.infer<typeof messageSchema>;

/** Reads the body of a 200 answer that is no error object. `dearest` multiplies the price of a faster service tier. */
export function toChatReply(
  body: unknown,
  request: ModelRequest,
  requestId: string | null,
  dearest: number,
): Result<ModelReply, MalformedReply> {
  if (typeof body === "string") return err({ kind: "fatal", detail: "the answer is not JSON" });
  const answer = answerSchema.safeParse(body);
  const wire = answer.data?.choices[0].message;
  const message = messageSchema.safeParse(wire);
  if (!answer.success || wire === undefined || !message.success) {
    return err({ kind: "retryable", detail: "the answer holds no message" });
  }
  const usage = usageSchema.safeParse(answer.data.usage);
  if (!usage.success) return err({ kind: "fatal", detail: "the answer says nothing about its token counts" });
  const turn = toCalls(wire, message.data.tool_calls ?? [], request);
  if (turn === null) return err({ kind: "retryable", detail: "a tool call has no name" });
  const finish = answer.data.choices[0].finish_reason;
  const rawFinish = typeof finish === "string" ? finish : "none";
  return ok({
    content: turn.sent,
    text: toText(message.data),
    hasThinking: (message.data.reasoning_content ?? "") !== "" || (message.data.reasoning ?? "") !== "",
    calls: turn.calls,
    finish: toFinish(rawFinish, message.data, turn.calls.length),
    rawFinish,
    usage: toUsage(usage.data),
    // A project can be set to a dearer tier without the request saying so.
    priceMultiplier: answer.data.service_tier === "priority" || answer.data.service_tier === "fast" ? dearest : 1,
    requestId,
  });
}

/** Some servers say `stop` beside tool calls, and some put a refusal in a field of its own. */
function toFinish(raw: string, message: WireMessage, calls: number): FinishReason {
  if ((message.refusal ?? "") !== "") return "refusal";
  if (raw === "stop" && calls > 0) return "tool_use";
  return FINISH_REASONS.get(raw) ?? "other";
}

function toText(message: WireMessage): string {
  const content = message.content ?? "";
  const parts =
    typeof content === "string"
      ? [content]
      : content.flatMap((part) => (part.type === "text" ? (part.text ?? "") : []));
  return parts.filter((part) => part.trim() !== "").join("\n\n");
}

/**
 * The calls, and the message as it will be sent back: verbatim, except that an id is made or renamed where it is
 * missing or was used before, and arguments that are no JSON object are sent as an empty one (the call keeps the text).
 * Null when a call has no name.
 */
function toCalls(
  message: Wire,
  wires: readonly Wire[],
  request: ModelRequest,
): { readonly calls: readonly ToolCall[]; readonly sent: Wire } | null {
  const takeId = createIdSource(request);
  const calls: ToolCall[] = [];
  const sent: Wire[] = [];
  for (const wire of wires) {
    const parsed = callSchema.safeParse(wire);
    if (!parsed.success) return null;
    const { name, arguments: text } = parsed.data.function;
    const input = toInput(text);
    const id = takeId(parsed.data.id ?? "");
    calls.push({ id, name, input });
    const verbatim = typeof text === "string" && text !== "" && isPlainObject(input) && id === parsed.data.id;
    const repaired = { name, arguments: isPlainObject(input) ? JSON.stringify(input) : "{}" };
    sent.push(verbatim ? wire : { ...wire, id, type: "function", function: repaired });
  }
  const untouched = message.role === "assistant" && sent.every((wire, index) => wire === wires[index]);
  if (untouched) return { calls, sent: message };
  return { calls, sent: { ...message, role: "assistant", ...(sent.length === 0 ? {} : { tool_calls: sent }) } };
}

/** Arguments come as JSON text; what is no JSON stays text, for the tool boundary to refuse. */
function toInput(wire: unknown): unknown {
  if (typeof wire !== "string") return wire ?? {};
  if (wire.trim() === "") return {};
  try {
    return JSON.parse(wire);
  } catch {
    return wire;
  }
}

/** The vendor's prompt count includes what was read from and written to its cache; ours are kept apart. */
function toUsage(usage: z.infer<typeof usageSchema>): TokenUsage {
  const { cached_tokens: read, cache_write_tokens: written } = usage.prompt_tokens_details;
  return {
    input: Math.ceil(Math.max(0, usage.prompt_tokens - read - written)),
    cacheWrite5m: Math.ceil(written),
    cacheWrite1h: 0,
    cacheRead: Math.ceil(read),
    output: Math.ceil(usage.completion_tokens),
  };
}
