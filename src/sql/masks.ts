/**
 * Masks for kinds of values (e-mail addresses, phone numbers, …) wherever they stand in a text. A mask replaces what it
 * matches and keeps the rest of the text; numbers and columns that hold nothing of the kind stay as they are.
 * Linear-time patterns only: row text is untrusted. Pure: no I/O, no clock.
 */
import type { MaskedValueKind } from "./scopes.ts";

const PATTERNS: Readonly<Record<MaskedValueKind, RegExp>> = {
  email: /[\p{L}\p{N}._%+'-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu,
  phone: /\+?\(?\d{1,4}\)?(?:[ ./-]?\(?\d{2,4}\)?){2,5}/g,
  credit_card: /\b\d{4}(?:[ -]?\d{4}){2}[ -]?\d{1,7}\b/g,
  us_ssn: /\b\d{3}-\d{2}-\d{4}\b/g,
  ip_address: /\b(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{1,4}\b/gi,
};

/** Digits of the shortest thing that is masked as a phone number: dates (8) and years stay readable. */
const PHONE_DIGITS_MIN = 9;

/** `text` with every value of the given kinds replaced by `<kind masked>`. */
export function maskText(text: string, kinds: readonly MaskedValueKind[]): string {
  let masked = text;
  for (const kind of kinds) {
    masked = masked.replace(PATTERNS[kind], (found) => {
      if (kind === "phone" && found.replace(/\D/g, "").length < PHONE_DIGITS_MIN) return found;
      return `<${kind} masked>`;
    });
  }
  return masked;
}
