/** Ids that stay unique, and what counts as a tool input. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createIdSource, isPlainObject, toMalformedFailure } from "../../src/models/reply-parts.ts";
import { ask } from "./requests.ts";

const after = (...ids: readonly string[]) =>
  ask({
    messages: [
      { role: "user", text: "?" },
      { role: "assistant", content: [], text: "", calls: ids.map((id) => ({ id, name: "q", input: {} })) },
    ],
  });

test("ids are the vendor's unless they are taken or missing", () => {
  const takeId = createIdSource(after("a", "a_2"));
  expect(["b", "a", "b", "", ""].map(takeId)).toEqual(["b", "a_3", "b_2", "call_1", "call_2"]);
});

test("whatever a vendor calls its calls, no id is given twice in a conversation", () => {
  const anyId = fc.constantFrom("", "a", "a_2", "call", "call_1", "b");
  fc.assert(
    fc.property(fc.uniqueArray(anyId), fc.array(anyId), (earlier, wanted) => {
      const takeId = createIdSource(after(...earlier));
      const given = wanted.map(takeId);
      expect(new Set([...earlier, ...given]).size).toBe(earlier.length + given.length);
      expect(given.every((id) => id !== "")).toBe(true);
    }),
  );
});

test("only an object is an input that vendors take back", () => {
  expect([{}, { a: 1 }].every(isPlainObject)).toBe(true);
  expect([null, [], "x", 1, undefined, true].some(isPlainObject)).toBe(false);
});

test("a malformed answer counts as billed, and a fatal one points at the base URL", () => {
  expect(toMalformedFailure({ kind: "fatal", detail: "the answer is not JSON" }, "Acme", 200, "req_1")).toEqual({
    kind: "fatal",
    code: "malformed_reply",
    status: 200,
    retryAfterMs: null,
    message: "Acme sent an answer that cannot be used: the answer is not JSON. Check the base URL.",
    unbilled: false,
    requestId: "req_1",
  });
});
