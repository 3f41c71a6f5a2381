/**
 * What a question is, at every door: text of 1 to 4,000 characters that a person could have typed.
 *
 * Owns: trimming, length, and which characters are refused (they would break a request to a model, a log line or a
 * message). Leaves to others: what the question means. Pure: no I/O, no clock.
 */
import { err, ok, type Result } from "../lib/result.ts";

/** A page of text. Longer ones are pasted documents, and every step pays for them again. */
export const QUESTION_CHARS_MAX = 4_000;

/** Everything but line feed and tab. A carriage return is only met before a line feed, as forms send it. */
const CONTROL = /(?![\n\t])\p{Cc}/u;
/** Something to see: not only spaces and invisible format characters. */
const VISIBLE = /[^\s\p{Z}\p{Cf}]/u;

/** The question, trimmed, or a sentence on what is wrong with it. */
export function parseQuestion(text: string): Result<string, string> {
  const question = text.replaceAll("\r\n", "\n").trim();
  if (!VISIBLE.test(question)) return err("The question is empty. Ask something.");
  if (!question.isWellFormed()) return err("The question holds half of a surrogate pair. Send whole characters.");
  const control = CONTROL.exec(question)?.[0];
  if (control !== undefined) {
    const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    return err(`The question holds the control character U+${code}. Remove it.`);
  }
  const chars = countCharacters(question);
  if (chars > QUESTION_CHARS_MAX) {
    return err(
      `The question has ${chars.toLocaleString("en")} characters; ${QUESTION_CHARS_MAX.toLocaleString("en")} are the most. Shorten it.`,
    );
  }
  return ok(question);
}

/** Code points: what a person would count, near enough. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
