import { describe, expect, it } from "vitest";
import { DEFAULT_LOOP, findCycle, type RecentCall, remember } from "../../src/agent/cycles.ts";
import type { ModelOutcome } from "../../src/agent/model.ts";
import { answering, calling, functionModel, querying, saying } from "../fakes/function-model.ts";
import { Crash, createMemoryRun, finalAnswerTool, queryTool } from "../fakes/memory-run.ts";

/** A window from letters: equal letters are equal calls with equal results. */
function windowOf(letters: string): RecentCall[] {
  return [...letters].map((letter, index) => ({
    signature: letter,
    result: letter,
    tool: `tool_${letter}`,
    step: index + 1,
    isError: false,
    ref: null,
  }));
}

describe("findCycle", () => {
  it.each([
    ["AA", null],
    ["AAA", [1, 3]],
    ["AAAA", [1, 4]],
    ["XABAB", [2, 2]],
    ["ABCABC", [3, 2]],
    ["ABCDABCD", [4, 2]],
    ["ABCDEABCDE", null],
    ["ABABX", null],
    ["AAB", null],
    ["", null],
  ] as const)("B19–B22: %s", (letters, expected) => {
    const cycle = findCycle(windowOf(letters), DEFAULT_LOOP);
    expect(cycle === null ? null : [cycle.period, cycle.repetitions]).toEqual(expected);
  });

  it("equal calls whose results differ are no cycle", () => {
    const calls = windowOf("AAA").map((call, index) => ({ ...call, result: `result ${index}` }));
    expect(findCycle(calls, DEFAULT_LOOP)).toBeNull();
  });

  it("B24: thresholds are settings, and changing them changes behaviour", () => {
    expect(findCycle(windowOf("AA"), { ...DEFAULT_LOOP, cycleRepeats: 2 })).toMatchObject({ period: 1 });
    expect(findCycle(windowOf("ABCABC"), { ...DEFAULT_LOOP, cyclePeriodMax: 2 })).toBeNull();
    expect(findCycle(windowOf("ABCDEABCDE"), { ...DEFAULT_LOOP, cyclePeriodMax: 5 })).toMatchObject({ period: 5 });
  });

  it("B18: the window holds the last twelve calls", () => {
    const window = remember([], windowOf("ABCDEFGHIJKLMN"), DEFAULT_LOOP);
    expect(window.map((call) => call.signature).join("")).toBe("CDEFGHIJKLMN");
  });
});

/** Every query gives the same rows for the same text. */
const tools = [
  queryTool((sql) =>
    sql.startsWith("bad") ? new Error(`no such column in ${sql}`) : { columns: ["sql"], rows: [[sql]] },
  ),
  finalAnswerTool,
];

const texts = (run: ReturnType<typeof createMemoryRun>) =>
  run
    .messages()
    .flatMap((message) =>
      message.role === "tool" ? [message.note ?? ""] : message.role === "user" ? [message.text] : [],
    );

describe("the ladder, end to end", () => {
  /** Stubborn: asks `A` for ever; the critic and the last call are answered in words. */
  const stubborn = functionModel((request) => {
    if (request.tools.length === 0 && request.system.includes("advise")) return saying("Look at table B instead.");
    return request.toolChoice === "none" ? saying("So far.") : querying("A");
  });

  it("B8: guidance, then refusal by reference, then a critic, then the stop", async () => {
    const run = createMemoryRun(stubborn, { tools, limits: { max_hops: 20 } });
    await run.finish();
    const { ending, usage } = run.state();
    expect(ending).toMatchObject({
      stopReason: "cycle",
      outcome: "stopped",
      failed: true,
      answer: null,
      partialAnswer: "So far.",
    });
    // Three to see the cycle, two refused, then advice, then three more to see it again.
    expect(usage.hops).toBe(8);
    const results = run.messages().flatMap((message) => (message.role === "tool" ? message.results : []));
    expect(results.map((result) => (result.content.includes("was not run again") ? "refused" : "ran"))).toEqual([
      "ran",
      "ran",
      "ran",
      "refused",
      "refused",
      "ran",
      "ran",
      "ran",
    ]);
    expect(results[3]?.content).toContain("its rows are in r1");
    expect(usage.errors).toBe(0);
    expect(texts(run).filter((text) => text.includes("period 1"))).not.toHaveLength(0);
  });

  it("B23: the guidance names the period, the tools and the steps", async () => {
    const run = createMemoryRun(stubborn, { tools });
    for (let step = 0; step < 3; step += 1) await run.step();
    const note = texts(run).at(-1);
    expect(note).toContain("period 1");
    expect(note).toContain("execute_read_only_sql");
    expect(note).toContain("step 3");
  });

  it("B37–B40: the critic sees the question and what failed, nothing of the conversation, and is asked once", async () => {
    const run = createMemoryRun(stubborn, { tools, limits: { max_hops: 20 }, run: { question: "Where is it?" } });
    await run.finish();
    const critics = run.calls.filter((call) => call.request.system.includes("advise"));
    expect(critics).toHaveLength(1);
    expect(critics[0]?.request.messages).toHaveLength(1);
    expect(JSON.stringify(critics[0]?.request.messages)).toContain("Where is it?");
    expect(JSON.stringify(critics[0]?.request.messages)).toContain("execute_read_only_sql: A");
    const advice = texts(run).filter((text) => text.includes("<advice>"));
    expect(advice).toHaveLength(1);
    expect(advice[0]).toContain("Look at table B instead.");
  });

  it("B13: advice rescues a run that is stuck", async () => {
    const model = functionModel((request) => {
      if (request.system.includes("advise")) return saying("Ask B.");
      const isAdvised = JSON.stringify(request.messages).includes("Ask B.");
      const last = request.messages.at(-1);
      if (isAdvised && last?.role === "tool" && JSON.stringify(last).includes('\\"B\\"')) return answering("B", ["r2"]);
      return isAdvised ? querying("B") : querying("A");
    });
    const run = createMemoryRun(model, { tools });
    await run.finish();
    expect(run.state().ending).toMatchObject({ outcome: "answered", answer: "B", results: ["r2"] });
  });

  it("without a critic the third rung is the stop", async () => {
    const run = createMemoryRun(stubborn, { tools, run: { loop: { ...DEFAULT_LOOP, critic: false } } });
    await run.finish();
    expect(run.state()).toMatchObject({ ending: { stopReason: "cycle" }, usage: { hops: 5 }, critic: "kept" });
  });

  it("alternating calls (period 2) climb it too", async () => {
    const model = functionModel((request, call) =>
      request.toolChoice === "none" ? saying("So far.") : querying(call % 2 === 0 ? "A" : "B"),
    );
    const run = createMemoryRun(model, {
      tools,
      limits: { max_hops: 20 },
      run: { loop: { ...DEFAULT_LOOP, critic: false } },
    });
    await run.finish();
    expect(run.state()).toMatchObject({ ending: { stopReason: "cycle" }, usage: { hops: 6 } });
  });

  it("survives an eviction between any two steps", async () => {
    const crashAt = new Set([9, 23, 31]);
    const run = createMemoryRun(stubborn, {
      tools,
      limits: { max_hops: 20 },
      atPoint: (point) => {
        if (crashAt.has(point)) throw new Crash(`at ${point}`);
      },
    });
    await run.finish();
    expect(run.state().ending?.stopReason).toBe("cycle");
  });

  it.each([
    ["paging through a result", (n: number) => querying(`SELECT * FROM t LIMIT 10 OFFSET ${n * 10}`)],
    ["a corrected query", (n: number) => querying(n < 2 ? `bad ${n}` : `good ${n}`)],
  ])("never fires on %s", async (_what, next: (n: number) => ModelOutcome) => {
    const run = createMemoryRun(
      functionModel((request, call) =>
        call < 6 ? next(call) : request.toolChoice === "none" ? saying("x") : answering("x"),
      ),
      { tools },
    );
    await run.finish();
    expect(run.state().rung).toBe(0);
    expect(run.events().some((event) => event.type === "recovery")).toBe(false);
  });
});

describe("the breaker", () => {
  it("C28, C29: the same call is not made a fourth time after three failures, also when others came between", async () => {
    const order = ["bad", "ok 1", "bad", "ok 2", "bad", "ok 3", "bad"];
    const ran: string[] = [];
    const counting = [
      queryTool((sql) => {
        ran.push(sql);
        return sql === "bad" ? new Error("no such column: x") : { columns: ["sql"], rows: [[sql]] };
      }),
      finalAnswerTool,
    ];
    const run = createMemoryRun(
      functionModel((request, call) =>
        request.toolChoice === "none" || call >= order.length ? saying("End.") : querying(order[call] ?? ""),
      ),
      { tools: counting, limits: { max_errors: 10 } },
    );
    await run.finish();
    expect(ran.filter((sql) => sql === "bad")).toHaveLength(3);
    const last = run.messages().findLast((message) => message.role === "tool");
    expect(JSON.stringify(last)).toContain("has failed 3 times");
    expect(JSON.stringify(last)).toContain("Change the approach");
    expect(run.state().usage.errors).toBe(4);
  });

  it("C30: the order of the keys does not make another call", async () => {
    const one = calling(["execute_read_only_sql", { sql: "A" }]);
    const run = createMemoryRun(
      functionModel((request) => (request.toolChoice === "none" ? saying("x") : one)),
      { tools },
    );
    await run.step();
    expect(run.state().recent[0]?.signature).toMatch(/^[0-9a-f]{64}$/);
  });
});
