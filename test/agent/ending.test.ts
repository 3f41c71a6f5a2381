/** Every exit: its outcome, its flag, its words (A9, A13, A14, A7). */
import { describe, expect, it } from "vitest";
import { CONTINUABLE, endingOf } from "../../src/agent/ending.ts";
import { OUTCOMES, STOP_REASONS, type StopReason } from "../../src/agent/state.ts";
import { type StateParts, stateWith } from "./states.ts";

const NOW = 2_000_000;

const OUTCOME: { readonly [R in StopReason]: string } = {
  done: "answered",
  max_steps: "stopped",
  max_hops: "stopped",
  retry_ceiling: "stopped",
  error_budget: "stopped",
  cycle: "stopped",
  budget: "stopped",
  timeout: "stopped",
  truncated: "stopped",
  refusal: "stopped",
  context_window: "stopped",
  ungrounded: "stopped",
  rejected: "stopped",
  expired: "stopped",
  provider_error: "failed",
  malformed_reply: "failed",
  error: "failed",
  cancelled: "cancelled",
};

describe("endingOf", () => {
  it.each(STOP_REASONS)("A7, A9: %s has its outcome, its flag, and an answer only if it is one", (reason) => {
    const ending = endingOf(stateWith(), reason, NOW, { answer: "347", partial: "So far: 300.", grounded: true });
    const isAnswered = reason === "done";
    expect(ending).toMatchObject({
      at: NOW,
      stopReason: reason,
      outcome: OUTCOME[reason],
      failed: !isAnswered,
      answer: isAnswered ? "347" : null,
      partialAnswer: isAnswered ? null : "So far: 300.",
      grounded: true,
    });
    expect(OUTCOMES).toContain(ending.outcome);
  });

  it("the reasons are distinct values, eighteen of them", () => {
    expect(new Set(STOP_REASONS).size).toBe(18);
  });

  it("nothing said is nothing: no parts give no partial answer, no references, not grounded", () => {
    expect(endingOf(stateWith(), "timeout", NOW)).toMatchObject({
      partialAnswer: null,
      grounded: false,
      results: [],
      citations: [],
    });
    expect(endingOf(stateWith(), "timeout", NOW, { partial: "" }).partialAnswer).toBeNull();
    expect(endingOf(stateWith(), "timeout", NOW, { partial: null }).partialAnswer).toBeNull();
  });

  it("keeps the evidence it is given, and copies it", () => {
    const results = ["r1"];
    const citations = [{ figure: "347", result: "r1", row: 1, column: "n" }];
    const ending = endingOf(stateWith(), "done", NOW, { answer: "347", results, citations });
    results.push("r2");
    expect(ending.results).toEqual(["r1"]);
    expect(ending.citations).toEqual(citations);
  });

  it("cuts a text of more than 20,000 characters, and says so", () => {
    const exact = "x".repeat(20_000);
    const ending = (answer: string) => endingOf(stateWith(), "done", NOW, { answer });
    expect(ending(exact).answer).toBe(exact);
    expect(ending(`${exact}y`).answer).toBe(`${exact} … (cut)`);
    const partial = endingOf(stateWith(), "budget", NOW, { partial: `${exact}y`, message: `${exact}z` });
    expect(partial.partialAnswer).toBe(`${exact} … (cut)`);
    expect(partial.message).toBe(`${exact} … (cut)`);
    expect(ending(`${"x".repeat(19_999)}😀y`).answer?.isWellFormed()).toBe(true);
  });
});

describe("the sentence of an ending", () => {
  const used: StateParts = {
    usage: { steps: 5, hops: 7, errors: 4, modelCalls: 9, costNanoUsd: 12_300_000, rowsRead: 50 },
    consecutiveErrors: 3,
  };
  it.each<[StopReason, StateParts, string]>([
    ["done", {}, "Answered."],
    ["max_steps", {}, "Stopped after 5 of 12 steps without a final answer."],
    ["max_hops", {}, "Stopped after 7 of 8 tool calls without a final answer."],
    ["retry_ceiling", {}, "Gave up: 3 tool calls in a row failed."],
    ["error_budget", {}, "Gave up: 4 tool calls failed in all."],
    ["cycle", {}, "Gave up: the same calls were being repeated with the same results."],
    ["budget", {}, "Stopped: the next call could pass the budget of $0.5000 (spent $0.0123)."],
    ["budget", { limits: { rowsReadMax: 50 } }, "Stopped: 50 rows were read, which is the limit."],
    ["budget", { limits: { modelCallsMax: 10 } }, "Stopped after 9 of 10 model calls."],
    ["timeout", {}, "Stopped: the time limit of 300 s was reached."],
    ["truncated", {}, "Stopped: the model's replies were cut off again and again."],
    ["refusal", {}, "The model declined to answer this question."],
    ["context_window", {}, "Stopped: the conversation no longer fits the model's context window."],
    [
      "ungrounded",
      {},
      "Stopped: the model kept answering without querying the database, which this run does not allow.",
    ],
    ["provider_error", {}, "The model's provider failed, and trying again did not help."],
    [
      "provider_error",
      { lastFailure: "The connection broke." },
      "The model's provider failed, and trying again did not help. The connection broke.",
    ],
    ["malformed_reply", {}, "The model's replies could not be used."],
    ["rejected", {}, "Stopped: a person turned the request down."],
    ["expired", {}, "Stopped: the run was not finished within its lifetime."],
    ["cancelled", {}, "Cancelled."],
    [
      "error",
      {},
      "Something broke inside Querent. The error was logged; it is not a mistake of yours or of the model's.",
    ],
  ])("A13: %s is told with the true counts", (reason, parts, sentence) => {
    expect(endingOf(stateWith({ ...used, ...parts }), reason, NOW).message).toBe(sentence);
  });

  it("A13: the sentence tells the nearer of two ceilings that share a reason", () => {
    const state = (parts: StateParts) => endingOf(stateWith(parts), "budget", NOW).message;
    const limits = { modelCallsMax: 10, costNanoUsdMax: 1_000_000_000 };
    expect(state({ limits, usage: { modelCalls: 8 } })).toContain("$1.0000");
    expect(state({ limits, usage: { modelCalls: 9 } })).toBe("Stopped after 9 of 10 model calls.");
    expect(state({ limits, usage: { modelCalls: 9, costNanoUsd: 499_999_999 } })).toContain("9 of 10 model calls");
    expect(state({ limits, usage: { modelCalls: 9, costNanoUsd: 500_000_000 } })).toContain("spent $0.5000");
    expect(state({ limits: { rowsReadMax: 50 }, usage: { rowsRead: 49 } })).toContain("next call");
  });

  it("A14: rewording changes the words and nothing else", () => {
    for (const reason of STOP_REASONS) {
      const { message: standard, ...plain } = endingOf(stateWith(), reason, NOW);
      const { message: reworded, ...said } = endingOf(stateWith(), reason, NOW, { message: "Answered. done 347" });
      expect(reworded).toBe("Answered. done 347");
      expect(standard).not.toBe(reworded);
      expect(said).toEqual(plain);
    }
  });
});

describe("CONTINUABLE", () => {
  it("holds the reasons that more room can mend, and no ending that is final by its nature", () => {
    const final: StopReason[] = ["done", "refusal", "ungrounded", "malformed_reply", "rejected", "cancelled", "error"];
    expect(final.filter((reason) => CONTINUABLE.has(reason))).toEqual([]);
    const ceilings: StopReason[] = ["max_steps", "max_hops", "retry_ceiling", "error_budget", "budget", "timeout"];
    expect(ceilings.every((reason) => CONTINUABLE.has(reason))).toBe(true);
    expect(CONTINUABLE.has("provider_error")).toBe(true);
  });
});
