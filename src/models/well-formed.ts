/**
 * Request bodies that are valid Unicode, and the texts of a request. Owns: replacing lone surrogates, which JSON writes
 * as escapes that no vendor accepts; listing what must not appear in an error message. Pure: no I/O, no clock.
 */
import type { Message, ModelRequest } from "../agent/model.ts";

/** The same JSON value with every lone surrogate, in texts and in keys, replaced by U+FFFD. */
export function toWellFormed<Value>(value: Value): Value {
  const text = JSON.stringify(value);
  // Well-formed text has no such escape, except after a backslash of its own; then the slower way changes nothing.
  if (!/\\ud[89a-f]/.test(text)) return value;
  return JSON.parse(text, (_key, inner: unknown) => {
    if (typeof inner === "string") return inner.toWellFormed();
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, entry]) => [key.toWellFormed(), entry]));
  });
}

/** Every text of the conversation and the system prompt. Tools are ours and public. */
export function promptTexts(request: ModelRequest): readonly string[] {
  return [request.system, ...request.messages.flatMap(textsOf)];
}

function textsOf(message: Message): readonly string[] {
  switch (message.role) {
    case "user":
      return [message.text];
    case "assistant":
      return [message.text, ...message.calls.map((call) => JSON.stringify(call.input) ?? "")];
    case "tool":
      return [...message.results.map((result) => result.content), message.note ?? ""];
  }
}
