import { describe, expect, it } from "vitest";
import { actions, button, context, countChars, section } from "../../src/deliver/slack-blocks.ts";
import { checkMessage } from "../fakes/slack-rules.ts";

describe("blocks", () => {
  const blocks = [
    section("one"),
    context("two", "three"),
    actions(button("Stop", "querent_stop", "run_a", "danger"), button("Show rows", "querent_rows", "run_a")),
    { type: "table", rows: [[{ type: "raw_text", text: "cell" }]], column_settings: [] },
  ] as const;

  it("have the shapes that Slack takes, and let it make nothing of plain words", () => {
    expect(checkMessage({ text: "t", blocks: [...blocks] })).toMatchObject({ error: null });
    expect(JSON.stringify(blocks).match(/"verbatim":true/g)).toHaveLength(3);
    expect(JSON.stringify(blocks)).not.toContain('"emoji":true');
  });

  it("are as long as their texts together", () => {
    expect(countChars(blocks)).toBe("onetwothreeStopShow rowscell".length);
  });
});
