import { describe, expect, it } from "vitest";
import { parsePress } from "../../src/http/slack-interaction.ts";

const PAYLOAD = {
  type: "block_actions",
  user: { id: "U0001", username: "x", team_id: "T0001" },
  team: { id: "T0001", domain: "x" },
  channel: { id: "C0001", name: "x" },
  container: { type: "message", channel_id: "C0001", is_ephemeral: true },
  trigger_id: "1.2.3",
  response_url: "https://hooks.slack.com/actions/T0001/1/x",
  state: { values: {} },
  actions: [
    { type: "button", action_id: "querent_rows", block_id: "b", action_ts: "1.5", value: "run_a", text: { text: "x" } },
  ],
};

describe("a press of a button", () => {
  it("names the run, the action, the place and the person", () => {
    expect(parsePress(JSON.stringify(PAYLOAD))).toEqual({
      runId: "run_a",
      press: {
        key: "querent_rows:1.5:U0001",
        action: "querent_rows",
        teamId: "T0001",
        channelId: "C0001",
        userId: "U0001",
        responseUrl: PAYLOAD.response_url,
      },
    });
  });

  it("finds team and channel where an organisation-wide app has them", () => {
    const parsed = parsePress(JSON.stringify({ ...PAYLOAD, team: null, channel: undefined }));
    expect(parsed?.press).toMatchObject({ teamId: "T0001", channelId: "C0001" });
  });

  it.each([
    ["not JSON", "{"],
    ["not an object", "[]"],
    ["null", "null"],
    ["another kind", JSON.stringify({ ...PAYLOAD, type: "view_submission" })],
    ["another app's button", JSON.stringify({ ...PAYLOAD, actions: [{ ...PAYLOAD.actions[0], action_id: "other" }] })],
    ["no value", JSON.stringify({ ...PAYLOAD, actions: [{ ...PAYLOAD.actions[0], value: undefined }] })],
    ["no actions", JSON.stringify({ ...PAYLOAD, actions: [] })],
    ["no user", JSON.stringify({ ...PAYLOAD, user: undefined })],
    ["no place", JSON.stringify({ ...PAYLOAD, channel: null, container: {} })],
    ["no response URL", JSON.stringify({ ...PAYLOAD, response_url: "" })],
  ])("is none when it is %s", (_what, payload) => {
    expect(parsePress(payload)).toBeNull();
  });
});
