/** What a stored plan holds, whence it is taken, and which of its calls come next. */
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/agent/model.ts";
import { nextCalls, planOf, type StoredPlan, storedPlanSchema } from "../../src/agent/stored-plan.ts";
import { answering, calling, functionModel, querying, saying } from "../fakes/function-model.ts";
import { createMemoryRun, finalAnswerTool, type MemoryRun, queryTool } from "../fakes/memory-run.ts";

const tools = [
  queryTool((sql) => (sql.includes("bad") ? new Error("no such column: x") : { columns: ["sql"], rows: [[sql]] })),
  finalAnswerTool,
];

async function answered(...replies: readonly (() => ReturnType<typeof saying>)[]): Promise<MemoryRun> {
  const model = functionModel((_request, call) => (replies[call] ?? (() => answering("It is 1.", ["r1"])))());
  const run = createMemoryRun(model, {
    tools,
    limits: { budget_usd: 10, max_hops: 100, max_steps: 100, max_model_calls: 200 },
  });
  await run.finish();
  return run;
}

function planned(run: MemoryRun): StoredPlan {
  const plan = planOf(run);
  if (!plan.ok) throw new Error(plan.error);
  return plan.value;
}

const said = (calls: readonly { readonly id: string }[]): Message => ({
  role: "tool",
  results: calls.map(({ id }) => ({ callId: id, content: "{}", isError: false })),
});

describe("the plan of a run", () => {
  it("C19: is the ordered list of its tools and arguments that gave rows, and of nothing else", async () => {
    const run = await answered(
      () => querying("SELECT 1"),
      () => calling(["execute_read_only_sql", { sql: "bad" }], ["nope", {}], ["execute_read_only_sql", { sql: "b" }]),
    );
    const plan = planned(run);
    expect(plan).toMatchObject({ runId: "run_test", answer: "It is 1.", results: ["r1"], unsupported: [] });
    expect(plan.answeredAt).toBe(run.state().ending?.at);
    expect(plan.steps.map(({ tool, args, ref, rows }) => [tool, args, ref, rows])).toEqual([
      ["execute_read_only_sql", { sql: "SELECT 1" }, "r1", 1],
      ["execute_read_only_sql", { sql: "b" }, "r2", 1],
    ]);
    expect(plan.steps.map(({ sha256 }) => sha256)).toEqual(run.results().map(({ sha256 }) => sha256));
    expect(storedPlanSchema.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
  });

  it("C19: knows a step by its number and its signature, so that two equal ones are two", async () => {
    const plan = planned(
      await answered(
        () => querying("SELECT 1"),
        () => querying("SELECT 1"),
      ),
    );
    const [first, second] = plan.steps.map(({ key }) => key.split("."));
    expect([first?.[0], second?.[0]]).toEqual(["1", "2"]);
    expect(first?.[1]).toBe(second?.[1]);
    expect(first?.[1]).toMatch(/^[0-9a-f]{64}$/);
    expect(plan.steps.map(({ ref }) => ref)).toEqual(["r1", "r1"]);
  });

  it("is there only of an answered run that has made a query", async () => {
    const stopped = createMemoryRun(
      functionModel(() => querying("SELECT 1")),
      { tools, limits: { max_steps: 1 } },
    );
    expect(planOf(stopped)).toEqual({ ok: false, error: expect.stringContaining("nothing yet") });
    await stopped.finish();
    expect(planOf(stopped)).toEqual({ ok: false, error: expect.stringContaining("max_steps") });
    expect(planOf(await answered(() => saying("Hello.")))).toEqual({
      ok: false,
      error: "The run was answered without a query, so there is nothing to run again.",
    });
  });

  it.each([
    [64, true],
    [65, false],
  ])("of %i queries: %s", async (count, isOk) => {
    const run = await answered(...Array.from({ length: count }, (_, index) => () => querying(`SELECT ${index}`)));
    const plan = planOf(run);
    expect(plan.ok).toBe(isOk);
    if (!plan.ok) expect(plan.error).toContain("queries (65) are too many");
  });

  it("of half a million characters is too long to keep", async () => {
    const run = await answered(() => querying(`SELECT '${"x".repeat(500_000)}'`));
    expect(planOf(run)).toEqual({ ok: false, error: expect.stringContaining("500 kB") });
  });
});

describe("the next calls", () => {
  it("C19: are those of one round, as they were asked for, until every result is in", async () => {
    const plan = planned(
      await answered(
        () => calling(["execute_read_only_sql", { sql: "a" }], ["execute_read_only_sql", { sql: "a" }]),
        () => querying("b"),
      ),
    );
    const first = nextCalls(plan, []);
    expect(first.map(({ name, input }) => [name, input])).toEqual([
      ["execute_read_only_sql", { sql: "a" }],
      ["execute_read_only_sql", { sql: "a" }],
    ]);
    expect(new Set(first.map(({ id }) => id)).size).toBe(2);
    const second = nextCalls(plan, [said(first)]);
    expect(second.map(({ input }) => input)).toEqual([{ sql: "b" }]);
    expect(nextCalls(plan, [said(first.slice(0, 1))]).map(({ id }) => id)).toEqual([first[1]?.id]);
    expect(nextCalls(plan, [said(first), said(second)])).toEqual([]);
  });
});
