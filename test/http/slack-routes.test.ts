import { describe, expect, test } from "vitest";
import {
  SLACK_ROUTES,
  slackCommandSchema,
  slackInteractionSchema,
  slackReplySchema,
} from "../../src/http/slack-routes.ts";
import { NOW } from "../fakes/fake-run-object.ts";
import { createWorkspace } from "../fakes/slack-workspace.ts";
import { createHarness } from "./harness.ts";

const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";

describe("the Slack door in the contract", () => {
  test("forms as Slack sends them, and what it is answered, fit the schemas", async () => {
    const workspace = createWorkspace({ signingSecret: SECRET, origin: "https://hooks.slack.com", now: () => NOW });
    const harness = createHarness({ SLACK_SIGNING_SECRET: SECRET, SLACK_CALLER: '{"teams":["T0001"]}' });
    for (const text of ["how many albums?", "help", "share how many?", "x".repeat(5_000)]) {
      const issued = workspace.command(text);
      const form = Object.fromEntries(new URLSearchParams(issued.body));
      expect(slackCommandSchema.safeParse(form).error?.issues).toBeUndefined();
      const { path, body, headers } = issued;
      const response = await harness.request(path, { method: "POST", body, headers: { ...headers } });
      const reply = await response.text();
      expect(slackReplySchema.safeParse(JSON.parse(reply)).error?.issues).toBeUndefined();
      const message = workspace.acknowledge(issued, response.status, reply);
      if (message === null || text !== "how many albums?") continue;
      const press = workspace.press(message, "querent_stop");
      const fields = Object.fromEntries(new URLSearchParams(press.body));
      expect(slackInteractionSchema.safeParse(fields).error?.issues).toBeUndefined();
    }
  });

  test("every form that must be signed says with which headers", () => {
    for (const route of SLACK_ROUTES.filter(({ auth }) => auth === "signature")) {
      expect(route.takes).toEqual(["X-Slack-Request-Timestamp", "X-Slack-Signature"]);
      expect(route.problems).toContain("invalid_signature");
    }
  });
});
