/** The fake is strict: each test sends one bad thing over HTTP and reads the refusal the real API would give. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hang, message, status, text, thinking, toolUse } from "./anthropic-script.ts";
import type { FakeAnthropic } from "./fake-anthropic.ts";
import { startFakeAnthropic } from "./fake-anthropic.ts";

let fake: FakeAnthropic;
beforeAll(async () => {
  fake = await startFakeAnthropic({ handler: () => text("Yes.") });
});
afterAll(() => fake.stop());

const HEADERS = {
  authorization: "Bearer test-key",
  "anthropic-version": "2026-10-21",
  "content-type": "application/json",
};
const TOOL = { name: "q", description: "d", input_schema: { type: "object", properties: {} } };
const user = (content: unknown = "How many?") => ({ role: "user", content });
const assistant = (...content: readonly unknown[]) => ({ role: "assistant", content });
const use = (id: string) => ({ type: "tool_use", id, name: "q", input: {} });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "{}" });
const valid = { model: "claude-sonnet-5-5", max_tokens: 100, messages: [user()] };

interface Answer {
  readonly status: number;
  readonly body: {
    readonly error?: { readonly type: string; readonly message: string };
    readonly [field: string]: unknown;
  };
  readonly requestId: string | null;
}

async function post(
  body: unknown,
  options: { readonly headers?: Record<string, string>; readonly path?: string; readonly url?: string } = {},
): Promise<Answer> {
  const response = await fetch((options.url ?? fake.url) + (options.path ?? "/v1/messages"), {
    method: "POST",
    headers: { ...HEADERS, ...options.headers },
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
  return {
    status: response.status,
    body: JSON.parse(await response.text()),
    requestId: response.headers.get("request-id"),
  };
}

test("a good request gets a whole message", async () => {
  const answer = await post({ ...valid, system: "S", tools: [TOOL], tool_choice: { type: "auto" } });
  expect(answer).toMatchObject({
    status: 200,
    body: { type: "message", role: "assistant", stop_reason: "end_turn", content: [{ type: "text", text: "Yes." }] },
  });
  expect(Object.keys(answer.body.usage ?? {})).toContain("cache_creation");
});

test("an error has the documented body, with the id of the header in it", async () => {
  const answer = await post({ ...valid, temperature: 0 });
  expect(answer.body).toEqual({
    type: "error",
    error: { type: "invalid_request_error", message: "temperature: Extra inputs are not permitted" },
    request_id: answer.requestId,
  });
});

describe("refused with 400", () => {
  const turn = (...content: readonly unknown[]) => ({ tools: [TOOL], messages: [user(), ...content] });
  const cases: readonly (readonly [string, object, string])[] = [
    ["temperature", { temperature: 1 }, "temperature: Extra inputs are not permitted"],
    ["top_p", { top_p: 0.9 }, "top_p: Extra inputs are not permitted"],
    ["top_k", { top_k: 5 }, "top_k: Extra inputs are not permitted"],
    ["an unknown field", { max_output: 5 }, "max_output: Extra inputs are not permitted"],
    ["no max_tokens", { max_tokens: undefined }, "max_tokens: Field required"],
    ["max_tokens of 0", { max_tokens: 0 }, "max_tokens: Input should be greater than"],
    ["max_tokens of 1.5", { max_tokens: 1.5 }, "max_tokens: Input should be a valid integer"],
    ["max_tokens above the model's", { max_tokens: 128_001 }, "max_tokens: 128001 > 128000"],
    [
      "a forced tool choice, any",
      { tools: [TOOL], tool_choice: { type: "any" } },
      'tool_choice.type: "any" is not supported',
    ],
    [
      "a forced tool choice, tool",
      { tools: [TOOL], tool_choice: { type: "tool", name: "q" } },
      'tool_choice.type: "tool" is not supported',
    ],
    ["an unknown tool choice", { tools: [TOOL], tool_choice: { type: "some" } }, "tool_choice: Input tag"],
    [
      "a tool choice without tools",
      { tool_choice: { type: "none" } },
      "tool_choice may only be specified while providing tools",
    ],
    [
      "a tool name with a space",
      { tools: [{ ...TOOL, name: "a b" }] },
      "tools.0.custom.name: String should match pattern",
    ],
    [
      "a tool name of 65 letters",
      { tools: [{ ...TOOL, name: "a".repeat(65) }] },
      "tools.0.custom.name: String should match pattern",
    ],
    ["two tools of one name", { tools: [TOOL, TOOL] }, "tools: Tool names must be unique"],
    [
      "a tool schema that is no object",
      { tools: [{ ...TOOL, input_schema: { type: "string" } }] },
      "tools.0.custom.input_schema.type",
    ],
    [
      "an unknown field of a tool",
      { tools: [{ ...TOOL, inputSchema: {} }] },
      "tools.0.custom.inputSchema: Extra inputs",
    ],
    ["thinking disabled", { thinking: { type: "disabled" } }, 'thinking.type: "disabled" is not supported'],
    ["an empty system text", { system: [{ type: "text", text: "" }] }, "system: text content blocks must be non-empty"],
    ["no messages", { messages: [] }, "messages: at least one message is required"],
    [
      "an assistant message first",
      { messages: [assistant({ type: "text", text: "Hi" }), user()] },
      'first message must use the "user" role',
    ],
    [
      "a prefill",
      { messages: [user(), assistant({ type: "text", text: "There are" })] },
      "does not support assistant message prefill",
    ],
    ["an unknown role", { messages: [{ role: "tool", content: "x" }] }, 'Unexpected role "tool"'],
    ["an unknown field of a message", { messages: [{ ...user(), name: "x" }] }, "messages.0.name: Extra inputs"],
    ["empty content", { messages: [user([])] }, "messages.0: all messages must have non-empty content"],
    [
      "empty assistant content",
      { messages: [user(), assistant(), user()] },
      "messages.1: all messages must have non-empty content",
    ],
    [
      "an empty text block",
      { messages: [user([{ type: "text", text: "" }])] },
      "messages: text content blocks must be non-empty",
    ],
    ["a blank text block", { messages: [user([{ type: "text", text: " \n" }])] }, "must contain non-whitespace text"],
    ["a blank string", { messages: [user("  ")] }, "must contain non-whitespace text"],
    [
      "a mark on an empty text",
      { messages: [user([{ type: "text", text: "", cache_control: { type: "ephemeral" } }])] },
      "cache_control cannot be set for empty text blocks",
    ],
    ["a block of the wrong role", { messages: [user([use("a")])] }, "messages.0.content.0: Input tag 'tool_use'"],
    [
      "a mark on thinking",
      turn(
        assistant({ type: "thinking", thinking: "t", signature: "s", cache_control: { type: "ephemeral" } }),
        user(),
      ),
      "thinking.cache_control: Extra inputs",
    ],
    [
      "an unknown field of a block",
      { messages: [user([{ type: "text", text: "x", note: 1 }])] },
      "text.note: Extra inputs",
    ],
    [
      "citations in a user text",
      { messages: [user([{ type: "text", text: "x", citations: [{}] }])] },
      "citations are not permitted",
    ],
    [
      "a missing result",
      turn(assistant(use("a"), use("b")), user([result("a")])),
      "`tool_use` ids were found without `tool_result` blocks immediately after: b.",
    ],
    [
      "no result at all",
      turn(assistant(use("a")), user("Go on.")),
      "`tool_use` ids were found without `tool_result` blocks immediately after: a.",
    ],
    [
      "results split over two messages",
      turn(assistant(use("a"), use("b")), user([result("a")]), user([result("b")])),
      "without `tool_result` blocks immediately after: b.",
    ],
    [
      "text before the results",
      turn(assistant(use("a")), user([{ type: "text", text: "Here:" }, result("a")])),
      "without `tool_result` blocks immediately after: a.",
    ],
    [
      "an orphaned result",
      turn(assistant({ type: "text", text: "Hi" }), user([result("z")])),
      "unexpected `tool_use_id` found in `tool_result` blocks: z.",
    ],
    [
      "a result given twice",
      turn(assistant(use("a")), user([result("a"), result("a")])),
      "each tool_use must have a single result",
    ],
    [
      "one id in one message twice",
      turn(assistant(use("a"), use("a")), user([result("a")])),
      "`tool_use` ids must be unique",
    ],
    [
      "one id in two messages",
      turn(assistant(use("a")), user([result("a")]), assistant(use("a")), user([result("a")])),
      "`tool_use` ids must be unique",
    ],
    [
      "an input that is no object",
      turn(assistant({ ...use("a"), input: "SELECT 1" }), user([result("a")])),
      "tool_use.input: Input should be a valid dictionary",
    ],
    [
      "an id with odd letters",
      turn(assistant(use("a.b")), user([result("a.b")])),
      "tool_use.id: String should match pattern",
    ],
    ["calls without tools", { messages: [user(), assistant(use("a")), user([result("a")])] }, "must define tools"],
    ["a cache lifetime of a day", { cache_control: { type: "ephemeral", ttl: "1d" } }, "cache_control.ttl"],
    [
      "a long mark after a short one",
      {
        system: [{ type: "text", text: "S", cache_control: { type: "ephemeral" } }],
        messages: [user([{ type: "text", text: "x", cache_control: { type: "ephemeral", ttl: "1h" } }])],
      },
      "must not come after",
    ],
    [
      "five marks",
      { system: Array(5).fill({ type: "text", text: "S", cache_control: { type: "ephemeral" } }) },
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ],
    ["half a surrogate pair", { messages: [user("\ud83d")] }, "not valid JSON: no low surrogate in string"],
    ["streaming", { stream: true }, "stream"],
    [
      "a prompt longer than the window",
      { model: "claude-haiku-4-5", messages: [user("word ".repeat(200_001))] },
      "prompt is too long: ",
    ],
  ];
  test.each(cases)("%s", async (_what, fields, message) => {
    const answer = await post({ ...valid, ...fields });
    expect(answer).toMatchObject({ status: 400, body: { error: { type: "invalid_request_error" } } });
    expect(answer.body.error?.message).toContain(message);
  });

  test("four marks are accepted", async () => {
    expect(
      await post({
        ...valid,
        system: Array(4).fill({ type: "text", text: "S", cache_control: { type: "ephemeral" } }),
      }),
    ).toMatchObject({ status: 200 });
  });

  test.each([
    ["text that is no JSON", "{"],
    ["bytes that are no UTF-8", new Uint8Array([0x22, 0xff, 0x22])],
    ["an empty body", ""],
    ["a list", "[]"],
  ])("%s", async (_what, body) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { error: { type: "invalid_request_error" } } });
  });

  test("another version, or none", async () => {
    for (const headers of [{ "anthropic-version": "2023-06-01" }, { "anthropic-version": "" }]) {
      expect((await post(valid, { headers })).body.error?.message).toContain("anthropic-version");
    }
  });
});

describe("refused with another status", () => {
  test("401: a wrong key, and a key in the old header", async () => {
    expect(await post(valid, { headers: { authorization: "Bearer other" } })).toMatchObject({
      status: 401,
      body: { error: { type: "authentication_error" } },
    });
    expect(await post(valid, { headers: { "x-api-key": "test-key" } })).toMatchObject({ status: 401 });
  });

  test("404: an unknown model", async () => {
    expect(await post({ ...valid, model: "claude-opus-9" })).toMatchObject({
      status: 404,
      body: { error: { type: "not_found_error", message: "model: claude-opus-9" } },
    });
  });

  test("413: more than 32 MB", async () => {
    const body = JSON.stringify({ ...valid, messages: [user("x".repeat(33 * 1024 * 1024))] });
    expect(await post(body)).toMatchObject({ status: 413, body: { error: { type: "request_too_large" } } });
  });
});

describe("thinking is bound to what came before it", () => {
  const prefix = { ...valid, system: "S", tools: [TOOL], messages: [user("One?")] };

  async function conversation(hidden = false) {
    const local = await startFakeAnthropic({
      handler: (_request, n) => (n === 0 ? [thinking("Hm.", hidden), toolUse("q", {}, "a")] : text("Done.")),
    });
    const first = await post(prefix, { url: local.url });
    const history = [...prefix.messages, { role: "assistant", content: first.body.content }, user([result("a")])];
    return {
      local,
      history,
      next: (body: object) => post({ ...prefix, messages: history, ...body }, { url: local.url }),
    };
  }

  test.each([false, true])(
    "sent back unchanged it is accepted (hidden: %s), wherever the cache marks are",
    async (hidden) => {
      const { local, next } = await conversation(hidden);
      expect(await next({})).toMatchObject({ status: 200 });
      expect(
        await next({
          system: [{ type: "text", text: "S", cache_control: { type: "ephemeral" } }],
          tool_choice: { type: "none" },
        }),
      ).toMatchObject({ status: 200 });
      await local.stop();
    },
  );

  test.each([
    ["the system prompt", { system: "T" }],
    ["the tools", { tools: [{ ...TOOL, description: "other" }] }],
    ["a tool added", { tools: [TOOL, { ...TOOL, name: "r" }] }],
    ["an earlier message", { first: user("Two?") }],
    [
      "an earlier message added to",
      {
        first: user([
          { type: "text", text: "One?" },
          { type: "text", text: "Today is Monday." },
        ]),
      },
    ],
  ])("%s changed: refused in the published words", async (_what, change) => {
    const { local, history, next } = await conversation();
    const { first, ...fields } = { first: history[0], ...change };
    const answer = await next({ ...fields, messages: [first, ...history.slice(1)] });
    expect(answer.status).toBe(400);
    expect(answer.body.error?.message).toBe(
      'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
    );
    await local.stop();
  });

  test("a changed block is refused, and so is a later one after an earlier was left out", async () => {
    const local = await startFakeAnthropic({
      handler: (_request, n) => [thinking(`Thought ${n}.`), text(`Said ${n}.`)],
    });
    const first = await post(prefix, { url: local.url });
    const one = [...prefix.messages, { role: "assistant", content: first.body.content }, user("And?")];
    const second = await post({ ...prefix, messages: one }, { url: local.url });
    const two = [...one, { role: "assistant", content: second.body.content }, user("So?")];
    expect((await post({ ...prefix, messages: two }, { url: local.url })).status).toBe(200);
    const blocks = Array.isArray(first.body.content) ? first.body.content : [];
    const edited = [
      one[0],
      { role: "assistant", content: [{ ...blocks[0], thinking: "Edited." }, blocks[1]] },
      user("And?"),
    ];
    expect((await post({ ...prefix, messages: edited }, { url: local.url })).body.error?.message).toContain(
      "messages.1.content.0: Invalid `signature`",
    );
    const without = [two[0], { role: "assistant", content: [blocks[1]] }, ...two.slice(2)];
    expect((await post({ ...prefix, messages: without }, { url: local.url })).body.error?.message).toContain(
      "messages.3.content.0: Invalid `signature`",
    );
    await local.stop();
  });
});

describe("the script", () => {
  test("close fails on an unexpected call and on unused replies", async () => {
    const unexpected = await startFakeAnthropic({ script: [] });
    expect((await post(valid, { url: unexpected.url })).status).toBe(400);
    await expect(unexpected.close()).rejects.toThrow("test-key: unexpected call number 1");
    const unused = await startFakeAnthropic({ script: [text("a"), text("b")] });
    await post(valid, { url: unused.url });
    await expect(unused.close()).rejects.toThrow("1 replies of the script were not used");
  });

  test("close fails when the script calls a tool that the request forbids", async () => {
    const local = await startFakeAnthropic({ script: [toolUse("q", {})] });
    await post({ ...valid, tools: [TOOL], tool_choice: { type: "none" } }, { url: local.url });
    await expect(local.close()).rejects.toThrow("forbids");
  });

  test("a refused request uses up no reply", async () => {
    const local = await startFakeAnthropic({ script: [text("a")] });
    await post({ ...valid, temperature: 1 }, { url: local.url });
    expect((await post(valid, { url: local.url })).status).toBe(200);
    expect(local.requests.map((request) => request.fault)).toEqual([
      "temperature: Extra inputs are not permitted",
      null,
    ]);
    await local.close();
  });

  test("output ends where max_tokens ends", async () => {
    const local = await startFakeAnthropic({ script: [text("word ".repeat(50))] });
    const answer = await post({ ...valid, max_tokens: 10 }, { url: local.url });
    expect(answer.body).toMatchObject({ stop_reason: "max_tokens", usage: { output_tokens: 10 } });
    await local.close();
  });

  test("count_tokens has its own record, uses up no reply, and can be wrong or fail", async () => {
    const local = await startFakeAnthropic({ countTokens: (exact) => (exact > 20 ? null : exact + 1) });
    const { max_tokens: _max, ...countable } = valid;
    const path = "/v1/messages/count_tokens";
    expect(await post(countable, { url: local.url, path })).toMatchObject({ status: 200, body: { input_tokens: 8 } });
    expect((await post({ ...countable, system: "word ".repeat(50) }, { url: local.url, path })).status).toBe(529);
    expect((await post(valid, { url: local.url, path })).body.error?.message).toBe(
      "max_tokens: Extra inputs are not permitted",
    );
    expect(local.counts).toHaveLength(3);
    await local.close();
  });

  test("lanes can be made and read over HTTP, each with its own script", async () => {
    const local = await startFakeAnthropic();
    const lane = (key: string) => `${local.url}/__fake/lanes/${key}`;
    const script = [
      [thinking(), toolUse("q", { a: 1 })],
      status(529, { retryAfter: 2 }),
      hang(),
      message([text("x")], { stop_reason: "zebra" }),
    ];
    await fetch(lane("one"), { method: "PUT", body: JSON.stringify({ script }) });
    const headers = { authorization: "Bearer one" };
    expect((await post({ ...valid, tools: [TOOL] }, { url: local.url, headers })).body).toMatchObject({
      stop_reason: "tool_use",
    });
    expect((await post(valid, { url: local.url, headers })).status).toBe(529);
    expect((await post(valid, { url: local.url })).status).toBe(400);
    const state: unknown = await (await fetch(lane("one"))).json();
    expect(state).toMatchObject({ unused: 2, problems: [], requests: [{ fault: null }, { fault: null }] });
    expect((await fetch(lane("two"))).status).toBe(404);
    await local.stop();
  });
});

test("the command line serves a script and exits with 1 when replies are left", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fake-anthropic-"));
  const file = join(folder, "script.json");
  writeFileSync(file, JSON.stringify([text("One."), text("Two.")]));
  const program = fileURLToPath(new URL("fake-anthropic.ts", import.meta.url));
  const child = spawn(process.execPath, [
    "--disable-warning=ExperimentalWarning",
    program,
    "--port",
    "0",
    "--script",
    file,
  ]);
  try {
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()));
      child.once("exit", (code) => reject(new Error(`the fake ended with ${String(code)}`)));
    });
    expect((await post(valid, { url })).body).toMatchObject({ content: [{ text: "One." }] });
    const code = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    expect(await code).toBe(1);
  } finally {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  }
});
