/** Acceptance rows that cut across files: what holds for the loop as a whole. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { success } from "../../src/agent/observation.ts";
import { runStep } from "../../src/agent/step.ts";
import { defineTool } from "../../src/agent/tool.ts";
import { answering, calling, failed, functionModel, querying, replied, saying } from "../fakes/function-model.ts";
import { Crash, createMemoryRun, finalAnswerTool, queryTool } from "../fakes/memory-run.ts";

const long = "Words of an answer that goes on. ".repeat(30);

describe("the loop as a whole", () => {
  it("A19: with retries, summaries, critic and last call all at work, the stated maximum of model calls holds", async () => {
    const tools = [queryTool((sql) => ({ columns: ["sql"], rows: [[sql]] })), finalAnswerTool];
    const purposes = new Set<string>();
    for (const max of [1, 2, 3, 5, 8, 13, 20, 40]) {
      const model = functionModel((request, call) => {
        if (request.toolChoice === "none" || request.tools.length === 0) return saying("So far.");
        if (call % 4 === 1) return failed("retryable", "overloaded", { unbilled: true });
        if (call % 4 === 3) return replied({ text: long }, "max_tokens");
        return querying("A");
      });
      const limits = { max_model_calls: max, budget_usd: 5, max_hops: 20, max_steps: 20 };
      const run = createMemoryRun(model, { tools, limits });
      await run.finish();
      expect(run.calls.length, `of ${max}`).toBeLessThanOrEqual(max);
      expect(run.state().usage.modelCalls).toBe(run.calls.length);
      for (const event of run.events()) {
        if (event.type === "step_started") purposes.add(event.purpose);
        if (event.type === "model_failed") purposes.add("retry");
      }
    }
    // None of them was absent, so none of them is uncounted.
    expect(purposes).toEqual(new Set(["step", "retry", "summary", "critic", "last"]));
  });

  it("B6: a new tool is one definition handed to the run: nothing else knows its name", async () => {
    const clockTool = defineTool({
      name: "day_of_week",
      description: "For this test.",
      input: z.strictObject({ day: z.int() }),
      run: async ({ day }) => ({ observation: success(`Day ${day % 7}.`), rowsRead: 0, query: null }),
    });
    const replies = [calling(["day_of_week", { day: 8 }]), answering("Day 1.")];
    const run = createMemoryRun(
      functionModel((_request, call) => replies[call] ?? saying("x")),
      { tools: [clockTool, finalAnswerTool] },
    );
    await run.finish();
    expect(JSON.stringify(run.messages())).toContain("Day 1.");
    expect(run.state().ending?.outcome).toBe("answered");
  });

  it("B66: a garbled name is run and said; an invented one gets the list, and the model tries again", async () => {
    const replies = [
      calling(["execute_read_only_sqlexecute_read_only_sql", { sql: "SELECT 1" }], ["make_coffee", {}]),
      querying("SELECT 2"),
      answering("Done."),
    ];
    const tools = [queryTool((sql) => ({ columns: ["sql"], rows: [[sql]] })), finalAnswerTool];
    const run = createMemoryRun(
      functionModel((_request, call) => replies[call] ?? saying("x")),
      { tools },
    );
    await run.finish();
    const told = run.messages().flatMap((message) => (message.role === "tool" ? message.results : []));
    expect(told.map((result) => result.isError)).toEqual([false, true, false, false]);
    expect(told[0]?.content).toContain("Use its exact name");
    expect(told[1]?.content).toContain("Call one of: execute_read_only_sql, final_answer");
    const observed = run.events().flatMap((event) => (event.type === "tool_observed" ? [event.index] : []));
    expect(observed).toEqual([0, 1, 0, 0]);
  });

  it("C17: a run that names no mode reasons and acts in turn, and drives itself", async () => {
    const run = createMemoryRun(
      functionModel((_request, call) => [querying("SELECT 1"), saying("One.")][call] ?? saying("x")),
    );
    await run.finish();
    expect(run.state().mode).toBe("auto");
    expect(run.messages().map((message) => message.role)).toEqual(["user", "assistant", "tool", "assistant"]);
  });

  it("C11: a model that hangs and a tool that hangs both stop when their time is up", async () => {
    const untilAborted = (signal: AbortSignal): Promise<void> =>
      signal.aborted ? Promise.resolve() : new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    const hanging = defineTool({
      name: "execute_read_only_sql",
      description: "Hangs.",
      input: z.strictObject({ sql: z.string() }),
      run: async (_input, { signal }) => {
        await untilAborted(signal);
        return { observation: { ...success("Given up."), status: "error" as const }, rowsRead: 0, query: null };
      },
    });
    const base = functionModel((_request, call) => (call === 0 ? querying("SELECT 1") : saying("x")));
    let calls = 0;
    const model = {
      ...base,
      complete: async (request: Parameters<typeof base.complete>[0], signal: AbortSignal) => {
        calls += 1;
        if (calls === 1) return base.complete(request, signal);
        await untilAborted(signal);
        return failed("aborted", "timeout");
      },
    };
    const run = createMemoryRun(model, { tools: [hanging, finalAnswerTool] });
    const ports = { ...run.ports, signalFor: () => AbortSignal.timeout(5) };
    for (let step = 0; step < 6 && run.state().ending === null; step += 1) {
      const result = await runStep(ports);
      if (result.kind === "wait") run.clock.now = result.until;
    }
    expect(run.state().ending).toMatchObject({ stopReason: "provider_error" });
    expect(run.state().usage).toMatchObject({ errors: 1, modelCalls: 3 });
  });

  it("tries that ate the money end the run as the provider's failure, not as the budget's", async () => {
    const run = createMemoryRun(
      functionModel(() => failed("retryable", "connection")),
      { limits: { budget_usd: 0.3 } },
    );
    await run.finish();
    expect(run.state().ending).toMatchObject({ stopReason: "provider_error", outcome: "failed" });
    expect(run.state().usage.costNanoUsd).toBeLessThanOrEqual(300_000_000);
  });
});

describe("what a hostile or broken peer sends", () => {
  it("G1: token counts above the bound are not believed: the reservation stands, and the run says why it ended", async () => {
    const usage = { input: 1e9, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, output: 1e9 };
    const run = createMemoryRun(functionModel(() => replied({ text: "Cheap.", usage })));
    await run.finish();
    const { ending, usage: spent, limits } = run.state();
    expect(ending).toMatchObject({ stopReason: "provider_error", outcome: "failed", answer: null });
    expect(ending?.message).toContain("check the bill");
    expect(spent.costNanoUsd).toBeGreaterThan(0);
    expect(spent.costNanoUsd).toBeLessThanOrEqual(limits.costNanoUsdMax);
  });

  it("G1: token counts worth exactly what was reserved are believed; one token more is not", async () => {
    for (const over of [0, 1]) {
      const model = functionModel((request) => {
        const cacheWrite1h = model.boundInputTokens(request);
        const usage = { input: 0, cacheWrite5m: 0, cacheWrite1h, cacheRead: 0, output: request.maxTokens + over };
        return replied({ text: "Dear.", usage });
      });
      const run = createMemoryRun(model);
      await run.finish();
      const { ending, usage } = run.state();
      const reserved = run.events().find((event) => event.type === "step_started")?.reservedNanoUsd;
      expect(ending?.stopReason).toBe(over === 0 ? "done" : "provider_error");
      expect(usage.costNanoUsd).toBe(reserved);
    }
  });

  it("F17: arguments nested without end are a reply that cannot be used, not a bug of ours", async () => {
    let nested: unknown = 1;
    for (let depth = 0; depth < 200_000; depth += 1) nested = [nested];
    const model = functionModel((_request, call) =>
      call === 0 ? calling(["execute_read_only_sql", { sql: nested }]) : saying("Fine."),
    );
    const run = createMemoryRun(model);
    await run.finish();
    expect(run.state()).toMatchObject({ ending: { answer: "Fine." }, usage: { hops: 0 } });
  });

  it("E9: a round that is lost twice is not run a third time: the model is told to read less", async () => {
    let ran = 0;
    const tools = [
      queryTool((sql) => {
        if (sql !== "endless") return { columns: ["sql"], rows: [[sql]] };
        ran += 1;
        throw new Crash("the query took the process with it");
      }),
      finalAnswerTool,
    ];
    const model = functionModel((request) =>
      JSON.stringify(request.messages).includes("interrupted every time")
        ? saying("Too much to read.")
        : querying("endless"),
    );
    const run = createMemoryRun(model, { tools });
    await run.finish();
    expect(ran).toBe(2);
    expect(run.calls).toHaveLength(2);
    expect(run.state()).toMatchObject({ ending: { answer: "Too much to read." }, usage: { hops: 1, errors: 1 } });
  });
});
