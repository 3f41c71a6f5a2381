/**
 * Signed thinking of the fake Messages API. A block is bound to the system prompt, the tools and every message before
 * it; cache marks are left out of the comparison, and messages of one role in a row count as one.
 * Pure: no I/O, no clock.
 */

import { sha256Hex } from "../../src/lib/hash.ts";
import { canonicalJson } from "../../src/lib/json.ts";
import type { JsonObject } from "./anthropic-rules.ts";
import { blocksOf, isObject } from "./anthropic-rules.ts";

/** A thinking block as the fake signs it. Hidden thinking keeps its text, encrypted in reality, inside the signature. */
export function signThinking(text: string, hidden: boolean, prefix: string, model: string): JsonObject {
  const sealed = hidden ? text : "";
  const shown = hidden ? "" : text;
  const claims = JSON.stringify({ model, prefix, text: sha256Hex(shown), sealed });
  return { type: "thinking", thinking: shown, signature: Buffer.from(claims, "utf8").toString("base64") };
}

/** The text that hidden thinking carries in its signature. */
export function sealedText(signature: unknown): string {
  const sealed = readClaims(signature)?.sealed;
  return typeof sealed === "string" ? sealed : "";
}

/** What a block after `messages` is bound to. */
export function prefixHash(body: JsonObject, messages: readonly unknown[]): string {
  const turns: { role: unknown; blocks: unknown[] }[] = [];
  for (const message of messages.filter(isObject)) {
    const blocks = blocksOf(message).map(withoutMark);
    const last = turns.at(-1);
    if (last !== undefined && last.role === message.role) last.blocks.push(...blocks);
    else turns.push({ role: message.role, blocks });
  }
  const system = typeof body.system === "string" ? [{ type: "text", text: body.system }] : body.system;
  const unmarked = (list: unknown) => (Array.isArray(list) ? list.filter(isObject).map(withoutMark) : []);
  return sha256Hex(canonicalJson([unmarked(system), unmarked(body.tools), turns]));
}

/** The fault of the first thinking block that does not belong where it stands, in the API's published words, or null. */
export function thinkingFault(body: JsonObject): string | null {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  for (const [index, message] of messages.entries()) {
    if (!isObject(message) || message.role !== "assistant") continue;
    for (const [position, block] of blocksOf(message).entries()) {
      if (block.type !== "thinking") continue;
      const at = `messages.${index}.content.${position}: Invalid \`signature\` in \`thinking\` block.`;
      const claims = readClaims(block.signature);
      if (claims === null || claims.text !== sha256Hex(String(block.thinking))) return at;
      // A block of another model is dropped without an error.
      if (claims.model !== body.model) continue;
      if (claims.prefix !== prefixHash(body, messages.slice(0, index))) {
        return `${at} The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`;
      }
    }
  }
  return null;
}

function readClaims(signature: unknown): JsonObject | null {
  try {
    const claims: unknown = JSON.parse(Buffer.from(String(signature), "base64").toString("utf8"));
    return isObject(claims) ? claims : null;
  } catch {
    return null;
  }
}

function withoutMark(block: JsonObject): JsonObject {
  const { cache_control: _mark, ...rest } = block;
  return rest;
}
