import { describe, expect, it } from "vitest";
import { readConfig } from "../../src/config.ts";
import { type ParsedCommand, parseCommand } from "../../src/http/slack-command.ts";

function doorOf(fields: object) {
  const { slack } = readConfig({ SLACK_SIGNING_SECRET: "s", SLACK_CALLER: JSON.stringify(fields) });
  if (slack === null) throw new Error("no door");
  return slack;
}

const DOOR = doorOf({ teams: ["T0001"] });
const FIELDS = {
  team_id: "T0001",
  channel_id: "C0001",
  user_id: "U0001",
  command: "/ask",
  response_url: "https://hooks.slack.com/commands/T0001/1/x",
  trigger_id: "1.2.3",
};

function parse(text: string | null, parts: Record<string, string> = {}, door = DOOR): ParsedCommand {
  return parseCommand(new Map<string, string | null>(Object.entries({ ...FIELDS, text, ...parts })), door);
}

function replyOf(parsed: ParsedCommand): string {
  return parsed.kind === "reply" ? `${parsed.reply.response_type}: ${parsed.reply.text}` : parsed.kind;
}

describe("a slash command", () => {
  it("is a question, answered to who asked", () => {
    expect(parse("  Which country?  ")).toEqual({
      kind: "question",
      asked: {
        question: "Which country?",
        visibility: "ephemeral",
        teamId: "T0001",
        channelId: "C0001",
        userId: "U0001",
        responseUrl: FIELDS.response_url,
        triggerId: "1.2.3",
      },
    });
  });

  it.each(["", "   ", "\t\n", "help", "HELP", " help ", "?", "--help", "share", "share   ", "share help"])(
    "shows how to ask for %j, which costs nothing",
    (text) => {
      expect(replyOf(parse(text))).toMatch(/^ephemeral: Ask about the data in plain words: `\/ask /);
    },
  );

  it("says what is wrong with a question that is none", () => {
    expect(replyOf(parse("x".repeat(4_001)))).toMatch(
      /^ephemeral: \*The question has 4,001 characters; 4,000 are the most/,
    );
    expect(replyOf(parse("a\u0000b"))).toContain("U+0000");
    expect(replyOf(parse(null))).toContain("*The question could not be read as text.*");
  });

  it("names the command as the workspace does, and nothing else", () => {
    expect(replyOf(parse("", { command: "/data" }))).toContain("`/data ");
    expect(replyOf(parse("", { command: "/<!channel>" }))).toContain("`/ask ");
  });

  it.each([
    ["share how many albums?", "how many albums?", "in_channel"],
    ["Share: how many albums?", "how many albums?", "in_channel"],
    ["share\nhow many?", "how many?", "in_channel"],
    ["share of sales by country?", "share of sales by country?", "ephemeral"],
    ["shares by owner?", "shares by owner?", "ephemeral"],
    ["sharepoint users?", "sharepoint users?", "ephemeral"],
  ])("reads %j", (text, question, visibility) => {
    expect(parse(text)).toMatchObject({ kind: "question", asked: { question, visibility } });
  });

  it("takes back Slack's escapes, so that a comparison is one", () => {
    expect(parse("where total &lt; 5 &amp;&amp; name &gt; 'a'")).toMatchObject({
      asked: { question: "where total < 5 && name > 'a'" },
    });
    expect(parse("&amp;lt;")).toMatchObject({ asked: { question: "&lt;" } });
  });

  it("is for the teams, channels and people of the settings only", () => {
    expect(replyOf(parse("q?", { team_id: "T0002" }))).toContain("workspace may not use");
    const narrow = doorOf({ teams: ["*"], channels: ["C0001"], users: ["U0001"] });
    expect(parse("q?", { team_id: "T9999" }, narrow).kind).toBe("question");
    expect(replyOf(parse("q?", { channel_id: "C0002" }, narrow))).toContain("does not answer in this channel");
    expect(replyOf(parse("q?", { user_id: "U0002" }, narrow))).toContain("not on the list of people");
  });

  it("is answered at Slack's own address only", () => {
    for (const url of [
      "https://evil.example/commands/x",
      "http://hooks.slack.com/x",
      "https://hooks.slack.com.evil.io/",
    ]) {
      expect(replyOf(parse("q?", { response_url: url }))).toContain("not set up for the address");
    }
    const { slack } = readConfig({
      SLACK_SIGNING_SECRET: "s",
      SLACK_CALLER: '{"teams":["*"]}',
      SLACK_RESPONSE_ORIGIN: "http://127.0.0.1:9",
    });
    expect(slack && parse("q?", { response_url: "http://127.0.0.1:9/x" }, slack).kind).toBe("question");
  });

  it("is malformed without the fields that every command has", () => {
    for (const name of ["team_id", "channel_id", "user_id", "command", "response_url"]) {
      expect(parse("q?", { [name]: "" }).kind).toBe("malformed");
    }
    expect(parse("q?", { trigger_id: "" })).toMatchObject({ asked: { triggerId: null } });
  });
});
