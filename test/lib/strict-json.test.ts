import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseStrictJson } from "../../src/lib/strict-json.ts";

function accepts(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("parseStrictJson", () => {
  test("gives what JSON.parse gives for every JSON value", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (text) => {
        expect(parseStrictJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  test("agrees with JSON.parse on damaged text, duplicates aside", () => {
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom(...'{}[],:"\\0123eE+-.tfn \n\t\u0000\u007fx'), fc.boolean())
      .map(([text, at, char, cut]) => {
        const where = at % (text.length + 1);
        return cut ? text.slice(0, where) + text.slice(where + 1) : text.slice(0, where) + char + text.slice(where);
      });
    fc.assert(
      fc.property(damaged, (text) => {
        const parsed = parseStrictJson(text);
        if (!parsed.ok && parsed.error.reason === "duplicate_key") return;
        expect(parsed.ok).toBe(accepts(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ["", "", 1, 1],
    ["{", "", 1, 2],
    ['{"a": [1, 2,]}', "/a/2", 1, 13],
    ['{\n  "a": 1\n  "b": 2}', "/a", 3, 3],
    ['{"a":1}x', "", 1, 8],
    ["{'a':1}", "", 1, 2],
    ['["a\nb"]', "/0", 1, 2],
    ["[01]", "/0", 1, 3],
    ["[NaN]", "/0", 1, 2],
    ["\ufeff{}", "", 1, 1],
  ])("%j is refused at %j, line %i, column %i", (text, pointer, line, column) => {
    expect(parseStrictJson(text)).toMatchObject({ ok: false, error: { reason: "syntax", pointer, line, column } });
  });

  test("a key that stands twice is refused, however it is spelt, at any depth", () => {
    expect(parseStrictJson('{"a":1,"b":{"c":1,"\\u0063":2}}')).toMatchObject({
      ok: false,
      error: { reason: "duplicate_key", pointer: "/b/c" },
    });
    expect(parseStrictJson('[{"a":1},{"a":1}]').ok).toBe(true);
  });

  test("ten thousand levels are refused, without a deep stack", () => {
    expect(parseStrictJson("[".repeat(10_000))).toMatchObject({ ok: false, error: { reason: "too_deep" } });
    expect(parseStrictJson('{"a":'.repeat(10_000))).toMatchObject({ ok: false, error: { reason: "too_deep" } });
    expect(parseStrictJson(`${"[".repeat(64)}${"]".repeat(64)}`).ok).toBe(true);
  });

  test("an unterminated string of 64 kB fails in linear time", () => {
    expect(parseStrictJson(`"${"a\\n".repeat(21_000)}`)).toMatchObject({ ok: false, error: { reason: "syntax" } });
  });

  test("a message never repeats the text", () => {
    const parsed = parseStrictJson('{"password": hunter2}');
    expect(parsed.ok ? "" : parsed.error.message).not.toContain("hunter2");
  });
});
