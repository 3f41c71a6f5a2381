/**
 * What tells calls and what came back of them apart, as hashes.
 *
 * The signature of a tool call is equal for calls that ask the same thing: full SHA-256 of the name, a bar, and the
 * arguments as JSON with sorted keys. Pure.
 */
import { sha256Hex } from "../lib/hash.ts";
import { canonicalJson } from "../lib/json.ts";

export function signatureOf(name: string, input: unknown): string {
  return sha256Hex(`${name}|${canonicalJson(input)}`);
}

/** Hexadecimal digits of a result's hash that are kept: 128 bits, for a comparison within one run. */
const HASH_DIGITS = 32;

/** What tells results of calls apart. A success's summary may say "which you have seen": only an error's came back. */
export function hashObserved({
  status,
  summary,
  data,
}: { readonly [K in "status" | "summary" | "data"]?: unknown }): string {
  return sha256Hex(canonicalJson([status, status === "error" ? summary : "", data])).slice(0, HASH_DIGITS);
}
