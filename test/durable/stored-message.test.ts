import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/agent/model.ts";
import { encodeMessage, messageSchema } from "../../src/durable/stored-message.ts";
import { decodeJson } from "../../src/lib/json.ts";

const roundTrip = (message: Message) => decodeJson(encodeMessage(message), messageSchema);

const call = fc.record({ id: fc.string(), name: fc.string(), input: fc.jsonValue() });
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant("user" as const), text: fc.string() }),
  fc.array(call, { maxLength: 3 }).chain((calls) =>
    fc.record({
      role: fc.constant("assistant" as const),
      content: fc.oneof(
        fc.jsonValue(),
        fc.constant([{ type: "text", text: "so" }, ...calls.map((one) => ({ type: "tool_use", ...one }))]),
      ),
      text: fc.string(),
      calls: fc.constant(calls),
    }),
  ),
  fc.record({
    role: fc.constant("tool" as const),
    results: fc.array(
      fc.record({
        callId: fc.string(),
        content: fc.oneof(
          fc.string(),
          fc.json(),
          fc.jsonValue().map((value) => JSON.stringify(value)),
        ),
        isError: fc.boolean(),
      }),
    ),
  }),
);

describe("a stored message", () => {
  it("comes back as it was, to the last byte of its content", () => {
    fc.assert(
      fc.property(message, (original) => {
        const read = roundTrip(original);
        expect(read).toEqual(JSON.parse(JSON.stringify(original)));
        if (original.role === "assistant" && read?.role === "assistant") {
          expect(JSON.stringify(read.content)).toBe(JSON.stringify(original.content));
        }
      }),
    );
  });

  it("holds the calls of a reply once, and an observation without escapes", () => {
    const input = { sql: "SELECT 'a long enough text'" };
    const reply: Message = {
      role: "assistant",
      content: [{ type: "tool_use", id: "c1", name: "q", input }],
      text: "",
      calls: [{ id: "c1", name: "q", input }],
    };
    expect(encodeMessage(reply).split("a long enough text")).toHaveLength(2);
    const observed: Message = {
      role: "tool",
      results: [{ callId: "c1", content: '{"status":"success"}', isError: false }],
      note: "Go on.",
    };
    expect(encodeMessage(observed)).not.toContain("\\");
    expect(roundTrip(observed)).toEqual(observed);
  });

  it("that was stored whole is read too", () => {
    const whole = { role: "assistant", content: [], text: "x", calls: [{ id: "c1", name: "q", input: {} }] };
    expect(decodeJson(JSON.stringify(whole), messageSchema)).toEqual(whole);
  });
});
