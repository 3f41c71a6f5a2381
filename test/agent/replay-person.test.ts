import { describe, expect, it } from "vitest";
import { toApproval } from "../../src/agent/approval.ts";
import { toInquiry } from "../../src/agent/inquiry.ts";
import type { Message } from "../../src/agent/model.ts";
import { personEvent } from "../../src/agent/replay-person.ts";
import { callOf, queryToAsk, stateWith } from "./states.ts";

const at = "2026-11-30T12:00:00.000Z";
const calls = [callOf("c1"), callOf("c2")];
const asked: Message = { role: "assistant", content: [], text: "", calls };
const record = { states: [], events: [], messages: [{ role: "user", text: "q" } as const, asked] };
const state = stateWith({ phase: "action", messages: 2 });

describe("of a replay, what a person was asked and said", () => {
  it("is bound to the recorded calls again, by their place", () => {
    const query = {
      index: 1,
      sql: "SELECT 1",
      tables: ["Album"],
      rows_read: 5_000,
      cost_usd: 0.000005,
      plan: ["SCAN Album"],
    };
    const queries = [queryToAsk({ index: 1 })];
    expect(personEvent(record, state, { type: "approval_asked", at, queries: [query] })).toEqual({
      kind: "approval_asked",
      queries,
      approval: toApproval("run_1", 1, calls, queries),
    });
  });

  it("is the recorded word", () => {
    const told = { type: "approval_decided", at, approval: "a1", decision: "declined", by: "team", note: "No." };
    expect(personEvent(record, state, told)).toEqual({
      kind: "approval_decided",
      decision: "declined",
      by: "team",
      note: "No.",
    });
  });

  it("is the question of the recorded call, and the recorded answer", () => {
    const told = { type: "question_asked", at, inquiry: "q", index: 1, question: "Which?", options: ["a", "b"] };
    expect(personEvent(record, state, told)).toEqual({
      kind: "question_asked",
      index: 1,
      inquiry: toInquiry("run_1", 1, "c2"),
    });
    const answered = { type: "question_answered", at, inquiry: "q", reply: "a", by: "team" };
    expect(personEvent(record, state, answered)).toEqual({ kind: "question_answered", reply: "a", by: "team" });
    expect(() => personEvent(record, state, { ...told, index: 5 })).toThrow("one of its calls");
  });

  it("is no event when it is not told whole", () => {
    expect(() => personEvent(record, state, { type: "approval_decided", at, decision: "maybe" })).toThrow();
    expect(() => personEvent(record, state, { type: "approval_asked", at })).toThrow();
  });
});
