/**
 * From a webhook's payload to a question: the places that the source's settings name, filled in.
 *
 * Only texts, numbers and booleans are taken: an object in a sentence helps nobody. Own properties only, so a pointer such
 * as `/constructor` finds nothing. Pure: no I/O, no clock.
 */
import type { QuestionPart } from "../config/doors.ts";
import { err, ok, type Result } from "../lib/result.ts";
import { escapePointer } from "../lib/strict-json.ts";

/** The question's text as the parts make it, or the pointer that finds nothing. */
export function fillQuestion(parts: readonly QuestionPart[], payload: unknown): Result<string, string> {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.kind === "text") {
      texts.push(part.text);
      continue;
    }
    const value = lookUp(payload, part.path);
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") {
      return err(`#${part.path.map((segment) => `/${escapePointer(segment)}`).join("")}`);
    }
    texts.push(String(value));
  }
  return ok(texts.join(""));
}

function lookUp(payload: unknown, path: readonly string[]): unknown {
  let value = payload;
  for (const segment of path) {
    if (typeof value !== "object" || value === null) return undefined;
    if (Array.isArray(value) && !/^(?:0|[1-9][0-9]{0,9})$/.test(segment)) return undefined;
    const own = Object.getOwnPropertyDescriptor(value, segment);
    if (own === undefined) return undefined;
    value = own.value;
  }
  return value;
}
