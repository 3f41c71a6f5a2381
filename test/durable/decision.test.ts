import { describe, expect, it } from "vitest";
import { advance } from "../../src/agent/advance.ts";
import type { RunEvent } from "../../src/agent/run-event.ts";
import type { AgentState } from "../../src/agent/state.ts";
import type { Answer, Decision } from "../../src/durable/contract.ts";
import { applyCancel, applyDecision } from "../../src/durable/decision.ts";
import type { RunJournal } from "../../src/durable/journal.ts";
import { START, stateWith, waitingForWord, waitingForYes } from "../agent/states.ts";

const YES: Decision = { approval: "a1", decision: "approved", note: null, by: "team" };

/** The part of a journal that a decision touches. */
function journalOf(first: AgentState) {
  let state = first;
  const events: RunEvent[] = [];
  const journal: Pick<RunJournal, "load" | "events" | "save" | "results"> = {
    results: () => [],
    load: () => state,
    events: () => events,
    save: (moved) => {
      state = moved.state;
      events.push(...moved.events);
    },
  };
  return {
    decide: (said: Decision | Answer, now = START + 5) => applyDecision(journal, said, now),
    cancel: () => applyCancel(journal, START + 5),
    state: () => state,
    events,
  };
}

describe("a decision", () => {
  it("C45: moves the run on and is told with who said it", () => {
    const run = journalOf(waitingForYes());
    expect(run.decide({ ...YES, note: "Go." })).toBe("decided");
    expect(run.state()).toMatchObject({ waiting: null, approval: { decision: "approved", note: "Go." } });
    expect(run.events).toMatchObject([{ type: "approval_decided", approval: "a1", by: "team", note: "Go." }]);
  });

  it("C32: sent twice is one decision; the other way round changes nothing", () => {
    const run = journalOf(waitingForYes());
    run.decide(YES);
    expect(run.decide(YES)).toBe("decided");
    expect(run.decide({ ...YES, decision: "declined" })).toBe("not_waiting");
    expect(run.decide({ ...YES, note: "And hurry." })).toBe("not_waiting");
    expect(run.events).toHaveLength(1);
    expect(run.state().approval?.decision).toBe("approved");
  });

  it("C45: after its time decides nothing, though nobody has ended the run yet", () => {
    const run = journalOf(waitingForYes());
    const until = run.state().waiting?.until ?? 0;
    expect(run.decide(YES, until)).toBe("not_waiting");
    expect(run.events).toEqual([]);
    expect(run.decide(YES, until - 1)).toBe("decided");
  });

  it("C47: on other queries than those that are asked about decides nothing", () => {
    const run = journalOf(waitingForYes());
    expect(run.decide({ ...YES, approval: "a2" })).toBe("not_waiting");
    expect(run.state().waiting?.kind).toBe("approval");
  });

  it("or an answer: once, bound to what was asked, with who gave it", () => {
    const said: Answer = { inquiry: "q1", reply: "Revenue", by: "team" };
    const run = journalOf(waitingForWord());
    expect(run.decide({ ...said, inquiry: "q2" })).toBe("not_waiting");
    expect(run.decide({ ...YES, approval: "q2" })).toBe("not_waiting");
    expect([run.decide(said), run.decide(said)]).toEqual(["decided", "decided"]);
    expect(run.decide({ ...said, reply: "Count" })).toBe("not_waiting");
    expect(run.state()).toMatchObject({ waiting: null, inquiry: { reply: "Revenue" } });
    expect(run.events).toMatchObject([{ type: "question_answered", inquiry: "q1", reply: "Revenue", by: "team" }]);
  });

  it("C47: of the other kind than what is asked decides nothing, also with its id", () => {
    const yes = journalOf(waitingForYes());
    expect(yes.decide({ inquiry: "a1", reply: "Yes", by: "team" })).toBe("not_waiting");
    const word = journalOf(waitingForWord());
    expect(word.decide({ ...YES, approval: "q1" })).toBe("not_waiting");
    expect([yes.events, word.events]).toEqual([[], []]);
  });

  it("J5: to stop, ends a run that waits, once", () => {
    const run = journalOf(waitingForYes());
    expect([run.cancel(), run.cancel()]).toEqual(["cancelled", "finished"]);
    expect(run.state()).toMatchObject({ waiting: null, ending: { outcome: "cancelled" } });
    expect(run.decide(YES)).toBe("finished");
  });

  it("on a run that waits for a retry, for nothing, or is over decides nothing", () => {
    const retry = { kind: "retry", until: START + 500, code: "overloaded" } as const;
    expect(journalOf(stateWith({ waiting: retry })).decide(YES)).toBe("not_waiting");
    expect(journalOf(stateWith()).decide(YES)).toBe("not_waiting");
    const over = advance(waitingForYes(), { kind: "cancelled", partial: null }, START).state;
    expect(journalOf(over).decide(YES)).toBe("finished");
  });
});
