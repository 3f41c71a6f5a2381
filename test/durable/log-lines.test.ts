import { afterEach, describe, expect, it, vi } from "vitest";
import { toRunLine, toStepLine } from "../../src/durable/log-lines.ts";
import { functionModel, replied } from "../fakes/function-model.ts";
import { storedRun } from "./stored-run.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const SECRETS = ["How many secret things?", "SELECT 'hush'", "the answer is hush", "hush"];

/** A query, then the answer, both of them about things that nobody else may know. */
function secretive() {
  return functionModel(({ messages }) => {
    const asked = messages.filter((message) => message.role === "assistant").length;
    if (asked > 0) return replied({ text: SECRETS[2] ?? "" });
    return replied({ calls: [{ id: "c1", name: "execute_read_only_sql", input: { sql: SECRETS[1] } }] });
  });
}

describe("the log", () => {
  it("has one line a step, with what it took in the names of OpenTelemetry", async () => {
    const lines = vi.spyOn(console, "info").mockImplementation(() => undefined);
    const run = storedRun({ question: SECRETS[0] ?? "" }, secretive());
    await run.step();
    await run.step();
    const [first, second, third] = lines.mock.calls.map(([text]) => JSON.parse(String(text)));
    expect(third).toBeUndefined();
    expect(first).toMatchObject({
      level: "info",
      event: "step",
      run: "run_1",
      caller: "anna",
      step: 1,
      result: "ready",
      tool_calls: 1,
      rows_read: 10,
      queries_failed: 0,
      recoveries: [],
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "test-model",
      "gen_ai.conversation.id": "run_1",
    });
    expect(first["gen_ai.usage.input_tokens"]).toBeGreaterThan(0);
    expect(first["gen_ai.usage.output_tokens"]).toBeGreaterThan(0);
    expect(first.cost_usd).toBeGreaterThan(0);
    expect(second).toMatchObject({ step: 2, phase: "finish", result: "finished" });
  });

  it("has no question, query, row or answer in any line", async () => {
    const run = storedRun({ question: SECRETS[0] ?? "" }, secretive());
    vi.spyOn(console, "info").mockImplementation(() => undefined);
    await run.step();
    await run.step();
    const { journal } = run;
    const state = journal.load();
    const text = JSON.stringify([
      toStepLine(state, journal.events(), "finished", 5),
      toRunLine(state, journal.events(), state.usage.costNanoUsd),
    ]);
    for (const secret of SECRETS) expect(text).not.toContain(secret);
  });

  it("tells of a run how it ended and all that it took", async () => {
    vi.spyOn(console, "info").mockImplementation(() => undefined);
    const run = storedRun();
    await run.step();
    await run.step();
    await run.step();
    const state = run.journal.load();
    expect(toRunLine(state, run.journal.events(), 5_000_000)).toMatchObject({
      event: "run",
      outcome: "answered",
      stop_reason: "done",
      steps: 3,
      queries: 2,
      cost_usd: 0.005,
      parent: null,
    });
  });

  const head = { at: 1, step: 1, phase: "thought" as const };
  const reply = (tokens: readonly [number, number, number, number, number], parts: object = {}) => ({
    ...head,
    type: "model_replied" as const,
    message: 1,
    finish: "tool_use",
    tokens,
    costNanoUsd: 2_000_000,
    totalNanoUsd: 9_000_000,
    durationMs: 40,
    ...parts,
  });
  const observed = (durationMs: number, error: string | null) => ({
    ...head,
    type: "tool_observed" as const,
    message: 2,
    index: 0,
    durationMs,
    query: { rows: 1, rowsRead: 10, durationMs, error, ref: null },
  });
  const TOKENS = {
    "gen_ai.usage.input_tokens": 1_111 + 222,
    "gen_ai.usage.cache_read.input_tokens": 1_000 + 200,
    "gen_ai.usage.cache_creation.input_tokens": 110 + 20,
    "gen_ai.usage.output_tokens": 5 + 7,
    "gen_ai.response.finish_reasons": ["tool_use", "end_turn"],
  };
  const replies = [
    reply([1, 10, 100, 1_000, 5]),
    reply([2, 20, 0, 200, 7], { finish: "end_turn", durationMs: 2, costNanoUsd: 500_000 }),
  ];

  it("adds up dollars, seconds and every kind of token of a step, and counts the queries that failed", () => {
    const state = storedRun().journal.load();
    const { "error.type": failure, ...line } = toStepLine(
      state,
      [...replies, observed(3, null), observed(4, "no_such_column")],
      "ready",
      99,
    );
    expect(failure).toBeUndefined();
    expect(line).toMatchObject({
      duration_ms: 99,
      model_ms: 42,
      tool_calls: 2,
      tool_ms: 7,
      queries_failed: 1,
      rows_read: 20,
      cost_usd: 0.0025,
      ...TOKENS,
    });
  });

  it("counts in a run that carries on another one its own tokens, so that a sum over runs counts none twice", async () => {
    vi.spyOn(console, "info").mockImplementation(() => undefined);
    const run = storedRun();
    for (let step = 0; step < 3; step += 1) await run.step();
    const state = run.journal.load();
    const forked = { ...head, type: "run_forked" as const, from: "run_0", fromStep: 1, kind: "continue" as const };
    const line = toRunLine(state, [reply([9, 9, 9, 9, 9], { finish: "refusal" }), forked, ...replies], 5);
    expect(line).toMatchObject({ ...TOKENS, duration_ms: (state.ending?.at ?? 0) - state.createdAt, grounded: true });
    expect(toRunLine(state, replies, 5)).toMatchObject(TOKENS);
  });

  it("tells what had to be mended and why a call failed", () => {
    const run = storedRun();
    const line = toStepLine(
      run.journal.load(),
      [
        { ...head, type: "attempt_lost", keptNanoUsd: 1 },
        { ...head, type: "model_failed", code: "overloaded", status: 529, text: "secret" },
        { ...head, type: "recovery", what: "empty", text: "secret" },
      ],
      "wait",
      1,
    );
    expect(line).toMatchObject({ attempts_lost: 1, recoveries: ["empty"], "error.type": "overloaded" });
    expect(JSON.stringify(line)).not.toContain("secret");
  });
});
