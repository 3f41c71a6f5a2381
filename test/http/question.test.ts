import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseQuestion, QUESTION_CHARS_MAX } from "../../src/http/question.ts";

describe("parseQuestion", () => {
  test.each([
    ["x", "x"],
    ["  How many?\r\n", "How many?"],
    ["line one\r\nline two\tand a tab", "line one\nline two\tand a tab"],
    ["🎸🎸", "🎸🎸"],
    ["👩‍👩‍👧", "👩‍👩‍👧"],
    ["Wie viele Käufer aus Österreich?", "Wie viele Käufer aus Österreich?"],
    ["كم عدد العملاء؟", "كم عدد العملاء؟"],
    ["q".repeat(QUESTION_CHARS_MAX), "q".repeat(QUESTION_CHARS_MAX)],
    ["🎸".repeat(QUESTION_CHARS_MAX), "🎸".repeat(QUESTION_CHARS_MAX)],
    [` ${"q".repeat(QUESTION_CHARS_MAX)} `, "q".repeat(QUESTION_CHARS_MAX)],
  ])("J11: takes %j", (text, question) => {
    expect(parseQuestion(text)).toEqual({ ok: true, value: question });
  });

  test.each(
    [
      ["", /empty/],
      [" \n\t ", /empty/],
      ["\u00a0\u3000", /empty/],
      ["\u200b\u200d\ufeff", /empty/],
      ["a\u0000b", /U\+0000/],
      ["a\u001bb", /U\+001B/],
      ["a\rb", /U\+000D/],
      ["a\u007fb", /U\+007F/],
      ["a\u0085b", /U\+0085/],
      ["a\ud800", /surrogate/],
      ["\udc00a", /surrogate/],
      ["q".repeat(QUESTION_CHARS_MAX + 1), /4,001 characters/],
      ["🎸".repeat(QUESTION_CHARS_MAX + 1), /4,001 characters/],
      ["q".repeat(100_000), /100,000 characters/],
    ].map(([text, wanted]) => ({ text: String(text), wanted: String(wanted).slice(1, -1) })),
  )("J11: refuses what is $wanted", ({ text, wanted }) => {
    const parsed = parseQuestion(text);
    expect(parsed.ok ? "" : parsed.error).toMatch(new RegExp(wanted));
  });

  test("J11: what is taken is well-formed, trimmed, visible and safe in a request to a model", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 50 }), (text) => {
        const parsed = parseQuestion(text);
        if (!parsed.ok) return;
        expect(parsed.value.isWellFormed()).toBe(true);
        expect(parsed.value).toBe(parsed.value.trim());
        expect(JSON.parse(JSON.stringify(parsed.value))).toBe(parsed.value);
        expect(parsed.value).not.toMatch(/[^\P{Cc}\n\t]/u);
      }),
      { numRuns: 2_000 },
    );
  });
});
