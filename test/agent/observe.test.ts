/** What the outcomes of a round do to a run: results, counts, the cycle ladder, an accepted answer. */
import { describe, expect, it } from "vitest";
import { advance } from "../../src/agent/advance.ts";
import type { RecentCall } from "../../src/agent/cycles.ts";
import type { ToolOutcome } from "../../src/agent/event.ts";
import { NUDGE_UNGROUNDED } from "../../src/agent/nudges.ts";
import { NO_EVIDENCE, outcomeWith, START, type StateParts, stateWith, toolsAttempt } from "./states.ts";

const observe = (outcomes: readonly ToolOutcome[], parts: StateParts = {}, newResults = 0) =>
  advance(
    stateWith({ phase: "action", attempt: toolsAttempt(), roundHops: outcomes.length, ...parts }),
    { kind: "tools_observed", outcomes, newResults },
    START + 20,
  );

/** Outcomes from a word each: `ok`, `err`, or why the call was not run. */
const round = (words: string): ToolOutcome[] =>
  words.split(" ").map((word, index) => {
    const refusedBy = word === "hops" || word === "cycle" || word === "breaker" ? word : null;
    const isError = word !== "ok" && word !== "cycle";
    return outcomeWith({ callId: `c${index}`, isError, refusedBy, query: null, rowsRead: 0 });
  });

describe("the results of a round", () => {
  it("A5: go into one message, in order, each with its own content", () => {
    const outcomes = [
      outcomeWith({ callId: "c1", content: "one" }),
      outcomeWith({ callId: "c2", content: "two", isError: true }),
    ];
    const made = observe(outcomes);
    expect(made.messages).toEqual([
      {
        role: "tool",
        results: [
          { callId: "c1", content: "one", isError: false },
          { callId: "c2", content: "two", isError: true },
        ],
      },
    ]);
  });

  it("are told one by one, with what each query cost, then the step is over", () => {
    const made = observe([outcomeWith({ callId: "c1" }), outcomeWith({ callId: "c2", query: null, durationMs: 8 })]);
    expect(made.events).toEqual([
      {
        at: START + 20,
        step: 0,
        phase: "observation",
        type: "tool_observed",
        message: 1,
        index: 0,
        durationMs: 5,
        query: { rows: 1, rowsRead: 10, durationMs: 3, error: null, ref: "r1" },
      },
      { at: START + 20, step: 0, phase: "observation", type: "tool_observed", message: 1, index: 1, durationMs: 8 },
      { at: START + 20, step: 0, phase: "observation", type: "step_finished" },
    ]);
  });

  it("close the round: phase, tries, hops of the round, results and queries are counted on", () => {
    const failed = { sql: "x", durationMs: 1, rowsRead: 0, rows: 0, error: "no such column", ref: null };
    const outcomes = [
      outcomeWith({ callId: "c1" }),
      outcomeWith({ callId: "c2", query: failed, isError: true }),
      outcomeWith({ callId: "c3", query: null }),
    ];
    const { state } = observe(outcomes, { failedTries: 2, results: 3, queries: 5, queriesAnswered: 4 }, 2);
    expect(state).toMatchObject({
      phase: "observation",
      attempt: null,
      failedTries: 0,
      roundHops: null,
      results: 5,
      queries: 7,
      queriesAnswered: 5,
    });
  });

  it("carry the memo on: the last one given", () => {
    const memo = (note: string) => ({ notes: [note], plan: [], brainstormed: false });
    const outcomes = [outcomeWith({ callId: "c1", memo: memo("a") }), outcomeWith({ callId: "c2", memo: memo("b") })];
    expect(observe(outcomes).state.memo.notes).toEqual(["b"]);
    const first = [outcomeWith({ callId: "c1", memo: memo("a") }), outcomeWith({ callId: "c2" })];
    expect(observe(first).state.memo.notes).toEqual(["a"]);
    const kept = { notes: ["old"], plan: ["p"], brainstormed: true };
    expect(observe([outcomeWith()], { memo: kept }).state.memo).toEqual(kept);
  });
});

describe("what a run remembers of its database", () => {
  it("the last bookmark that came, also when a later call brought none; without one, the one from before", () => {
    const two = [outcomeWith({ callId: "c1", bookmark: "b2" }), outcomeWith({ callId: "c2", bookmark: null })];
    expect(observe(two, { bookmark: "b1" }).state.bookmark).toBe("b2");
    expect(observe([outcomeWith({ bookmark: null })], { bookmark: "b1" }).state.bookmark).toBe("b1");
  });

  it("tables that were described, each once, the latest four hundred", () => {
    const known = Array.from({ length: 399 }, (_, index) => `t${index}`);
    const { described } = observe([outcomeWith({ described: ["t0", "a", "b"] })], { described: known }).state;
    expect(described).toHaveLength(400);
    expect(described[0]).toBe("t1");
    expect(described.slice(-2)).toEqual(["a", "b"]);
  });
});

describe("errors", () => {
  it.each([
    ["err err ok err", 0, 1, 3],
    ["err", 2, 3, 1],
    ["ok", 2, 0, 0],
    ["hops hops", 1, 1, 0],
    ["cycle cycle", 1, 1, 0],
    ["breaker", 1, 2, 1],
    ["err hops err", 0, 2, 2],
    ["ok cycle", 1, 0, 0],
  ])("A7, A11: after %s, %s in a row before are %s in a row, and %s more in all", (words, before, inARow, added) => {
    const { state } = observe(round(words), { consecutiveErrors: before, limits: { errorsMax: 50 } });
    expect(state.consecutiveErrors).toBe(inARow);
    expect(state.usage.errors).toBe(added);
  });

  it("A4: the errors in all stop at their limit, however many one reply makes", () => {
    const { state } = observe(round("err err err err"), { usage: { errors: 2 }, limits: { errorsMax: 4 } });
    expect(state.usage.errors).toBe(4);
  });
});

describe("rows", () => {
  it.each([
    [999, 0],
    [1_000, 0],
    [1_001, 1],
    [5_000, 4_000],
  ])("%s rows read of 1000 reserved are an overrun of %s, and every row costs its nano-dollar", (rowsRead, overrun) => {
    const { usage } = observe([outcomeWith({ rowsRead })], { usage: { rowsRead: 7, costNanoUsd: 7 } }).state;
    expect(usage).toMatchObject({ rowsRead: 7 + rowsRead, costNanoUsd: 7 + rowsRead, rowsOverrun: overrun });
  });

  it("the rows of all calls of a round count together", () => {
    const two = [outcomeWith({ callId: "c1", rowsRead: 600 }), outcomeWith({ callId: "c2", rowsRead: 600 })];
    expect(observe(two).state.usage).toMatchObject({ rowsRead: 1_200, rowsOverrun: 200 });
  });
});

describe("the cycle ladder", () => {
  const call = (parts: Partial<RecentCall> = {}): RecentCall => ({
    signature: "s",
    result: "same",
    tool: "execute_read_only_sql",
    step: 2,
    isError: false,
    ref: "r1",
    ...parts,
  });
  const again = (parts: StateParts = {}) =>
    observe([outcomeWith({ recent: call() })], { recent: [call(), call()], ...parts });

  it.each([
    ["the first cycle is told to the model", {}, 1, "kept"],
    ["the second climbs on", { rung: 1 }, 2, "kept"],
    ["the third makes the critic due", { rung: 2 }, 3, "due"],
    ["where there is no critic, it is the stop", { rung: 2, loop: { ...stateWith().loop, critic: false } }, 3, "kept"],
    ["after the critic the first cycle is the stop", { critic: "used" as const }, 3, "used"],
    ["a critic that is due stays due", { rung: 3, critic: "due" as const }, 4, "due"],
  ])("B8, B40: %s", (_what, parts, rung, critic) => {
    const made = again(parts);
    expect(made.state).toMatchObject({ rung, critic });
    expect(made.messages).toMatchObject([
      { role: "tool", note: expect.stringContaining("You are repeating yourself") },
    ]);
    expect(made.events[0]).toMatchObject({ type: "recovery", what: "cycle" });
  });

  it("no cycle, no rung, no word", () => {
    const made = observe([outcomeWith({ recent: call() })], { recent: [call()], rung: 1 });
    expect(made.state).toMatchObject({ rung: 1, recent: [call(), call()] });
    expect(made.messages[0]).not.toHaveProperty("note");
  });

  it("B18: the window is bounded, oldest out; a refused call is not remembered", () => {
    const many = Array.from({ length: 12 }, (_, index) => call({ signature: `s${index}` }));
    const outcomes = [
      outcomeWith({ callId: "c1", recent: call({ signature: "new" }) }),
      outcomeWith({ callId: "c2", refusedBy: "cycle", recent: null }),
    ];
    const { recent } = observe(outcomes, { recent: many }).state;
    expect(recent.map(({ signature }) => signature)).toEqual([...many.slice(1).map((one) => one.signature), "new"]);
  });
});

describe("final_answer", () => {
  const citation = { figure: "347", result: "r1", row: 1, column: "n" };
  const final = (unsupported: string[] = [], results: string[] = []) =>
    outcomeWith({
      query: null,
      rowsRead: 0,
      final: { answer: "347", results, citations: [], evidence: { citations: [citation], unsupported } },
    });

  it("ends the run with its answer, its evidence, and whether a query gave rows", () => {
    const made = observe([final([], ["r1", "r2"])], { queriesAnswered: 1 });
    expect(made.state.ending).toMatchObject({
      outcome: "answered",
      answer: "347",
      grounded: true,
      results: ["r1", "r2"],
      citations: [citation],
      unsupported: [],
      chart: null,
    });
    expect(made.events.map(({ type }) => type)).toEqual(["tool_observed", "step_finished", "run_finished"]);
  });

  it("keeps the picture that the model asked for", () => {
    const chart = { kind: "line", result: "r1" } as const;
    const asked = outcomeWith({
      query: null,
      final: { answer: "347", results: [], citations: [], chart, evidence: { citations: [], unsupported: [] } },
    });
    expect(observe([asked], { queriesAnswered: 1 }).state.ending?.chart).toEqual(chart);
  });

  it("names the results behind its figures when it names none itself", () => {
    expect(observe([final()], { queriesAnswered: 1 }).state.ending?.results).toEqual(["r1"]);
  });

  it("A24: is accepted without a query, and marked", () => {
    expect(observe([final()]).state.ending).toMatchObject({ outcome: "answered", grounded: false });
  });

  it.each([
    ["off", [], "answered"],
    ["report", ["347"], "answered"],
  ] as const)("A27: with grounding %s, figures without a row are reported as %j", (grounding, unsupported, outcome) => {
    const { ending } = observe([final(["347"])], { grounding, queriesAnswered: 1 }).state;
    expect(ending).toMatchObject({ outcome, unsupported });
  });

  it("A27: with grounding require, an answer without a query is sent back once", () => {
    const made = observe([final()], { grounding: "require" });
    expect(made.state).toMatchObject({ phase: "observation", groundingTurns: 1, ending: null });
    expect(made.messages).toMatchObject([{ role: "tool", note: NUDGE_UNGROUNDED }]);
  });

  it("A27: … and so is one with a figure that no result shows, by name", () => {
    const made = observe([final(["347"])], { grounding: "require", queriesAnswered: 1 });
    expect(made.messages).toMatchObject([{ note: expect.stringContaining("347") }]);
    expect(made.state.ending).toBeNull();
  });

  it("A27: the second time the run ends as ungrounded, and that is the last thing told", () => {
    const made = observe([final()], { grounding: "require", groundingTurns: 1 });
    expect(made.state.ending).toMatchObject({ stopReason: "ungrounded", answer: null, failed: true });
    expect(made.events.map(({ type }) => type)).toEqual(["tool_observed", "step_finished", "run_finished"]);
    expect(made.events[0]?.phase).toBe("observation");
  });

  it("A27: what rests on a query and is shown by it passes under require", () => {
    const made = observe([final()], { grounding: "require", groundingTurns: 1, queriesAnswered: 1 });
    expect(made.state.ending).toMatchObject({ outcome: "answered", grounded: true });
  });

  it("is found wherever it stands in the reply", () => {
    const made = observe([outcomeWith({ callId: "c0" }), final()]);
    expect(made.state.ending).toMatchObject({ outcome: "answered", answer: "347" });
  });

  it("of two in one reply the first counts", () => {
    const second = outcomeWith({
      callId: "c2",
      query: null,
      final: { answer: "348", results: [], citations: [], evidence: NO_EVIDENCE },
    });
    expect(observe([final(), second]).state.ending?.answer).toBe("347");
  });
});
