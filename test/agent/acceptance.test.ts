/** Rows of the acceptance list that no one file can show: whole runs through the step driver, one row a test. */
import { describe, expect, it } from "vitest";
import { toPublicRun } from "../../src/agent/view.ts";
import { createNotesTool } from "../../src/tools/notes.ts";
import { createPlanTool } from "../../src/tools/plan.ts";
import { answering, calling, failed, functionModel, querying, replied, saying } from "../fakes/function-model.ts";
import { Crash, createMemoryRun, finalAnswerTool, type MemoryRun, queryTool } from "../fakes/memory-run.ts";

const rows = queryTool((sql) =>
  sql.includes("bad") ? new Error(`no such column in ${sql}`) : { columns: ["sql"], rows: [[sql]] },
);
const tools = [rows, finalAnswerTool];
const isTold = (request: { readonly toolChoice: string }): boolean => request.toolChoice === "none";

/** A model that never comes to an end by itself: every query is another one. */
const restless = () =>
  functionModel((request, call) => (isTold(request) ? saying("So far.") : querying(`SELECT ${call}`)));

async function finished(run: MemoryRun) {
  await run.finish();
  const { ending } = run.state();
  if (ending === null) throw new Error("the run is over");
  return ending;
}

describe("budgets and endings", () => {
  it("A12: the third error in a row is a condition of its own, a value and not a thrown text", async () => {
    const model = functionModel((request, call) => (isTold(request) ? saying("Partly.") : querying(`bad ${call}`)));
    const run = createMemoryRun(model, { tools });
    const steps = [await run.step(), await run.step(), await run.step()];
    expect(steps.map((step) => step.kind)).toEqual(["ready", "ready", "finished"]);
    expect(run.events().flatMap((event) => (event.type === "ceiling_reached" ? [event.reason] : []))).toEqual([
      "retry_ceiling",
    ]);
    expect(run.state()).toMatchObject({ concluding: "retry_ceiling", ending: { stopReason: "retry_ceiling" } });
  });

  it("A23: the hops, the errors and a reply that cannot be used each end a run for a reason of their own", async () => {
    const endings = [
      await finished(createMemoryRun(restless(), { tools })),
      await finished(
        createMemoryRun(
          functionModel((request, call) => (isTold(request) ? saying("x") : querying(`bad ${call}`))),
          { tools },
        ),
      ),
      await finished(
        createMemoryRun(
          functionModel(() => replied({})),
          { tools },
        ),
      ),
    ];
    expect(endings.map((ending) => ending.stopReason)).toEqual(["max_hops", "retry_ceiling", "malformed_reply"]);
    expect(endings.every((ending) => ending.failed && ending.answer === null)).toBe(true);
  });

  it("C4: steps, a step's time, the wall clock and dollars each bound a run on their own", async () => {
    const wide = { max_hops: 100, max_steps: 100, max_model_calls: 200, budget_usd: 10, wall_clock_s: 3_600 };
    const ended = async (limits: object, effectMs = 10) =>
      (await finished(createMemoryRun(restless(), { tools, limits: { ...wide, ...limits }, effectMs }))).stopReason;
    expect(await ended({ max_steps: 5 })).toBe("max_steps");
    expect(await ended({ wall_clock_s: 20 }, 1_000)).toBe("timeout");
    expect(await ended({ budget_usd: 0.3 })).toBe("budget");
    const silent = createMemoryRun(
      functionModel(() => failed("retryable", "timeout")),
      { tools, limits: { ...wide, step_timeout_s: 5 } },
    );
    const ending = await finished(silent);
    expect(silent.calls.map(({ request }) => request.timeoutMs)).toEqual([5_000, 5_000]);
    expect(ending.stopReason).toBe("provider_error");
  });

  it("C27: four tries of one call are four calls of one step, and the waits between them are the run's own time", async () => {
    const run = createMemoryRun(
      functionModel(() => failed("retryable", "overloaded", { status: 529, unbilled: true })),
      { tools },
    );
    expect(await finished(run)).toMatchObject({ stopReason: "provider_error", outcome: "failed" });
    const { usage } = run.state();
    expect(usage).toMatchObject({ modelCalls: 4, steps: 1, costNanoUsd: 0 });
    expect(usage.activeMs).toBeGreaterThanOrEqual(500 + 1_000 + 2_000);
  });

  it("G9: at the cap the run says what was found, and shows the way on", async () => {
    const run = createMemoryRun(restless(), { tools, limits: { budget_usd: 0.3, max_hops: 100, max_steps: 100 } });
    const ending = await finished(run);
    expect(ending).toMatchObject({ stopReason: "budget", outcome: "stopped", answer: null });
    expect(ending.partialAnswer).not.toBeNull();
    const shown = toPublicRun(run.state(), { queries: [] }, run.clock.now);
    expect(shown.links.continue).toBe("/v1/runs/run_test/continue");
    expect(shown.warnings).toContain("The partial answer was written when the run had to stop: check it.");
    expect(shown.usage.cost_usd).toBeLessThanOrEqual(0.3);
  });

  it("G13: with one step there is one step, and then the words of the last call", async () => {
    const run = createMemoryRun(restless(), { tools, limits: { max_steps: 1 } });
    expect(await finished(run)).toMatchObject({ stopReason: "max_steps", partialAnswer: "So far." });
    expect(run.state().usage).toMatchObject({ steps: 1, hops: 1, modelCalls: 2 });
  });
});

describe("every ceiling", () => {
  const stuck = functionModel((request) => {
    if (request.system.includes("advise")) return saying("Ask another table.");
    return isTold(request) ? saying("So far.") : querying("SELECT 1");
  });
  const failing = functionModel((request, call) => (isTold(request) ? saying("So far.") : querying(`bad ${call}`)));
  const alternating = functionModel((request, call) =>
    isTold(request) ? saying("So far.") : querying(`${call % 2 === 0 ? "bad" : "SELECT"} ${call}`),
  );
  it.each([
    ["max_steps", restless(), { max_steps: 3 }],
    ["max_hops", restless(), { max_hops: 3 }],
    ["retry_ceiling", failing, {}],
    ["error_budget", alternating, { max_errors: 3 }],
    ["cycle", stuck, { max_hops: 30, max_steps: 30 }],
    ["budget", restless(), { max_rows_read: 50 }],
    ["budget", restless(), { max_model_calls: 4 }],
    ["budget", restless(), { budget_usd: 0.3, max_hops: 100, max_steps: 100 }],
    ["timeout", restless(), { wall_clock_s: 10, max_hops: 100, max_steps: 100, max_model_calls: 100 }],
  ] as const)("A31: %s leaves the last answer inside the limits, marked as partial", async (reason, model, limits) => {
    const run = createMemoryRun(model, { tools, limits, effectMs: reason === "timeout" ? 200 : 10 });
    const ending = await finished(run);
    expect(ending).toMatchObject({ stopReason: reason, outcome: "stopped", failed: true, answer: null });
    expect(ending.partialAnswer).toBe("So far.");
    const { usage, limits: most } = run.state();
    expect(usage.costNanoUsd).toBeLessThanOrEqual(most.costNanoUsdMax);
    expect(usage.modelCalls).toBeLessThanOrEqual(most.modelCallsMax);
    expect(usage.activeMs).toBeLessThanOrEqual(most.wallClockMs);
  });
});

describe("cut-off replies", () => {
  it("B12: nothing of a reply that was cut off is lost: the run goes on from its gist to the right answer", async () => {
    const long = `The table to read is album_2. ${"More words follow here. ".repeat(40)}`;
    const model = functionModel((request, call) => {
      if (request.system.startsWith("You summarise")) return saying("Read album_2 next.");
      if (call === 0) return replied({ text: long }, "max_tokens");
      const knows = JSON.stringify(request.messages).includes("Read album_2 next.");
      const last = request.messages.at(-1);
      if (last?.role === "tool") return answering("347", ["r1"]);
      return querying(knows ? "SELECT count(*) FROM album_2" : "bad guess");
    });
    const run = createMemoryRun(model, { tools });
    expect(await finished(run)).toMatchObject({ outcome: "answered", answer: "347", grounded: true });
    expect(run.state().usage.errors).toBe(0);
  });

  it("B16, B52, B53: the first request asks for 8,192 tokens; thinking that uses them up doubles it, to the maximum", async () => {
    const run = createMemoryRun(
      functionModel((_request, call) => (call < 4 ? replied({ hasThinking: true }, "max_tokens") : saying("Done."))),
      { tools, limits: { budget_usd: 10 } },
    );
    expect(await finished(run)).toMatchObject({ answer: "Done." });
    expect(run.calls.map(({ request }) => request.maxTokens)).toEqual([8_192, 16_384, 32_768, 64_000, 64_000]);
  });

  it("the doubling stays within the dollars: what no longer fits is asked for less, and the end is an honest one", async () => {
    const run = createMemoryRun(
      functionModel((request) =>
        isTold(request) ? saying("Nothing yet.") : replied({ hasThinking: true }, "max_tokens"),
      ),
      { tools, limits: { budget_usd: 0.4 } },
    );
    const ending = await finished(run);
    const asked = run.calls.map(({ request }) => request.maxTokens);
    expect(asked.slice(0, 2)).toEqual([8_192, 16_384]);
    expect(Math.max(...asked)).toBeLessThan(64_000);
    expect(["budget", "truncated"]).toContain(ending.stopReason);
    expect(ending.answer).toBeNull();
    expect(run.state().usage.costNanoUsd).toBeLessThanOrEqual(400_000_000);
  });
});

describe("going round in circles", () => {
  it("B36, B40: the fresh perspective comes after the warnings and not before, is charged, and there is one", async () => {
    const stubborn = functionModel((request) => {
      if (request.system.includes("advise")) return saying("Ask another table.");
      return isTold(request) ? saying("So far.") : querying("SELECT 1");
    });
    const run = createMemoryRun(stubborn, { tools, limits: { max_hops: 30, max_steps: 30 } });
    expect(await finished(run)).toMatchObject({ stopReason: "cycle" });
    const told = run.events().flatMap((event) => {
      if (event.type === "recovery") return [event.what];
      return event.type === "step_started" && event.purpose === "critic" ? ["asked"] : [];
    });
    const asked = told.indexOf("asked");
    expect(told.slice(0, asked)).toEqual(["cycle", "cycle", "cycle"]);
    expect(told.filter((what) => what === "asked")).toHaveLength(1);
    const replies = run.events().flatMap((event) => (event.type === "model_replied" ? [event.costNanoUsd] : []));
    expect(replies.every((cost) => cost > 0)).toBe(true);
    const rowsNano = run.state().usage.rowsRead;
    expect(run.state().usage.costNanoUsd).toBe(replies.reduce((sum, cost) => sum + cost, rowsNano));
  });
});

describe("replies that say nothing", () => {
  it("F9: an empty end after the results is asked about once, and the answer comes", async () => {
    const replies = [querying("SELECT 1"), replied({}), saying("It is 1.")];
    const run = createMemoryRun(
      functionModel((_request, call) => replies[call] ?? saying("x")),
      { tools },
    );
    expect(await finished(run)).toMatchObject({ outcome: "answered", answer: "It is 1.", grounded: true });
    expect(run.calls).toHaveLength(3);
    expect(run.messages().map((message) => message.role)).toEqual(["user", "assistant", "tool", "user", "assistant"]);
  });
});

describe("the tool boundary", () => {
  it("F17: twenty calls at once are one step; all are answered in one turn, those beyond the hops too", async () => {
    const twenty = calling(
      ...Array.from({ length: 20 }, (_, n) => ["execute_read_only_sql", { sql: `S ${n}` }] as const),
    );
    const run = createMemoryRun(
      functionModel((request, call) => (call === 0 ? twenty : saying(isTold(request) ? "So far." : "Done."))),
      { tools, limits: { max_hops: 8 } },
    );
    await run.step();
    const turn = run.messages()[2];
    if (turn?.role !== "tool") throw new Error("the calls are answered in the next message");
    expect(turn.results).toHaveLength(20);
    expect(turn.results.map((result) => result.isError)).toEqual([...Array(8).fill(false), ...Array(12).fill(true)]);
    expect(run.state().usage).toMatchObject({ steps: 1, hops: 8, errors: 0 });
  });

  it("F1: killed in the middle of two calls, both have their result in one turn after the resume", async () => {
    let ran = 0;
    const fatal = queryTool((sql) => {
      ran += 1;
      if (ran === 2) throw new Crash("the process died while the second call ran");
      return { columns: ["sql"], rows: [[sql]] };
    });
    const model = functionModel((request) => {
      const last = request.messages.at(-1);
      if (last?.role === "tool") return answering("Done.", ["r1", "r2"]);
      return calling(["execute_read_only_sql", { sql: "A" }], ["execute_read_only_sql", { sql: "B" }]);
    });
    const run = createMemoryRun(model, { tools: [fatal, finalAnswerTool] });
    await expect(run.step()).rejects.toThrow(Crash);
    expect(run.messages().map((message) => message.role)).toEqual(["user", "assistant"]);
    await run.finish();
    expect(run.messages().map((message) => message.role)).toEqual(["user", "assistant", "tool", "assistant", "tool"]);
    const [, asked, answered] = run.messages();
    if (asked?.role !== "assistant" || answered?.role !== "tool") throw new Error("calls, then results");
    expect(answered.results.map((result) => result.callId)).toEqual(asked.calls.map((call) => call.id));
    expect(run.calls).toHaveLength(2);
    expect(run.state()).toMatchObject({ ending: { answer: "Done." }, usage: { hops: 3 } });
  });

  it("B59: a plan is asked to be thought through, and never to hold pseudocode", async () => {
    const brainstorm = { difficulty: "Two joins.", approaches: ["join", "subquery"], pitfalls: "NULLs." };
    const replies = [
      calling(["notes", { brainstorm }]),
      calling(["plan", { items: ["look", "answer"] }]),
      answering("Done."),
    ];
    const run = createMemoryRun(
      functionModel((_request, call) => replies[call] ?? saying("x")),
      { tools: [...tools, createNotesTool(), createPlanTool()] },
    );
    await run.finish();
    expect(run.state()).toMatchObject({ memo: { plan: ["look", "answer"] }, usage: { errors: 0 } });
  });
});
