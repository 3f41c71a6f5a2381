/** Chat completions of many servers as neutral replies. */
import { describe, expect, test } from "vitest";
import { toChatReply } from "../../src/models/openai-reply.ts";
import { ask } from "./requests.ts";

const usage = { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107 };
const answer = (message: object, fields: object = {}, finish: unknown = "stop") => ({
  choices: [{ index: 0, message, finish_reason: finish }],
  usage,
  ...fields,
});
const parse = (body: unknown) => toChatReply(body, ask(), "req_1", 2);
const value = (body: unknown) => {
  const reply = parse(body);
  if (!reply.ok) throw new Error(reply.error.detail);
  return reply.value;
};
const call = { id: "call_1", type: "function", function: { name: "q", arguments: '{"a":1}' } };

describe("finish reasons", () => {
  test.each([
    ["stop", "end_turn"],
    ["length", "max_tokens"],
    ["tool_calls", "tool_use"],
    ["function_call", "tool_use"],
    ["content_filter", "refusal"],
    ["zebra", "other"],
    [null, "other"],
    [5, "other"],
  ])("%s is %s", (raw, finish) =>
    expect(value(answer({ role: "assistant", content: "x" }, {}, raw))).toMatchObject({ finish }),
  );

  test("a missing one is other, never an end", () => {
    expect(value({ choices: [{ message: { content: "x" } }], usage })).toMatchObject({
      finish: "other",
      rawFinish: "none",
    });
  });

  test("stop beside calls is tool_use, and a refusal in its own field is a refusal", () => {
    expect(value(answer({ role: "assistant", content: "", tool_calls: [call] })).finish).toBe("tool_use");
    expect(value(answer({ role: "assistant", content: null, refusal: "No." })).finish).toBe("refusal");
  });
});

describe("content", () => {
  test("the message is kept as it is, fields in their order", () => {
    const message = { tool_calls: [call], annotations: [], content: null, role: "assistant", refusal: null };
    const reply = value(answer(message));
    expect(reply.content).toBe(message);
    expect(JSON.stringify(reply.content)).toBe(JSON.stringify(message));
  });

  test.each([
    ["Yes.", "Yes."],
    [null, ""],
    [[{ type: "text", text: "One." }, { type: "other" }, { type: "text", text: "Two." }], "One.\n\nTwo."],
    [undefined, ""],
  ])("text of %j is %j", (content, text) => expect(value(answer({ role: "assistant", content })).text).toBe(text));

  test("reasoning of servers that show it is thinking", () => {
    expect(value(answer({ role: "assistant", content: "x", reasoning_content: "hm" })).hasThinking).toBe(true);
    expect(value(answer({ role: "assistant", content: "x", reasoning: "hm" })).hasThinking).toBe(true);
    expect(value(answer({ role: "assistant", content: "x", reasoning_content: "" })).hasThinking).toBe(false);
  });

  test("a missing role, arguments as an object, and null arguments are put right", () => {
    const wire = (args: unknown) => ({ id: "call_1", function: { name: "q", arguments: args } });
    const reply = value(answer({ content: null, tool_calls: [wire({ a: 1 })] }));
    expect(reply).toMatchObject({
      calls: [{ input: { a: 1 } }],
      content: { role: "assistant", tool_calls: [{ type: "function", function: { arguments: '{"a":1}' } }] },
    });
    expect(value(answer({ content: null, tool_calls: [wire(null)] }))).toMatchObject({ calls: [{ input: {} }] });
  });
});

describe("usage", () => {
  test("what was read from the cache is taken out of the prompt", () => {
    const details = { prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 } };
    expect(value(answer({ content: "x" }, { usage: { ...usage, ...details } })).usage).toEqual({
      input: 10,
      cacheRead: 60,
      cacheWrite5m: 30,
      cacheWrite1h: 0,
      output: 7,
    });
  });

  test.each([
    [{}],
    [{ prompt_tokens_details: null }],
    [{ prompt_tokens_details: { cached_tokens: null } }],
    [{ prompt_tokens_details: { cached_tokens: 0 } }],
  ])("details %j", (details) => {
    expect(value(answer({ content: "x" }, { usage: { ...usage, ...details } })).usage).toMatchObject({
      input: 100,
      cacheRead: 0,
      output: 7,
    });
  });

  test.each([
    ["priority", 2],
    ["fast", 2],
    ["default", 1],
    ["flex", 1],
    [null, 1],
  ])("service tier %s multiplies by %d", (tier, multiplier) => {
    expect(value(answer({ content: "x" }, { service_tier: tier })).priceMultiplier).toBe(multiplier);
  });
});

describe("malformed", () => {
  test.each([
    ["text", "hello", "fatal"],
    ["no usage", answer({ content: "x" }, { usage: undefined }), "fatal"],
    ["usage without output", answer({ content: "x" }, { usage: { prompt_tokens: 1 } }), "fatal"],
    ["nothing", undefined, "retryable"],
    ["no choices", { choices: [], usage }, "retryable"],
    ["a null message", { choices: [{ message: null }], usage }, "retryable"],
    [
      "a call without a name",
      answer({ content: null, tool_calls: [{ id: "a", function: { arguments: "{}" } }] }),
      "retryable",
    ],
    ["a null call", answer({ content: null, tool_calls: [null] }), "retryable"],
  ])("%s", (_what, body, kind) => expect(parse(body)).toMatchObject({ ok: false, error: { kind } }));
});
