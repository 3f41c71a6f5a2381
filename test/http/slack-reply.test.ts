import { describe, expect, it } from "vitest";
import { tellRefusal, toNotice, toUsage, toWorkingMessage } from "../../src/http/slack-reply.ts";
import { checkMessage, readMarkup } from "../fakes/slack-rules.ts";

function check(message: object) {
  const checked = checkMessage(message);
  return { error: checked.error, ...readMarkup(message, checked.blocks) };
}

describe("what Slack is answered at once", () => {
  it("is taken by Slack and pings nobody, whatever people typed", () => {
    const evil = `<!channel> <@U1> https://evil.example @here ${"&".repeat(4_000)}`;
    for (const message of [toNotice("Not here."), toUsage(evil, "Wrong."), toWorkingMessage(evil, "run_a")]) {
      expect(check(message)).toEqual({ error: null, mentions: [], links: [] });
    }
  });

  it("is seen by who asked alone", () => {
    expect([toNotice("x").response_type, toUsage("/ask", null).response_type]).toEqual(["ephemeral", "ephemeral"]);
  });

  it("repeats a long question in part", () => {
    const { blocks } = toWorkingMessage("😀".repeat(1_000), "run_a");
    expect(JSON.stringify(blocks[0])).toContain(`${"😀".repeat(300)} …`);
  });

  it("has words of its own for what people in Slack meet, and the door's for the rest", () => {
    expect(tellRefusal({ code: "rate_limited", detail: "x" })).toContain("Try again in a minute");
    expect(tellRefusal({ code: "model_not_available", detail: "You may use: offline." })).toBe("You may use: offline.");
  });
});
