/** The Claude adapter with the real SDK, over real HTTP, against the strict fake. */
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Model, ModelInfo } from "../../src/agent/model.ts";
import { createAnthropicModel } from "../../src/models/anthropic.ts";
import type { ScriptItem } from "../fakes/anthropic-script.ts";
import { cut, hang, message, raw, stall, status, text, thinking, toolUse } from "../fakes/anthropic-script.ts";
import type { FakeAnthropic, FakeOptions } from "../fakes/fake-anthropic.ts";
import { startFakeAnthropic } from "../fakes/fake-anthropic.ts";
import { answered, ask, failureOf, infoOf, LONG_SYSTEM, NEVER, replyOf } from "./requests.ts";

let open: FakeAnthropic[] = [];
afterEach(async () => {
  const all = open;
  open = [];
  for (const fake of all) await fake.stop();
});

async function start(
  script: readonly ScriptItem[],
  options: FakeOptions & { readonly info?: ModelInfo; readonly path?: string } = {},
) {
  const fake = await startFakeAnthropic({ script, ...options });
  open.push(fake);
  const model = createAnthropicModel({
    apiKey: fake.apiKey,
    baseUrl: fake.url + (options.path ?? ""),
    info: options.info ?? infoOf(),
  });
  return { fake, model };
}

/** The call did not only end on our side: the server sees its connection closed, and may stop generating. */
async function hungUp(fake: FakeAnthropic): Promise<void> {
  await vi.waitFor(() => expect(fake.requests.map((request) => request.isHungUp)).toEqual([true]));
}

/** Ends the conversation with the fake: every reply used, nothing unexpected. */
async function done(fake: FakeAnthropic): Promise<void> {
  open = open.filter((other) => other !== fake);
  await fake.close();
}

describe("a call", () => {
  test("C2: sends one request with the key as bearer, the API version and no sampling parameter", async () => {
    const { fake, model } = await start([text("347.")]);
    const reply = replyOf(await model.complete(ask(), NEVER));
    expect(reply).toMatchObject({
      text: "347.",
      finish: "end_turn",
      rawFinish: "end_turn",
      calls: [],
      hasThinking: false,
      priceMultiplier: 1,
    });
    expect(reply.requestId).toMatch(/^req_/);
    const [sent] = fake.requests;
    expect(sent?.headers).toMatchObject({
      authorization: "Bearer test-key",
      "anthropic-version": "2026-10-21",
      "x-stainless-retry-count": "0",
    });
    expect(Object.keys(sent?.body ?? {}).sort()).toEqual([
      "max_tokens",
      "messages",
      "model",
      "system",
      "tool_choice",
      "tools",
    ]);
    await done(fake);
  });

  test("a base URL with a path, as a gateway has, is kept", async () => {
    const { fake, model } = await start([text("Yes.")], { path: "/v1/account/gateway/anthropic" });
    replyOf(await model.complete(ask(), NEVER));
    expect(fake.requests[0]?.path).toBe("/v1/account/gateway/anthropic/v1/messages");
    await done(fake);
  });

  test("toolChoice none keeps the tools in the request and forbids calling them", async () => {
    const { fake, model } = await start([text("Done.")]);
    replyOf(await model.complete(ask({ toolChoice: "none" }), NEVER));
    expect(fake.requests[0]?.body).toMatchObject({
      tool_choice: { type: "none" },
      tools: [{ name: "execute_read_only_sql" }],
    });
    await done(fake);
  });

  test("max_tokens of 128,000 needs no streaming, since the timeout is explicit", async () => {
    const { fake, model } = await start([text("Yes.")]);
    expect(replyOf(await model.complete(ask({ maxTokens: 128_000 }), NEVER)).text).toBe("Yes.");
    await done(fake);
  });

  test("a fractional timeout is no error of the SDK", async () => {
    const { fake, model } = await start([text("Yes.")]);
    expect(replyOf(await model.complete(ask({ timeoutMs: 4_999.7 }), NEVER)).text).toBe("Yes.");
    await done(fake);
  });
});

describe("finish reasons (B31, F15)", () => {
  test.each([
    ["end_turn", "end_turn"],
    ["max_tokens", "max_tokens"],
    ["stop_sequence", "stop_sequence"],
    ["pause_turn", "pause_turn"],
    ["refusal", "refusal"],
    ["model_context_window_exceeded", "context_window"],
    ["zebra", "other"],
  ])("%s is %s", async (stop_reason, finish) => {
    const { fake, model } = await start([message([text("So far.")], { stop_reason })]);
    expect(replyOf(await model.complete(ask(), NEVER))).toMatchObject({ finish, rawFinish: stop_reason });
    await done(fake);
  });

  test("a null finish reason is other, never an end", async () => {
    const { fake, model } = await start([message([text("So far.")], { stop_reason: null })]);
    expect(replyOf(await model.complete(ask(), NEVER))).toMatchObject({ finish: "other", rawFinish: "none" });
    await done(fake);
  });

  test("B55: thinking that used up max_tokens is told from a cut text", async () => {
    const { fake, model } = await start([
      message([thinking("On and on")], { stop_reason: "max_tokens" }),
      message([thinking(), text("Half an ans")], { stop_reason: "max_tokens" }),
    ]);
    expect(replyOf(await model.complete(ask(), NEVER))).toMatchObject({
      finish: "max_tokens",
      hasThinking: true,
      text: "",
    });
    expect(replyOf(await model.complete(ask(), NEVER))).toMatchObject({
      finish: "max_tokens",
      hasThinking: true,
      text: "Half an ans",
    });
    await done(fake);
  });

  test("F5, F7, F9: refusal, tool_use and end_turn with empty content are replies that say so", async () => {
    const { fake, model } = await start(
      ["refusal", "tool_use", "end_turn"].map((stop_reason) => message([], { stop_reason })),
    );
    for (const finish of ["refusal", "tool_use", "end_turn"]) {
      expect(replyOf(await model.complete(ask(), NEVER))).toMatchObject({ finish, content: [], calls: [], text: "" });
    }
    await done(fake);
  });

  test("F3: a tool call cut by max_tokens arrives with that finish reason, so that nobody runs it", async () => {
    const { fake, model } = await start([
      message([toolUse("execute_read_only_sql", {})], { stop_reason: "max_tokens" }),
    ]);
    expect(replyOf(await model.complete(ask(), NEVER))).toMatchObject({ finish: "max_tokens", calls: [{ input: {} }] });
    await done(fake);
  });
});

describe("failures (C26)", () => {
  const overloaded = { kind: "retryable", code: "overloaded" };
  test.each([
    [400, {}, { kind: "fatal", code: "invalid_request", unbilled: true }],
    [401, {}, { kind: "fatal", code: "authentication", unbilled: true }],
    [402, {}, { kind: "fatal", code: "billing", unbilled: true }],
    [403, {}, { kind: "fatal", code: "permission", unbilled: true }],
    [404, {}, { kind: "fatal", code: "not_found", unbilled: true }],
    [408, { type: "timeout_error" }, { kind: "retryable", code: "server_timeout" }],
    [409, {}, { kind: "retryable", code: "conflict", unbilled: true }],
    [413, {}, { kind: "fatal", code: "request_too_large", unbilled: true }],
    [422, {}, { kind: "fatal", code: "invalid_request", unbilled: true }],
    [429, {}, { kind: "retryable", code: "rate_limited", unbilled: true }],
    [429, { error_code: "ramp_limit_exceeded" }, { kind: "fatal", code: "spend_limit", unbilled: true }],
    [429, { error_code: "enforced_spend_limit_reached" }, { kind: "fatal", code: "spend_limit", unbilled: true }],
    [429, { error_code: "contract_spend_limit_reached" }, { kind: "fatal", code: "spend_limit", unbilled: true }],
    [500, {}, { kind: "retryable", code: "server_error", unbilled: false }],
    [502, {}, { kind: "retryable", code: "server_error", unbilled: false }],
    [503, {}, { kind: "retryable", code: "server_error", unbilled: false }],
    [504, {}, { kind: "retryable", code: "server_timeout", unbilled: false }],
    [529, {}, { ...overloaded, unbilled: true }],
    [500, { type: "overloaded_error" }, overloaded],
    // F11: an error inside an answer with status 200 is classified by its type; generation may have begun.
    [200, { type: "overloaded_error" }, { ...overloaded, unbilled: false }],
    [200, { type: "api_error" }, { kind: "retryable", code: "server_error", unbilled: false }],
    [200, { type: "authentication_error" }, { kind: "fatal", code: "authentication" }],
  ])("status %i %j", async (code, options, expected) => {
    const { fake, model } = await start([status(code, options)]);
    const failure = failureOf(await model.complete(ask(), NEVER));
    expect(failure).toMatchObject({ ...expected, status: code });
    expect(failure.requestId).toMatch(/^req_/);
    expect(failure.message).toContain("Anthropic refused the call");
    expect(failure.message).not.toContain("[object");
    // F13: the SDK does not retry by itself.
    expect(fake.requests).toHaveLength(1);
    await done(fake);
  });

  test.each([
    [{ retryAfter: 7 }, 7_000],
    [{ retryAfter: "1.5" }, 1_500],
    [{ headers: { "retry-after-ms": "250", "retry-after": "9" } }, 250],
    [{ retryAfter: "Mon, 30 Nov 2026 12:00:30 GMT" }, 30_000],
    [{ retryAfter: "Mon, 30 Nov 2026 11:00:00 GMT" }, 0],
    [{ retryAfter: "soon" }, null],
    [{ retryAfter: "-5" }, null],
    [{}, null],
  ])("retry-after %j is %s ms", async (options, expected) => {
    const { fake } = await start([status(529, options)]);
    const now = () => Date.UTC(2026, 10, 30, 12, 0, 0);
    const model = createAnthropicModel({ apiKey: fake.apiKey, baseUrl: fake.url, info: infoOf(), now });
    expect(failureOf(await model.complete(ask(), NEVER)).retryAfterMs).toBe(expected);
    await done(fake);
  });

  test("a server that says a retry is pointless is believed", async () => {
    const { fake, model } = await start([status(500, { headers: { "x-should-retry": "false" }, retryAfter: 1 })]);
    expect(failureOf(await model.complete(ask(), NEVER))).toMatchObject({
      kind: "fatal",
      code: "server_error",
      retryAfterMs: null,
    });
    await done(fake);
  });

  test("an error page that is no JSON is classified by its status", async () => {
    const { fake, model } = await start([
      raw("<html>Bad gateway</html>", { status: 502, headers: { "content-type": "text/html" } }),
    ]);
    expect(failureOf(await model.complete(ask(), NEVER))).toMatchObject({
      kind: "retryable",
      code: "server_error",
      status: 502,
    });
    await done(fake);
  });

  test("a redirect is not followed, so key and prompt stay with the configured server", async () => {
    const { fake, model } = await start([
      raw("", { status: 307, headers: { location: "http://127.0.0.1:1/elsewhere" } }),
    ]);
    expect(failureOf(await model.complete(ask(), NEVER))).toMatchObject({
      kind: "fatal",
      code: "unexpected_status",
      status: 307,
      unbilled: true,
    });
    await done(fake);
  });

  test("a wrong key is a fatal failure that does not show the key", async () => {
    const { fake } = await start([]);
    const model = createAnthropicModel({ apiKey: "sk-ant-secret-0123456789", baseUrl: fake.url, info: infoOf() });
    const failure = failureOf(await model.complete(ask(), NEVER));
    expect(failure).toMatchObject({ kind: "fatal", code: "authentication", status: 401 });
    expect(JSON.stringify(failure)).not.toContain("secret");
  });

  test("a key that no header can carry is a failure that does not show it", async () => {
    const model = createAnthropicModel({
      apiKey: "sk-ant-secret\nX: 1",
      baseUrl: "http://127.0.0.1:1",
      info: infoOf(),
    });
    const failure = failureOf(await model.complete(ask(), NEVER));
    expect(failure).toMatchObject({ kind: "fatal", code: "authentication", status: null, unbilled: true });
    expect(JSON.stringify(failure)).not.toContain("secret");
  });

  test("a vendor text that repeats the question or the key is kept out of the message", async () => {
    const question = "Which customers in Brazil owe us money?";
    const echo = status(400, { message: `messages.0.content: bad text "${question}" for key test-key` });
    const { fake, model } = await start([
      echo,
      status(400, { message: "prompt is too long: 1000001 tokens > 1000000 maximum" }),
    ]);
    const request = ask({ messages: [{ role: "user", text: question }] });
    expect(failureOf(await model.complete(request, NEVER)).message).not.toMatch(/Brazil|test-key/);
    expect(failureOf(await model.complete(request, NEVER)).message).toContain("prompt is too long: 1000001 tokens");
    await done(fake);
  });
});

describe("no answer", () => {
  test("F13: a server that never answers is a retryable timeout at our limit", async () => {
    const { fake, model } = await start([hang()]);
    expect(failureOf(await model.complete(ask({ timeoutMs: 60 }), NEVER))).toMatchObject({
      kind: "retryable",
      code: "timeout",
      unbilled: false,
    });
    await hungUp(fake);
    await done(fake);
  });

  test("a server that sends headers and then nothing is a timeout too, although the SDK's timer has stopped", async () => {
    const { fake, model } = await start([stall()]);
    expect(failureOf(await model.complete(ask({ timeoutMs: 60 }), NEVER))).toMatchObject({
      kind: "retryable",
      code: "timeout",
      unbilled: false,
    });
    await hungUp(fake);
    await done(fake);
  });

  test("a connection broken in the middle of the body is a retryable failure that may have been billed", async () => {
    const { fake, model } = await start([cut()]);
    expect(failureOf(await model.complete(ask(), NEVER))).toMatchObject({
      kind: "retryable",
      code: "connection",
      unbilled: false,
    });
    await done(fake);
  });

  test("a refused connection was never billed", async () => {
    const { fake, model } = await start([]);
    await done(fake);
    expect(failureOf(await model.complete(ask(), NEVER))).toMatchObject({
      kind: "retryable",
      code: "connection",
      unbilled: true,
    });
  });

  test.each([
    ["before the headers", hang()],
    ["in the middle of the body", stall()],
  ])("our signal ends the call %s", async (_when, item) => {
    const controller = new AbortController();
    const { fake, model } = await start([], {
      handler: () => {
        setImmediate(() => controller.abort());
        return item;
      },
    });
    expect(failureOf(await model.complete(ask(), controller.signal))).toMatchObject({
      kind: "aborted",
      code: "aborted",
    });
    await hungUp(fake);
    await done(fake);
  });

  test("a signal that fired before means that nothing is sent", async () => {
    const { fake, model } = await start([]);
    expect(failureOf(await model.complete(ask(), AbortSignal.abort()))).toMatchObject({ kind: "aborted" });
    expect(fake.requests).toHaveLength(0);
    await done(fake);
  });

  test("a fetch that ignores its signal cannot hold a step", async () => {
    const model = createAnthropicModel({ apiKey: "k", info: infoOf(), fetch: () => new Promise(() => undefined) });
    expect(failureOf(await model.complete(ask({ timeoutMs: 30 }), NEVER))).toMatchObject({
      kind: "retryable",
      code: "timeout",
    });
  });
});

describe("malformed answers", () => {
  const valid = {
    type: "message",
    role: "assistant",
    content: [],
    stop_reason: "end_turn",
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  const json = (fields: object) => raw(JSON.stringify({ ...valid, ...fields }));
  test.each([
    ["a proxy's page", raw("<html>Welcome</html>", { headers: { "content-type": "text/html" } }), "fatal"],
    ["plain text", raw("ok", { headers: { "content-type": "text/plain" } }), "fatal"],
    ["an empty body", raw("", { headers: { "content-length": "0" } }), "retryable"],
    ["JSON that stops in the middle", raw('{"type":"message","content":[{"ty'), "retryable"],
    ["null", raw("null"), "retryable"],
    ["a list", raw("[]"), "retryable"],
    ["no content", json({ content: undefined }), "retryable"],
    ["null content", json({ content: null }), "retryable"],
    ["content that is text", json({ content: "hello" }), "retryable"],
    ["a block that is null", json({ content: [null] }), "retryable"],
    ["a tool call without an id", json({ content: [{ type: "tool_use", name: "q", input: {} }] }), "retryable"],
    ["a tool call without a name", json({ content: [{ type: "tool_use", id: "toolu_1", input: {} }] }), "retryable"],
    ["a text block without text", json({ content: [{ type: "text" }] }), "retryable"],
    ["no usage", json({ usage: undefined }), "fatal"],
    ["null usage", json({ usage: null }), "fatal"],
    ["usage without output", json({ usage: { input_tokens: 5 } }), "fatal"],
    ["negative usage", json({ usage: { input_tokens: -5, output_tokens: 1 } }), "fatal"],
  ])("%s is a failure, counted as billed", async (_what, item, kind) => {
    const { fake, model } = await start([item]);
    expect(failureOf(await model.complete(ask(), NEVER))).toMatchObject({
      kind,
      code: "malformed_reply",
      unbilled: false,
      status: 200,
    });
    await done(fake);
  });

  test("a whole answer whose content type was lost on the way is used", async () => {
    const { fake, model } = await start([raw(JSON.stringify(valid), { headers: { "content-type": "text/plain" } })]);
    expect(replyOf(await model.complete(ask(), NEVER))).toMatchObject({ finish: "end_turn", content: [] });
    await done(fake);
  });

  test("204 without a body is a failure", async () => {
    const { fake, model } = await start([raw("", { status: 204 })]);
    expect(failureOf(await model.complete(ask(), NEVER))).toMatchObject({ kind: "retryable", code: "malformed_reply" });
    await done(fake);
  });
});

describe("usage (C12, G7)", () => {
  const cases: readonly (readonly [string, object, object])[] = [
    ["plain", {}, { input: 100, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, output: 7 }],
    [
      "null caches",
      { cache_creation_input_tokens: null, cache_read_input_tokens: null, cache_creation: null },
      { cacheWrite5m: 0, cacheRead: 0 },
    ],
    [
      "a cache read of 0 stays 0",
      { cache_read_input_tokens: 0, cache_creation_input_tokens: 50 },
      { cacheRead: 0, cacheWrite5m: 50 },
    ],
    [
      "writes without a split count as 5 minutes",
      { cache_creation_input_tokens: 50, cache_creation: null },
      { cacheWrite5m: 50, cacheWrite1h: 0 },
    ],
    [
      "writes by lifetime",
      {
        cache_creation_input_tokens: 70,
        cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 40 },
      },
      { cacheWrite5m: 30, cacheWrite1h: 40 },
    ],
    [
      "a split that leaves some out",
      {
        cache_creation_input_tokens: 70,
        cache_creation: { ephemeral_5m_input_tokens: null, ephemeral_1h_input_tokens: 40 },
      },
      { cacheWrite5m: 30, cacheWrite1h: 40 },
    ],
    ["all of it read", { input_tokens: 0, cache_read_input_tokens: 900 }, { input: 0, cacheRead: 900 }],
  ];
  test.each(cases)("%s", async (_what, usage, expected) => {
    const { fake, model } = await start([
      message([text("Yes.")], { raw: { usage: { input_tokens: 100, output_tokens: 7, ...usage } } }),
    ]);
    expect(replyOf(await model.complete(ask(), NEVER)).usage).toMatchObject(expected);
    await done(fake);
  });

  test.each([
    [{ inference_geo: "us" }, 1.1],
    [{ inference_geo: "global", speed: "standard" }, 1],
    [{ inference_geo: "not_available", speed: null }, 1],
    [{ inference_geo: null }, 1],
    [{ inference_geo: "mars" }, 1.1],
    [{ speed: "fast" }, 2],
    [{ inference_geo: "us", speed: "fast" }, 2.2],
  ])("the price multiplier of %j is %d", async (usage, expected) => {
    const { fake, model } = await start([message([text("Yes.")], { usage })]);
    expect(replyOf(await model.complete(ask(), NEVER)).priceMultiplier).toBeCloseTo(expected, 9);
    await done(fake);
  });
});

describe("several steps (C13)", () => {
  test("content with thinking goes back verbatim and the strict fake accepts every step", async () => {
    const script: ScriptItem[] = [
      [
        thinking("First the tables."),
        toolUse("execute_read_only_sql", { sql: "SELECT 1" }),
        toolUse("execute_read_only_sql", { sql: "SELECT 2" }),
      ],
      [thinking("", true), text("One more look."), toolUse("execute_read_only_sql", { sql: "SELECT 3" })],
      [{ type: "redacted_thinking", data: "abc" }, toolUse("execute_read_only_sql", { sql: "SELECT 'ü \\u0000 \"'" })],
      [thinking("Enough."), text("There are 347.")],
    ];
    const { fake, model } = await start(script);
    let request = ask({ system: LONG_SYSTEM });
    for (const note of [undefined, "Two steps are left.", undefined]) {
      request = answered(request, replyOf(await model.complete(request, NEVER)), '{"rows":[[347]]}', note);
    }
    const last = replyOf(await model.complete({ ...request, toolChoice: "none" }, NEVER));
    expect(last).toMatchObject({ text: "There are 347.", hasThinking: true });
    expect(fake.requests.map((sent) => sent.fault)).toEqual([null, null, null, null]);
    await done(fake);
  });

  test("each step reads from the cache what the step before wrote, also after twenty parallel calls", async () => {
    const many = Array.from({ length: 20 }, (_, n) => toolUse("execute_read_only_sql", { sql: `SELECT ${n}` }));
    const { fake, model } = await start([
      [text("Wide."), ...many],
      [toolUse("execute_read_only_sql", { sql: "SELECT 20" })],
      [text("Done.")],
    ]);
    let request = ask({ system: LONG_SYSTEM });
    const usages = [];
    for (let step = 0; step < 3; step += 1) {
      const reply = replyOf(await model.complete(request, NEVER));
      usages.push(reply.usage);
      request = answered(request, reply, '{"rows":[[1]]}');
    }
    const prompt = (usage: { input: number; cacheRead: number; cacheWrite5m: number } | undefined) =>
      (usage?.input ?? 0) + (usage?.cacheRead ?? 0) + (usage?.cacheWrite5m ?? 0);
    expect(usages.map((usage) => usage.input)).toEqual([0, 0, 0]);
    expect(usages.map((usage) => usage.cacheRead)).toEqual([0, prompt(usages[0]), prompt(usages[1])]);
    await done(fake);
  });

  test("a last call without tools still reads tools and system from the cache", async () => {
    const { fake, model } = await start([[toolUse("execute_read_only_sql", { sql: "SELECT 1" })], [text("Done.")]]);
    const request = ask({ system: LONG_SYSTEM });
    const first = replyOf(await model.complete(request, NEVER));
    const last = replyOf(await model.complete({ ...answered(request, first), toolChoice: "none" }, NEVER));
    expect(last.usage.cacheRead).toBeGreaterThan(500);
    await done(fake);
  });

  test("F17: an id used twice and an input that is no object are repaired, so the next step is accepted", async () => {
    const { fake, model } = await start([
      [
        toolUse("execute_read_only_sql", { sql: "SELECT 1" }, "toolu_same"),
        toolUse("execute_read_only_sql", "SELECT 2", "toolu_same"),
      ],
      [toolUse("execute_read_only_sql", null, "toolu_same"), text("  ")],
      [text("Done.")],
    ]);
    let request = ask();
    const first = replyOf(await model.complete(request, NEVER));
    expect(first.calls).toEqual([
      { id: "toolu_same", name: "execute_read_only_sql", input: { sql: "SELECT 1" } },
      { id: "toolu_same_2", name: "execute_read_only_sql", input: "SELECT 2" },
    ]);
    request = answered(request, first);
    const second = replyOf(await model.complete(request, NEVER));
    expect(second.calls).toEqual([{ id: "toolu_same_3", name: "execute_read_only_sql", input: null }]);
    request = answered(request, second);
    expect(replyOf(await model.complete(request, NEVER)).text).toBe("Done.");
    await done(fake);
  });
});

describe("counting tokens", () => {
  async function counted(model: Model, signal = NEVER) {
    return await model.countInputTokens(ask({ system: LONG_SYSTEM }), signal);
  }

  test("asks the vendor about the same prompt", async () => {
    const { fake, model } = await start([text("Yes.")]);
    const tokens = await counted(model);
    const usage = replyOf(await model.complete(ask({ system: LONG_SYSTEM }), NEVER)).usage;
    expect(tokens).toBe(usage.input + usage.cacheWrite5m + usage.cacheRead);
    expect(fake.counts[0]?.body).not.toHaveProperty("max_tokens");
    await done(fake);
  });

  test("is null on any failure: an error, a refused connection, an abort, nonsense", async () => {
    const { fake, model } = await start([], { countTokens: () => null });
    expect(await counted(model)).toBeNull();
    expect(await counted(model, AbortSignal.abort())).toBeNull();
    expect(await counted(createAnthropicModel({ apiKey: "wrong", baseUrl: fake.url, info: infoOf() }))).toBeNull();
    expect(
      await counted(createAnthropicModel({ apiKey: "k", baseUrl: "http://127.0.0.1:1", info: infoOf() })),
    ).toBeNull();
    for (const body of ["null", '{"input_tokens":"12"}', '{"input_tokens":-1}', "<html>", "{}"]) {
      const fetch = async () => new Response(body, { headers: { "content-type": "application/json" } });
      expect(await counted(createAnthropicModel({ apiKey: "k", info: infoOf(), fetch }))).toBeNull();
    }
    await done(fake);
  });
});
