/** Random and mutated requests at the Slack door: every one is answered, none with a 5xx, and no stranger starts a run. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NOW } from "../fakes/fake-run-object.ts";
import { createWorkspace, sign } from "../fakes/slack-workspace.ts";
import { createHarness } from "./harness.ts";

const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const RUNS = 2_000;

function createDoor() {
  return createHarness({ SLACK_SIGNING_SECRET: SECRET, SLACK_CALLER: '{"teams":["T0001"]}' });
}

const workspace = createWorkspace({ signingSecret: SECRET, origin: "https://hooks.slack.com", now: () => NOW });
const VALID = workspace.command("how many albums?", { triggerId: "1.1.fuzz" }).body;
const PRESS = new URLSearchParams({
  payload: JSON.stringify({
    type: "block_actions",
    user: { id: "U0001" },
    team: { id: "T0001" },
    channel: { id: "C0001" },
    response_url: "https://hooks.slack.com/actions/1",
    actions: [{ action_id: "querent_stop", action_ts: "1.1", value: "run_a" }],
  }),
}).toString();

/** A body with some of its bytes changed, taken out or doubled. */
const mutated = fc
  .tuple(
    fc.constantFrom(VALID, PRESS),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom("set", "cut", "double"), fc.integer({ min: 0, max: 255 })), {
      maxLength: 6,
    }),
  )
  .map(([body, changes]) => {
    let bytes = [...new TextEncoder().encode(body)];
    for (const [place, kind, value] of changes) {
      const at = place % Math.max(1, bytes.length);
      if (kind === "set") bytes[at] = value;
      else if (kind === "cut") bytes.splice(at, value % 16);
      else bytes = [...bytes.slice(0, at), ...bytes.slice(Math.max(0, at - 8), at), ...bytes.slice(at)];
    }
    return Uint8Array.from(bytes);
  });
const anyBody = fc.oneof(mutated, fc.uint8Array({ maxLength: 300 }));
const path = fc.constantFrom("/slack/commands", "/slack/interactions");

describe("the Slack door under random requests", () => {
  it("signed ones are answered without a 5xx", async () => {
    const door = createDoor();
    await fc.assert(
      fc.asyncProperty(path, anyBody, async (address, body) => {
        const { headers } = sign({ signingSecret: SECRET, now: () => NOW }, address, body);
        const response = await door.request(address, { method: "POST", body, headers: { ...headers } });
        expect(response.status).toBeLessThan(500);
        expect([200, 400]).toContain(response.status);
        await response.text();
      }),
      { numRuns: RUNS },
    );
  });

  it("unsigned ones get 401, or nothing but an empty 200 for ssl_check=1, and start nothing", async () => {
    const door = createDoor();
    const header = fc.option(fc.string({ unit: "grapheme-ascii", maxLength: 80 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(path, anyBody, header, header, async (address, body, timestamp, signature) => {
        const headers = {
          ...(timestamp !== undefined && { "x-slack-request-timestamp": timestamp }),
          ...(signature !== undefined && { "x-slack-signature": signature }),
        };
        const response = await door.request(address, { method: "POST", body, headers });
        if (response.status === 200) expect(await response.text()).toBe("");
        else expect(response.status).toBe(401);
      }),
      { numRuns: RUNS },
    );
    expect(door.runs.size).toBe(0);
  });
});
