import { describe, expect, it } from "vitest";
import type { AgentState } from "../../src/agent/state.ts";
import { encodeState } from "../../src/agent/state-record.ts";
import { newestCheckpoint, readCheckpoint, rowsUpTo, writeCheckpoint } from "../../src/durable/checkpoints.ts";
import { storedRun } from "./stored-run.ts";

/** A run of so many steps, each with a query of its own, and its states at rest. */
async function runOf(steps: number) {
  const run = storedRun({ question: "What?" });
  const states: AgentState[] = [run.journal.load()];
  for (let step = 1; step <= steps; step += 1) {
    await run.step();
    states.push(run.journal.load());
  }
  return { run, sql: run.storage.sql, states };
}

function call(step: number): AgentState["recent"][number] {
  return { signature: `s${step}`, result: `r${step}`, tool: "q", step, isError: false, ref: `r${step}` };
}

/** A state after step `step` whose window holds the calls of `steps`. */
function stateAt(base: AgentState, step: number, steps: readonly number[]): AgentState {
  return { ...base, usage: { ...base.usage, steps: step }, windowTokens: step * 100, recent: steps.map(call) };
}

describe("checkpoints", () => {
  it("C51: give back the very state of each step", async () => {
    const { sql, states } = await runOf(2);
    states.forEach((state, step) => {
      const read = readCheckpoint(sql, step, "What?");
      expect(read === null ? null : encodeState(read)).toBe(encodeState(state));
    });
    expect(readCheckpoint(sql, 9, "What?")).toBeNull();
  });

  it("grow with what a step adds, not with the length of the run", async () => {
    const { sql, states } = await runOf(1);
    const [base] = states;
    if (base === undefined) throw new Error("a run has a first state");
    const window = (step: number) =>
      Array.from({ length: Math.min(12, step) }, (_, index) => step - Math.min(12, step) + index + 1);
    for (let step = 2; step <= 100; step += 1) writeCheckpoint(sql, stateAt(base, step, window(step)));
    const sizes = rowsUpTo(sql, 100).map((row) => row.state.length);
    expect(Math.max(...sizes.slice(2))).toBeLessThan(700);
    expect(readCheckpoint(sql, 100, "What?")).toEqual(stateAt(base, 100, window(100)));
    expect(readCheckpoint(sql, 50, "What?")).toEqual(stateAt(base, 50, window(50)));
  });

  it("forget the window where it was emptied, and keep it where a step was written again", async () => {
    const { sql, states } = await runOf(0);
    const [base] = states;
    if (base === undefined) throw new Error("a run has a first state");
    for (const [step, steps] of [
      [1, [1]],
      [2, [1, 2]],
      [2, []],
      [3, [3]],
      [4, [3, 4]],
      [4, [3, 4]],
    ] as const) {
      writeCheckpoint(sql, stateAt(base, step, steps));
      expect(readCheckpoint(sql, step, "What?")?.recent).toEqual(steps.map(call));
    }
  });

  it("C52: one that is broken is passed over for the one before, and a whole one is read at any step", async () => {
    const { sql, states } = await runOf(2);
    sql.exec("UPDATE checkpoints SET state = '{' WHERE step = 2");
    expect(readCheckpoint(sql, 2, "What?")).toBeNull();
    expect(newestCheckpoint(sql, "What?")?.usage.steps).toBe(1);
    const [, second] = states;
    if (second === undefined) throw new Error("the run made a step");
    sql.exec("UPDATE checkpoints SET state = ? WHERE step = 1", encodeState(second));
    expect(readCheckpoint(sql, 1, "What?")).toEqual(second);
    sql.exec("UPDATE checkpoints SET state = 'x'");
    expect(newestCheckpoint(sql, "What?")).toBeNull();
  });
});
