/**
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07): a structured-field String, so it stands in quotes.
 *
 * Owns: the header's syntax and the fingerprint of a body. Leaves to others: binding the two to a run (the caller object,
 * by open-run.ts). Keys are scoped by caller and forgotten after a day; `Idempotency-Expires` says when. Pure.
 */
import { sha256Hex } from "../lib/hash.ts";
import { canonicalJson } from "../lib/json.ts";
import { err, ok, type Result } from "../lib/result.ts";
import type { RequestKey } from "./open-run.ts";

const KEY_CHARS_MAX = 255;

/** The key of a request with this header and body, null without the header, or what is wrong with it. */
export function parseIdempotencyKey(header: string | undefined, body: unknown): Result<RequestKey | null, string> {
  if (header === undefined) return ok(null);
  // RFC 9651, section 3.3.3: printable ASCII, with only the quote and the backslash escaped.
  const text = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/.exec(header.trim())?.[1]?.replace(/\\(["\\])/g, "$1");
  if (text === undefined) return err('Write the key in double quotes, such as Idempotency-Key: "8e03978e-40d5".');
  if (text === "" || text.length > KEY_CHARS_MAX) return err(`The key must have 1 to ${KEY_CHARS_MAX} characters.`);
  return ok({ name: `key:${text}`, fingerprint: sha256Hex(canonicalJson(body)) });
}
