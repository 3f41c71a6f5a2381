/**
 * Masks for kinds of values (e-mail addresses, phone numbers, …) wherever they stand in a text. A mask replaces what it
 * matches and keeps the rest of the text; numbers and columns that hold nothing of the kind stay as they are.
 * A safety net, not a wall: a query can take a value apart before it is seen here. Where that matters, mask the column
 * (scopes.ts). Linear-time patterns only, since row text is untrusted. Pure: no I/O, no clock.
 */
import type { MaskedValueKind } from "./scopes.ts";

const PATTERNS: Readonly<Record<MaskedValueKind, RegExp>> = {
  email: /[\p{L}\p{N}._%+'-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu,
  // International, with an area code in brackets, or in three groups: nothing that a date or a time could be.
  phone: /\+\d[\d ().-]{6,18}\d|\(\d{2,4}\)[ -]?\d{3,4}[ -]?\d{3,4}\b|\b\d{3}[-. ]\d{3,4}[-. ]\d{4}\b/g,
  credit_card: /\b\d{4}(?:[ -]?\d{4}){2}[ -]?\d{1,7}\b/g,
  us_ssn: /\b\d{3}-\d{2}-\d{4}\b/g,
  ip_address: /\b(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{1,4}\b/gi,
};

/** `text` with every value of the given kinds replaced by `<kind masked>`. */
export function maskText(text: string, kinds: readonly MaskedValueKind[]): string {
  let masked = text;
  for (const kind of kinds) {
    masked = masked.replace(PATTERNS[kind], `<${kind} masked>`);
  }
  return masked;
}
