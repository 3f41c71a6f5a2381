/** The public form of a run: every state has one, and it says what a reader needs (A14, A28, A29, C7). */
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../src/agent/limits.ts";
import { OUTCOMES, STOP_REASONS } from "../../src/agent/state.ts";
import { type PublicQuery, publicRunSchema, type RunRows, toPublicRun } from "../../src/agent/view.ts";
import { failed, functionModel, querying, replied, saying } from "../fakes/function-model.ts";
import { createMemoryRun, queryTool } from "../fakes/memory-run.ts";
import { AGAIN, endingWith, IN_PHASE, modelAttempt, PHASES, START, type StateParts, stateWith } from "./states.ts";

const NONE: RunRows = { queries: [] };
const show = (parts: StateParts = {}, rows: RunRows = NONE, now = START) => toPublicRun(stateWith(parts), rows, now);
const ended = (parts: Parameters<typeof endingWith>[0] = {}): StateParts => ({
  phase: "finish",
  ending: endingWith(parts),
});

describe("toPublicRun", () => {
  it("C7: of a fresh run reports the limits that the product promises, and that nothing was spent", () => {
    const shown = show();
    expect(shown.limits).toEqual(DEFAULT_LIMITS);
    expect(shown).toMatchObject({
      id: "run_1",
      status: "running",
      outcome: null,
      failed: false,
      stop_reason: null,
      message: null,
      answer: null,
      partial_answer: null,
      phase: "thought",
      usage: {
        steps: 0,
        hops: 0,
        errors: 0,
        model_calls: 0,
        active_ms: 0,
        rows_read: 0,
        cost_usd: 0,
        unbilled_usd: 0,
        reserved_usd: 0,
      },
      warnings: [],
      parent: null,
      children: [],
      created_at: "1970-01-01T00:16:40.000Z",
      finished_at: null,
    });
  });

  it("is in dollars and seconds, with what is reserved, and the clock as of now", () => {
    const shown = show(
      {
        attempt: modelAttempt({ reservedNanoUsd: 250_000_000 }),
        touchedAt: START,
        dueAt: START + 60_000,
        usage: { steps: 2, hops: 3, errors: 1, modelCalls: 4, rowsRead: 50, costNanoUsd: 12_300_000, activeMs: 500 },
      },
      NONE,
      START + 1_000,
    );
    expect(shown.usage).toEqual({
      steps: 2,
      hops: 3,
      errors: 1,
      model_calls: 4,
      active_ms: 1_500,
      rows_read: 50,
      cost_usd: 0.0123,
      unbilled_usd: 0,
      reserved_usd: 0.25,
    });
    expect(shown.receipt).toMatchObject({ rows_read: 50, cost_usd: 0.0123, seconds: 1.5, steps: 2 });
  });

  it("A28, A30: carries the SQL log as it is, and the number of queries", () => {
    const query: PublicQuery = { sql: "SELECT 1", result: "r1", rows: 1, rows_read: 10, duration_ms: 3, error: null };
    const shown = show({ queries: 1 }, { queries: [query], children: [{ id: "run_2", step: 3, kind: "fork" }] });
    expect(shown.receipt.queries).toEqual([query]);
    expect(shown.n_queries).toBe(1);
    expect(shown.children).toEqual([{ id: "run_2", step: 3, kind: "fork" }]);
  });

  it("of a waiting run says what for and until when", () => {
    const shown = show({ waiting: { kind: "retry", until: START + 500, code: "overloaded" } });
    expect(shown).toMatchObject({ status: "waiting", waiting: { kind: "retry", until: "1970-01-01T00:16:40.500Z" } });
  });

  it("of an answered run gives the answer with its evidence", () => {
    const citations = [{ figure: "347", result: "r1", row: 1, column: "n" }];
    const shown = show({ ...ended({ citations, at: START + 2_000 }), results: 1 });
    expect(shown).toMatchObject({
      status: "finished",
      outcome: "answered",
      failed: false,
      stop_reason: "done",
      answer: "347",
      partial_answer: null,
      grounded: true,
      receipt: { results: ["r1"], citations },
      finished_at: "1970-01-01T00:16:42.000Z",
      warnings: [],
    });
  });

  it("of a run that carries on another one names it", () => {
    const shown = show({ parent: { runId: "run_0", step: 4, kind: "continue" } });
    expect(shown.parent).toEqual({ id: "run_0", step: 4, kind: "continue" });
    expect(shown.links.parent).toBe("/v1/runs/run_0");
  });
});

describe("warnings", () => {
  const warnings = (parts: StateParts) => show(parts).warnings;

  it("A29: an answer without a query is marked, unless grounding is off", () => {
    const bare = ended({ grounded: false });
    expect(warnings(bare)).toEqual(["Answered without querying the database."]);
    expect(warnings({ ...bare, grounding: "off" })).toEqual([]);
    expect(warnings(ended({ outcome: "stopped", grounded: false, answer: null }))).toEqual([]);
  });

  it("figures that no result shows are named", () => {
    expect(warnings(ended({ unsupported: ["99", "12%"] }))).toEqual([
      "No result shows these figures of the answer: 99, 12%.",
    ]);
  });

  it("a partial answer is marked as such", () => {
    const partial = ended({ outcome: "stopped", stopReason: "max_hops", answer: null, partialAnswer: "300" });
    expect(warnings(partial)).toEqual(["The partial answer was written when the run had to stop: check it."]);
    // The same for a run that a person stopped: no limit is named that was not reached.
    const cancelled = ended({ outcome: "cancelled", stopReason: "cancelled", answer: null, partialAnswer: "300" });
    expect(warnings(cancelled)).toEqual(warnings(partial));
  });

  it("C18: a repeated question that speaks of a time that moves is told with the day of its queries", () => {
    const repeated = (question: string) => warnings({ ...ended(), question, again: AGAIN });
    for (const question of [
      "How many orders this month?",
      "Sales of the last three full weeks",
      "What is due TODAY?",
    ]) {
      expect(repeated(question)).toEqual([expect.stringMatching(/^The queries were written on 1970-01-01: dates in /)]);
      expect(warnings({ ...ended(), question })).toEqual([]);
    }
    expect(repeated("How many orders this month?")[0]).toContain('"this month"');
    for (const question of ["How many albums?", "Which album came last?", "Sales by month in 2009"]) {
      expect(repeated(question)).toEqual([]);
    }
  });

  it("rows beyond the limit are told; a plan that expected fewer, within it, is not worth a word", () => {
    expect(warnings({ limits: { rowsReadMax: 10 }, usage: { rowsRead: 17, rowsOverrun: 7 } })).toEqual([
      "The database read 17 rows: more than the limit, and more than its plan let expect.",
    ]);
    expect(warnings({ usage: { rowsRead: 17, rowsOverrun: 7 } })).toEqual([]);
  });
});

describe("links", () => {
  const links = (parts: StateParts) => Object.keys(show(parts).links).sort();

  it("lead to what can be done next", () => {
    expect(links({})).toEqual(["cancel", "events", "self", "transcript"]);
    expect(links({ mode: "manual" })).toEqual(["cancel", "events", "self", "steps", "transcript"]);
    expect(links({ results: 1 })).toContain("results");
    expect(links({ ...ended(), mode: "manual" })).toEqual(["events", "self", "transcript"]);
    const stopped = ended({ outcome: "stopped", stopReason: "max_hops", answer: null });
    expect(links(stopped)).toEqual(["continue", "events", "self", "transcript"]);
    expect(links({ ...stopped, again: AGAIN })).toEqual(["events", "self", "transcript"]);
    expect(links({ ...ended(), queriesAnswered: 1 })).toContain("again");
    expect(links({ ...stopped, queriesAnswered: 1 })).not.toContain("again");
  });
});

describe("again", () => {
  it.each([
    [null, { unchanged: null, changed: [] }],
    [[], { unchanged: true, changed: [] }],
    [["r2"], { unchanged: false, changed: ["r2"] }],
  ])("C18: says whose queries ran again, and whether anything changed: %j", (changed, told) => {
    const at = new Date(START).toISOString();
    expect(show({ again: { ...AGAIN, changed } }).again).toEqual({ id: "run_0", answered_at: at, ...told });
    expect(show({}).again).toBeNull();
  });
});

describe("decisions by fields", () => {
  /** All that a formatter may decide by. */
  const decisions = (message: string, reason: (typeof STOP_REASONS)[number], outcome: (typeof OUTCOMES)[number]) => {
    const isAnswered = outcome === "answered";
    const parts = { message, stopReason: reason, outcome, failed: !isAnswered, answer: isAnswered ? "347" : null };
    const { message: words, ...rest } = show(ended(parts));
    expect(words).toBe(message);
    return rest;
  };

  it.each(STOP_REASONS)("A14: rewording the message of %s changes no other field", (reason) => {
    for (const outcome of OUTCOMES) {
      const plain = decisions("Stopped after 8 of 8 tool calls.", reason, outcome);
      for (const reworded of ["Answered.", "done", "", "failed: false", "Cancelled by nobody."]) {
        expect(decisions(reworded, reason, outcome)).toEqual(plain);
      }
    }
  });
});

describe("publicRunSchema", () => {
  it("accepts the state of every phase, and refuses a field that nobody declared", () => {
    for (const phase of PHASES) {
      const shown = toPublicRun(IN_PHASE[phase], NONE, START);
      expect(publicRunSchema.safeParse(JSON.parse(JSON.stringify(shown))).success).toBe(true);
      expect(publicRunSchema.safeParse({ ...shown, secret: 1 }).success).toBe(false);
    }
  });

  it("accepts every state that runs of every kind pass through, as JSON and as it is", async () => {
    const bad = queryTool((sql) => (sql === "bad" ? new Error("no such column") : { columns: ["n"], rows: [[1]] }));
    const models = [
      functionModel((request) => (request.toolChoice === "none" ? saying("So far.") : querying("SELECT 1"))),
      functionModel((request) => (request.toolChoice === "none" ? saying("So far.") : querying("bad"))),
      functionModel((_request, call) => (call === 0 ? failed("retryable", "overloaded") : saying("347."))),
      functionModel((_request, call) => (call < 2 ? replied({ text: "cut" }, "max_tokens") : saying("347."))),
      functionModel(() => replied({}, "refusal")),
    ];
    let states = 0;
    for (const model of models) {
      const run = createMemoryRun(model, { tools: [bad] });
      const { journal } = run.ports;
      const save: typeof journal.save = async (moved, results) => {
        const shown = toPublicRun(moved.state, NONE, run.clock.now);
        expect(publicRunSchema.safeParse(shown).error?.issues ?? []).toEqual([]);
        expect(JSON.parse(JSON.stringify(shown))).toEqual(shown);
        states += 1;
        await journal.save(moved, results);
      };
      Object.assign(run.ports, { journal: { ...journal, save } });
      await run.finish();
      expect(run.state().ending).not.toBeNull();
    }
    expect(states).toBeGreaterThan(30);
  });
});
