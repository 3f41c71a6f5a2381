import { describe, expect, it } from "vitest";
import {
  adviceText,
  carriedOnText,
  NUDGE_CUT_CALL,
  NUDGE_EMPTY,
  NUDGE_THINKING,
  NUDGE_UNGROUNDED,
  resumeCutText,
  unsupportedText,
} from "../../src/agent/nudges.ts";
import { stateWith } from "./states.ts";

describe("nudges", () => {
  it("B33, B39: what comes back is delimited: as what was said, and as advice", () => {
    expect(resumeCutText("So far.")).toContain("<said_so_far>\nSo far.\n</said_so_far>");
    expect(adviceText("Count rows.")).toContain("<advice>\nCount rows.\n</advice>");
  });

  it("each says what to do next", () => {
    for (const nudge of [NUDGE_EMPTY, NUDGE_THINKING, NUDGE_CUT_CALL, NUDGE_UNGROUNDED]) {
      expect(nudge).toMatch(/call|query|answer/i);
    }
    expect(new Set([NUDGE_EMPTY, NUDGE_THINKING, NUDGE_CUT_CALL, NUDGE_UNGROUNDED]).size).toBe(4);
  });

  it("a run that goes on is told which limits were raised, and what it has left", () => {
    const { limits, usage } = stateWith({ limits: { stepsMax: 12, hopsMax: 8 }, usage: { steps: 3, hops: 5 } });
    expect(carriedOnText([{ name: "max_steps", from: 3, to: 12 }], limits, usage)).toBe(
      "A limit had stopped this run; it goes on with max_steps raised from 3 to 12. You have 9 steps and 3 tool calls " +
        "left. Go on from the results above.",
    );
  });

  it("figures without evidence are named, ten at the most", () => {
    const figures = Array.from({ length: 12 }, (_, index) => String(index + 100));
    expect(unsupportedText(figures)).toContain("100, 101");
    expect(unsupportedText(figures)).toContain("109");
    expect(unsupportedText(figures)).not.toContain("110");
  });
});
