import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../../src/web/client/api-types.ts";
import { toRunView, toToolTitle } from "../../../src/web/client/run-view.ts";

const START = Date.parse("2026-12-01T00:00:00.000Z");
/** Events a second apart, each `[type, step, fields]`. */
function events(...all: readonly (readonly [type: string, step: number, fields?: object])[]): readonly RunEvent[] {
  return all.map(([type, step, fields], index) => ({
    type,
    step,
    at: new Date(START + index * 1_000).toISOString(),
    ...fields,
  }));
}

const CALL = { id: "c1", name: "execute_read_only_sql", input: { sql: "SELECT 1 AS n" } };
const SEEN = {
  call_id: "c1",
  name: "execute_read_only_sql",
  duration_ms: 40,
  observation: {
    status: "success",
    summary: "1 row, stored as r1.",
    data: { columns: ["n"], rows: [[1]] },
    next_actions: [],
  },
  query: { sql: "SELECT 1 AS n", rows: 1, rows_read: 7, duration_ms: 30, error: null, ref: "r1" },
};
const RUN = events(
  ["run_started", 0],
  ["step_started", 1, { reserved_usd: 0.1 }],
  ["model_replied", 1, { text: "I count.", calls: [CALL], cost_usd: 0.01, cost_total_usd: 0.01, duration_ms: 800 }],
  ["tool_observed", 1, SEEN],
  ["step_finished", 1],
  ["step_started", 2, { reserved_usd: 0.2 }],
  [
    "model_replied",
    2,
    {
      text: "",
      calls: [{ id: "c2", name: "final_answer", input: {} }],
      cost_usd: 0.02,
      cost_total_usd: 0.03,
      duration_ms: 500,
    },
  ],
  ["run_finished", 2, { outcome: "answered" }],
);

describe("the view of a run", () => {
  test("each moment of a run, from its first events, is what was known then", () => {
    const doing = RUN.map((_, index) => toRunView(RUN.slice(0, index + 1)).doing);
    expect(doing).toEqual([
      "Starting",
      "Step 1: the model is thinking",
      "Step 1: running the query",
      "Step 1 is done",
      "Step 1 is done",
      "Step 2: the model is thinking",
      "Step 2: working",
      "Finished",
    ]);
    expect(RUN.map((_, index) => toRunView(RUN.slice(0, index + 1)).costUsd)).toEqual([
      0, 0, 0.01, 0.01, 0.01, 0.01, 0.03, 0.03,
    ]);
    expect(RUN.map((_, index) => toRunView(RUN.slice(0, index + 1)).reservedUsd)).toEqual([0, 0.1, 0, 0, 0, 0.2, 0, 0]);
  });

  test("a step holds its thought, its calls with what came back, and its times", () => {
    const [first, second] = toRunView(RUN).steps;
    expect(first).toMatchObject({ number: 1, thought: "I count.", modelMs: 800, databaseMs: 40, costUsd: 0.01 });
    expect(first?.finishedAt).toBe(START + 4_000);
    expect(first?.calls).toEqual([
      {
        id: "c1",
        name: "execute_read_only_sql",
        sql: "SELECT 1 AS n",
        status: "success",
        summary: "1 row, stored as r1.",
        advice: [],
        rows: 1,
        rowsRead: 7,
        durationMs: 40,
        ref: "r1",
        preview: { columns: ["n"], rows: [[1]] },
      },
    ]);
    expect(second?.finishedAt).toBe(START + 7_000);
    expect(toRunView(RUN).rowsRead).toBe(7);
  });

  test("a step of a stored plan shows its queries as any other, and no model's time", () => {
    const [step] = toRunView(events(["plan_followed", 1, { calls: [CALL] }], ["tool_observed", 1, SEEN])).steps;
    expect(step).toMatchObject({ number: 1, thought: "", modelMs: 0, costUsd: 0 });
    expect(step?.calls).toMatchObject([{ id: "c1", sql: "SELECT 1 AS n", status: "success", rows: 1 }]);
  });

  test("what goes wrong is told in the step in which it went wrong", () => {
    const { steps } = toRunView(
      events(
        ["step_started", 1],
        ["model_failed", 1, { message: "overloaded" }],
        ["retry_scheduled", 1, { attempt: 2 }],
        ["attempt_lost", 1],
        ["recovery", 1, { message: "Asked again." }],
        ["ceiling_reached", 1, { reason: "max_steps" }],
      ),
    );
    expect(steps[0]?.notices.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      "failure: The model could not be used: overloaded",
      "retry: Trying again (attempt 2).",
      "failure: The server was interrupted here and asked again.",
      "recovery: Asked again.",
      "ceiling: A limit is reached: max steps.",
    ]);
  });

  test("what a person is asked and says is told in words, and the call waits meanwhile", () => {
    const replied = ["model_replied", 1, { calls: [CALL] }] as const;
    const asked = ["approval_asked", 1, { queries: [{}], until: "x" }] as const;
    const waiting = toRunView(events(replied, asked));
    expect(waiting.doing).toBe("Waiting for your word");
    expect(waiting.steps[0]?.calls[0]).toMatchObject({ status: "running", summary: "Waiting" });
    const decided = ["approval_decided", 1, { decision: "approved", by: "team", note: null }] as const;
    const view = toRunView(
      events(
        replied,
        asked,
        decided,
        ["approval_asked", 1, { queries: [{}, {}] }],
        ["approval_decided", 1, { decision: "declined", by: "team", note: "No." }],
        ["question_asked", 1, { question: "Which?" }],
        ["question_answered", 1, { reply: "Revenue", by: "slack:U1" }],
      ),
    );
    expect(view.steps[0]?.notices.map(({ kind, text }) => [kind, text])).toEqual(
      [
        "Asked whether the query may run.",
        "team allowed it.",
        "Asked whether 2 queries may run.",
        "team did not allow it: “No.”",
        "Asked: “Which?”",
        "slack:U1 answered: “Revenue”",
      ].map((text) => ["person", text]),
    );
    expect(view.steps[0]?.calls[0]?.summary).toBe("");
  });

  test("two calls with the same id are each answered once, and an answer to an unknown call is shown", () => {
    const twice = { ...CALL };
    const { steps } = toRunView(
      events(
        ["model_replied", 1, { calls: [twice, twice] }],
        ["tool_observed", 1, SEEN],
        ["tool_observed", 1, { ...SEEN, observation: { status: "error", summary: "no", next_actions: ["mend it"] } }],
        ["tool_observed", 1, { ...SEEN, call_id: "other" }],
      ),
    );
    expect(steps[0]?.calls.map((call) => [call.id, call.status, call.advice])).toEqual([
      ["c1", "success", []],
      ["c1", "error", ["mend it"]],
      ["other", "success", []],
    ]);
  });

  test("events of kinds and shapes that nobody knows do no harm", () => {
    const strange = events(
      ["run_forked", 1, { from_run: "x" }],
      ["tool_observed", 1, { observation: 7, query: [] }],
      ["model_replied", 2, { calls: "no" }],
    );
    expect(toRunView(strange).steps.map((step) => step.number)).toEqual([1, 2]);
    expect(toRunView([])).toMatchObject({ steps: [], startedAt: null, isFinished: false, doing: "Starting" });
  });

  test("tools have names for people", () => {
    expect(["describe_tables", "something_new"].map(toToolTitle)).toEqual(["Look at tables", "something_new"]);
  });
});
