/** B25: what a run was like, from its events: scores of steps, waste, cycles, dollars by phase. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { costByPhaseSchema, examineRun, postmortemSchema } from "../../src/agent/postmortem.ts";
import { type PublicRunEvent, toPublicRunEvent } from "../../src/agent/run-event.ts";
import { answering, calling, failed, functionModel, querying, replied, saying } from "../fakes/function-model.ts";
import { Crash, createMemoryRun, finalAnswerTool, type MemoryRun, queryTool } from "../fakes/memory-run.ts";

type Reply = ReturnType<typeof querying>;

const tools = [
  queryTool((sql) => (sql.includes("bad") ? new Error("no such column: x") : { columns: ["q"], rows: [[sql]] })),
  finalAnswerTool,
];

async function runOf(...replies: readonly (() => Reply)[]): Promise<MemoryRun> {
  const model = functionModel((request, call) => {
    if (request.toolChoice === "none") return saying("So far.");
    return (replies[call] ?? (() => answering("Done.", ["r1"])))();
  });
  const run = createMemoryRun(model, { tools, limits: { max_steps: 12, max_hops: 30, budget_usd: 5 } });
  await run.finish();
  return run;
}

const eventsOf = (run: MemoryRun): PublicRunEvent[] =>
  run.events().map((event) => toPublicRunEvent(event, (index) => run.messages()[index] ?? null));

const examine = (run: MemoryRun) => examineRun(eventsOf(run), run.state().usage.costNanoUsd / 1e9);

describe("the steps of a run", () => {
  it("are productive when they bring something new", async () => {
    const { postmortem } = examine(
      await runOf(
        () => querying("1"),
        () => querying("2"),
        () => answering("2", ["r2"]),
      ),
    );
    expect(postmortem).toEqual({
      steps: { productive: 3, neutral: 0, wasteful: 0, harmful: 0, spinning: 0 },
      waste: 0,
      cycles: 0,
      cycle_period_max: 0,
      cycle_repetitions_max: 0,
      recoveries: 0,
    });
  });

  it("are wasteful when every call failed, spinning when they repeat what came back before", async () => {
    const run = await runOf(
      () => querying("bad"),
      () => querying("1"),
      () => querying("1"),
      () => answering("1", ["r1"]),
    );
    expect(examine(run).postmortem).toMatchObject({
      steps: { productive: 2, wasteful: 1, spinning: 1 },
      waste: 0.5,
    });
  });

  it("are productive when one of several calls is", async () => {
    const run = await runOf(() =>
      calling(["execute_read_only_sql", { sql: "bad" }], ["execute_read_only_sql", { sql: "1" }]),
    );
    expect(examine(run).postmortem.steps).toMatchObject({ productive: 2, wasteful: 0 });
  });

  it("are harmful when they were paid for and nothing is left", async () => {
    const run = await runOf(
      () => replied({}),
      () => querying("1"),
    );
    expect(examine(run).postmortem).toMatchObject({ steps: { harmful: 1, productive: 2 }, recoveries: 1 });
  });

  it("are neutral when there is only text", async () => {
    const run = await runOf(() => saying("Forty-two."));
    expect(examine(run).postmortem.steps).toMatchObject({ neutral: 1 });
  });
});

describe("cycles", () => {
  it("are counted once each, with their period and repetitions", async () => {
    const run = await runOf(
      () => querying("1"),
      () => querying("1"),
      () => querying("1"),
      () => querying("2"),
      () => querying("3"),
      () => querying("2"),
      () => querying("3"),
      () => answering("3", ["r1"]),
    );
    expect(examine(run).postmortem).toMatchObject({ cycles: 2, cycle_period_max: 2, cycle_repetitions_max: 3 });
  });

  it("are none when equal calls bring other rows", async () => {
    const turns: number[] = [];
    const counter = queryTool(() => ({ columns: ["n"], rows: [[turns.push(1)]] }));
    const model = functionModel((_request, call) => (call < 4 ? querying("now") : answering("4", ["r1"])));
    const run = createMemoryRun(model, { tools: [counter, finalAnswerTool], limits: { budget_usd: 5 } });
    await run.finish();
    expect(examine(run).postmortem).toMatchObject({ cycles: 0, waste: 0 });
  });
});

describe("dollars by phase", () => {
  const sum = (parts: Record<string, number>) => Object.values(parts).reduce((total, part) => total + part, 0);

  it("are the first call, reasoning, recovery, the answer and rows, and add up to the cost", async () => {
    const run = await runOf(
      () => querying("1"),
      () => querying("2"),
      () => querying("bad"),
      () => querying("3"),
      () => answering("3", ["r1"]),
    );
    const { costByPhase } = examine(run);
    expect(costByPhase.schema_usd).toBeGreaterThan(0);
    expect(costByPhase.reasoning_usd).toBeCloseTo(costByPhase.schema_usd * 2, 9);
    expect(costByPhase.recovery_usd).toBeCloseTo(costByPhase.schema_usd, 9);
    expect(costByPhase.answer_usd).toBeCloseTo(costByPhase.schema_usd, 9);
    expect(costByPhase.queries_usd).toBeCloseTo(30e-9, 12);
    expect(sum(costByPhase)).toBeCloseTo(run.state().usage.costNanoUsd / 1e9, 12);
  });

  it("count an attempt that failed at what it cost as recovery", async () => {
    const run = await runOf(
      () => failed("retryable", "overloaded"),
      () => querying("1"),
    );
    const { costByPhase } = examine(run);
    expect(costByPhase.recovery_usd).toBeGreaterThan(costByPhase.schema_usd);
    expect(sum(costByPhase)).toBeCloseTo(run.state().usage.costNanoUsd / 1e9, 12);
  });

  it("property: add up to the cost to the nano-dollar, whatever was said, failed, or lost in a crash", async () => {
    const replies: readonly (() => ReturnType<typeof failed>)[] = [
      () => querying("1"),
      () => querying("bad"),
      () => calling(["execute_read_only_sql", { sql: "2" }], ["nope", {}]),
      () => failed("retryable", "overloaded"),
      () => failed("retryable", "overloaded", { unbilled: true }),
      () => replied({}),
      () => replied({ text: "cut ".repeat(200) }, "max_tokens"),
      () => replied({ text: "Full." }, "context_window"),
      () =>
        replied({ text: "Dear.", usage: { input: 1e9, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, output: 1 } }),
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(replies.length - 1), { maxLength: 10 }),
        fc.array(fc.nat(40), { maxLength: 3 }),
        async (script, crashes) => {
          const crashAt = new Set(crashes);
          const model = functionModel((request, call) => {
            if (request.toolChoice === "none" || request.tools.length === 0) return saying("So far.");
            return (replies[script[call] ?? -1] ?? (() => answering("Done.", ["r1"])))();
          });
          const run = createMemoryRun(model, {
            tools,
            atPoint: (point) => {
              if (crashAt.has(point)) throw new Crash(`at ${point}`);
            },
          });
          await run.finish();
          const parts = Object.values(examine(run).costByPhase).map((part) => Math.round(part * 1e9));
          expect(Math.min(...parts)).toBeGreaterThanOrEqual(0);
          expect(parts.reduce((total, part) => total + part, 0)).toBe(run.state().usage.costNanoUsd);
        },
      ),
      { seed: 20_261_201, numRuns: 300 },
    );
  });

  it("of a run that never asked are nothing, and events of an unknown kind are left out", () => {
    const { postmortem, costByPhase } = examineRun([{ type: "run_started" }, { type: "something_new", step: -1 }], 0);
    expect(sum(costByPhase)).toBe(0);
    expect(postmortem.waste).toBe(0);
    expect(postmortemSchema.safeParse(postmortem).success).toBe(true);
    expect(costByPhaseSchema.safeParse(costByPhase).success).toBe(true);
  });
});
