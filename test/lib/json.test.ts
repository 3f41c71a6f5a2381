import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { canonicalJson, decodeJson, parseIfText } from "../../src/lib/json.ts";

/** The same value with the keys of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, inner]) => [key, reversed(inner)]));
}

describe("canonicalJson", () => {
  it("C30: the order of keys does not matter, at any depth", () => {
    expect(canonicalJson({ b: 1, a: { d: [2, { z: 0, y: 1 }], c: 3 } })).toBe(
      '{"a":{"c":3,"d":[2,{"y":1,"z":0}]},"b":1}',
    );
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it("is JSON of the same value: nothing is lost or added", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("the order of an array matters", () => {
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
  });

  it("keys that are special in JavaScript are keys like any other", () => {
    const value: unknown = JSON.parse('{"__proto__":1,"constructor":2,"10":3,"9":4}');
    expect(JSON.parse(canonicalJson(value))).toEqual(value);
    expect(canonicalJson(value)).toContain('"__proto__":1');
  });
});

describe("decodeJson", () => {
  it("is null when the text is no JSON or of another form", () => {
    const schema = z.array(z.int());
    expect(decodeJson("[1]", schema)).toEqual([1]);
    expect(decodeJson("[null]", schema)).toBeNull();
    expect(decodeJson("[1", schema)).toBeNull();
  });
});

describe("parseIfText", () => {
  it("reads JSON text, and leaves torn text and everything else as it is", () => {
    const value = { a: 1 };
    expect(parseIfText('{"a":1}')).toEqual(value);
    expect(parseIfText('{"a":')).toBe('{"a":');
    expect(parseIfText(value)).toBe(value);
    expect(parseIfText(undefined)).toBeUndefined();
  });

  it("parses a body that came as text when it is JSON, and leaves it alone when not", () => {
    expect([{ a: 1 }, '{"a":1}', "<html>", "", undefined, null].map(parseIfText)).toEqual([
      { a: 1 },
      { a: 1 },
      "<html>",
      "",
      undefined,
      null,
    ]);
  });
});
