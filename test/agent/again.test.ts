/**
 * A stored plan run again by the real step driver, with no model: what it says when the rows are the same, when they are
 * not and when a query fails; within its limits; over a crash at every point and at every pair of points.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LimitsRequest } from "../../src/agent/limits.ts";
import type { ModelOutcome } from "../../src/agent/model.ts";
import { replayRun } from "../../src/agent/replay.ts";
import type { RunEvent } from "../../src/agent/run-event.ts";
import { toPublicRunEvent } from "../../src/agent/run-event.ts";
import { planOf, type StoredPlan } from "../../src/agent/stored-plan.ts";
import { createAnthropicModel } from "../../src/models/anthropic.ts";
import { createNoModel } from "../../src/models/no-model.ts";
import { lookUpModel } from "../../src/models/prices.ts";
import { createFinalAnswerTool } from "../../src/tools/final-answer.ts";
import { toolUse } from "../fakes/anthropic-script.ts";
import { type FakeAnthropic, startFakeAnthropic } from "../fakes/fake-anthropic.ts";
import { answering, calling, functionModel, querying } from "../fakes/function-model.ts";
import { Crash, createMemoryRun, type MemoryOptions, type MemoryRun, queryTool } from "../fakes/memory-run.ts";

type Rows = Parameters<typeof queryTool>[0];

const same: Rows = (sql) => ({ columns: ["sql", "n"], rows: [[sql, sql.length]] });
const toolsWith = (answer: Rows) => [queryTool(answer), createFinalAnswerTool()];

/** The plan of a run whose model makes `replies`, then answers with the figure of r1. */
async function planFrom(replies: readonly (() => ModelOutcome)[], rows: Rows = same): Promise<StoredPlan> {
  const model = functionModel((_request, call) => (replies[call] ?? (() => answering("It is 8.", ["r1"])))());
  const run = createMemoryRun(model, { tools: toolsWith(rows) });
  await run.finish();
  const plan = planOf(run);
  if (!plan.ok) throw new Error(plan.error);
  return plan.value;
}

const THREE = [
  () => querying("SELECT 1"),
  () => calling(["execute_read_only_sql", { sql: "SELECT 22" }], ["execute_read_only_sql", { sql: "SELECT 333" }]),
];

function again(plan: StoredPlan, rows: Rows = same, options: MemoryOptions = {}): MemoryRun {
  return createMemoryRun(createNoModel(), { tools: toolsWith(rows), plan, ...options });
}

const typesOf = (run: MemoryRun): RunEvent["type"][] => run.events().map((event) => event.type);

describe("the same rows", () => {
  it("C18: give the earlier answer with its citations, marked, at no model call and for the rows read alone", async () => {
    const plan = await planFrom(THREE);
    const run = again(plan);
    await run.finish();
    const { ending, usage, again: told } = run.state();
    const since = "Unchanged since 1970-01-01: the same queries give the same rows.";
    expect(ending).toMatchObject({
      outcome: "answered",
      stopReason: "done",
      answer: `${since}\n\nIt is 8.`,
      message: `${since} No model was asked.`,
      grounded: true,
      results: ["r1"],
      citations: [{ figure: "8", result: "r1", row: 1, column: "n" }],
      unsupported: [],
    });
    expect(usage).toMatchObject({ steps: 2, hops: 3, modelCalls: 0, rowsRead: 30, costNanoUsd: 30, errors: 0 });
    expect(told).toEqual({ runId: "run_test", answeredAt: plan.answeredAt, changed: [] });
    expect(run.calls).toEqual([]);
    expect(typesOf(run)).toEqual([
      "plan_followed",
      "tool_observed",
      "step_finished",
      "plan_followed",
      "tool_observed",
      "tool_observed",
      "step_finished",
      "run_finished",
    ]);
    const followed = run.events().findLast((event) => event.type === "plan_followed");
    if (followed === undefined) throw new Error("the plan is followed");
    expect(toPublicRunEvent(followed, run.messageAt)).toMatchObject({
      type: "plan_followed",
      calls: [{ input: { sql: "SELECT 22" } }, { input: { sql: "SELECT 333" } }],
    });
  });

  it("C19: two equal steps both run, however often, and no cycle is seen in them", async () => {
    const plan = await planFrom([() => querying("SELECT 1"), () => querying("SELECT 1")]);
    const step = plan.steps[0];
    if (step === undefined) throw new Error("a plan has steps");
    const steps = Array.from({ length: 7 }, (_, index) => ({ ...step, key: `${index + 1}.x`, round: index }));
    const run = again({ ...plan, steps });
    await run.finish();
    expect(run.state()).toMatchObject({ queries: 7, queriesAnswered: 7, results: 1, recent: [], rung: 0 });
    expect(run.state().ending?.answer).toContain("Unchanged");
    expect(typesOf(run)).not.toContain("recovery");
  });

  it("say how far they were compared when only the first are kept", async () => {
    const plan = await planFrom([() => querying("SELECT 1")]);
    const cut = queryTool(same);
    const run = again(plan, same, {
      tools: [
        {
          ...cut,
          check: (input) => {
            const checked = cut.check(input);
            if (!checked.ok) return checked;
            const put = (context: Parameters<typeof checked.value.run>[0]) => ({
              ...context,
              results: {
                ...context.results,
                put: (result: Parameters<typeof context.results.put>[0]) =>
                  context.results.put({ ...result, truncated: true, totalRows: null }),
              },
            });
            return { ok: true, value: { ...checked.value, run: (context) => checked.value.run(put(context)) } };
          },
        },
      ],
    });
    await run.finish();
    expect(run.state().ending?.answer).toContain("the same rows (compared as far as they are kept: 1 of r1).");
  });
});

describe("other rows", () => {
  const other: Rows = (sql) =>
    sql === "SELECT 333"
      ? {
          columns: ["sql", "n"],
          rows: [
            [sql, 9.5],
            ["more", 12],
          ],
        }
      : same(sql);

  it("C18: are shown as they are, with what changed; the earlier sentence is not said again", async () => {
    const run = again(await planFrom(THREE), other);
    await run.finish();
    const { ending, usage, again: told } = run.state();
    expect(told?.changed).toEqual(["r3"]);
    expect(ending).toMatchObject({ outcome: "answered", grounded: true, results: ["r1", "r3"], unsupported: [] });
    expect(ending?.answer).toBe(
      [
        "The rows have changed since 1970-01-01, so the answer of that day is not repeated.",
        "Changed: r3 (2 rows, then 1). Unchanged: r1, r2. These are the rows now:",
        "",
        "Result r1 (1 row) of: SELECT 1",
        "- sql: SELECT 1, n: 8",
        "",
        "Result r3 (2 rows) of: SELECT 333",
        "- sql: SELECT 333, n: 9.5",
        "- sql: more, n: 12",
        "",
        "No model has read them. Ask the question anew for an answer in words.",
      ].join("\n"),
    );
    expect(ending?.citations).toEqual([
      { figure: "8", result: "r1", row: 1, column: "n" },
      { figure: "9.5", result: "r3", row: 1, column: "n" },
      { figure: "12", result: "r3", row: 2, column: "n" },
    ]);
    expect(usage.modelCalls).toBe(0);
  });

  it("of every result, and of an answer that named none: the last one stands for it", async () => {
    const plan = { ...(await planFrom(THREE)), results: [] };
    const run = again(plan, (sql) => ({ columns: ["sql", "n"], rows: [[sql, 0]] }));
    await run.finish();
    expect(run.state().again?.changed).toEqual(["r1", "r2", "r3"]);
    expect(run.state().ending?.results).toEqual(["r3", "r1", "r2"]);
    expect(run.state().ending?.answer).not.toContain("It is 8");
    expect(run.state().ending?.answer).not.toContain("Unchanged");
  });

  it("that are none are told as none, and two results that have become one are told once", async () => {
    const run = again(await planFrom(THREE), () => ({ columns: ["sql", "n"], rows: [] }));
    await run.finish();
    expect(run.state()).toMatchObject({ results: 1, again: { changed: ["r1"] } });
    expect(run.state().ending?.answer).toContain("Changed: r1 (0 rows, then 1). These are the rows now:");
    expect(run.state().ending?.answer?.match(/Result r1 \(no rows\)/g)).toHaveLength(1);
  });

  it("never fill more than a page", async () => {
    const run = again(await planFrom(THREE), (sql) => ({ columns: ["x"], rows: [[sql + "y".repeat(50_000)]] }));
    await run.finish();
    expect(run.state().ending?.answer?.length).toBeLessThan(7_000);
  });
});

describe("a query that fails", () => {
  const gone: Rows = (sql) => (sql === "SELECT 22" ? new Error("There is no table Salary.") : same(sql));

  it.each<LimitsRequest>([{}, { max_errors: 1 }, { max_consecutive_errors: 1 }])(
    "ends the run in words, whatever the limits of errors are: %j",
    async (limits) => {
      const run = again(await planFrom(THREE), gone, { limits });
      await run.finish();
      const { ending, again: told, usage } = run.state();
      expect(ending).toMatchObject({ outcome: "stopped", stopReason: "retry_ceiling", failed: true, answer: null });
      expect(ending?.message).toBe(
        "Query 2 of 3 of the stored plan could not be run: There is no table Salary. " +
          "No model was asked, so nobody mended it: ask the question anew.",
      );
      expect(ending?.partialAnswer).toBeNull();
      expect(told?.changed).toBeNull();
      expect(usage).toMatchObject({ modelCalls: 0, errors: 1 });
    },
  );

  it("stops the plan there: what comes after it is not run", async () => {
    const run = again(await planFrom(THREE), (sql) => (sql === "SELECT 1" ? new Error("Gone.") : same(sql)));
    await run.finish();
    expect(run.state()).toMatchObject({ queries: 1, usage: { steps: 1, hops: 1 } });
  });

  it("a plan of one says so", async () => {
    const run = again(await planFrom([() => querying("SELECT 1")]), () => new Error("gone"));
    await run.finish();
    expect(run.state().ending?.message).toMatch(/^The query of the stored plan could not be run: gone\. No model/);
  });
});

describe("limits", () => {
  it.each([
    [{ max_steps: 1 }, "max_steps"],
    [{ max_hops: 1 }, "max_hops"],
    [{ max_hops: 2 }, "max_hops"],
    [{ max_rows_read: 10 }, "budget"],
    [{ budget_usd: 1e-8 }, "budget"],
    [{ wall_clock_s: 0.001 }, "timeout"],
  ] as const)("%j stops it as it stops any run, with what it found and with no last call", async (limits, reason) => {
    const run = again(await planFrom(THREE), same, { limits });
    await run.finish();
    const { ending, usage } = run.state();
    expect(ending).toMatchObject({ outcome: "stopped", stopReason: reason, answer: null });
    if (reason !== "timeout") expect(ending?.partialAnswer).toContain("Result r1");
    expect(usage.modelCalls).toBe(0);
    expect(run.calls).toEqual([]);
  });

  it.each([{ max_steps: 2 }, { max_hops: 3 }, { max_rows_read: 30 }, { max_model_calls: 1 }])(
    "%j is enough, and exactly enough",
    async (limits) => {
      const run = again(await planFrom(THREE), same, { limits });
      await run.finish();
      expect(run.state().ending?.answer).toContain("Unchanged");
    },
  );
});

describe("over crashes", () => {
  it("C18, C19: at every point and every pair of points: one outcome, no model call, each step's result once", async () => {
    const plan = await planFrom(THREE);
    const start = (crashAt: ReadonlySet<number>): MemoryRun =>
      again(plan, same, {
        atPoint: (point) => {
          if (crashAt.has(point)) throw new Crash(`at ${point}`);
        },
      });
    const clean = start(new Set());
    await clean.finish();
    const points = clean.points();
    let schedules = 0;
    let interrupted = 0;
    for (let first = 0; first < points; first += 1) {
      for (let second = first; second <= points; second += 1) {
        const run = start(new Set([first, second]));
        await run.finish();
        const { ending, usage, queries, results, again: told } = run.state();
        const lost = run.events().filter((event) => event.type === "attempt_lost");
        expect([usage.modelCalls, run.calls.length]).toEqual([0, 0]);
        const calls = run.messages().flatMap((message) => (message.role === "assistant" ? message.calls : []));
        expect(plan.steps.map(({ key }) => key).slice(0, calls.length)).toEqual(calls.map(({ id }) => id));
        schedules += 1;
        if (lost.length === 2 && lost[0]?.step === lost[1]?.step) {
          // Twice in one round: the query itself may be what kills the object, and nobody can write another.
          expect(ending).toMatchObject({ stopReason: "retry_ceiling", answer: null });
          expect(ending?.message).toContain("interrupted every time");
          interrupted += 1;
          continue;
        }
        expect(ending).toEqual({ ...clean.state().ending, at: ending?.at });
        expect(told?.changed).toEqual([]);
        expect([usage.steps, usage.hops, queries, results, calls.length]).toEqual([2, 3, 3, 3, 3]);
        expect(usage.costNanoUsd).toBe(usage.rowsRead);
        if (lost.length === 0) expect(usage.rowsRead).toBe(30);
      }
    }
    expect(schedules).toBeGreaterThan(200);
    expect(interrupted).toBeLessThan(schedules / 4);
  });

  it("a round that is cut off again and again is not run for ever", async () => {
    const run = again(await planFrom(THREE), same, {
      atPoint: (_point, name) => {
        if (name === "after execute_read_only_sql") throw new Crash(name);
      },
    });
    await run.finish();
    expect(run.state().ending).toMatchObject({ stopReason: "retry_ceiling" });
    expect(run.state().ending?.message).toContain("interrupted every time");
  });
});

describe("a journal of it", () => {
  it.each<[string, Rows]>([
    ["the same rows", same],
    ["other rows", (sql) => ({ columns: ["sql", "n"], rows: [[sql, 0]] })],
    ["a failing query", () => new Error("Gone.")],
  ])("C33: replays to the same states, byte for byte: %s", async (_what, rows) => {
    const states = [] as ReturnType<MemoryRun["state"]>[];
    const run: MemoryRun = again(await planFrom(THREE), rows);
    states.push(run.state());
    while ((await run.step()).kind !== "finished") states.push(run.state());
    states.push(run.state());
    const events = run.events().map((event) => toPublicRunEvent(event, run.messageAt));
    const opening = { type: "run_started", at: new Date(states[0]?.createdAt ?? 0).toISOString(), step: 0 };
    // The run in memory tells nothing of its start.
    const shifted = states.map((state) => ({ ...state, events: state.events + 1 }));
    const replayed = replayRun({ states: shifted, messages: run.messages(), events: [opening, ...events] });
    expect(replayed).toMatchObject({ kind: "same" });
  });
});

describe("the provider", () => {
  let fake: FakeAnthropic;
  beforeAll(async () => {
    fake = await startFakeAnthropic();
  });
  afterAll(() => fake.stop());

  it("C18: hears of the first run, and not of its repetition, though it could be asked", async () => {
    const query = toolUse("execute_read_only_sql", { sql: "SELECT 1" });
    const answer = toolUse("final_answer", { answer: "It is 8.", results: ["r1"] });
    const lane = fake.addLane("again", { script: [query, answer] });
    const info = lookUpModel("claude-sonnet-5-5", {});
    if (!info.ok) throw new Error(info.error);
    const model = createAnthropicModel({ apiKey: "again", baseUrl: fake.url, info: info.value });
    const first = createMemoryRun(model, { tools: toolsWith(same) });
    await first.finish();
    const plan = planOf(first);
    if (!plan.ok) throw new Error(plan.error);
    expect([lane.requests.length, lane.unused(), lane.problems]).toEqual([2, 0, []]);
    const asked = [lane.requests.length, lane.counts.length];
    for (const rows of [same, () => new Error("Gone."), () => ({ columns: ["n"], rows: [[0]] })] as Rows[]) {
      const run = createMemoryRun(model, { tools: toolsWith(rows), plan: plan.value });
      await run.finish();
      expect(run.state().ending).not.toBeNull();
      expect(run.state().usage).toMatchObject({ modelCalls: 0, costNanoUsd: run.state().usage.rowsRead });
    }
    expect([lane.requests.length, lane.counts.length]).toEqual(asked);
    expect(lane.problems).toEqual([]);
  });
});
