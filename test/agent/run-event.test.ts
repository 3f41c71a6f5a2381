/** The public form of every event: whole, in snake_case, dollars and ISO times. */
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/agent/model.ts";
import { success } from "../../src/agent/observation.ts";
import { type RunEvent, sqlOf, toPublicRunEvent } from "../../src/agent/run-event.ts";
import { callOf } from "./states.ts";

const MESSAGES: readonly Message[] = [
  { role: "user", text: "How many?" },
  {
    role: "assistant",
    content: [],
    text: "Let me count.",
    calls: [callOf("c1", "SELECT 1"), callOf("c2", "SELECT 2")],
  },
  {
    role: "tool",
    results: [
      { callId: "c1", content: JSON.stringify(success("1 row.")), isError: false },
      { callId: "c2", content: JSON.stringify(success("2 rows.")), isError: false },
    ],
  },
];
const at = (index: number) => MESSAGES[index] ?? null;
const head = { at: 1_700_000_000_000, step: 2, phase: "thought" as const };
const told = { at: "2023-11-14T22:13:20.000Z", step: 2, phase: "thought" };
const reply = {
  type: "model_replied" as const,
  finish: "tool_use",
  tokens: [1, 2, 3, 4, 5] as const,
  costNanoUsd: 2_000_000,
  totalNanoUsd: 3_000_000,
  durationMs: 40,
};
const replyTold = {
  type: "model_replied",
  finish: "tool_use",
  usage: { input: 1, cache_write_5m: 2, cache_write_1h: 3, cache_read: 4, output: 5 },
  cost_usd: 0.002,
  cost_total_usd: 0.003,
  duration_ms: 40,
};
const query = { rows: 1, rowsRead: 10, durationMs: 3, error: null, ref: "r1" };

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
type Body = DistributiveOmit<RunEvent, "at" | "step" | "phase">;

describe("toPublicRunEvent", () => {
  it.each<[Body, object]>([
    [{ type: "run_started" }, { type: "run_started" }],
    [{ type: "step_finished" }, { type: "step_finished" }],
    [
      { type: "plan_followed", message: 99 },
      { type: "plan_followed", calls: [] },
    ],
    [
      { type: "run_forked", from: "run_0", fromStep: 3, kind: "continue" },
      {
        type: "run_forked",
        from_run: "run_0",
        from_step: 3,
        kind: "continue",
        limits: [],
        message: "Goes on from run_0 after step 3, with what was spent there, under the same limits.",
      },
    ],
    [
      {
        type: "run_forked",
        from: "run_0",
        fromStep: 3,
        kind: "continue",
        limits: [
          { name: "max_steps", from: 3, to: 12 },
          { name: "budget_usd", from: 0.5, to: 0.2 },
        ],
      },
      {
        type: "run_forked",
        from_run: "run_0",
        from_step: 3,
        kind: "continue",
        limits: [
          { name: "max_steps", from: 3, to: 12 },
          { name: "budget_usd", from: 0.5, to: 0.2 },
        ],
        message:
          "Goes on from run_0 after step 3, with what was spent there, with max_steps raised from 3 to 12, budget_usd lowered from 0.5 to 0.2.",
      },
    ],
    [
      { type: "step_started", purpose: "last", reservedNanoUsd: 1_500_000 },
      { type: "step_started", purpose: "last", reserved_usd: 0.0015 },
    ],
    [
      { type: "attempt_lost", keptNanoUsd: 1_000_000_000 },
      { type: "attempt_lost", kept_usd: 1 },
    ],
    [
      { ...reply, message: 1 },
      { ...replyTold, text: "Let me count.", calls: [callOf("c1", "SELECT 1"), callOf("c2", "SELECT 2")] },
    ],
    [
      { ...reply, message: null, text: "The ans" },
      { ...replyTold, text: "The ans", calls: [] },
    ],
    [
      { ...reply, message: 99 },
      { ...replyTold, text: "", calls: [] },
    ],
    [
      { type: "model_failed", code: "overloaded", status: 529, text: "Busy." },
      { type: "model_failed", code: "overloaded", status: 529, message: "Busy." },
    ],
    [
      { type: "retry_scheduled", code: "overloaded", until: 1_700_000_000_500, attempt: 2 },
      { type: "retry_scheduled", code: "overloaded", until: "2023-11-14T22:13:20.500Z", attempt: 2 },
    ],
    [
      { type: "tool_observed", message: 2, index: 1, durationMs: 7, query },
      {
        type: "tool_observed",
        call_id: "c2",
        name: "execute_read_only_sql",
        observation: success("2 rows."),
        duration_ms: 7,
        query: { sql: "SELECT 2", rows: 1, rows_read: 10, duration_ms: 3, error: null, ref: "r1" },
      },
    ],
    [
      { type: "tool_observed", message: 2, index: 0, durationMs: 7 },
      {
        type: "tool_observed",
        call_id: "c1",
        name: "execute_read_only_sql",
        observation: success("1 row."),
        duration_ms: 7,
        query: null,
      },
    ],
    [
      { type: "tool_observed", message: 50, index: 0, durationMs: 7 },
      { type: "tool_observed", call_id: null, name: null, observation: null, duration_ms: 7, query: null },
    ],
    [
      { type: "recovery", what: "cycle", text: "Again." },
      { type: "recovery", what: "cycle", message: "Again." },
    ],
    [
      {
        type: "recovery",
        what: "repair",
        text: "Tier 1.",
        refused: { messages: { from: 0, to: 7 }, omitted: [{ from: 3, to: 5 }], reply: 12 },
      },
      {
        type: "recovery",
        what: "repair",
        message: "Tier 1.",
        refused: { messages: { from: 0, to: 7 }, omitted: [{ from: 3, to: 5 }], reply: 12 },
      },
    ],
    [
      { type: "ceiling_reached", reason: "max_hops" },
      { type: "ceiling_reached", reason: "max_hops" },
    ],
    [
      { type: "run_finished", outcome: "stopped", stopReason: "max_hops", text: "Stopped." },
      { type: "run_finished", outcome: "stopped", stop_reason: "max_hops", message: "Stopped." },
    ],
  ])("tells %j", (body, expected) => {
    expect(toPublicRunEvent({ ...head, ...body } as RunEvent, at)).toEqual({ ...told, ...expected });
  });

  it("survives JSON: nothing in the public form is lost on the wire", () => {
    const event: RunEvent = { ...head, type: "tool_observed", message: 2, index: 1, durationMs: 7, query };
    const made = toPublicRunEvent(event, at);
    expect(JSON.parse(JSON.stringify(made))).toEqual(made);
  });
});

describe("sqlOf", () => {
  it.each<[unknown, string | null]>([
    [{ sql: "SELECT 1" }, "SELECT 1"],
    [{ sql: 5 }, null],
    [{ ref: "r1" }, null],
    ["SELECT 1", null],
    ['{"sql":"SELECT 1"}', "SELECT 1"],
    ['{"sql":1}', null],
    ['["sql"]', null],
    [null, null],
    [undefined, null],
  ])("of %j is %j", (input, sql) => {
    expect(sqlOf(input)).toBe(sql);
  });
});
