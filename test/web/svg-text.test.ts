import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { element, escapeXml, textAt } from "../../src/web/svg-text.ts";

describe("SVG as text", () => {
  test("any text stays text: nothing in it opens or closes an element or an attribute", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const xml = textAt(1, 2, text, { fill: text });
        expect(xml.match(/</g)?.length).toBe(2);
        expect(xml.match(/"/g)?.length).toBe(6);
        expect(xml.isWellFormed()).toBe(true);
      }),
    );
  });

  test("what XML cannot hold is replaced", () => {
    expect(escapeXml("a\u0000b\ud800c\ttab")).toBe("a\ufffdb\ufffdc\ttab");
  });

  test("numbers keep two decimals, and what is null is left out", () => {
    expect(element("rect", { x: 1 / 3, fill: null, y: 2 })).toBe('<rect x="0.33" y="2"/>');
  });
});
