/** The last, tool-less call when it goes wrong: the run still ends for its own reason, with what the rows say (A31). */
import { describe, expect, it } from "vitest";
import type { ModelOutcome } from "../../src/agent/model.ts";
import { failed, functionModel, querying, replied } from "../fakes/function-model.ts";
import { Crash, createMemoryRun } from "../fakes/memory-run.ts";

const stopped = async (last: () => ModelOutcome) => {
  const model = functionModel((request, call) => (request.toolChoice === "none" ? last() : querying(`SELECT ${call}`)));
  const run = createMemoryRun(model, { limits: { max_steps: 2 } });
  await run.finish();
  return run.state();
};

describe("a last call that does not come to an end", () => {
  it("after four interruptions is done without", async () => {
    const state = await stopped(() => {
      throw new Crash("in the last call");
    });
    expect(state.ending).toMatchObject({ stopReason: "max_steps", outcome: "stopped", answer: null });
    expect(state.ending?.partialAnswer).toContain("Result r1 (1 row) of: SELECT 0");
    expect(state.usage.modelCalls).toBe(6);
  });

  it.each([
    ["that fails", () => failed("retryable", "overloaded")],
    ["that fails for good", () => failed("fatal", "authentication", { unbilled: true })],
    ["without a word", () => replied({ text: " " })],
    ["that asks for a tool all the same", () => querying("SELECT 9")],
  ])("%s is not repeated", async (_what, last) => {
    const state = await stopped(last);
    expect(state.ending).toMatchObject({ stopReason: "max_steps", answer: null });
    expect(state.ending?.partialAnswer).toContain("Result r1");
    expect(state.usage.modelCalls).toBe(3);
  });
});
