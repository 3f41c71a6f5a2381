import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSvgDocument, type ElementNode, toXml } from "./svg-document.ts";

const SVG = "http://www.w3.org/2000/svg";

/** The part of an element that a library uses, and that our type keeps to itself. */
interface Drawable extends ElementNode {
  setAttribute(name: string, value: unknown): void;
  getAttribute(name: string): string | null;
  appendChild(child: unknown): unknown;
  insertBefore(child: unknown, before: unknown): unknown;
  textContent: string;
}

function element(name: string): Drawable {
  return createSvgDocument().createElementNS(SVG, name) as Drawable;
}

describe("the document for drawing", () => {
  test("elements hold attributes, styles and children in their order", () => {
    const svg = element("svg");
    svg.setAttribute("width", 10);
    const [first, second, third] = ["a", "b", "c"].map(element) as [Drawable, Drawable, Drawable];
    svg.appendChild(second);
    svg.insertBefore(first, second);
    svg.appendChild(third);
    svg.appendChild(first);
    Object.assign(third.style, { fontSize: "12px" });
    (third.style.setProperty as (name: string, value: string) => void)("text-anchor", "end");
    expect(svg.getAttribute("width")).toBe("10");
    expect(svg.getAttribute("height")).toBe(null);
    expect(toXml(svg)).toBe(
      `<svg xmlns="${SVG}" width="10"><b></b><c style="font-size:12px;text-anchor:end"></c><a></a></svg>`,
    );
  });

  test("a label of a group is left out, since the picture as a whole has one", () => {
    const group = element("g");
    group.setAttribute("aria-label", "bar");
    expect(toXml(group)).toBe(`<g xmlns="${SVG}"></g>`);
  });

  test("any text stays text: nothing in it opens or closes an element or an attribute", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const node = element("text");
        node.textContent = text;
        node.setAttribute("x", text);
        const xml = toXml(node);
        expect(xml.match(/</g)?.length).toBe(2);
        expect(xml.match(/"/g)?.length).toBe(4);
        expect(xml.isWellFormed()).toBe(true);
      }),
    );
  });
});
