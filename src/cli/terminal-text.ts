/**
 * Text from rows and models made fit for a terminal: nothing in it can move the cursor, change colours, reorder what
 * stands on the line, or take more room than it is given.
 *
 * Owns: making characters harmless, measuring and cutting by columns. Pure: no I/O, no clock.
 */
import stringWidth from "string-width";

/** C0 and C1 control characters, and those that change the direction of the text around them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

const CONTROL_PICTURES_AT = 0x2400;
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** One line: line breaks are shown as `⏎`, tabs as a blank, other control characters as their picture (`␛`). */
export function toSafeLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n|[\n\r\u2028\u2029]/g, "⏎")
    .replaceAll("\t", " ")
    .replaceAll(UNSAFE, pictureOf);
}

/** Many lines: line breaks stay, everything else as in `toSafeLine`. */
export function toSafeText(text: string): string {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map(toSafeLine)
    .join("\n");
}

/** Columns that `line` takes on a terminal. */
export function widthOf(line: string): number {
  return stringWidth(line);
}

/** `line` in at most `widthMax` columns, whole characters only, with `…` at the end when something was cut. */
export function cutToWidth(line: string, widthMax: number): string {
  // A character takes two columns at most, so most lines need no measuring.
  if (line.length * 2 <= widthMax || widthOf(line) <= widthMax) return line;
  let kept = "";
  let width = 0;
  for (const { segment } of segmenter.segment(line)) {
    const next = width + widthOf(segment);
    if (next > widthMax - 1) break;
    kept += segment;
    width = next;
  }
  return `${kept}…`;
}

/** `line` filled up with blanks to `width` columns. */
export function padToWidth(line: string, width: number, side: "left" | "right"): string {
  const blanks = " ".repeat(Math.max(0, width - widthOf(line)));
  return side === "left" ? line + blanks : blanks + line;
}

function pictureOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES_AT + code);
  return code === 0x7f ? "␡" : `\\u${code.toString(16).padStart(4, "0")}`;
}
