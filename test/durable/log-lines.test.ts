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

  it("tells what had to be mended and why a call failed", () => {
    const run = storedRun();
    const head = { at: 1, step: 1, phase: "thought" as const };
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
