/** Chat completion bodies, and the bound of their tokens. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message, ModelRequest } from "../../src/agent/model.ts";
import { boundChatTokens, toChatBody } from "../../src/models/openai-request.ts";
import { firstChatFault } from "../fakes/fake-openai.ts";
import { ask, infoOf, SQL_TOOL } from "./requests.ts";

const LOCAL = { ...infoOf(), id: "local-model", maxOutputTokens: 1_000 };

const bodyOf = (request: ModelRequest): { readonly messages: readonly unknown[]; readonly tools?: unknown } =>
  JSON.parse(JSON.stringify(toChatBody(request, LOCAL)));

describe("toChatBody", () => {
  test("a reply without content is left out, a foreign one is said again, a blank system and note are not sent", () => {
    const messages: Message[] = [
      { role: "user", text: "?" },
      { role: "assistant", content: { role: "assistant", content: null }, text: "", calls: [] },
      { role: "user", text: "Well?" },
      {
        role: "assistant",
        content: [{ type: "text", text: "Hm." }],
        text: "Hm.",
        calls: [{ id: "a", name: "q", input: { x: 1 } }],
      },
      { role: "tool", results: [{ callId: "a", content: "{}", isError: true }], note: " " },
    ];
    expect(bodyOf(ask({ system: " ", tools: [], messages, maxTokens: 5_000 }))).toEqual({
      model: LOCAL.id,
      max_completion_tokens: 1_000,
      messages: [
        { role: "user", content: "?" },
        { role: "user", content: "Well?" },
        {
          role: "assistant",
          content: "Hm.",
          tool_calls: [{ type: "function", id: "a", function: { name: "q", arguments: '{"x":1}' } }],
        },
        { role: "tool", tool_call_id: "a", content: "{}" },
      ],
    });
  });

  test("lone surrogates are replaced", () => {
    expect(JSON.stringify(bodyOf(ask({ messages: [{ role: "user", text: "a\ud83d" }] })))).toContain('"a\ufffd"');
  });
});

const anyText = fc.string({ unit: "binary", maxLength: 40 });
const anyRequest = fc
  .array(
    fc.record({
      text: anyText,
      inputs: fc.array(fc.dictionary(anyText, anyText, { maxKeys: 3 }), { maxLength: 3 }),
      note: fc.option(anyText, { nil: undefined }),
    }),
    { maxLength: 5 },
  )
  .map((rounds): ModelRequest => {
    const messages: Message[] = [{ role: "user", text: "?" }];
    for (const [index, round] of rounds.entries()) {
      const calls = round.inputs.map((input, n) => ({ id: `call_${index}_${n}`, name: SQL_TOOL.name, input }));
      messages.push({ role: "assistant", content: [], text: round.text, calls });
      messages.push(
        calls.length === 0
          ? { role: "user", text: "Go on." }
          : {
              role: "tool",
              results: calls.map((one) => ({ callId: one.id, content: round.text, isError: false })),
              ...(round.note === undefined ? {} : { note: round.note }),
            },
      );
    }
    return ask({ messages });
  });

test("every conversation that the loop can build is accepted, and its bound is its bytes and more", () => {
  fc.assert(
    fc.property(anyRequest, (request) => {
      // An empty Messages API content is no message of this protocol, so each reply is said again from its neutral fields.
      expect(firstChatFault(bodyOf(request))).toBeNull();
      expect(boundChatTokens(request, LOCAL)).toBeGreaterThanOrEqual(
        Buffer.byteLength(JSON.stringify(bodyOf(request))) + 600,
      );
    }),
  );
});
