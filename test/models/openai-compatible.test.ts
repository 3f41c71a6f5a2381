/** The adapter for OpenAI-compatible servers with the real SDK, over real HTTP, against the strict fake. */
import { afterEach, describe, expect, test } from "vitest";
import { createOpenAiCompatibleModel } from "../../src/models/openai-compatible.ts";
import { parsePrices } from "../../src/models/price-overrides.ts";
import { lookUpModel } from "../../src/models/prices.ts";
import type { ChatItem, FakeOpenAi } from "../fakes/fake-openai.ts";
import { chatCalls, chatText, startFakeOpenAi } from "../fakes/fake-openai.ts";
import { answered, ask, failureOf, LONG_SYSTEM, NEVER, replyOf, SQL_TOOL } from "./requests.ts";

let open: FakeOpenAi[] = [];
afterEach(async () => {
  const all = open;
  open = [];
  for (const fake of all) await fake.stop();
});

const PRICES = '{"local-model":{"input":2,"output":10,"price_multiplier_max":2}}';

function info() {
  const overrides = parsePrices(PRICES);
  const found = lookUpModel("local-model", overrides.ok ? overrides.value : {});
  if (!found.ok) throw new Error(found.error);
  return found.value;
}

async function start(script: readonly ChatItem[], apiKey = "test-key") {
  const fake = await startFakeOpenAi(script);
  open.push(fake);
  return { fake, model: createOpenAiCompatibleModel({ apiKey, baseUrl: fake.url, info: info(), now: () => 0 }) };
}

async function done(fake: FakeOpenAi): Promise<void> {
  open = open.filter((other) => other !== fake);
  await fake.close();
}

const status = (code: number, error: unknown, headers: Readonly<Record<string, string>> = {}): ChatItem => ({
  kind: "status",
  status: code,
  error,
  headers,
});

test("a model that QUERENT_PRICES does not price is refused, with the way to price it", () => {
  expect(lookUpModel("local-model")).toMatchObject({ ok: false, error: expect.stringContaining("QUERENT_PRICES") });
});

test("sends one request with tools, max_completion_tokens and no sampling parameter", async () => {
  const { fake, model } = await start([chatText("347.")]);
  const reply = replyOf(await model.complete(ask({ toolChoice: "none" }), NEVER));
  expect(reply).toMatchObject({
    text: "347.",
    finish: "end_turn",
    rawFinish: "stop",
    calls: [],
    priceMultiplier: 1,
    requestId: "req_1",
  });
  expect(fake.requests[0]?.body).toEqual({
    model: "local-model",
    max_completion_tokens: 1_000,
    messages: [
      { role: "system", content: ask().system },
      { role: "user", content: "How many albums are there?" },
    ],
    tools: [
      {
        type: "function",
        function: { name: SQL_TOOL.name, description: SQL_TOOL.description, parameters: SQL_TOOL.inputSchema },
      },
    ],
    tool_choice: "none",
  });
  await done(fake);
});

test("C13: several steps go back verbatim, every call answered, and the prefix is cached by the server", async () => {
  const { fake, model } = await start([
    chatCalls(
      { id: "call_a", name: SQL_TOOL.name, text: '{"sql": "SELECT 1"}' },
      { id: "call_b", name: SQL_TOOL.name, text: '{ "sql":"SELECT 9007199254740993" }' },
    ),
    chatCalls({ id: "call_c", name: SQL_TOOL.name, text: "{}" }),
    chatText("Done."),
  ]);
  let request = ask({ system: LONG_SYSTEM });
  const first = replyOf(await model.complete(request, NEVER));
  expect(first).toMatchObject({
    finish: "tool_use",
    calls: [{ id: "call_a", input: { sql: "SELECT 1" } }, { id: "call_b" }],
  });
  request = answered(request, first, '{"rows":[]}', "Two steps are left.");
  request = answered(request, replyOf(await model.complete(request, NEVER)));
  const last = replyOf(await model.complete(request, NEVER));
  expect(last.text).toBe("Done.");
  expect(last.usage.cacheRead).toBeGreaterThan(1_000);
  expect(fake.requests.map((sent) => sent.fault)).toEqual([null, null, null]);
  expect(fake.requests[2]?.body.messages).toMatchObject([
    { role: "system" },
    { role: "user" },
    { role: "assistant", tool_calls: [{}, { function: { arguments: '{ "sql":"SELECT 9007199254740993" }' } }] },
    { role: "tool", tool_call_id: "call_a" },
    { role: "tool", tool_call_id: "call_b" },
    { role: "user", content: "Two steps are left." },
    { role: "assistant" },
    { role: "tool", tool_call_id: "call_c" },
  ]);
  await done(fake);
});

test("F17: arguments that are no JSON, and ids used twice, reach the tool boundary and do no harm afterwards", async () => {
  const { fake, model } = await start([
    chatCalls(
      { id: "x", name: SQL_TOOL.name, text: '{"sql": "SEL' },
      { id: "x", name: SQL_TOOL.name, text: '["a"]' },
      { id: "", name: SQL_TOOL.name, text: "" },
    ),
    chatText("Done."),
  ]);
  const request = ask();
  const first = replyOf(await model.complete(request, NEVER));
  expect(first.calls).toEqual([
    { id: "x", name: SQL_TOOL.name, input: '{"sql": "SEL' },
    { id: "x_2", name: SQL_TOOL.name, input: ["a"] },
    { id: "call_1", name: SQL_TOOL.name, input: {} },
  ]);
  expect(replyOf(await model.complete(answered(request, first), NEVER)).text).toBe("Done.");
  await done(fake);
});

describe("failures (C26)", () => {
  const inner = (type: string | null, code: string | null = null) => ({
    message: "It went wrong.",
    type,
    param: null,
    code,
  });
  const cases: readonly (readonly [number, unknown, object])[] = [
    [400, inner("invalid_request_error"), { kind: "fatal", code: "invalid_request", unbilled: true }],
    [401, inner("invalid_request_error", "invalid_api_key"), { kind: "fatal", code: "authentication" }],
    [403, inner(null), { kind: "fatal", code: "permission" }],
    [404, inner("invalid_request_error", "model_not_found"), { kind: "fatal", code: "not_found" }],
    [404, "model 'local-model' not found", { kind: "fatal", code: "not_found" }],
    [408, inner(null), { kind: "retryable", code: "request_timeout" }],
    [409, inner(null), { kind: "retryable", code: "conflict" }],
    [413, inner(null), { kind: "fatal", code: "request_too_large" }],
    [429, inner("requests", "rate_limit_exceeded"), { kind: "retryable", code: "rate_limited", unbilled: true }],
    [429, inner("insufficient_quota", "insufficient_quota"), { kind: "fatal", code: "spend_limit" }],
    [500, inner("server_error"), { kind: "retryable", code: "server_error", unbilled: false }],
    [503, { message: "busy", code: 503 }, { kind: "retryable", code: "server_error" }],
    [503, [1, 2], { kind: "retryable", code: "server_error" }],
    [200, inner("rate_limit_error"), { kind: "retryable", code: "rate_limited", unbilled: false }],
  ];
  test.each(cases)("%i %j", async (code, error, expected) => {
    const { fake, model } = await start([status(code, error)]);
    const failure = failureOf(await model.complete(ask(), NEVER));
    expect(failure).toMatchObject({ ...expected, status: code });
    expect(failure.message).toContain(new URL(fake.url).host);
    expect(failure.message).not.toContain("[object");
    await done(fake);
  });

  test("retry-after is honoured", async () => {
    const { fake, model } = await start([
      status(429, inner(null), { "retry-after": "3" }),
      status(429, inner(null), { "retry-after": "Thu, 01 Jan 1970 00:01:00 GMT" }),
    ]);
    expect(failureOf(await model.complete(ask(), NEVER)).retryAfterMs).toBe(3_000);
    expect(failureOf(await model.complete(ask(), NEVER)).retryAfterMs).toBe(60_000);
    await done(fake);
  });

  test.each([
    ["hang", "timeout"],
    ["stall", "timeout"],
    ["cut", "connection"],
  ] as const)("%s is a retryable %s that may have been billed", async (kind, code) => {
    const { fake, model } = await start([{ kind }]);
    const timeoutMs = kind === "cut" ? 5_000 : 80;
    expect(failureOf(await model.complete(ask({ timeoutMs }), NEVER))).toMatchObject({
      kind: "retryable",
      code,
      unbilled: false,
    });
    expect(fake.requests).toHaveLength(1);
    await done(fake);
  });

  test("our signal ends the call, or keeps it from starting", async () => {
    const { model } = await start([{ kind: "hang" }]);
    const controller = new AbortController();
    const outcome = model.complete(ask(), controller.signal);
    setImmediate(() => controller.abort());
    expect(failureOf(await outcome)).toMatchObject({ kind: "aborted" });
    expect(failureOf(await model.complete(ask(), AbortSignal.abort()))).toMatchObject({ kind: "aborted" });
  });

  test("a wrong key and a key no header can hold are fatal and not shown", async () => {
    for (const key of ["sk-secret-0123456789", "sk-secret\n"]) {
      const { model } = await start([], key);
      const failure = failureOf(await model.complete(ask(), NEVER));
      expect(failure).toMatchObject({ kind: "fatal", code: "authentication" });
      expect(JSON.stringify(failure)).not.toContain("secret");
    }
  });

  test("a server without keys is asked without one", async () => {
    const { fake } = await start([]);
    await done(fake);
    const model = createOpenAiCompatibleModel({ baseUrl: fake.url, info: info() });
    expect(failureOf(await model.complete(ask(), NEVER))).toMatchObject({
      kind: "retryable",
      code: "connection",
      unbilled: true,
    });
  });

  test.each([
    ["a page", { kind: "raw", body: "<html>", contentType: "text/html" }, "fatal"],
    ["cut JSON", { kind: "raw", body: '{"choices":[', contentType: "application/json" }, "retryable"],
    ["null", { kind: "raw", body: "null", contentType: "application/json" }, "retryable"],
  ] as const)("%s is a malformed reply, counted as billed", async (_what, item, kind) => {
    const { fake, model } = await start([item]);
    expect(failureOf(await model.complete(ask(), NEVER))).toMatchObject({
      kind,
      code: "malformed_reply",
      unbilled: false,
    });
    await done(fake);
  });
});

test("tokens cannot be counted, so the byte bound stands", async () => {
  const { fake, model } = await start([chatText("Yes.")]);
  expect(await model.countInputTokens(ask(), NEVER)).toBeNull();
  replyOf(await model.complete(ask(), NEVER));
  expect(model.boundInputTokens(ask())).toBe((fake.requests[0]?.bytes ?? 0) + 1_000);
  await done(fake);
});
