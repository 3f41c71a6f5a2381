import { describe, expect, it } from "vitest";
import { advance } from "../../src/agent/advance.ts";
import type { ModelOutcome } from "../../src/agent/model.ts";
import { runStep } from "../../src/agent/step.ts";
import type { Tool, ToolContext } from "../../src/agent/tool.ts";
import { ok } from "../../src/lib/result.ts";
import { answering, calling, failed, functionModel, querying, replied, saying } from "../fakes/function-model.ts";
import { createMemoryRun, finalAnswerTool, queryTool } from "../fakes/memory-run.ts";

const script = (...replies: ModelOutcome[]) =>
  functionModel((_request, call) => {
    const reply = replies[call];
    if (reply === undefined) throw new Error(`unexpected model call ${call}`);
    return reply;
  });

describe("a run", () => {
  it("A1, C15: reasons, acts and observes in turn, and answers with its evidence", async () => {
    const run = createMemoryRun(script(querying("SELECT 1"), answering("It is 1.", ["r1"])));
    await run.finish();
    expect(run.messages().map((message) => message.role)).toEqual(["user", "assistant", "tool", "assistant", "tool"]);
    const { ending, usage } = run.state();
    expect(ending).toMatchObject({
      outcome: "answered",
      stopReason: "done",
      failed: false,
      answer: "It is 1.",
      grounded: true,
    });
    expect(usage).toMatchObject({ steps: 2, hops: 2, modelCalls: 2, errors: 0, rowsRead: 10 });
    expect(usage.costNanoUsd).toBe(2 * (500 * 2_000 + 100 * 10_000) + 10);
    expect(run.events().map((event) => event.type)).toEqual([
      "step_started",
      "model_replied",
      "tool_observed",
      "step_finished",
      "step_started",
      "model_replied",
      "tool_observed",
      "step_finished",
      "run_finished",
    ]);
  });

  it("A4: every event carries the phase it happened in", async () => {
    const run = createMemoryRun(script(querying("SELECT 1"), saying("One.")));
    await run.finish();
    const phases = run.events().map((event) => `${event.type}:${event.phase}`);
    expect(phases.slice(0, 4)).toEqual([
      "step_started:thought",
      "model_replied:action",
      "tool_observed:observation",
      "step_finished:observation",
    ]);
  });

  it("A24: an answer without any query is a normal ending, marked as not grounded", async () => {
    const run = createMemoryRun(script(saying("Forty-two.")));
    await run.finish();
    expect(run.state().ending).toMatchObject({ outcome: "answered", grounded: false, answer: "Forty-two." });
    expect(run.state().queries).toBe(0);
  });

  it("A27: under `require` an answer without a query is sent back once, then ends as ungrounded", async () => {
    const model = script(saying("Forty-two."), saying("Forty-two!"));
    const run = createMemoryRun(model, { run: { grounding: "require" } });
    await run.finish();
    expect(run.state().ending).toMatchObject({
      outcome: "stopped",
      stopReason: "ungrounded",
      failed: true,
      answer: null,
    });
  });

  it("A27: under `require` the second try may query and then answer", async () => {
    const model = script(answering("42"), querying("SELECT 1"), answering("It is 1.", ["r1"]));
    const run = createMemoryRun(model, { run: { grounding: "require" } });
    await run.finish();
    expect(run.state().ending).toMatchObject({ outcome: "answered", grounded: true });
  });

  it("under `require` a figure that no result shows is sent back once, then ends the run", async () => {
    const model = script(querying("SELECT 1"), answering("It is 7.", ["r1"]), saying("It is 8."));
    const run = createMemoryRun(model, { run: { grounding: "require" } });
    await run.finish();
    expect(JSON.stringify(run.calls[2]?.request.messages)).toContain("stand in no result of this run: 7");
    expect(run.state().ending).toMatchObject({ stopReason: "ungrounded", answer: null });
  });

  it("under `report` such a figure is named, and the others point to their cell", async () => {
    const run = createMemoryRun(script(querying("SELECT 1"), saying("It is 1 of 9.")));
    await run.finish();
    expect(run.state().ending).toMatchObject({
      outcome: "answered",
      results: ["r1"],
      citations: [{ figure: "1", result: "r1", row: 1, column: "n" }],
      unsupported: ["9"],
    });
  });

  it("A11: the text of a tool error is the next observation", async () => {
    const tools = [
      queryTool((sql) => (sql === "bad" ? new Error("no such column: x") : { columns: ["n"], rows: [[1]] })),
      finalAnswerTool,
    ];
    const run = createMemoryRun(script(querying("bad"), querying("SELECT 1"), answering("1")), { tools });
    await run.finish();
    expect(JSON.stringify(run.calls[1]?.request.messages)).toContain("no such column: x");
    expect(JSON.stringify(run.calls[1]?.request.messages)).toContain("error 1 of 3 in a row");
    expect(run.state().usage.errors).toBe(1);
  });

  it("A15: unknown tools and wrong arguments are error observations, and the run goes on", async () => {
    const run = createMemoryRun(
      script(
        calling(["no_such_tool", {}], ["execute_read_only_sql", {}], ["execute_read_only_sql", { sql: 1 }]),
        saying("Enough."),
      ),
      { limits: { max_consecutive_errors: 10, max_errors: 10 } },
    );
    await run.finish();
    const answered = run.messages()[2];
    expect(answered?.role === "tool" && answered.results.map((result) => result.isError)).toEqual([true, true, true]);
    expect(JSON.stringify(answered)).toContain("execute_read_only_sql, final_answer");
    expect(run.state().usage).toMatchObject({ hops: 3, errors: 3, steps: 2 });
  });

  it("B9: a doubled tool name runs the tool, and says so; final_answer is never repaired", async () => {
    const run = createMemoryRun(
      script(
        calling(
          ["execute_read_only_sqlexecute_read_only_sql", { sql: "SELECT 1" }],
          ["final_answerfinal_answer", { answer: "x" }],
        ),
        answering("1"),
      ),
    );
    await run.finish();
    const answered = run.messages()[2];
    if (answered?.role !== "tool") throw new Error("results expected");
    expect(answered.results.map((result) => result.isError)).toEqual([false, true]);
    expect(answered.results[0]?.content).toContain("Use its exact name");
  });

  it("A16, L4: a bug in a tool is thrown, never told to the model", async () => {
    const broken = queryTool(() => {
      throw new TypeError("undefined is not a function");
    });
    const run = createMemoryRun(script(querying("SELECT 1")), { tools: [broken, finalAnswerTool] });
    await expect(run.finish()).rejects.toThrow(TypeError);
    expect(run.messages()).toHaveLength(2);
  });

  it("A21: calls beyond the remaining hops are answered, not dropped and not counted", async () => {
    const three = calling(
      ["execute_read_only_sql", { sql: "1" }],
      ["execute_read_only_sql", { sql: "2" }],
      ["execute_read_only_sql", { sql: "3" }],
    );
    const run = createMemoryRun(script(three, saying("Partly.")), { limits: { max_hops: 2 } });
    await run.finish();
    const answered = run.messages()[2];
    if (answered?.role !== "tool") throw new Error("results expected");
    expect(answered.results.map((result) => result.isError)).toEqual([false, false, true]);
    expect(answered.results[2]?.content).toContain("no tool calls are left");
    expect(run.state()).toMatchObject({
      usage: { hops: 2 },
      ending: { stopReason: "max_hops", partialAnswer: "Partly.", failed: true },
    });
  });

  it("C8: an empty tool list means no tools", async () => {
    const run = createMemoryRun(script(querying("SELECT 1"), saying("Nothing.")), { run: { tools: [] } });
    await run.finish();
    const answered = run.messages()[2];
    expect(answered?.role === "tool" && answered.results[0]?.isError).toBe(true);
    expect(run.results()).toHaveLength(0);
  });

  it("accepts final_answer beside a last check, and refuses it beside a failing one", async () => {
    const tools = [
      queryTool((sql) => (sql === "bad" ? new Error("no such table: x") : { columns: ["n"], rows: [[7]] })),
      finalAnswerTool,
    ];
    const beside = (sql: string) => calling(["final_answer", { answer: "7" }], ["execute_read_only_sql", { sql }]);
    const run = createMemoryRun(script(beside("bad"), beside("SELECT 7")), { tools });
    await run.finish();
    expect(run.state()).toMatchObject({
      ending: { outcome: "answered", grounded: true },
      usage: { steps: 2, hops: 4 },
    });
  });

  it("stores equal results once and hands back the same reference", async () => {
    const run = createMemoryRun(script(querying("SELECT 1"), querying("SELECT 1 "), answering("1")));
    await run.finish();
    expect(run.results().map((result) => result.ref)).toEqual(["r1"]);
    expect(run.state().results).toBe(1);
  });

  it("gives references in the order of the calls, whichever query ends first", async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const plain = queryTool((sql) => ({ columns: ["sql"], rows: [[sql]] }));
    const tool: Tool = {
      ...plain,
      check: (input) => {
        const checked = plain.check(input);
        if (!checked.ok) return checked;
        const isFirst = JSON.stringify(input).includes('"a"');
        const run = async (context: ToolContext) => {
          if (isFirst) await held;
          else queueMicrotask(release);
          return checked.value.run(context);
        };
        return ok({ ...checked.value, run });
      },
    };
    const pair = calling(["execute_read_only_sql", { sql: "a" }], ["execute_read_only_sql", { sql: "b" }]);
    const run = createMemoryRun(script(pair, answering("ab")), { tools: [tool, finalAnswerTool] });
    await run.finish();
    expect(run.results().map(({ ref, sql }) => `${ref}=${sql}`)).toEqual(["r1=a", "r2=b"]);
  });
});

describe("recovery", () => {
  it("C26: a transient failure is tried again as a wait, and charged only for what was billed", async () => {
    const run = createMemoryRun(script(failed("retryable", "overloaded", { unbilled: true }), saying("Done.")));
    expect(await run.step()).toMatchObject({ kind: "wait", until: run.clock.now + 750 });
    expect(run.state()).toMatchObject({
      waiting: { kind: "retry", code: "overloaded" },
      usage: { steps: 1, modelCalls: 1, costNanoUsd: 0 },
    });
    await run.finish();
    expect(run.state()).toMatchObject({ usage: { steps: 1, modelCalls: 2 }, ending: { outcome: "answered" } });
  });

  it("C27: four tries, then the run ends as provider_error", async () => {
    const run = createMemoryRun(functionModel(() => failed("retryable", "rate_limited", { unbilled: true })));
    await run.finish();
    expect(run.state()).toMatchObject({
      usage: { modelCalls: 4, steps: 1 },
      ending: { stopReason: "provider_error", outcome: "failed" },
    });
  });

  it("honours retry-after when it fits the clock, and stops honestly when it does not", async () => {
    const soon = createMemoryRun(
      script(failed("retryable", "rate_limited", { retryAfterMs: 20_000, unbilled: true }), saying("ok")),
    );
    expect(await soon.step()).toMatchObject({ kind: "wait", until: soon.clock.now + 20_000 });
    const late = createMemoryRun(
      script(failed("retryable", "rate_limited", { retryAfterMs: 3_600_000, unbilled: true })),
    );
    expect(await late.step()).toMatchObject({ kind: "finished" });
    expect(late.state().ending?.stopReason).toBe("provider_error");
  });

  it("a fatal failure is never tried again", async () => {
    const run = createMemoryRun(script(failed("fatal", "authentication", { unbilled: true })));
    await run.finish();
    expect(run.state()).toMatchObject({ usage: { modelCalls: 1 }, ending: { stopReason: "provider_error" } });
  });

  it("C14, B31: a cut-off text is never an answer; the next request has twice the room", async () => {
    const run = createMemoryRun(script(replied({ text: "The ans" }, "max_tokens"), saying("The answer is 4.")));
    await run.finish();
    expect(run.state().ending?.answer).toBe("The answer is 4.");
    expect(run.calls.map((call) => call.request.maxTokens)).toEqual([8_192, 16_384]);
  });

  it.each([
    ["max_tokens", "truncated"],
    ["other", "truncated"],
    ["context_window", "context_window"],
  ] as const)("F15: replies that keep ending with %s end the run as %s", async (finish, reason) => {
    const run = createMemoryRun(functionModel(() => replied({ text: "The ans" }, finish)));
    await run.finish();
    expect(run.state().ending).toMatchObject({ stopReason: reason, answer: null, partialAnswer: "The ans" });
  });

  it("F3: a tool call that was cut off is not executed", async () => {
    const cut = replied({ calls: [{ id: "cut", name: "execute_read_only_sql", input: {} }] }, "max_tokens");
    const run = createMemoryRun(script(cut, saying("None.")));
    await run.finish();
    expect(run.state().usage.hops).toBe(0);
    expect(run.messages().some((message) => message.role === "tool")).toBe(false);
  });

  it("F7, F9: empty replies are asked about again, then end as malformed_reply", async () => {
    const run = createMemoryRun(functionModel((_request, call) => replied({}, call === 0 ? "tool_use" : "end_turn")));
    await run.finish();
    expect(run.state()).toMatchObject({
      ending: { stopReason: "malformed_reply", outcome: "failed" },
      usage: { modelCalls: 3 },
    });
    // No empty message of the model's stands in the history, which no vendor would take back.
    expect(run.messages().map((message) => message.role)).toEqual(["user", "user", "user"]);
  });

  it("F17: two calls with one id are not run, and not kept", async () => {
    const call = { id: "same", name: "execute_read_only_sql", input: { sql: "SELECT 1" } };
    const run = createMemoryRun(script(replied({ calls: [call, call] }), saying("Fine.")));
    await run.finish();
    expect(run.state()).toMatchObject({ usage: { hops: 0 }, ending: { answer: "Fine." } });
  });

  it("F5: a refusal ends the run in words", async () => {
    const run = createMemoryRun(script(replied({ content: [] }, "refusal")));
    await run.finish();
    expect(run.state().ending).toMatchObject({ stopReason: "refusal", outcome: "stopped", answer: null });
    expect(run.state().ending?.message).toContain("declined");
  });
});

describe("ceilings", () => {
  const always = (sql: string) =>
    functionModel((request, call) =>
      request.toolChoice === "none" ? saying("So far: 1.") : querying(`${sql} ${call}`),
    );

  it("A6, A31: the eighth hop stops the run, and the last call still gives a partial answer", async () => {
    const run = createMemoryRun(always("SELECT"));
    await run.finish();
    expect(run.state()).toMatchObject({
      usage: { hops: 8, steps: 8, modelCalls: 9 },
      ending: { stopReason: "max_hops", failed: true, answer: null, partialAnswer: "So far: 1." },
    });
    expect(run.state().ending?.message).toContain("8 of 8 tool calls");
  });

  it("C16: a model that always calls a tool ends at max_steps", async () => {
    const run = createMemoryRun(always("SELECT"), { limits: { max_steps: 3 } });
    await run.finish();
    expect(run.state()).toMatchObject({ usage: { steps: 3 }, ending: { stopReason: "max_steps" } });
  });

  it("A8: the third consecutive error ends the run; A7: a success in between resets the count", async () => {
    const tools = [
      queryTool((sql) => (sql.startsWith("ok") ? { columns: ["n"], rows: [[1]] } : new Error("no such table"))),
      finalAnswerTool,
    ];
    const outcome = (words: string) =>
      functionModel((request, call) =>
        request.toolChoice === "none" ? saying("Partly.") : querying(`${words.split(" ")[call]} ${call}`),
      );
    const three = createMemoryRun(outcome("bad bad bad bad"), { tools });
    await three.finish();
    expect(three.state()).toMatchObject({ usage: { errors: 3, hops: 3 }, ending: { stopReason: "retry_ceiling" } });
    const mixed = createMemoryRun(outcome("bad bad ok bad"), { tools });
    for (let step = 0; step < 4; step += 1) await mixed.step();
    expect(mixed.state()).toMatchObject({ consecutiveErrors: 1, usage: { errors: 3 } });
  });

  it("A22: errors that alternate with successes stop before the hops run out, with their own reason", async () => {
    const tools = [
      queryTool((sql) => (sql.startsWith("ok") ? { columns: ["n"], rows: [[sql]] } : new Error("no such table"))),
      finalAnswerTool,
    ];
    const model = functionModel((request, call) =>
      request.toolChoice === "none" ? saying("Partly.") : querying(call % 2 === 0 ? `bad ${call}` : `ok ${call}`),
    );
    const run = createMemoryRun(model, { tools });
    await run.finish();
    expect(run.state()).toMatchObject({ usage: { hops: 7, errors: 4 }, ending: { stopReason: "error_budget" } });
  });

  it("G3: a call whose worst case does not fit is not made", async () => {
    const run = createMemoryRun(always("SELECT"), { limits: { budget_usd: 0.01 } });
    await run.finish();
    expect(run.calls).toHaveLength(0);
    expect(run.state()).toMatchObject({
      usage: { costNanoUsd: 0, modelCalls: 0 },
      ending: { stopReason: "budget", failed: true },
    });
  });

  it("shrinks the output to what the money allows before it stops", async () => {
    const run = createMemoryRun(always("SELECT"), { limits: { budget_usd: 0.12 } });
    await run.finish();
    expect(run.calls[0]?.request.maxTokens).toBeLessThan(8_192);
    expect(run.calls[0]?.request.maxTokens).toBeGreaterThanOrEqual(1_024);
    expect(run.state().usage.costNanoUsd).toBeLessThanOrEqual(120_000_000);
  });

  it("without money for a last call the partial answer is what the rows say", async () => {
    const model = functionModel((request) =>
      request.toolChoice === "none" ? failed("fatal", "overloaded") : querying("SELECT 1"),
    );
    const run = createMemoryRun(model, { limits: { max_steps: 1 } });
    await run.finish();
    expect(run.state().ending).toMatchObject({
      stopReason: "max_steps",
      partialAnswer: "Result r1 (1 row) of: SELECT 1\n- n: 1",
    });
  });

  it("C10: the deadline ends a run, with time kept back for the last call", async () => {
    const run = createMemoryRun(always("SELECT"), { limits: { wall_clock_s: 10 }, effectMs: 2_400 });
    await run.finish();
    expect(run.state()).toMatchObject({ ending: { stopReason: "timeout", partialAnswer: "So far: 1." } });
    expect(run.state().usage.activeMs).toBeLessThanOrEqual(12_400);
  });

  it("a manual run that nobody touches is over at its deadline", async () => {
    const run = createMemoryRun(always("SELECT"), { run: { mode: "manual" }, limits: { wall_clock_s: 30 } });
    run.clock.now += 30_000;
    await run.step();
    expect(run.state().ending?.stopReason).toBe("timeout");
  });

  it("an outage is not active time: a run found an hour later goes on", async () => {
    const run = createMemoryRun(script(querying("SELECT 1"), answering("1")));
    await run.step();
    run.clock.now += 3_600_000;
    await run.finish();
    expect(run.state()).toMatchObject({ ending: { outcome: "answered" } });
    expect(run.state().usage.activeMs).toBeLessThan(10_000);
  });

  it("whatever happens, a run is over after its lifetime", async () => {
    const run = createMemoryRun(always("SELECT"));
    await run.step();
    run.clock.now += 25 * 3_600_000;
    await run.step();
    expect(run.state().ending).toMatchObject({ stopReason: "expired" });
    expect(run.state().ending?.partialAnswer).toContain("n: 1");
  });
});

describe("cancel", () => {
  it("J5: wins against a reply that comes later; the bill is recorded, the rows are kept", async () => {
    let cancel = (): void => undefined;
    const model = functionModel((_request, call) => {
      if (call === 0) return querying("SELECT 1");
      cancel();
      return saying("Too late.");
    });
    const run = createMemoryRun(model);
    await run.step();
    cancel = () => run.save(advance(run.state(), { kind: "cancelled", partial: "one row" }, run.clock.now));
    expect(await runStep(run.ports)).toEqual({ kind: "superseded" });
    const { ending, usage, attempt } = run.state();
    expect(ending).toMatchObject({
      outcome: "cancelled",
      stopReason: "cancelled",
      answer: null,
      partialAnswer: "one row",
    });
    expect(attempt).toBeNull();
    expect(usage.costNanoUsd).toBe(2 * 2_000_000 + 10);
    expect(run.results()).toHaveLength(1);
  });
});
