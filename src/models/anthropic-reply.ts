/**
 * An answer of the Messages API as a neutral reply.
 *
 * Owns: finish reasons, usage and its multiplier, calls, and the few repairs without which the vendor would refuse its
 * own content when it is sent back. Leaves to others: errors (failure.ts), what a finish reason means for the run
 * (agent/recovery.ts), prices. Pure: no I/O, no clock.
 *
 * A 200 answer that cannot be used is a failure `malformed_reply`. It counts as billed. What may come out right next
 * time (cut or odd content) is retryable; what will not is fatal: text that is no JSON at all (a proxy's page, a wrong
 * base URL), and an answer without token counts, whose cost nobody could say.
 */
import * as z from "zod";
import type { FinishReason, ModelReply, ModelRequest, TokenUsage, ToolCall } from "../agent/model.ts";
import type { Result } from "../lib/result.ts";
import { err, ok } from "../lib/result.ts";
import { FAST_MULTIPLIER, REGION_MULTIPLIER } from "./prices.ts";
import type { MalformedReply } from "./reply-parts.ts";
import { createIdSource, isPlainObject } from "./reply-parts.ts";

/** Of an answer's body, an error object that came with whatever status. */
export const errorBodySchema = z.object({
  type: z.literal("error"),
  error: z.object({
    type: z.string().nullish(),
    message: z.string().nullish(),
    details: z.object({ error_code: z.string().nullish() }).nullish(),
  }),
});

const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ["end_turn", "end_turn"],
  ["tool_use", "tool_use"],
  ["max_tokens", "max_tokens"],
  ["stop_sequence", "stop_sequence"],
  ["pause_turn", "pause_turn"],
  ["refusal", "refusal"],
  ["model_context_window_exceeded", "context_window"],
]);

/** Blocks are checked but never rebuilt: a parsed copy would have its fields in another order. */
const blockSchema = z.custom<Block>((block) => isPlainObject(block) && typeof block.type === "string");
const textSchema = z.object({ text: z.string() });
const toolUseSchema = z.object({ id: z.string().min(1), name: z.string().min(1), input: z.unknown() });

interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}

const answerSchema = z.object({
  content: z.array(blockSchema),
  stop_reason: z.unknown().optional(),
  usage: z.unknown().optional(),
});

const count = z.number().min(0);
const optionalCount = count.nullish().transform((value) => value ?? 0);
const usageSchema = z.object({
  // The two counts without which a price would be a guess. An honest 0 stays 0.
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: optionalCount,
  cache_read_input_tokens: optionalCount,
  cache_creation: z
    .object({ ephemeral_5m_input_tokens: optionalCount, ephemeral_1h_input_tokens: optionalCount })
    .nullish()
    .transform((value) => value ?? { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 }),
  inference_geo: z.string().nullish(),
  speed: z.string().nullish(),
});

/** Reads the body of a 200 answer that is no error object. */
export function toReply(
  body: unknown,
  request: ModelRequest,
  requestId: string | null,
): Result<ModelReply, MalformedReply> {
  if (typeof body === "string") return err({ kind: "fatal", detail: "the answer is not JSON" });
  const shape = answerSchema.safeParse(body);
  if (!shape.success) return err({ kind: "retryable", detail: "the answer holds no content" });
  const usage = usageSchema.safeParse(shape.data.usage);
  if (!usage.success) return err({ kind: "fatal", detail: "the answer says nothing about its token counts" });
  const blocks = toSendable(shape.data.content, request);
  if (blocks === null)
    return err({ kind: "retryable", detail: "a tool call has no id or no name, or a text block no text" });
  const rawFinish = typeof shape.data.stop_reason === "string" ? shape.data.stop_reason : "none";
  return ok({
    content: blocks.map((block) => block.sent),
    text: blocks.flatMap((block) => block.text ?? []).join("\n\n"),
    hasThinking: blocks.some(({ sent }) => sent.type === "thinking" || sent.type === "redacted_thinking"),
    calls: blocks.flatMap((block) => block.call ?? []),
    finish: FINISH_REASONS.get(rawFinish) ?? "other",
    rawFinish,
    usage: toUsage(usage.data),
    priceMultiplier: toMultiplier(usage.data),
    requestId,
  });
}

interface SendableBlock {
  readonly sent: Block;
  readonly text?: string;
  readonly call?: ToolCall;
}

/**
 * The blocks as they will be sent back: verbatim, except that the API would refuse blank text (left out), an id used
 * before in the conversation (renamed) and a tool input that is no object (sent as an empty one; the call keeps it).
 * The conversation only ever sees the repaired form, so every later prefix agrees with it. Null when a block is unusable.
 */
function toSendable(content: readonly Block[], request: ModelRequest): readonly SendableBlock[] | null {
  const takeId = createIdSource(request);
  const blocks: SendableBlock[] = [];
  for (const block of content) {
    if (block.type === "text") {
      const parsed = textSchema.safeParse(block);
      if (!parsed.success) return null;
      if (parsed.data.text.trim() !== "") blocks.push({ sent: block, text: parsed.data.text });
    } else if (block.type === "tool_use") {
      const parsed = toolUseSchema.safeParse(block);
      if (!parsed.success) return null;
      const { name, input } = parsed.data;
      const id = takeId(parsed.data.id);
      const verbatim = id === parsed.data.id && isPlainObject(input);
      blocks.push({
        sent: verbatim ? block : { ...block, id, input: isPlainObject(input) ? input : {} },
        call: { id, name, input },
      });
    } else {
      blocks.push({ sent: block });
    }
  }
  return blocks;
}

/** Cache writes by lifetime; what the split does not account for was written with the default lifetime, 5 minutes. */
function toUsage(usage: z.infer<typeof usageSchema>): TokenUsage {
  const { ephemeral_5m_input_tokens: written5m, ephemeral_1h_input_tokens: written1h } = usage.cache_creation;
  return {
    input: Math.ceil(usage.input_tokens),
    cacheWrite5m: Math.ceil(Math.max(written5m, usage.cache_creation_input_tokens - written1h)),
    cacheWrite1h: Math.ceil(written1h),
    cacheRead: Math.ceil(usage.cache_read_input_tokens),
    output: Math.ceil(usage.output_tokens),
  };
}

/** A region or speed that is not known to be ordinary counts as the dear one. */
function toMultiplier(usage: z.infer<typeof usageSchema>): number {
  const ordinaryRegion = ["", "global", "not_available"].includes(usage.inference_geo ?? "");
  const ordinarySpeed = ["", "standard"].includes(usage.speed ?? "");
  return (ordinaryRegion ? 1 : REGION_MULTIPLIER) * (ordinarySpeed ? 1 : FAST_MULTIPLIER);
}
