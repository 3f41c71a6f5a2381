import { describe, expect, it } from "vitest";
import type { AgentState } from "../../src/agent/state.ts";
import { encodeState } from "../../src/agent/state-record.ts";
import { foldStates, isAtRest, isCheckpoint, readCheckpoints } from "../../src/durable/checkpoints.ts";
import { readStateRows } from "../../src/durable/rows.ts";
import { endingWith, modelAttempt, stateWith } from "../agent/states.ts";
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

describe("checkpoints", () => {
  it("C51: give back the very state of each step, and the row it stands in", async () => {
    const { sql, states } = await runOf(2);
    const read = readCheckpoints(sql);
    expect(read.map(({ number }) => number)).toEqual([0, 1, 2]);
    expect(read.map(({ state }) => encodeState(state))).toEqual(states.map(encodeState));
  });

  it("leave out a step that is under way and one that ended the run", async () => {
    const { run, sql, states } = await runOf(2);
    await run.step();
    expect(run.journal.load().ending).not.toBeNull();
    expect(readCheckpoints(sql).map(({ state }) => state)).toEqual(states);
  });

  it("C52: are passed over from one that is broken up to the next that stands for itself", async () => {
    const { run, sql } = await runOf(2);
    sql.exec("UPDATE steps SET state = '{' WHERE number = 1");
    expect(readCheckpoints(sql).map(({ number }) => number)).toEqual([0]);
    expect(foldStates(readStateRows(sql)).map(({ record }) => record === null)).toEqual([false, true, true]);
    run.reopen();
    expect(foldStates(readStateRows(sql)).map(({ record }) => record === null)).toEqual([false, true, true, false]);
  });
});

describe("at rest", () => {
  it("is a state in which nothing is open, owed or to be tried again", () => {
    expect(isAtRest(stateWith())).toBe(true);
    expect(isAtRest(stateWith({ phase: "observation" }))).toBe(true);
    const busy = [
      { attempt: modelAttempt() },
      { phase: "action" as const },
      { failedTries: 1 },
      { concluding: "budget" as const },
      { waiting: { kind: "retry" as const, until: 1, code: "x" } },
      { phase: "finish" as const, ending: endingWith() },
    ];
    for (const parts of busy) expect(isAtRest(stateWith(parts))).toBe(false);
  });

  it("a reply that is still to be summarised is no checkpoint", () => {
    expect(isCheckpoint(stateWith())).toBe(true);
    expect(isCheckpoint(stateWith({ cutText: "The answer is" }))).toBe(false);
  });
});
