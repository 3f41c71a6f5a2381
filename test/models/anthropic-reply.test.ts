/** Answers of the Messages API, kept as files in their published shape, and the neutral replies they become. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { toReply } from "../../src/models/anthropic-reply.ts";
import { ask } from "./requests.ts";

const FIXTURES = new URL("../fixtures/anthropic/", import.meta.url);
const usage = { input: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, output: 0 };

const EXPECTED: Readonly<Record<string, object>> = {
  "text.json": {
    text: "There are 347 albums.",
    hasThinking: false,
    calls: [],
    finish: "end_turn",
    usage: { ...usage, input: 412, output: 11 },
    priceMultiplier: 1,
  },
  "thinking-then-calls.json": {
    text: "I count both.",
    hasThinking: true,
    calls: [
      { id: "toolu_01A", name: "execute_read_only_sql", input: { sql: "SELECT count(*) FROM Album", reason: "count" } },
      {
        id: "toolu_01B",
        name: "execute_read_only_sql",
        input: { "2": "two", "10": "ten", sql: "SELECT count(*) FROM Artist" },
      },
    ],
    finish: "tool_use",
    usage: { ...usage, input: 3, cacheWrite5m: 310, cacheRead: 2_048, output: 140 },
  },
  "refusal.json": { text: "", content: [], calls: [], finish: "refusal", usage: { ...usage, input: 512 } },
  "thinking-exhausted.json": {
    text: "",
    hasThinking: true,
    calls: [],
    finish: "max_tokens",
    usage: { ...usage, input: 900, output: 1_024 },
  },
  "context-window.json": { text: "The first", finish: "context_window", rawFinish: "model_context_window_exceeded" },
  "us-region-one-hour-cache.json": {
    text: "Yes.\n\nAll of them.",
    usage: { ...usage, input: 5, cacheWrite5m: 300, cacheWrite1h: 400, output: 9 },
    priceMultiplier: 1.1,
  },
  "null-usage-fields.json": { usage: { ...usage, input: 20, output: 4 }, priceMultiplier: 1 },
};

function read(name: string): { readonly content: readonly unknown[] } {
  return JSON.parse(readFileSync(new URL(name, FIXTURES), "utf8"));
}

function parse(body: unknown) {
  const reply = toReply(body, ask(), "req_1");
  if (!reply.ok) throw new Error(reply.error.detail);
  return reply.value;
}

describe("a recorded answer", () => {
  test("every file has its expectation", () => {
    expect(readdirSync(FIXTURES).sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  test.each(Object.keys(EXPECTED))("%s becomes the neutral reply", (name) => {
    const body = read(name);
    const reply = parse(body);
    expect(reply).toMatchObject({ ...EXPECTED[name], requestId: "req_1" });
    // C13: verbatim to the byte, the order of fields included.
    expect(JSON.stringify(reply.content)).toBe(JSON.stringify(body.content));
  });
});

describe("content that the API would refuse to take back", () => {
  const answer = (content: readonly unknown[]) => ({
    content,
    stop_reason: "end_turn",
    usage: { input_tokens: 1, output_tokens: 1 },
  });

  test("blank text is left out and the rest kept", () => {
    const kept = { type: "text", text: " Yes. ", citations: null };
    expect(parse(answer([{ type: "text", text: "" }, kept, { type: "text", text: " \n" }]))).toMatchObject({
      content: [kept],
      text: " Yes. ",
    });
  });

  test("a block of an unknown type is kept as it is", () => {
    const block = { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} };
    expect(parse(answer([block]))).toMatchObject({ content: [block], calls: [] });
  });

  test("odd fields of a call, one named __proto__ included, stay where they are", () => {
    const block: unknown = JSON.parse(
      '{"type":"tool_use","id":"toolu_1","name":"q","input":{"__proto__":{"sql":"x"},"a":1}}',
    );
    const reply = parse(answer([block]));
    expect(JSON.stringify(reply.content)).toBe(JSON.stringify([block]));
    expect(Object.hasOwn(Object(reply.calls[0]?.input), "__proto__")).toBe(true);
  });

  test("an id that an earlier reply used is renamed in the content and in the call alike", () => {
    const earlier = ask({
      messages: [
        { role: "user", text: "?" },
        { role: "assistant", content: [], text: "", calls: [{ id: "toolu_1", name: "q", input: {} }] },
        { role: "tool", results: [{ callId: "toolu_1", content: "{}", isError: false }] },
      ],
    });
    const again = toReply(answer([{ type: "tool_use", id: "toolu_1", name: "q", input: {} }]), earlier, null);
    expect(again).toMatchObject({ ok: true, value: { calls: [{ id: "toolu_1_2" }], content: [{ id: "toolu_1_2" }] } });
  });
});
