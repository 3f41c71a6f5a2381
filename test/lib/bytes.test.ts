import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byteLength, cutMiddle, cutToBytes } from "../../src/lib/bytes.ts";

const anyText = fc.string({ unit: "grapheme", maxLength: 80 });

describe("byteLength", () => {
  it("counts UTF-8 bytes, not characters", () => {
    expect(["", "a", "é", "€", "😀"].map(byteLength)).toEqual([0, 1, 2, 3, 4]);
  });

  it("agrees with Node", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(byteLength(text)).toBe(Buffer.byteLength(text, "utf8"));
      }),
    );
  });
});

describe("cutToBytes", () => {
  it("gives the longest prefix of whole characters within the bound", () => {
    fc.assert(
      fc.property(anyText, fc.nat(200), (text, bytesMax) => {
        const cut = cutToBytes(text, bytesMax);
        expect(text.startsWith(cut)).toBe(true);
        expect(byteLength(cut)).toBeLessThanOrEqual(bytesMax);
        const next = [...text.slice(cut.length)][0];
        if (next !== undefined) expect(byteLength(cut + next)).toBeGreaterThan(bytesMax);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ["a😀b", 4, "a"],
    ["a😀b", 5, "a😀"],
    ["é", 1, ""],
    ["abc", 0, ""],
    ["abc", -5, ""],
    ["abc", 3, "abc"],
    ["\uFEFFabcdef", 5, "\uFEFFab"],
  ])("cuts %j to %s bytes as %j", (text, bytesMax, cut) => {
    expect(cutToBytes(text, bytesMax)).toBe(cut);
  });

  it("half a surrogate pair neither throws nor grows beyond the bound", () => {
    const text = "\ud83d".repeat(10);
    expect(byteLength(cutToBytes(text, 7))).toBeLessThanOrEqual(7);
  });
});

describe("cutMiddle", () => {
  it("leaves a text within the bound alone", () => {
    expect(cutMiddle("exactly ten", 11)).toBe("exactly ten");
  });

  it("keeps head and tail and says how much is missing", () => {
    expect(cutMiddle("0123456789abcdefghij", 10)).toBe("012345 … (10 characters left out) … ghij");
  });

  it("never leaves half a surrogate pair behind", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 5, maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        (text, max) => {
          expect(cutMiddle(text, max).isWellFormed()).toBe(true);
        },
      ),
    );
  });
});
