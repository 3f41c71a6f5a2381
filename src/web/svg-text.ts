/**
 * SVG as text: elements, attributes and texts, everything escaped on the way out, for the pictures that the worker draws.
 * Pure: no I/O, no clock.
 */

/** An attribute of null is left out; numbers are rounded to a hundredth of a pixel. */
export type Attributes = { readonly [name: string]: string | number | null };

/** Texts are placed by their middle: this far below it is the line that they stand on. */
export const BASELINE_EM = 0.32;

/** `children` are elements already made by this function, or texts made by `escapeXml`. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === null ? [] : [` ${key}="${typeof value === "number" ? toPixels(value) : escapeXml(value)}"`],
  );
  return children.length === 0
    ? `<${name}${written.join("")}/>`
    : `<${name}${written.join("")}>${children.join("")}</${name}>`;
}

/** A word or a line at a place; `attributes` may turn, colour or align it. */
export function textAt(x: number, y: number, text: string, attributes: Attributes = {}): string {
  return element("text", { x, y, ...attributes }, escapeXml(text));
}

/** XML 1.0 has no control characters, not even escaped. */
export function escapeXml(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot hold.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
  );
}

export function toPixels(value: number): string {
  return String(Math.round(value * 100) / 100);
}

export function rule(x1: number, y1: number, x2: number, y2: number, stroke: string): string {
  return element("line", { x1, y1, x2, y2, stroke });
}

export function group(attributes: { readonly [name: string]: string }, children: readonly string[]): string {
  return children.length === 0 ? "" : element("g", attributes, ...children);
}

/** A text whose middle is at `y`. */
export function middleText(
  x: number,
  y: number,
  text: string,
  { fontPx }: { readonly fontPx: number },
  anchor: "start" | "middle" | "end",
  fill: string | null = null,
): string {
  return textAt(x, y + fontPx * BASELINE_EM, text, { "text-anchor": anchor === "start" ? null : anchor, fill });
}
