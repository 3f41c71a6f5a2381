import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutEscaped, splitEscaped } from "../../src/deliver/slack-text.ts";
import { unescapeMrkdwn } from "../../src/lib/mrkdwn.ts";

const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "&", "<", ">", "é", "😀"), maxLength: 400 });

describe("a long text for Slack", () => {
  it("is cut whole: no entity and no character is torn, and the cut is marked", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 20, max: 200 }), (whole, max) => {
        const cut = cutEscaped(whole, max);
        expect(cut.length).toBeLessThanOrEqual(max);
        expect(cut).not.toMatch(/&(?!amp;|lt;|gt;)/);
        expect(cut.isWellFormed()).toBe(true);
        const kept = unescapeMrkdwn(cut.replace(/ … \(cut\)$/, ""));
        expect(whole.startsWith(kept)).toBe(true);
      }),
    );
  });

  it("is split into pieces that hold all of it, in order, but for the blanks between them", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 20, max: 120 }), (whole, max) => {
        const pieces = splitEscaped(whole, max, 100);
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(max);
          expect(piece).not.toMatch(/&(?!amp;|lt;|gt;)/);
        }
        expect(unescapeMrkdwn(pieces.join("")).replace(/\s/g, "")).toBe(whole.replace(/\s/g, ""));
      }),
    );
  });

  it("is cut when there are more pieces than may be", () => {
    expect(splitEscaped("one two three four five six seven", 14, 2)).toEqual(["one two three", "four f … (cut)"]);
  });

  it("breaks between words", () => {
    expect(splitEscaped("aaaa bbbb cccc", 10, 3)).toEqual(["aaaa bbbb", "cccc"]);
  });

  it("has no piece without anything to see", () => {
    expect(splitEscaped(" \n ", 10, 3)).toEqual([]);
  });
});
