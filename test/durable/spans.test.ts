import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Model, ModelOutcome, ModelRequest } from "../../src/agent/model.ts";
import { defineTool, type ToolContext } from "../../src/agent/tool.ts";
import { type Span, type Tracing, traceModel, traceTool } from "../../src/durable/spans.ts";

type Attributes = { [key: string]: boolean | number | string };

function tracer() {
  const spans: { readonly name: string; readonly attributes: Attributes }[] = [];
  const tracing: Tracing = {
    enterSpan: (name, run) => {
      const attributes: Attributes = {};
      spans.push({ name, attributes });
      const span: Span = { setAttribute: (key, value) => Object.assign(attributes, { [key]: value }) };
      return run(span);
    },
  };
  return { spans, tracing };
}

const QUESTION = "Which customers are in Oslo?";
const REQUEST: ModelRequest = {
  system: "secret schema",
  tools: [],
  messages: [{ role: "user", text: QUESTION }],
  maxTokens: 800,
  toolChoice: "auto",
  timeoutMs: 1_000,
};

function modelThat(outcome: ModelOutcome): Model {
  return {
    info: { id: "claude-sonnet-5-5", contextWindow: 1, maxOutputTokens: 1, tiers: [], priceMultiplierMax: 1 },
    boundInputTokens: () => 7,
    countInputTokens: async () => 5,
    complete: async () => outcome,
  };
}

const reply: ModelOutcome = {
  kind: "reply",
  reply: {
    content: [],
    text: "Kari Nordmann is.",
    hasThinking: false,
    calls: [],
    finish: "end_turn",
    rawFinish: "end_turn",
    usage: { input: 10, cacheWrite5m: 200, cacheWrite1h: 3, cacheRead: 4_000, output: 60 },
    priceMultiplier: 1,
    requestId: null,
  },
};

describe("spans of OpenTelemetry", () => {
  const signal = new AbortController().signal;

  it("are not opened where nobody looks, and the call is made all the same", async () => {
    const { spans, tracing } = tracer();
    const active = (isTraced: boolean): Tracing => ({
      ...tracing,
      getActiveSpan: () => ({ isTraced, setAttribute: () => undefined }),
    });
    const complete = (looked: Tracing) =>
      traceModel(modelThat(reply), "run_1", "anthropic", looked).complete(REQUEST, signal);
    expect(await complete(active(false))).toBe(reply);
    expect(spans).toEqual([]);
    expect(await complete(active(true))).toBe(reply);
    expect(spans.map(({ name }) => name)).toEqual(["chat claude-sonnet-5-5"]);
  });

  it("a model call is `chat MODEL` with the names and tokens of the convention, and no word of the question", async () => {
    const { spans, tracing } = tracer();
    const model = traceModel(modelThat(reply), "run_1", "anthropic", tracing);
    expect(await model.complete(REQUEST, signal)).toBe(reply);
    expect([model.boundInputTokens(REQUEST), await model.countInputTokens(REQUEST, signal)]).toEqual([7, 5]);
    expect(spans).toEqual([
      {
        name: "chat claude-sonnet-5-5",
        attributes: {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": "anthropic",
          "gen_ai.request.model": "claude-sonnet-5-5",
          "gen_ai.request.max_tokens": 800,
          "gen_ai.conversation.id": "run_1",
          "gen_ai.response.finish_reasons": "end_turn",
          "gen_ai.usage.input_tokens": 4_213,
          "gen_ai.usage.cache_read.input_tokens": 4_000,
          "gen_ai.usage.cache_creation.input_tokens": 203,
          "gen_ai.usage.output_tokens": 60,
        },
      },
    ]);
    expect(JSON.stringify(spans)).not.toMatch(/Oslo|Nordmann|schema/);
  });

  it("a call that failed says how, in our own short word", async () => {
    const { spans, tracing } = tracer();
    const failure: ModelOutcome = {
      kind: "retryable",
      code: "overloaded",
      status: 529,
      retryAfterMs: null,
      message: "Anthropic said something.",
      unbilled: true,
      requestId: null,
    };
    await traceModel(modelThat(failure), "run_1", "anthropic", tracing).complete(REQUEST, signal);
    expect(spans[0]?.attributes).toMatchObject({ "error.type": "overloaded" });
    expect(JSON.stringify(spans)).not.toContain("said");
  });

  it("a tool call is `execute_tool NAME`; its input stays out, and its schema is not made", async () => {
    const { spans, tracing } = tracer();
    const status = { value: "success" as "success" | "error" };
    const plain = defineTool({
      name: "execute_read_only_sql",
      description: "Runs it.",
      input: z.strictObject({ sql: z.string() }),
      run: async () => ({
        observation: { status: status.value, summary: "1 row", data: {}, next_actions: [], artifacts: [] },
        rowsRead: 3,
        query: null,
      }),
    });
    let schemas = 0;
    const watched = {
      ...plain,
      get inputSchema() {
        schemas += 1;
        return plain.inputSchema;
      },
    };
    const before = schemas;
    const tool = traceTool(watched, "run_1", tracing);
    const checked = tool.check({ sql: "SELECT 'Oslo'" });
    if (!checked.ok) throw new Error("refused");
    expect(schemas).toBe(before);
    expect(tool.inputSchema).toEqual(plain.inputSchema);
    const context = {} as ToolContext;
    expect((await checked.value.run(context)).rowsRead).toBe(3);
    expect(spans[0]).toEqual({
      name: "execute_tool execute_read_only_sql",
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "execute_read_only_sql",
        "gen_ai.tool.type": "function",
        "gen_ai.conversation.id": "run_1",
      },
    });
    status.value = "error";
    await checked.value.run(context);
    expect(spans[1]?.attributes["error.type"]).toBe("tool_error");
    expect(tool.check({}).ok).toBe(false);
    expect(JSON.stringify(spans)).not.toContain("Oslo");
  });
});
