import { describe, expect, it } from "vitest";
import { toApproval } from "../../src/agent/approval.ts";
import type { Message } from "../../src/agent/model.ts";
import { approvalEvent } from "../../src/agent/replay-approvals.ts";
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
    expect(approvalEvent(record, state, { type: "approval_asked", at, queries: [query] })).toEqual({
      kind: "approval_asked",
      queries,
      approval: toApproval("run_1", 1, calls, queries),
    });
  });

  it("is the recorded word", () => {
    const told = { type: "approval_decided", at, approval: "a1", decision: "declined", by: "team", note: "No." };
    expect(approvalEvent(record, state, told)).toEqual({
      kind: "approval_decided",
      decision: "declined",
      by: "team",
      note: "No.",
    });
  });

  it("is no event when it is not told whole", () => {
    expect(() => approvalEvent(record, state, { type: "approval_decided", at, decision: "maybe" })).toThrow();
    expect(() => approvalEvent(record, state, { type: "approval_asked", at })).toThrow();
  });
});
