import { describe, expect, it } from "vitest";
import {
  adviceText,
  NUDGE_CUT_CALL,
  NUDGE_EMPTY,
  NUDGE_THINKING,
  NUDGE_UNGROUNDED,
  resumeCutText,
  unsupportedText,
} from "../../src/agent/nudges.ts";

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

  it("figures without evidence are named, ten at the most", () => {
    const figures = Array.from({ length: 12 }, (_, index) => String(index + 100));
    expect(unsupportedText(figures)).toContain("100, 101");
    expect(unsupportedText(figures)).toContain("109");
    expect(unsupportedText(figures)).not.toContain("110");
  });
});
