import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutToWidth, padToWidth, toSafeLine, toSafeText, widthOf } from "../../src/cli/terminal-text.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there.
const OBEYED = /[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]/;

describe("text from rows and models", () => {
  it("never reaches a terminal with anything in it that the terminal would obey", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(toSafeLine(text)).not.toMatch(OBEYED);
        expect(toSafeText(text).replaceAll("\n", "")).not.toMatch(OBEYED);
      }),
    );
  });

  it("shows what was there: escapes as pictures, line breaks as ⏎, reordering marks as their number", () => {
    expect(toSafeLine("a\x1b[31mred\x07\x7f\x9b2K")).toBe("a␛[31mred␇␡\\u009b2K");
    expect(toSafeLine("one\r\ntwo\nthree\tfour")).toBe("one⏎two⏎three four");
    expect(toSafeLine("file\u202egnp.exe")).toBe("file\\u202egnp.exe");
    expect(toSafeText("one\r\ntwo\u2028three")).toBe("one\ntwo\nthree");
  });

  it("leaves ordinary text of any language alone, and mends half a character", () => {
    for (const text of ["Zürich", "日本語", "👩‍👩‍👧‍👦 family", "عربى"]) expect(toSafeLine(text)).toBe(text);
    expect(toSafeLine("broken \ud800!")).toBe("broken \ufffd!");
  });
});

describe("cutting and padding", () => {
  it("is never wider than asked for, whatever the characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 30 }), (text, width) => {
        const line = toSafeLine(text);
        expect(widthOf(cutToWidth(line, width))).toBeLessThanOrEqual(width);
        if (widthOf(line) <= width) expect(cutToWidth(line, width)).toBe(line);
      }),
    );
  });

  it("counts wide characters as two columns and never splits one", () => {
    expect(cutToWidth("日本語です", 6)).toBe("日本…");
    expect(cutToWidth("👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 4)).toBe("👩‍👩‍👧‍👦…");
    expect(padToWidth("日本", 6, "left")).toBe("日本  ");
    expect(padToWidth("7", 3, "right")).toBe("  7");
  });
});
