import { describe, expect, it, vi } from "vitest";
import type { DurableBindings } from "../../src/durable/contract.ts";
import type { Tracing } from "../../src/durable/spans.ts";
import { createWiring } from "../../src/durable/wiring.ts";

/** A D1 binding that answers every batch with `answer`. */
function bindings(variables: object = {}, answer: () => Promise<unknown> = async () => []): DurableBindings {
  const statement = { bind: () => statement, all: answer, raw: answer, first: answer, run: answer };
  const DB = { prepare: () => statement, batch: answer, withSession: () => DB };
  return { DB, ...variables } as unknown as DurableBindings;
}

function modelOf(model: string, variables: object = {}) {
  const made = createWiring(bindings(variables), { model, scopes: {} }).model;
  return made.ok ? made.value.info.id : made.error;
}

describe("models", () => {
  it("are made by their id: offline, Claude, and whatever an operator has priced", () => {
    expect(modelOf("offline")).toBe("offline");
    expect(modelOf("none")).toBe("none");
    expect(modelOf("claude-sonnet-5-5", { ANTHROPIC_API_KEY: "key" })).toBe("claude-sonnet-5-5");
    const priced = {
      OPENAI_BASE_URL: "http://127.0.0.1:9/v1",
      QUERENT_PRICES: '{"local-model":{"input":1,"output":1}}',
    };
    expect(modelOf("local-model", priced)).toBe("local-model");
  });

  it("G1: without a price are refused, never run for nothing", () => {
    expect(modelOf("claude-opus-9.9", { ANTHROPIC_API_KEY: "key" })).toMatch(/No price is known.*claude-sonnet-5-5/);
  });

  it("without a key are refused, and the message names the variable", () => {
    expect(modelOf("claude-sonnet-5-5")).toMatch(/ANTHROPIC_API_KEY/);
    const priced = { QUERENT_PRICES: '{"local-model":{"input":1,"output":1}}' };
    expect(modelOf("local-model", priced)).toMatch(/OPENAI_API_KEY or OPENAI_BASE_URL/);
  });
});

it("a run's hour of prompt caching reaches the vendor that takes marks, and no other", async () => {
  const bodies: string[] = [];
  vi.stubGlobal("fetch", async (_input: unknown, init: RequestInit) => {
    bodies.push(String(init.body));
    return new Response("{}", { status: 500 });
  });
  const request = {
    system: "Answer.",
    tools: [],
    messages: [{ role: "user", text: "How many?" }],
    maxTokens: 10,
    toolChoice: "auto",
    timeoutMs: 1_000,
  } as const;
  const variables = {
    ANTHROPIC_API_KEY: "key",
    OPENAI_BASE_URL: "http://127.0.0.1:9/v1",
    QUERENT_PRICES: '{"local-model":{"input":1,"output":1}}',
  };
  for (const settings of [
    { model: "claude-sonnet-5-5", promptCache: "1h" },
    { model: "claude-sonnet-5-5" },
    { model: "local-model", promptCache: "1h" },
  ] as const) {
    const { model } = createWiring(bindings(variables), { ...settings, scopes: {} });
    if (!model.ok) throw new Error(model.error);
    await model.value.complete(request, new AbortController().signal);
  }
  vi.unstubAllGlobals();
  expect(bodies.map((body) => [body.match(/"ttl":"1h"/g)?.length ?? 0, body.includes("cache_control")])).toEqual([
    [1, true],
    [0, true],
    [0, false],
  ]);
});

it("the tools of this release are there by their names", () => {
  const { tools } = createWiring(bindings(), { model: "offline", scopes: {} });
  expect([...tools.keys()]).toEqual(
    expect.arrayContaining(["list_tables", "describe_tables", "execute_read_only_sql", "read_result", "final_answer"]),
  );
  for (const [name, tool] of tools) expect(tool.name).toBe(name);
});

it("a run's model and tools are traced where the platform traces, under the run's id", async () => {
  const spans: string[] = [];
  const tracing: Tracing = {
    enterSpan: (name, run) => {
      spans.push(name);
      return run({ setAttribute: (key, value) => key === "gen_ai.conversation.id" && spans.push(String(value)) });
    },
  };
  const { model } = createWiring(bindings(), { model: "none", scopes: {}, id: "run_7" }, tracing);
  if (!model.ok) throw new Error(model.error);
  const request = { system: "", tools: [], messages: [], maxTokens: 1, toolChoice: "auto", timeoutMs: 1 } as const;
  await model.value.complete(request, new AbortController().signal);
  expect(spans).toEqual(["chat none", "run_7"]);
});

describe("the schema", () => {
  const schemaOf = (answer: () => Promise<unknown>) =>
    createWiring(bindings({}, answer), { model: "offline", scopes: {} }).readSchema();

  it("D9: that cannot be read is said in words for the person, without the database's own", async () => {
    const read = await schemaOf(() => Promise.reject(new Error("D1_ERROR: D1 DB is overloaded. row 4711")));
    expect(read.ok).toBe(false);
    if (!read.ok) expect(read.error).toMatch(/busy/);
    if (!read.ok) expect(read.error).not.toMatch(/4711|D1_ERROR/);
  });

  it("is not waited for without end", async () => {
    vi.useFakeTimers();
    const read = schemaOf(() => new Promise(() => undefined));
    await vi.advanceTimersByTimeAsync(20_000);
    expect((await read).ok).toBe(false);
    vi.useRealTimers();
  });
});
