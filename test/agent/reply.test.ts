/** What a model's reply does to a run: kept or not, charged, answered, mended (C12–C14, B31–B35, B52–B55). */
import { describe, expect, it } from "vitest";
import { advance } from "../../src/agent/advance.ts";
import type { ModelReply } from "../../src/agent/model.ts";
import {
  NUDGE_CUT_CALL,
  NUDGE_EMPTY,
  NUDGE_THINKING,
  NUDGE_UNGROUNDED,
  resumeCutText,
} from "../../src/agent/nudges.ts";
import type { Attempt } from "../../src/agent/state.ts";
import { callOf, modelAttempt, NO_EVIDENCE, replied, START, type StateParts, stateWith } from "./states.ts";

const LONG = "The answer is long and was cut. ".repeat(20);

const take = (reply: Partial<ModelReply>, parts: StateParts = {}, purpose: Attempt["purpose"] = "step") =>
  advance(
    stateWith({ attempt: modelAttempt({ purpose }), usage: { steps: 1, modelCalls: 1 }, ...parts }),
    replied(reply),
    START + 40,
  );

describe("a reply with calls", () => {
  const calls = [callOf("c1"), callOf("c2")];
  const made = take({ calls, text: "Two queries." }, { failedTries: 2, repairTier: 1, badReplies: 2 });

  it("C13: is kept whole and verbatim, and its calls are next", () => {
    const content = [{ type: "thinking", signature: "abc" }, ...calls];
    expect(take({ calls, content, text: "Two queries." }).messages).toEqual([
      { role: "assistant", content, text: "Two queries.", calls },
    ]);
    expect(made.state).toMatchObject({ phase: "action", attempt: null, ending: null });
  });

  it("C12: is charged in the same transition, and told", () => {
    expect(made.state.usage.costNanoUsd).toBe(2_000_000);
    expect(made.events).toEqual([
      {
        at: START + 40,
        step: 1,
        phase: "action",
        type: "model_replied",
        message: 1,
        finish: "tool_use",
        tokens: [500, 0, 0, 0, 100],
        costNanoUsd: 2_000_000,
        totalNanoUsd: 2_000_000,
        durationMs: 40,
      },
    ]);
  });

  it("starts the counts of tries, repair and bad replies anew, and the room for output", () => {
    const cut = take({ calls }, { maxTokens: 32_768, cutSummarised: true, badReplies: 1 }).state;
    expect(made.state).toMatchObject({ failedTries: 0, repairTier: 0, badReplies: 0 });
    expect(cut).toMatchObject({ maxTokens: 8_192, cutSummarised: false });
  });

  it("says how full the model's window is: prompt, cached or not, and output", () => {
    const usage = { input: 1, cacheWrite5m: 20, cacheWrite1h: 300, cacheRead: 4_000, output: 50_000 };
    expect(take({ calls, usage }).state.windowTokens).toBe(54_321);
  });

  it("A4: may cost what was reserved and not one nano-dollar more", () => {
    const state = stateWith({ attempt: modelAttempt({ reservedNanoUsd: 50 }) });
    expect(advance(state, replied({ calls }, NO_EVIDENCE, 50), START).state.usage.costNanoUsd).toBe(50);
    expect(() => advance(state, replied({ calls }, NO_EVIDENCE, 51), START)).toThrow("A4: a call cost 51, reserved 50");
  });
});

describe("a reply in plain text", () => {
  it("C14: is the answer, trimmed, and grounded if a query gave rows", () => {
    const made = take({ text: " It is 347.\n" }, { queriesAnswered: 1 });
    expect(made.state.ending).toMatchObject({ outcome: "answered", answer: "It is 347.", grounded: true });
    expect(take({ text: "It is 347." }).state.ending?.grounded).toBe(false);
  });

  it("carries the cells behind its figures, and says which have none", () => {
    const citation = { figure: "347", result: "r2", row: 1, column: "n" };
    const evidence = { citations: [citation, { ...citation, figure: "12" }], unsupported: ["99"] };
    const state = stateWith({ attempt: modelAttempt(), queriesAnswered: 1 });
    const { ending } = advance(state, replied({ text: "347, 12 and 99." }, evidence), START).state;
    expect(ending).toMatchObject({ results: ["r2"], citations: evidence.citations, unsupported: ["99"] });
    const off = advance({ ...state, grounding: "off" }, replied({ text: "347." }, evidence), START).state;
    expect(off.ending?.unsupported).toEqual([]);
  });

  it("A27: under require, it is sent back once, then ends the run as ungrounded", () => {
    const first = take({ text: "347." }, { grounding: "require" });
    expect(first.state).toMatchObject({ phase: "thought", groundingTurns: 1, ending: null });
    expect(first.messages.map((message) => message.role)).toEqual(["assistant", "user"]);
    expect(first.messages[1]).toEqual({ role: "user", text: NUDGE_UNGROUNDED });
    expect(first.events.at(-1)).toMatchObject({ type: "recovery", what: "ungrounded" });
    const second = take({ text: "347." }, { grounding: "require", groundingTurns: 1 });
    expect(second.state.ending).toMatchObject({ stopReason: "ungrounded", answer: null });
    expect(second.messages).toHaveLength(1);
    expect(second.events.at(-1)?.type).toBe("run_finished");
  });
});

describe("an answer that is sent back", () => {
  it("was still a good reply: the count of bad ones and the room for output start anew", () => {
    const made = take({ text: "347." }, { grounding: "require", badReplies: 2, maxTokens: 32_768 });
    expect(made.state).toMatchObject({ badReplies: 0, maxTokens: 8_192, ending: null });
  });
});

describe("a reply that cannot be used", () => {
  it.each([
    [0, null],
    [1, null],
    [2, "malformed_reply"],
  ])("after %s bad ones before, an empty reply ends the run as %s", (badReplies, reason) => {
    const made = take({ text: "" }, { badReplies });
    expect(made.state.ending?.stopReason ?? null).toBe(reason);
    if (reason !== null) return;
    expect(made.state.badReplies).toBe(badReplies + 1);
    expect(made.messages).toEqual([{ role: "user", text: NUDGE_EMPTY }]);
    expect(made.events.map(({ type }) => type)).toEqual(["model_replied", "recovery"]);
  });

  it("is not kept: its text stands in the event, a page and a half at most", () => {
    const event = take({ text: "x".repeat(9_000), finish: "max_tokens" }).events[0];
    expect(event).toMatchObject({ type: "model_replied", message: null, text: "x".repeat(6_000) });
  });

  it.each([
    ["in words of its own", "I will not.", "I will not."],
    ["in silence", " ", "The model declined to answer this question."],
  ])("a refusal ends the run, %s", (_what, text, message) => {
    const { ending } = take({ text, finish: "refusal" }).state;
    expect(ending).toMatchObject({ stopReason: "refusal", answer: null, partialAnswer: null, message });
  });
});

describe("a reply that was cut off", () => {
  it("B34, B53: doubles the room, up to the model's maximum", () => {
    const rooms = (maxTokens: number, maxTokensMax: number) =>
      take({ text: "The ans", finish: "max_tokens" }, { maxTokens, maxTokensMax }).state.maxTokens;
    expect(rooms(8_192, 64_000)).toBe(16_384);
    expect(rooms(40_000, 64_000)).toBe(64_000);
    expect(rooms(63_999, 64_000)).toBe(64_000);
  });

  it.each([
    ["text", { text: "The ans" }, "The ans"],
    ["a tool call", { text: "Let me see.", calls: [callOf("c1")] }, null],
    ["thinking", {}, null],
  ])("B54: at the maximum, cut off in %s, the run ends as truncated", (_what, parts, partialAnswer) => {
    const { ending } = take({ ...parts, finish: "max_tokens" }, { maxTokens: 64_000, maxTokensMax: 64_000 }).state;
    expect(ending).toMatchObject({ stopReason: "truncated", answer: null, partialAnswer });
  });

  it.each([
    ["thinking", {}, NUDGE_THINKING],
    ["a tool call", { calls: [callOf("c1")] }, NUDGE_CUT_CALL],
    ["a short text", { text: "The ans" }, resumeCutText("The ans")],
  ])("B55: in %s, the model is told so", (_what, parts, text) => {
    const made = take({ ...parts, finish: "max_tokens" });
    expect(made.messages).toEqual([{ role: "user", text }]);
    expect(made.state).toMatchObject({ phase: "thought", cutText: null, ending: null });
  });

  it("B32, B35: a long text is to be summarised, once a step", () => {
    const first = take({ text: LONG, finish: "max_tokens" });
    expect(first.state.cutText).toBe(LONG);
    expect(first.messages).toEqual([]);
    const second = take({ text: LONG, finish: "max_tokens" }, { cutSummarised: true });
    expect(second.state.cutText).toBeNull();
    expect(second.messages).toEqual([{ role: "user", text: resumeCutText(LONG) }]);
  });

  it.each([
    [499, null],
    [500, 500],
  ])("a text of %s characters is kept for a summary as %s", (length, kept) => {
    expect(take({ text: "x".repeat(length), finish: "max_tokens" }).state.cutText?.length ?? null).toBe(kept);
  });

  it("a cut-off call is asked for again, however long the text before it", () => {
    const made = take({ text: LONG, calls: [callOf("c1")], finish: "max_tokens" });
    expect(made.state.cutText).toBeNull();
    expect(made.messages).toEqual([{ role: "user", text: NUDGE_CUT_CALL }]);
  });

  it("is told with what was being written and how much room there is next", () => {
    const told = take({ calls: [callOf("c1")], finish: "max_tokens" }).events.at(-1);
    expect(told).toMatchObject({
      type: "recovery",
      what: "truncated",
      text: "Cut off in the tool call: 16384 tokens next time.",
    });
  });

  it("a reason that nobody has heard of is a cut, never an answer", () => {
    expect(take({ text: "It is 347.", finish: "other" }).state.ending).toBeNull();
  });

  it("a full window continues in a fresh transcript, unless the transcript is as fresh as can be", () => {
    const full = (parts: StateParts) => take({ text: "The ans", finish: "context_window" }, parts).state;
    expect(full({ messages: 4 })).toMatchObject({ renewalDue: "window", badReplies: 1, ending: null });
    expect(full({ messages: 4, transcriptStart: 2 })).toMatchObject({ renewalDue: "window" });
    expect(full({ messages: 4, transcriptStart: 3 }).ending).toMatchObject({
      stopReason: "context_window",
      partialAnswer: "The ans",
    });
    expect(full({ messages: 4, badReplies: 1 }).ending).toBeNull();
    expect(full({ messages: 4, badReplies: 2 }).ending?.stopReason).toBe("context_window");
  });
});

describe("the last call", () => {
  const last = (reply: Partial<ModelReply>) => take(reply, { concluding: "max_hops" }, "last");

  it.each(["end_turn", "max_tokens", "refusal", "other"] as const)(
    "A31: its text is a partial answer, ended by %s or not",
    (finish) => {
      const made = last({ text: " So far: 300. ", finish });
      expect(made.state.ending).toMatchObject({
        stopReason: "max_hops",
        answer: null,
        partialAnswer: "So far: 300.",
        failed: true,
      });
      expect(made.messages).toEqual([]);
    },
  );

  it("an empty one ends nothing yet: the driver has the rows", () => {
    expect(last({ text: " " }).state).toMatchObject({ ending: null, attempt: null, phase: "thought" });
    expect(last({ calls: [callOf("c1")] }).state).toMatchObject({ ending: null, phase: "thought" });
  });
});

describe("the critic's reply", () => {
  const call = { signature: "s", result: "r", tool: "t", step: 1, isError: false, ref: null };
  const critic = (text: string) => take({ text }, { critic: "used", rung: 3, recent: [call] }, "critic");

  it("B39: goes into the conversation once, as advice, and the detector starts anew", () => {
    const made = critic(" Count rows. ");
    expect(made.messages).toMatchObject([
      { role: "user", text: expect.stringContaining("<advice>\nCount rows.\n</advice>") },
    ]);
    expect(made.state).toMatchObject({ rung: 0, recent: [], ending: null, phase: "thought" });
    expect(made.events.at(-1)).toMatchObject({ type: "recovery", what: "critic" });
  });

  it("without words there is no new perspective, and the rung stands", () => {
    const made = critic(" ");
    expect(made.messages).toEqual([]);
    expect(made.state).toMatchObject({ rung: 3, recent: [call] });
  });

  it("does not touch the counts of the step", () => {
    const made = take({ text: "Count." }, { failedTries: 1, windowTokens: 77 }, "critic");
    expect(made.state).toMatchObject({ failedTries: 1, windowTokens: 77 });
  });
});

describe("the summary of a cut-off text", () => {
  const summary = (reply: Partial<ModelReply>) => take(reply, { cutText: "raw text", cutSummarised: true }, "summary");

  it("B33: goes into the conversation in place of the text", () => {
    const made = summary({ text: " It had found 347. " });
    expect(made.messages).toEqual([{ role: "user", text: resumeCutText("It had found 347.") }]);
    expect(made.state).toMatchObject({ cutText: null, ending: null });
  });

  it.each([
    ["cut itself", { text: "It had", finish: "max_tokens" as const }],
    ["empty", { text: " " }],
    ["a tool call", { text: "x", calls: [callOf("c1")] }],
    ["a refusal", { text: "No.", finish: "refusal" as const }],
  ])("B35: one that is %s gives way to the raw text", (_what, reply) => {
    expect(summary(reply).messages).toEqual([{ role: "user", text: resumeCutText("raw text") }]);
  });
});
