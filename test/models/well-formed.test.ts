/** Valid Unicode in request bodies, and the list of texts kept out of messages. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { promptTexts, toWellFormed } from "../../src/models/well-formed.ts";
import { ask } from "./requests.ts";

/** Strings of any code units, halves of surrogate pairs included. */
const anyUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 })
  .map((units) => String.fromCharCode(...units));
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    anyUnits,
    fc.integer(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(anyUnits, tie("value"), { maxKeys: 4 }),
  ),
})).value;

test("what comes out is well formed throughout", () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      const check = (inner: unknown): boolean => {
        if (typeof inner === "string") return inner.isWellFormed();
        if (typeof inner !== "object" || inner === null) return true;
        return Object.entries(inner).every(([key, entry]) => key.isWellFormed() && check(entry));
      };
      expect(check(toWellFormed(value))).toBe(true);
    }),
  );
});

test("well-formed values come out byte for byte as they went in", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (value, text) => {
      const whole = {
        value,
        text: `\\ud83d ${text} 😀`,
        nested: JSON.parse('{"__proto__":{"2":1,"1":2},"b":1,"a":2}'),
      };
      fc.pre(JSON.stringify(whole).isWellFormed() && !/(?<!\\)\\ud[89a-f]/.test(JSON.stringify(whole)));
      expect(JSON.stringify(toWellFormed(whole))).toBe(JSON.stringify(whole));
    }),
  );
});

test("every text of a conversation is listed, tool descriptions are not", () => {
  const request = ask({
    messages: [
      { role: "user", text: "question" },
      { role: "assistant", content: [], text: "thought", calls: [{ id: "a", name: "q", input: { sql: "SELECT 1" } }] },
      { role: "tool", results: [{ callId: "a", content: "rows", isError: false }], note: "note" },
    ],
  });
  expect(promptTexts(request)).toEqual([request.system, "question", "thought", '{"sql":"SELECT 1"}', "rows", "note"]);
});
