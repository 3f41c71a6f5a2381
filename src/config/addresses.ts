/**
 * Settings that are addresses: of an API, or origins.
 *
 * Owns: their syntax, and that each is brought to one form, so that later comparisons are of equal texts. Plain http and
 * loopback are allowed here, because the operator named them; what callers name is another matter (callback-url.ts).
 * Pure: no I/O, no clock.
 */
import { ConfigError, readText, type VariableName, type Variables } from "./variables.ts";

/** The address of an API, without a slash at the end. Plain http is allowed, because the operator named it. */
export function readBaseUrl(variables: Variables, name: VariableName): string | null {
  const text = readText(variables, name);
  if (text === null) return null;
  const url = URL.parse(text);
  const isPlain = url !== null && url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (!isPlain || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new ConfigError(
      `${name} must be an address such as https://gateway.example.com/v1, without user, query or fragment.`,
    );
  }
  return text.replace(/\/+$/, "");
}

/** Origins separated by commas or spaces, in their serialised form. */
export function readOrigins(variables: Variables, name: VariableName): readonly string[] {
  const text = readText(variables, name);
  return text === null
    ? []
    : text
        .split(/[\s,]+/)
        .filter(Boolean)
        .map((origin) => toOrigin(name, origin));
}

/** Checks that `text` is an origin and nothing more: `https://example.com`, with a port if need be. */
export function toOrigin(name: VariableName, text: string): string {
  const url = URL.parse(text);
  const isOrigin = url !== null && (text === url.origin || text === `${url.origin}/`);
  if (!isOrigin || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new ConfigError(`${name} must hold origins such as https://example.com, in lower case and without a path.`);
  }
  return url.origin;
}
