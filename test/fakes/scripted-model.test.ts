/** The scripted model keeps the port's contract and judges its own use. */
import { expect, test } from "vitest";
import { ask } from "../models/requests.ts";
import { call, callTool, createScriptedModel, fail, finalAnswer, never, reply, say } from "./scripted-model.ts";

const NEVER = new AbortController().signal;

test("plays its script in order and records the requests", async () => {
  const model = createScriptedModel([
    callTool("q", { a: 1 }),
    fail("retryable"),
    (request) => say(`${request.messages.length}`),
    finalAnswer({ answer: "347" }),
  ]);
  const outcomes = [];
  for (let n = 0; n < 4; n += 1) outcomes.push(await model.complete(ask({ maxTokens: n + 1 }), NEVER));
  expect(outcomes).toMatchObject([
    {
      kind: "reply",
      reply: { finish: "tool_use", calls: [{ name: "q", input: { a: 1 } }], content: [{ type: "tool_use" }] },
    },
    { kind: "retryable", code: "overloaded" },
    { kind: "reply", reply: { text: "1", finish: "end_turn" } },
    { kind: "reply", reply: { calls: [{ name: "final_answer", input: { answer: "347" } }] } },
  ]);
  expect(model.requests.map((request) => request.maxTokens)).toEqual([1, 2, 3, 4]);
  model.assertUsed();
});

test("an unexpected call is a fatal failure, and the judgement fails", async () => {
  const model = createScriptedModel([]);
  expect(await model.complete(ask(), NEVER)).toMatchObject({ kind: "fatal", code: "unexpected_call" });
  expect(() => model.assertUsed()).toThrow("call 1 was unexpected");
});

test("unused replies fail the judgement", () => {
  expect(() => createScriptedModel([say("a"), say("b")]).assertUsed()).toThrow("2 replies were not used");
});

test("a function answers every call by its number", async () => {
  const model = createScriptedModel((_request, n) => say(`call ${n}`));
  for (const n of [0, 1]) expect(await model.complete(ask(), NEVER)).toMatchObject({ reply: { text: `call ${n}` } });
  model.assertUsed();
});

test("the signal ends a call that never would", async () => {
  const controller = new AbortController();
  const model = createScriptedModel([never()]);
  const outcome = model.complete(ask(), controller.signal);
  controller.abort();
  expect(await outcome).toMatchObject({ kind: "aborted" });
  expect(await createScriptedModel([say("a")]).complete(ask(), AbortSignal.abort())).toMatchObject({ kind: "aborted" });
});

test("prices, bounds, counts, usage and content can be set", async () => {
  const model = createScriptedModel(
    [
      reply({
        text: "t",
        thinking: "hm",
        calls: [call("q", {}, "id1")],
        usage: { output: 9 },
        finish: "max_tokens",
        priceMultiplier: 2,
      }),
    ],
    {
      info: { id: "mine", priceMultiplierMax: 2 },
      bound: () => 42,
      count: () => 41,
    },
  );
  expect(model.info).toMatchObject({ id: "mine", priceMultiplierMax: 2, contextWindow: 1_000_000 });
  expect(model.boundInputTokens(ask())).toBe(42);
  expect(await model.countInputTokens(ask(), NEVER)).toBe(41);
  expect(model.counts).toHaveLength(1);
  expect(await createScriptedModel([]).countInputTokens(ask(), NEVER)).toBeNull();
  expect(await model.complete(ask(), NEVER)).toMatchObject({
    reply: {
      content: [{ type: "thinking" }, { type: "text" }, { type: "tool_use", id: "id1" }],
      hasThinking: true,
      finish: "max_tokens",
      usage: { input: 100, output: 9 },
      priceMultiplier: 2,
    },
  });
});
