/**
 * Tokens and prompt caching of the fake Messages API, as documented: entries live where a cache mark stood, a mark finds
 * the longest entry at its own place or up to 20 blocks before it, prefixes under the model's minimum are not kept, an
 * entry lasts 5 minutes or an hour after its last use and can be read once the reply that wrote it has begun.
 *
 * Owns: a tokenizer (deterministic, never more tokens than bytes) and the ledger of entries. Pure but for the ledger;
 * the clock is a parameter.
 */
import { sha256Hex } from "../../src/lib/hash.ts";
import type { FakeModel, JsonObject } from "./anthropic-rules.ts";
import { blocksOf, isObject } from "./anthropic-rules.ts";
import { sealedText } from "./anthropic-thinking.ts";

/** How text becomes tokens: pieces of up to four letters, or the worst case of one token a byte. */
export type Tokenizer = "pieces" | "bytes";

export interface MeteredUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation: { readonly ephemeral_5m_input_tokens: number; readonly ephemeral_1h_input_tokens: number };
}

/** One step of the prompt in cache order. `key` names the prefix that ends with it. */
interface Part {
  readonly key: string;
  /** Tokens of the prefix that ends here. */
  readonly upTo: number;
  readonly ttl: "5m" | "1h" | null;
}

export interface PromptMeter {
  /** Tokens of the whole prompt, without looking at the cache. */
  count(body: JsonObject): number;
  /** What a call with this body would read and write now. `commit` makes its writes readable. */
  charge(
    body: JsonObject,
    model: FakeModel,
    now: number,
  ): { readonly usage: MeteredUsage; readonly commit: () => void };
  /** Tokens of a reply's content. */
  countOutput(content: readonly unknown[]): number;
}

/** The system prompt for tool use: the largest published number. */
const TOOL_PROMPT_TOKENS = 530;
/** Roles and separators of one message. */
const MESSAGE_TOKENS = 4;
const LOOK_BACK_BLOCKS = 20;
/** Names of fields that are structure and no text. */
const BLOCK_FIELDS = new Set(
  "type text id name input tool_use_id content is_error thinking signature caller citations".split(" "),
);
const TTL_MS = { "5m": 300_000, "1h": 3_600_000 };

export function createMeter(tokenizer: Tokenizer = "pieces"): PromptMeter {
  const entries = new Map<string, { expiresAt: number; ttl: "5m" | "1h" }>();
  const tokensOf = (value: unknown) => tokensIn(value, tokenizer);

  return {
    count: (body) => parts(body, tokensOf).at(-1)?.upTo ?? 0,
    countOutput: (content) => content.reduce((sum: number, block) => sum + tokensOf(block), 0),
    charge(body, model, now) {
      const all = parts(body, tokensOf);
      const live = (part: Part) => (entries.get(part.key)?.expiresAt ?? -1) > now;
      const marks = all.flatMap((part, index) => (part.ttl === null ? [] : [index]));
      const hit = Math.max(-1, ...marks.map((mark) => lastIndex(all, mark, live)));
      const read = all[hit]?.upTo ?? 0;
      const written = { "5m": 0, "1h": 0 };
      const kept: { key: string; ttl: "5m" | "1h" }[] = [];
      let from = read;
      for (const mark of marks) {
        const part = all[mark];
        if (part === undefined || part.ttl === null || part.upTo <= from || part.upTo < model.minCacheableTokens)
          continue;
        written[part.ttl] += part.upTo - from;
        from = part.upTo;
        kept.push({ key: part.key, ttl: part.ttl });
      }
      const total = all.at(-1)?.upTo ?? 0;
      const commit = () => {
        for (const entry of kept) entries.set(entry.key, { ttl: entry.ttl, expiresAt: now + TTL_MS[entry.ttl] });
        const used = entries.get(all[hit]?.key ?? "");
        if (used !== undefined) used.expiresAt = now + TTL_MS[used.ttl];
      };
      return {
        commit,
        usage: {
          input_tokens: total - from,
          cache_read_input_tokens: read,
          cache_creation_input_tokens: written["5m"] + written["1h"],
          cache_creation: { ephemeral_5m_input_tokens: written["5m"], ephemeral_1h_input_tokens: written["1h"] },
        },
      };
    },
  };
}

/** The nearest place at or up to 20 blocks before `mark` that is in the cache, or -1. */
function lastIndex(all: readonly Part[], mark: number, live: (part: Part) => boolean): number {
  for (let index = mark; index >= Math.max(0, mark - LOOK_BACK_BLOCKS); index -= 1) {
    const part = all[index];
    if (part !== undefined && live(part)) return index;
  }
  return -1;
}

/** Tools, then system, then messages; from the messages on, the tool choice is part of the prefix too. */
function parts(body: JsonObject, tokensOf: (value: unknown) => number): readonly Part[] {
  const result: Part[] = [];
  let key = sha256Hex(String(body.model));
  let upTo = 0;
  const add = (block: JsonObject, context: string, extra: number) => {
    const { cache_control: mark, ...rest } = block;
    key = sha256Hex(`${key}${context}${JSON.stringify(rest)}`);
    upTo += tokensOf(rest) + extra;
    const ttl = isObject(mark) ? (mark.ttl === "1h" ? "1h" : "5m") : null;
    result.push({ key, upTo, ttl });
  };
  const list = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []);
  for (const [index, tool] of list(body.tools).entries()) add(tool, "tool", index === 0 ? TOOL_PROMPT_TOKENS : 0);
  const system = typeof body.system === "string" ? [{ type: "text", text: body.system }] : list(body.system);
  for (const block of system) add(block, "system", 0);
  key = sha256Hex(`${key}${JSON.stringify([body.tool_choice ?? null, body.thinking ?? null])}`);
  for (const message of list(body.messages)) {
    for (const [index, block] of blocksOf(message).entries())
      add(block, String(message.role), index === 0 ? MESSAGE_TOKENS : 0);
  }
  const last = result.at(-1);
  // Automatic caching: the mark goes to the last block.
  if (last !== undefined && isObject(body.cache_control) && last.ttl === null) {
    result[result.length - 1] = { ...last, ttl: body.cache_control.ttl === "1h" ? "1h" : "5m" };
  }
  return result;
}

/** Tokens of every string, number and key inside a value. The type tags and field names of blocks cost nothing. */
function tokensIn(value: unknown, tokenizer: Tokenizer): number {
  if (typeof value === "string") return textTokens(value, tokenizer);
  if (typeof value === "number" || typeof value === "boolean") return textTokens(String(value), tokenizer);
  if (Array.isArray(value)) return value.reduce((sum: number, inner) => sum + tokensIn(inner, tokenizer), 0);
  if (!isObject(value)) return 0;
  let sum = 0;
  for (const [key, inner] of Object.entries(value)) {
    if (!BLOCK_FIELDS.has(key)) sum += textTokens(key, tokenizer);
    // A signature costs what the thinking inside it costs.
    if (key === "signature") sum += textTokens(sealedText(inner), tokenizer);
    else if (key !== "type") sum += tokensIn(inner, tokenizer);
  }
  return sum;
}

function textTokens(text: string, tokenizer: Tokenizer): number {
  if (tokenizer === "bytes") return Buffer.byteLength(text, "utf8");
  return text.match(/[\p{L}\p{N}_]{1,4}|[^\s\p{L}\p{N}_]/gu)?.length ?? 0;
}
