/**
 * JSON text to a value, refusing what `JSON.parse` lets through silently: a key that stands twice in one object (the
 * last would win unseen) and nesting deep enough to break later code. A fault says where it is, by line, column and
 * JSON pointer.
 *
 * Owns: one pass over the tokens of RFC 8259, without recursion. Leaves to others: the size of the text (bound it
 * first) and what the value must look like (zod). Pure: no I/O, no clock.
 */
import { err, ok, type Result } from "./result.ts";

export interface JsonFault {
  readonly reason: "syntax" | "duplicate_key" | "too_deep";
  /** A sentence without the text itself, so that it can be shown and logged. */
  readonly message: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /** RFC 6901, of the value or key where the fault lies; "" is the whole text. */
  readonly pointer: string;
}

/** Deeper than any body or setting of ours, shallower than any stack. */
export const JSON_DEPTH_MAX = 64;

const SPACE = /[ \t\n\r]*/y;
// One character an alternative, never a run inside a star: an unterminated string must fail in linear time.
const STRING = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const SCALAR = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

type Frame =
  | { readonly kind: "object"; readonly keys: Set<string>; key: string }
  | { readonly kind: "array"; index: number };
type Expected = "value" | "value_or_end" | "key" | "key_or_end" | "comma_or_end" | "nothing";

const EXPECTED_TEXT: Readonly<Record<Expected, string>> = {
  value: "a value",
  value_or_end: 'a value or "]"',
  key: "a key in double quotes",
  key_or_end: 'a key in double quotes or "}"',
  comma_or_end: "a comma or the closing bracket",
  nothing: "the end of the text",
};

/** Parses `text`; `depthMax` counts nested arrays and objects. */
export function parseStrictJson(text: string, depthMax: number = JSON_DEPTH_MAX): Result<unknown, JsonFault> {
  const fault = findFault(text, depthMax);
  if (fault !== null) return err(fault);
  return ok(JSON.parse(text));
}

/** One segment of a JSON pointer. */
export function escapePointer(segment: string | number): string {
  return String(segment).replaceAll("~", "~0").replaceAll("/", "~1");
}

function findFault(text: string, depthMax: number): JsonFault | null {
  const stack: Frame[] = [];
  let at = 0;
  let expected: Expected = "value";
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? "";
    at += found.length;
    return found;
  };
  const fail = (reason: JsonFault["reason"], message: string, where: number): JsonFault => {
    const { line, column } = locate(text, where);
    return {
      reason,
      message: `${message} at line ${line}, column ${column}.`,
      line,
      column,
      pointer: pointerOf(stack),
    };
  };
  for (;;) {
    take(SPACE);
    const start = at;
    const char = text[at];
    const top = stack.at(-1);
    if (char === undefined && expected === "nothing") return null;
    if (expected === "key" || expected === "key_or_end") {
      const token = take(STRING);
      if (token !== "" && top?.kind === "object") {
        top.key = JSON.parse(token);
        if (top.keys.has(top.key)) return fail("duplicate_key", "A key stands twice in one object", start);
        top.keys.add(top.key);
        take(SPACE);
        if (text[at] !== ":") return fail("syntax", "Expected a colon after the key", at);
        at += 1;
        expected = "value";
        continue;
      }
    } else if (expected === "value" || expected === "value_or_end") {
      if (char === "{" || char === "[") {
        if (stack.length >= depthMax) return fail("too_deep", `Nested more than ${depthMax} levels deep`, start);
        stack.push(char === "{" ? { kind: "object", keys: new Set(), key: "" } : { kind: "array", index: 0 });
        expected = char === "{" ? "key_or_end" : "value_or_end";
        at += 1;
        continue;
      }
      if (take(STRING) !== "" || take(SCALAR) !== "") {
        expected = stack.length === 0 ? "nothing" : "comma_or_end";
        continue;
      }
    } else if (char === "," && expected === "comma_or_end" && top !== undefined) {
      if (top.kind === "array") top.index += 1;
      expected = top.kind === "object" ? "key" : "value";
      at += 1;
      continue;
    }
    if (mayClose(char, expected, top)) {
      stack.pop();
      expected = stack.length === 0 ? "nothing" : "comma_or_end";
      at += 1;
      continue;
    }
    const found = char === undefined ? "the text ends" : "found something else";
    return fail("syntax", `Expected ${EXPECTED_TEXT[expected]} but ${found}`, start);
  }
}

function mayClose(char: string | undefined, expected: Expected, top: Frame | undefined): boolean {
  if (char === "}") return top?.kind === "object" && (expected === "key_or_end" || expected === "comma_or_end");
  if (char === "]") return top?.kind === "array" && (expected === "value_or_end" || expected === "comma_or_end");
  return false;
}

function pointerOf(stack: readonly Frame[]): string {
  return stack
    .filter((frame) => frame.kind === "array" || frame.keys.size > 0)
    .map((frame) => `/${escapePointer(frame.kind === "array" ? frame.index : frame.key)}`)
    .join("");
}

function locate(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  return { line, column: at - before.lastIndexOf("\n") };
}
