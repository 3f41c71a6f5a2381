/**
 * The signature of a tool call: equal for calls that ask the same thing. Full SHA-256 of the name, a bar, and the
 * arguments as JSON with sorted keys. Pure.
 */
import { sha256Hex } from "../lib/hash.ts";
import { canonicalJson } from "../lib/json.ts";

export function signatureOf(name: string, input: unknown): string {
  return sha256Hex(`${name}|${canonicalJson(input)}`);
}
