/**
 * Long texts for Slack: cut and split so that no entity, no character and, where it can be helped, no word is torn.
 * All lengths are those of the escaped text, which is what Slack counts. Pure: no I/O, no clock.
 */
import { escapeMrkdwn, toCodeBlock } from "../lib/mrkdwn.ts";

/** `text` escaped, at most `charsMax` characters long; a cut is marked. */
export function cutEscaped(text: string, charsMax: number): string {
  const escaped = escapeMrkdwn(text);
  if (escaped.length <= charsMax) return escaped;
  const mark = " … (cut)";
  return `${takeEscaped(text, charsMax - mark.length)}${mark}`;
}

/** `text` escaped, in pieces of at most `charsMax` characters, at most `piecesMax` of them; a cut is marked. */
export function splitEscaped(text: string, charsMax: number, piecesMax: number): string[] {
  const pieces: string[] = [];
  let rest = text.toWellFormed();
  while (rest !== "" && pieces.length < piecesMax) {
    if (pieces.length === piecesMax - 1) {
      pieces.push(cutEscaped(rest, charsMax));
      break;
    }
    const fits = countFitting(rest, charsMax);
    const end = fits === rest.length ? fits : breakBefore(rest, fits);
    pieces.push(escapeMrkdwn(rest.slice(0, end)));
    rest = rest.slice(end).replace(/^\s+/, "");
  }
  return pieces.filter((piece) => piece.trim() !== "");
}

/** `text` in a code block of at most `charsMax` characters in all; a cut is marked after it. */
export function toCutCode(text: string, charsMax: number): string {
  let kept = text.trim();
  let isCut = false;
  // Escaping and the joiners of a code block lengthen a text: shorten until it fits.
  while (toCodeBlock(kept).length > charsMax) {
    isCut = true;
    kept = kept.slice(0, Math.floor(kept.length * 0.9)).toWellFormed();
  }
  return toCodeBlock(isCut ? `${kept} …` : kept);
}

function takeEscaped(text: string, charsMax: number): string {
  const whole = text.toWellFormed();
  return escapeMrkdwn(whole.slice(0, countFitting(whole, charsMax)));
}

/** How many units of `text`, whole characters only, are at most `charsMax` long when escaped. */
function countFitting(text: string, charsMax: number): number {
  let units = 0;
  let escaped = 0;
  for (const character of text) {
    escaped += character === "&" ? 5 : character === "<" || character === ">" ? 4 : character.length;
    if (escaped > charsMax) break;
    units += character.length;
  }
  return units;
}

/** The last line break or space before `end`, if it is not too far back. */
function breakBefore(text: string, end: number): number {
  const piece = text.slice(0, end);
  const at = Math.max(piece.lastIndexOf("\n"), piece.lastIndexOf(" "));
  return at > end / 2 ? at : end;
}
