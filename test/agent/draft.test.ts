import { describe, expect, it } from "vitest";
import { type Draft, finish, say, settle, settleRows, tell } from "../../src/agent/draft.ts";
import { modelAttempt, START, stateWith, toolsAttempt } from "./states.ts";

const draftOf = (parts: Parameters<typeof stateWith>[0] = {}): Draft => ({
  state: stateWith(parts),
  messages: [],
  events: [],
  now: START + 5,
});

describe("the moves of a transition", () => {
  it("A4: an event is stamped with the instant, the step and the phase as they are then", () => {
    const draft = draftOf({ phase: "action", usage: { steps: 3 } });
    tell(draft, { type: "step_finished" });
    expect(draft.events).toEqual([{ at: START + 5, step: 3, phase: "action", type: "step_finished" }]);
  });

  it("a message gets the next number of the run's history", () => {
    const draft = draftOf({ messages: 4 });
    expect(say(draft, { role: "user", text: "a" })).toBe(4);
    expect(say(draft, { role: "user", text: "b" })).toBe(5);
    expect(draft.messages).toHaveLength(2);
  });

  it("a settled attempt is closed, and its cost added", () => {
    const draft = draftOf({ attempt: modelAttempt(), usage: { costNanoUsd: 10 } });
    settle(draft, 7);
    expect(draft.state).toMatchObject({ attempt: null, usage: { costNanoUsd: 17 } });
  });

  it.each([
    [9, 0],
    [10, 0],
    [11, 1],
  ])("%s rows of 10 reserved cost their nano-dollars; %s are an overrun", (rowsRead, rowsOverrun) => {
    const draft = draftOf({ attempt: toolsAttempt({ reservedRows: 10 }), usage: { costNanoUsd: 5, rowsRead: 5 } });
    settleRows(draft, rowsRead, 10);
    expect(draft.state).toMatchObject({
      attempt: null,
      usage: { costNanoUsd: 5 + rowsRead, rowsRead: 5 + rowsRead, rowsOverrun },
    });
  });

  it("A1: finishing writes the ending, ends every wait, and tells of it in the finish phase", () => {
    const draft = draftOf({ waiting: { kind: "retry", until: START + 9, code: "x" }, usage: { steps: 2 } });
    finish(draft, "max_steps", { partial: "So far." });
    expect(draft.state).toMatchObject({ phase: "finish", waiting: null });
    expect(draft.state.ending).toMatchObject({ at: START + 5, stopReason: "max_steps", partialAnswer: "So far." });
    expect(draft.events).toEqual([
      {
        at: START + 5,
        step: 2,
        phase: "finish",
        type: "run_finished",
        outcome: "stopped",
        stopReason: "max_steps",
        text: draft.state.ending?.message,
      },
    ]);
  });

  it("a move replaces the state and never writes into the old one", () => {
    const draft = draftOf({ attempt: modelAttempt() });
    const before = draft.state;
    const copy = structuredClone(before);
    settle(draft, 7);
    finish(draft, "done", { answer: "x" });
    expect(before).toEqual(copy);
    expect(draft.state).not.toBe(before);
  });
});
