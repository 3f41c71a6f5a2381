/**
 * What does not fit a schema, in words for a person: what it must be, and what it is instead.
 *
 * zod's own texts speak to programmers ("Invalid input: expected string, received number"). Given to a parse as its
 * `error`, this is asked only where a schema has no words of its own. Leaves to others: where the fault lies (a pointer, a
 * parameter, a setting). Pure: no I/O, no clock.
 */
import type * as z from "zod";

type RawIssue = z.core.$ZodRawIssue;

/** Longer texts are counted, not repeated. */
const TEXT_CHARS_SHOWN_MAX = 40;

const TYPE_TEXTS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

/** For what a caller sent: the value is repeated, so that it can be found. */
export function tellIssue(issue: RawIssue): string | undefined {
  return tell(issue, (value) => describe(value));
}

/** For settings, many of which are secrets: no value is ever repeated. */
export function tellSecretIssue(issue: RawIssue): string | undefined {
  return tell(issue, (value) => kindOf(value));
}

function tell(issue: RawIssue, describeValue: (value: unknown) => string): string | undefined {
  const { input } = issue;
  const not = `, not ${describeValue(input)}.`;
  switch (issue.code) {
    case "invalid_type": {
      const must = `must be ${typeText(issue.expected)}`;
      return input === undefined ? `Missing: it ${must}.` : `${capital(must)}${not}`;
    }
    case "invalid_value": {
      const must = `must be ${either(issue.values.map((value) => JSON.stringify(value)))}`;
      return input === undefined ? `Missing: it ${must}.` : `${capital(must)}${not}`;
    }
    case "too_small": {
      const minimum = Number(issue.minimum);
      if (isCounted(issue.origin)) return `Must have at least ${countText(minimum, issue.origin)}.`;
      return `Must be ${issue.inclusive === false ? "above" : "at least"} ${minimum}${not}`;
    }
    case "too_big": {
      const maximum = Number(issue.maximum);
      if (isCounted(issue.origin)) {
        return `Must have at most ${countText(maximum, issue.origin)}, not ${countOf(input).toLocaleString("en")}.`;
      }
      // zod's own bound of whole numbers says nothing to a person.
      if (maximum === Number.MAX_SAFE_INTEGER) return "Must be a smaller number.";
      return `Must be ${issue.inclusive === false ? "below" : "at most"} ${maximum}${not}`;
    }
    case "unrecognized_keys":
      return `There is no such field: ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}.`;
    default:
      return undefined;
  }
}

function typeText(expected: string): string {
  return TYPE_TEXTS[expected] ?? expected;
}

function isCounted(origin: string): boolean {
  return origin === "string" || origin === "array" || origin === "set";
}

function countText(count: number, origin: string): string {
  const [one, many] = origin === "string" ? ["character", "characters"] : ["entry", "entries"];
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

function countOf(value: unknown): number {
  return typeof value === "string" || Array.isArray(value) ? value.length : 0;
}

function either(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`;
}

function describe(value: unknown): string {
  // What JSON writes as 1e999.
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return "one that large";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string") return kindOf(value);
  const isShown = value.length <= TEXT_CHARS_SHOWN_MAX && !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(value);
  return isShown ? `the text ${JSON.stringify(value)}` : `a text of ${value.length.toLocaleString("en")} characters`;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "text";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
