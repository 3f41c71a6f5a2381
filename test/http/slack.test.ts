import { describe, expect, it } from "vitest";
import { type FakeRun, NOW } from "../fakes/fake-run-object.ts";
import { createWorkspace, type SignedRequest, sign } from "../fakes/slack-workspace.ts";
import { createHarness, type Harness, readProblem } from "./harness.ts";

const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const HOOKS = "https://hooks.slack.com";

function createDoor(caller: object = {}, variables: Record<string, string> = {}) {
  const harness = createHarness({
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_CALLER: JSON.stringify({ teams: ["T0001"], daily_usd: 5, ...caller }),
    ...variables,
  });
  const workspace = createWorkspace({ signingSecret: SECRET, origin: HOOKS, now: () => NOW });
  const send = (request: SignedRequest, headers: Record<string, string> = {}): Promise<Response> =>
    harness.request(`https://querent.example.com${request.path}`, {
      method: "POST",
      body: request.body,
      headers: { ...request.headers, ...headers },
    });
  return { ...harness, workspace, send };
}

function unsigned(harness: Harness, body: string, path = "/slack/commands"): Promise<Response> {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return harness.request(path, { method: "POST", body, headers });
}

function onlyRun(harness: Harness): FakeRun {
  const [run] = [...harness.runs.values()];
  if (run === undefined || harness.runs.size > 1) throw new Error(`${harness.runs.size} runs`);
  return run;
}

const textOf = async (response: Response): Promise<string> => ((await response.json()) as { text: string }).text;

describe("a slash command", () => {
  it("is taken in by the run object and acknowledged with a working message and a button to stop it", async () => {
    const door = createDoor();
    const issued = door.workspace.command("how many albums?");
    const response = await door.send(issued);
    const working = door.workspace.acknowledge(issued, response.status, await response.text());
    expect(working).toMatchObject({ to: "U0001", text: "Working on it: how many albums?" });
    const run = onlyRun(door);
    expect(run.started).toMatchObject({
      question: "how many albums?",
      caller: "slack:app",
      slack: {
        teamId: "T0001",
        channelId: "C0001",
        userId: "U0001",
        responseUrl: issued.responseUrl,
        receivedAt: NOW,
        visibility: "ephemeral",
        publicOrigin: "https://querent.example.com",
        working: null,
      },
    });
    expect(working?.blocks.at(-1)).toMatchObject({ elements: [{ action_id: "querent_stop", value: run.started?.id }] });
  });

  it("leaves nothing to do when it has answered: no work after the response", async () => {
    const door = createDoor();
    await door.send(door.workspace.command("how many albums?"));
    expect(door.kept).toEqual([]);
    expect(onlyRun(door).calls).toEqual(["start"]);
  });

  it("is seen by the channel when it is shared", async () => {
    const door = createDoor();
    const issued = door.workspace.command("share how many albums?");
    const response = await door.send(issued);
    expect(door.workspace.acknowledge(issued, 200, await response.text())?.to).toBeNull();
    expect(onlyRun(door).started?.slack?.visibility).toBe("in_channel");
  });

  it("H1, H13: is one run however often it comes, told by its trigger and never by its text", async () => {
    const door = createDoor();
    const first = door.workspace.command("how many albums?", { triggerId: "1.1.a" });
    const replies = await Promise.all(Array.from({ length: 5 }, () => door.send(first)));
    expect(new Set(await Promise.all(replies.map((reply) => reply.text()))).size).toBe(1);
    expect([...door.runs.values()].filter((run) => run.started !== null)).toHaveLength(1);
    await door.send(door.workspace.command("how many albums?", { triggerId: "1.1.b" }));
    expect([...door.runs.values()].filter((run) => run.started !== null)).toHaveLength(2);
  });

  it.each(["", "   ", "help", "x".repeat(4_001)])("costs nothing when it is no question (%#)", async (text) => {
    const door = createDoor();
    const response = await door.send(door.workspace.command(text));
    expect([response.status, door.runs.size]).toEqual([200, 0]);
    expect(await textOf(response)).toContain("Ask about the data in plain words");
  });

  it("tells a refusal of the caller's ledger in words for people", async () => {
    const door = createDoor();
    const refusal = { kind: "refused", retryAfterS: 30, rate: { remaining: 0, resetS: 30 } } as const;
    const caller =
      door.callers.get("slack:app") ?? door.bindings.CALLERS.get(door.bindings.CALLERS.idFromName("slack:app"));
    for (const [reason, words] of [
      ["rate", "Too many questions are being asked"],
      ["runs_at_once", "Too many questions are being worked on"],
      ["daily_budget", "What this app may spend today is used up"],
    ] as const) {
      Object.assign(caller, { refusal: { ...refusal, reason } });
      const response = await door.send(door.workspace.command("how many?"));
      expect([response.status, (await textOf(response)).startsWith(words)]).toEqual([200, true]);
    }
    expect(door.runs.size).toBe(0);
  });

  it("asks for the hour of prompt caching that SLACK_CALLER has", async () => {
    for (const [caller, kept] of [
      [{ prompt_cache: "1h" }, "1h"],
      [{}, undefined],
    ] as const) {
      const door = createDoor(caller);
      await door.send(door.workspace.command("how many?"));
      expect(onlyRun(door).started?.promptCache).toBe(kept);
    }
  });

  it("is for the listed teams, channels and people only", async () => {
    const door = createDoor({ channels: ["C0001"], users: ["U0001"] });
    for (const who of [{ teamId: "T0002" }, { channelId: "C0002" }, { userId: "U0002" }]) {
      const response = await door.send(door.workspace.command("how many?", who));
      expect([response.status, door.runs.size]).toEqual([200, 0]);
    }
  });

  it("sends nothing to an address that is not Slack's", async () => {
    const door = createDoor();
    const other = createWorkspace({ signingSecret: SECRET, origin: "https://evil.example", now: () => NOW });
    expect((await door.send(other.command("how many?"))).status).toBe(200);
    expect(door.runs.size).toBe(0);
  });

  it("escapes what it repeats", async () => {
    const door = createDoor();
    const issued = door.workspace.command("&lt;!channel&gt; https://evil.example @here");
    const response = await door.send(issued);
    const working = door.workspace.acknowledge(issued, 200, await response.text());
    expect(working?.markup).toEqual({ mentions: [], links: [] });
    expect(onlyRun(door).started?.question).toBe("<!channel> https://evil.example @here");
  });
});

describe("what is not Slack's", () => {
  it("H5: gets 401 and starts nothing", async () => {
    const door = createDoor();
    const issued = door.workspace.command("drop everything");
    const timestamp = (off: number) => String(Math.floor(NOW / 1000) + off);
    const stale = createWorkspace({ signingSecret: SECRET, origin: HOOKS, now: () => NOW - 360_000 });
    const future = createWorkspace({ signingSecret: SECRET, origin: HOOKS, now: () => NOW + 360_000 });
    const foreign = createWorkspace({ signingSecret: "another", origin: HOOKS, now: () => NOW });
    const signature = issued.headers["x-slack-signature"] ?? "";
    const responses = [
      unsigned(door, issued.body),
      unsigned(door, ""),
      unsigned(door, "payload=%7B%7D", "/slack/interactions"),
      door.send({ ...issued, body: issued.body.replace("drop", "crop") }),
      door.send(issued, { "x-slack-request-timestamp": timestamp(-360) }),
      door.send(issued, { "x-slack-signature": signature.replace("v0=", "v1=") }),
      door.send(issued, { "x-slack-signature": "" }),
      door.send(issued, { "x-slack-signature": `${signature}, ${signature}` }),
      door.send(stale.command("drop everything")),
      door.send(future.command("drop everything")),
      door.send(foreign.command("drop everything")),
    ];
    for (const response of await Promise.all(responses)) {
      expect(response.status).toBe(401);
      expect((await readProblem(response)).code).toBe("invalid_signature");
    }
    expect(door.runs.size).toBe(0);
  });

  it("H3: gets an empty 200 for ssl_check=1, and nothing is done for it", async () => {
    const door = createDoor();
    for (const body of ["ssl_check=1", "ssl_check=1&token=x", "ssl_check=1&command=/ask&text=drop"]) {
      const response = await unsigned(door, body);
      expect([response.status, await response.text()]).toEqual([200, ""]);
    }
    expect((await door.request("/slack/commands?ssl_check=1")).status).toBe(200);
    expect((await door.request("/slack/commands")).status).toBe(405);
    expect(door.runs.size).toBe(0);
  });

  it.each([
    "ssl_check=0",
    "ssl_check=true",
    "ssl_check=",
    "ssl_check",
    "ssl_check=1&ssl_check=0",
    "SSL_CHECK=1",
    "x=ssl_check=1",
  ])("H3: gets 401 for an unsigned %s", async (body) => {
    expect((await unsigned(createDoor(), `${body}&command=/ask&text=drop`)).status).toBe(401);
  });

  it("is refused before it is read when it is too large", async () => {
    expect((await unsigned(createDoor(), "x".repeat(300_000))).status).toBe(413);
  });

  it("finds nothing when Slack is not set up", async () => {
    const harness = createHarness();
    expect((await unsigned(harness, "ssl_check=1")).status).toBe(404);
    expect((await unsigned(harness, "", "/slack/interactions")).status).toBe(404);
  });

  it("signed but no command or interaction, is a 400", async () => {
    const door = createDoor();
    const options = { signingSecret: SECRET, now: () => NOW };
    for (const path of ["/slack/commands", "/slack/interactions"]) {
      expect((await door.send(sign(options, path, "text=hi"))).status).toBe(400);
    }
  });

  it("is answered in its own right whatever bytes the body has", async () => {
    const door = createDoor();
    const issued = door.workspace.command("QUESTION");
    const body = issued.body.replace("QUESTION", "caf%C3%A9 %F0%9F%98%80 + %2A %ff");
    const response = await door.send({ ...sign({ signingSecret: SECRET, now: () => NOW }, issued.path, body) });
    expect(await textOf(response)).toContain("could not be read as text");
    expect(door.runs.size).toBe(0);
  });
});

describe("a press of a button", () => {
  async function asked(caller: object = {}) {
    const door = createDoor(caller);
    const issued = door.workspace.command("how many albums?");
    const working = door.workspace.acknowledge(issued, 200, await (await door.send(issued)).text());
    if (working === null) throw new Error("no working message");
    return { ...door, working, run: onlyRun(door) };
  }

  it("is passed to the run, with the address that belongs to the message", async () => {
    const door = await asked();
    door.run.outgoingReply = { kind: "done" };
    const pressed = door.workspace.press(door.working, "querent_stop", { actionTs: "5.1" });
    const response = await door.send(pressed);
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect(door.run.outgoingCalls).toEqual([
      {
        kind: "press",
        press: {
          key: "querent_stop:5.1:U0001",
          action: "querent_stop",
          teamId: "T0001",
          channelId: "C0001",
          userId: "U0001",
          responseUrl: pressed.responseUrl,
          receivedAt: NOW,
        },
      },
    ]);
  });

  it("wakes no object for a run that is not one of this door's", async () => {
    const door = await asked();
    const forged = { ...door.working, blocks: JSON.parse(JSON.stringify(door.working.blocks)) };
    const [button] = forged.blocks.at(-1).elements;
    button.value = `run_${"a".repeat(26)}`;
    expect((await door.send(door.workspace.press(forged, "querent_stop"))).status).toBe(200);
    expect(door.runs.size).toBe(1);
    expect(door.run.outgoingCalls).toEqual([]);
  });

  it("of somebody who may not use the app does nothing but tell them", async () => {
    const door = await asked({ users: ["U0001"] });
    await door.send(door.workspace.press(door.working, "querent_stop", { userId: "U0002" }));
    expect(door.run.outgoingCalls).toMatchObject([
      { kind: "notice", text: expect.stringContaining("not on the list") },
    ]);
  });

  it("is not answered at an address that is not Slack's", async () => {
    const door = await asked();
    const other = createWorkspace({ signingSecret: SECRET, origin: "https://evil.example", now: () => NOW });
    expect((await door.send(other.press(door.working, "querent_stop"))).status).toBe(200);
    expect(door.run.outgoingCalls).toEqual([]);
  });

  it("to continue opens one new run, which answers where the button is", async () => {
    const door = await asked({ scopes: { tables: { deny: ["secrets"] } }, approve_above_rows: 7 });
    const origin = door.run.started?.slack;
    if (!origin) throw new Error("no origin");
    door.run.end("stopped", "max_hops");
    if (door.run.run === null) throw new Error("no run");
    door.run.run = { ...door.run.run, usage: { ...door.run.run.usage, cost_usd: 0.05 } };
    door.run.outgoingReply = { kind: "may_continue", origin };
    const message = {
      ...door.working,
      blocks: [
        {
          type: "actions" as const,
          elements: [
            {
              type: "button" as const,
              action_id: "querent_continue",
              text: { type: "plain_text" as const, text: "x" },
              value: door.run.started?.id,
            },
          ],
        },
      ],
    };
    const pressed = door.workspace.press(message, "querent_continue");
    await door.send(pressed);
    const { request } = door.run.carried ?? {};
    expect(request).toMatchObject({
      kind: "continue",
      step: null,
      limits: { hopsMax: 12, stepsMax: 18, costNanoUsdMax: 150_000_000 },
      terms: { scopes: { tables: { deny: ["secrets"] } }, approveAboveRows: 7 },
      slack: { responseUrl: pressed.responseUrl, working: { text: expect.stringContaining("Working on it") } },
    });
    // The ten cents of the button are held of the day, and not once more what was spent before.
    expect(door.callers.get("slack:app")?.admitted.at(-1)).toMatchObject({
      runId: request?.id,
      reserveNanoUsd: 100_000_000,
    });
    expect(door.run.outgoingCalls.map((call) => call.kind)).toEqual(["press"]);
    await door.send(door.workspace.press(message, "querent_continue"));
    expect(door.run.carried?.request.id).toBe(request?.id);
    expect(door.run.outgoingCalls.at(-1)).toMatchObject({
      kind: "notice",
      text: "This question has been continued already.",
    });
  });

  it("to continue says why when it is refused", async () => {
    const door = await asked();
    const origin = door.run.started?.slack;
    if (!origin) throw new Error("no origin");
    door.run.outgoingReply = { kind: "may_continue", origin };
    door.run.carryOnReply = { kind: "refused", reason: "limit_not_raised", message: "internals" };
    const value = door.run.started?.id;
    const button = { type: "button", action_id: "querent_continue", text: { type: "plain_text", text: "x" }, value };
    const message = { ...door.working, blocks: [{ type: "actions", elements: [button] }] } as typeof door.working;
    await door.send(door.workspace.press(message, "querent_continue"));
    expect(door.run.outgoingCalls.at(-1)).toMatchObject({
      kind: "notice",
      text: "The limits that are set for Slack do not allow to go on with this question.",
    });
  });
});

describe("secrets", () => {
  it("are in no log and no answer: signing secret, response URL, question", async () => {
    const door = createDoor();
    const issued = door.workspace.command("where is the treasure?");
    const response = await door.send(issued);
    const path = issued.responseUrl.slice(HOOKS.length);
    expect(await response.text()).not.toContain(path);
    const logs = JSON.stringify(door.logs);
    for (const secret of [path, SECRET, "treasure"]) expect(logs).not.toContain(secret);
    const { run } = onlyRun(door);
    expect(JSON.stringify(run)).not.toContain(path);
  });
});
