import { describe, expect, it } from "vitest";
import { askedId } from "../../src/agent/waiting.ts";
import { approvalWith, inquiryWith, START, stateWith, waitingForWord, waitingForYes } from "./states.ts";

describe("what a person is asked", () => {
  it("is what the run waits for now, and nothing that was answered or is tried again", () => {
    expect(askedId(waitingForYes())).toBe("a1");
    expect(askedId(waitingForWord())).toBe("q1");
    const both = { approval: approvalWith({ decision: "approved" }), inquiry: inquiryWith() };
    expect(askedId(waitingForWord(both))).toBe("q1");
    expect(askedId(stateWith(both))).toBeNull();
    const retry = { kind: "retry", until: START, code: "overloaded" } as const;
    expect(askedId(stateWith({ ...both, waiting: retry }))).toBeNull();
  });
});
