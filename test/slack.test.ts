/** From a slash command to its answer, and from a run to its callback, over real HTTP on loopback, in a real workerd. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SlackHost, startSlackHost, until } from "./fakes/slack-host.ts";

const START_MS = 60_000;
const TIMEOUT_MS = 30_000;
let world: SlackHost;

beforeAll(async () => {
  world = await startSlackHost();
}, START_MS);

afterAll(() => world.stop());

describe("a workspace on loopback", () => {
  it(
    "gets one working message that becomes the answer, and a link under which all rows are",
    async () => {
      const { message } = await world.ask("List all customers");
      expect(message.text).toBe("Working on it: List all customers");
      await until(() => message.replaced > 0);
      const text = JSON.stringify(message.blocks);
      expect(text).toContain('"type":"table"');
      expect(text).toContain("Not all shown: rows 1 to 20 of 59");
      const link = /<(http[^|]+)\|All rows as CSV>/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
      const csv = await (await fetch(link)).text();
      expect(csv.trimEnd().split("\r\n")).toHaveLength(60);
      expect((await fetch(link.replace("signature=", "signature=0"))).status).toBe(404);
      expect(world.slack.workspace.messages).toHaveLength(1);
    },
    TIMEOUT_MS,
  );

  it(
    "answers buttons: more rows to who pressed, the answer to the channel",
    async () => {
      const { workspace } = world.slack;
      const before = workspace.messages.length;
      const { message } = await world.ask("List all customers");
      await until(() => message.replaced > 0);
      expect((await world.send(workspace.press(message, "querent_rows"))).status).toBe(200);
      expect((await world.send(workspace.press(message, "querent_share"))).status).toBe(200);
      await until(() => workspace.messages.length === before + 3);
      expect(
        workspace.messages
          .slice(before + 1)
          .map((shown) => shown.to)
          .sort(),
      ).toEqual(["U0001", null]);
    },
    TIMEOUT_MS,
  );

  it(
    "falls back to a form without a table, and tries again after an error, over the wire",
    async () => {
      const { workspace } = world.slack;
      workspace.faults.push({ kind: "answer", status: 400, body: "invalid_blocks" });
      const { message, issued } = await world.ask("How many albums are there?");
      await until(() => message.replaced > 0);
      expect(JSON.stringify(message.blocks)).not.toContain('"table"');
      expect(workspace.usesOf(issued.responseUrl)).toBe(1);
      workspace.faults.push({ kind: "cut_before" });
      const again = await world.ask("How many albums are there?");
      await until(() => again.message.replaced > 0);
      expect(JSON.stringify(again.message.blocks)).toContain("347");
    },
    TIMEOUT_MS,
  );

  it(
    "H3, H5: lets nobody in who is not Slack",
    async () => {
      const post = (body: string, headers: Record<string, string> = {}) =>
        world.host.fetch("/slack/commands", {
          method: "POST",
          body,
          headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
        });
      const posts = world.slack.workspace.posts.length;
      expect((await post("ssl_check=1&command=/ask&text=drop")).status).toBe(200);
      expect((await post("ssl_check=0&command=/ask&text=drop")).status).toBe(401);
      expect((await post("command=/ask&text=drop", { "x-slack-signature": "v0=" })).status).toBe(401);
      expect(world.slack.workspace.posts.length).toBe(posts);
    },
    TIMEOUT_MS,
  );
});

describe("a receiver on loopback", () => {
  it(
    "gets a signed callback, again after an error, and the run says so",
    async () => {
      world.receiver.script.push({ status: 500, body: "inside information" });
      const asked = await world.host.fetch("/v1/runs", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ question: "How many albums are there?", callback_url: `${world.receiver.url}/hook` }),
      });
      expect(asked.status).toBe(202);
      const { id } = (await asked.json()) as { id: string };
      await until(() => world.receiver.received.length >= 1);
      const resent = await world.host.fetch(`/v1/runs/${id}/resend`, { method: "POST" });
      expect(resent.status).toBeLessThan(300);
      await until(() => world.receiver.received.length >= 2);
      expect(world.receiver.received.map((one) => [one.id, one.isValid])).toEqual([
        [`msg_${id}`, true],
        [`msg_${id}`, true],
      ]);
      let run = { deliveries: [{ state: "" }] };
      while (run.deliveries[0]?.state !== "delivered") {
        run = (await (await world.host.fetch(`/v1/runs/${id}`)).json()) as typeof run;
      }
      expect(run.deliveries).toEqual([
        { kind: "webhook", state: "delivered", attempts: 2, next_at: null, last_status: 200 },
      ]);
      expect(JSON.stringify(run)).not.toContain("inside information");
    },
    TIMEOUT_MS,
  );
});
