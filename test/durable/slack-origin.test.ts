import { describe, expect, it } from "vitest";
import { decodeSettings, encodeSettings } from "../../src/durable/settings.ts";
import { type SlackOrigin, slackOriginSchema } from "../../src/durable/slack-origin.ts";
import { startInput } from "./stored-run.ts";

const ORIGIN: SlackOrigin = {
  teamId: "T0001",
  channelId: "C0001",
  userId: "U0001",
  responseUrl: "https://hooks.slack.com/commands/1",
  receivedAt: 1_700_000_000_000,
  visibility: "in_channel",
  publicOrigin: "https://querent.example.com",
  working: { text: "Working on it", blocks: [] },
};

describe("where a question came from in Slack", () => {
  it("is kept with the run's settings", () => {
    const settings = { ...startInput(), inheritedNanoUsd: 0, slack: ORIGIN };
    expect(decodeSettings(encodeSettings(settings))).toEqual({ ok: true, value: settings });
  });

  it("is nowhere for runs from other doors, and for those that were stored before there was Slack", () => {
    const settings = { ...startInput(), inheritedNanoUsd: 0 };
    expect(decodeSettings(encodeSettings(settings))).toMatchObject({ ok: true, value: { slack: null } });
  });

  it("is refused when a part is missing or of another kind", () => {
    expect(slackOriginSchema.safeParse(ORIGIN).success).toBe(true);
    for (const broken of [
      { ...ORIGIN, teamId: undefined },
      { ...ORIGIN, visibility: "everybody" },
      { ...ORIGIN, working: "text" },
      { ...ORIGIN, more: 1 },
    ]) {
      expect(slackOriginSchema.safeParse(broken).success).toBe(false);
    }
  });
});
