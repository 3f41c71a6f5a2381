/** The way out, with the objects, the alarms and the crashes of workerd: nothing faked but the other side. */
import { abortAllDurableObjects, applyD1Migrations, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { PublicRun } from "../../src/agent/view.ts";
import { CALLBACK_ORIGIN } from "../fakes/door-settings.ts";
import { functionModel } from "../fakes/function-model.ts";
import type { VisibleMessage } from "../fakes/slack-workspace.ts";
import { type Asked, askInSlack, beginInSlack, installOutside, type Outside, send, until } from "./outside.ts";
import {
  advanceClock,
  answeringWorld,
  holdModel,
  installWorld,
  newRun,
  query,
  answer as replyWith,
  stubOf,
  untilFinished,
} from "./world.ts";

const MINUTE = 60_000;

beforeAll(async () => {
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const slackOf = (run: PublicRun | null) => run?.deliveries.find((delivery) => delivery.kind === "slack");
const webhookOf = (run: PublicRun | null) => run?.deliveries.find((delivery) => delivery.kind === "webhook");
const isDelivered = async (id: string): Promise<boolean> => slackOf(await stubOf(id).view())?.state === "delivered";
const wordsOf = (message: VisibleMessage | undefined): string => JSON.stringify(message?.blocks ?? []);
/** Posts that Slack has taken. */
const taken = (outside: Outside) =>
  outside.workspace.posts.filter((post) => post.status === 200 && post.error === null);

/** Goes to the next due time of a run's delivery and wakes the object there. */
async function toNextTry(id: string): Promise<void> {
  const run = await stubOf(id).view();
  const next = run?.deliveries.flatMap(({ next_at }) => (next_at === null ? [] : [Date.parse(next_at)])) ?? [];
  advanceClock(Math.max(0, Math.min(...next) - Date.now()) + 1);
  await runDurableObjectAlarm(stubOf(id) as never);
}

describe("a question from Slack", () => {
  it("is answered: one working message that becomes exactly one final message", async () => {
    const outside = installOutside();
    const { message, runId, issued } = await askInSlack(outside, "Which country's customers have spent the most?");
    expect(message.text).toBe("Working on it: Which country's customers have spent the most?");
    await until(() => isDelivered(runId));
    expect(outside.workspace.messages).toHaveLength(1);
    expect(message.replaced).toBe(1);
    expect(wordsOf(message)).toMatch(/USA.*523\.06/);
    expect(wordsOf(message)).toContain('"type":"table"');
    expect(wordsOf(message)).toMatch(/1 query · \d+ rows read · \S+ · \d+\.\d s · \d steps/);
    expect(message.markup).toEqual({ mentions: [], links: [] });
    expect(outside.workspace.usesOf(issued.responseUrl)).toBe(1);
    const told = JSON.stringify([await stubOf(runId).view(), await stubOf(runId).transcript()]);
    expect(told).not.toContain(new URL(issued.responseUrl).pathname);
    expect(slackOf(await stubOf(runId).view())).toEqual({
      kind: "slack",
      state: "delivered",
      attempts: 1,
      next_at: null,
      last_status: 200,
    });
  });

  it("is one post also where Slack does not let a command replace its working message", async () => {
    const outside = installOutside({ commandsReplace: false });
    const { runId, issued } = await askInSlack(outside, "How many albums are there?");
    await until(() => isDelivered(runId));
    expect(outside.workspace.messages).toHaveLength(2);
    expect(outside.workspace.usesOf(issued.responseUrl)).toBe(1);
  });

  it("is public when it is shared", async () => {
    const outside = installOutside();
    const { message, runId } = await askInSlack(outside, "share How many albums are there?");
    await until(() => isDelivered(runId));
    expect([message.to, message.replaced]).toEqual([null, 1]);
  });

  it("is not lost when every object dies between the acknowledgement and its beginning", async () => {
    installWorld(answeringWorld());
    const outside = installOutside();
    const { message, runId } = await askInSlack(outside, "How many albums are there?");
    await abortAllDurableObjects();
    await until(() => message.replaced > 0);
    expect(await stubOf(runId).view()).toMatchObject({ outcome: "answered", answer: "One." });
  });

  it("can be stopped before it has begun", async () => {
    installWorld(answeringWorld());
    const outside = installOutside();
    const { message, runId } = await askInSlack(outside, "How many albums are there?");
    expect(await stubOf(runId).view()).toBeNull();
    await send(outside.workspace.press(message, "querent_stop"));
    await until(() => message.replaced > 0);
    expect((await stubOf(runId).view())?.outcome).toBe("cancelled");
  });

  it("E11, H11: is answered after a model that takes 45 s: no work hangs on the request that took it in", async () => {
    const outside = installOutside();
    const held = holdModel(() => query("SELECT 1"));
    installWorld({ ...answeringWorld(), model: held });
    const { message, runId } = await beginInSlack(outside, "How many albums are there?");
    await until(() => held.calls > 0);
    advanceClock(45_000);
    const reply = answeringWorld().model;
    held.complete = (request, signal) => reply.complete(request, signal);
    held.release();
    // Alarms are set by the moved clock, which the platform does not know of.
    await until(async () => {
      await runDurableObjectAlarm(stubOf(runId) as never);
      return isDelivered(runId);
    });
    expect(wordsOf(message)).toContain('"One."');
  });

  it("H1: asked twice by one trigger is one run and one answer", async () => {
    const outside = installOutside();
    const issued = outside.workspace.command("How many albums are there?", { triggerId: "9.9.once" });
    const replies = await Promise.all([send(issued), send(issued), send(issued)]);
    const bodies = await Promise.all(replies.map((reply) => reply.text()));
    expect(new Set(bodies).size).toBe(1);
    const message = outside.workspace.acknowledge(issued, 200, bodies[0] ?? "");
    const { runId } = { runId: /run_[a-z2-7]{26}/.exec(wordsOf(message ?? undefined))?.[0] ?? "" };
    await until(() => isDelivered(runId));
    expect(taken(outside)).toHaveLength(1);
  });
});

describe("when Slack does not take the answer", () => {
  it("tries again by alarm, without using up the five posts", async () => {
    const outside = installOutside();
    for (let times = 0; times < 6; times += 1) outside.workspace.faults.push({ kind: "answer", status: 503 });
    const { message, runId, issued } = await beginInSlack(outside, "How many albums are there?");
    await untilFinished(runId);
    await until(() => outside.workspace.posts.length >= 1);
    while (!(await isDelivered(runId))) await toNextTry(runId);
    expect(outside.workspace.posts.map((post) => post.status)).toEqual([503, 503, 503, 503, 503, 503, 200]);
    expect(outside.workspace.usesOf(issued.responseUrl)).toBe(1);
    expect([outside.workspace.messages.length, message.replaced]).toEqual([1, 1]);
    expect(slackOf(await stubOf(runId).view())?.attempts).toBe(7);
  });

  it("survives a crash after Slack has taken it: the same message once more, in its place", async () => {
    const outside = installOutside();
    outside.unanswered = 1;
    const { message, runId } = await beginInSlack(outside, "How many albums are there?");
    await until(() => outside.workspace.posts.length === 1);
    await abortAllDurableObjects();
    const crashed = slackOf(await stubOf(runId).view());
    expect(crashed).toMatchObject({ state: "pending", attempts: 1 });
    while (!(await isDelivered(runId))) await toNextTry(runId);
    expect(outside.workspace.messages).toHaveLength(1);
    expect([message.replaced, slackOf(await stubOf(runId).view())?.attempts]).toEqual([2, 2]);
  });

  it("posts at most five times what may have arrived, then goes to the person by the bot token", async () => {
    const outside = installOutside({ commandsReplace: false });
    for (let times = 0; times < 5; times += 1) outside.workspace.faults.push({ kind: "cut_after" });
    const { runId, issued } = await beginInSlack(outside, "How many albums are there?");
    await untilFinished(runId);
    await until(() => outside.workspace.posts.length >= 1);
    while (!(await isDelivered(runId))) await toNextTry(runId);
    expect(outside.workspace.usesOf(issued.responseUrl)).toBe(5);
    expect(outside.workspace.posts.at(-1)).toMatchObject({ to: "chat.postMessage", body: { channel: "U0001" } });
  });

  it("ends a run of more than half an hour with a message of its own: to the person, or to the channel if shared", async () => {
    const outside = installOutside();
    const held = holdModel(() => replyWith());
    installWorld({ ...answeringWorld(), model: held });
    for (const [text, channel] of [
      ["How many albums are there?", "U0001"],
      ["share How many albums are there?", "C0001"],
    ] as const) {
      const { runId, issued } = await beginInSlack(outside, text);
      await until(() => held.calls > 0);
      advanceClock(31 * MINUTE);
      await stubOf(runId).cancel();
      await runDurableObjectAlarm(stubOf(runId) as never);
      await until(() => isDelivered(runId));
      expect(outside.workspace.usesOf(issued.responseUrl)).toBe(0);
      expect(outside.workspace.posts.at(-1)).toMatchObject({ to: "chat.postMessage", body: { channel } });
    }
    held.release();
  });
});

describe("buttons", () => {
  async function answered(outside: Outside, question: string): Promise<Asked> {
    const asked = await beginInSlack(outside, question);
    await until(() => isDelivered(asked.runId));
    return asked;
  }

  it("Stop ends a run that goes on, and its message says so", async () => {
    const outside = installOutside({ commandsReplace: false });
    const held = holdModel(() => replyWith());
    installWorld({ ...answeringWorld(), model: held });
    const { message, runId } = await beginInSlack(outside, "How many albums are there?");
    await until(() => held.calls > 0);
    const pressed = outside.workspace.press(message, "querent_stop");
    expect((await send(pressed)).status).toBe(200);
    expect((await stubOf(runId).view())?.outcome).toBe("cancelled");
    held.release();
    await until(() => isDelivered(runId));
    expect((await stubOf(runId).view())?.outcome).toBe("cancelled");
    expect(outside.workspace.messages).toHaveLength(1);
    expect(wordsOf(message)).toContain("Stopped before there was an answer.");
    expect(outside.workspace.usesOf(pressed.responseUrl)).toBe(1);
  });

  it("Show rows shows more than the answer did, to who pressed alone", async () => {
    const outside = installOutside();
    const { message, runId } = await answered(outside, "List all customers");
    const rows = outside.workspace.press(message, "querent_rows", { userId: "U0002" });
    await send(rows);
    await send(rows);
    await until(() => taken(outside).length === 2);
    const shown = outside.workspace.messages[1];
    expect([shown?.to, message.replaced]).toEqual(["U0002", 1]);
    expect(wordsOf(shown)).toMatch(/Rows of r1.*"type":"table"/);
    expect(await stubOf(runId).view()).toMatchObject({ deliveries: [{ kind: "slack", attempts: 1 }] });
  });

  it("Post to channel posts the answer for everybody, once", async () => {
    const outside = installOutside();
    const { message } = await answered(outside, "How many albums are there?");
    const first = outside.workspace.press(message, "querent_share", { actionTs: "7.1" });
    await Promise.all([send(first), send(first)]);
    await until(() => taken(outside).length === 2);
    await send(outside.workspace.press(message, "querent_share", { actionTs: "7.2" }));
    await until(() => taken(outside).length === 3);
    const visible = outside.workspace.messages.map((one) => one.to);
    expect(visible).toEqual(["U0001", null, "U0001"]);
    expect(wordsOf(outside.workspace.messages[1])).toContain("347");
    expect(wordsOf(outside.workspace.messages[2])).toContain("posted to the channel already");
  });

  it("Continue goes on in a new run under the limits of the button, and answers in the same message", async () => {
    const outside = installOutside();
    let asked = 0;
    const world = answeringWorld();
    world.model = functionModel(() => {
      asked += 1;
      return query(`SELECT ${asked}`);
    });
    installWorld(world);
    const { message, runId } = await beginInSlack(outside, "How many albums are there?");
    await until(() => isDelivered(runId));
    expect(wordsOf(message)).toMatch(/No final answer\.\* Stopped after 8 of 8 tool calls/);
    world.model = functionModel(() => replyWith());
    await send(outside.workspace.press(message, "querent_continue"));
    await until(() => wordsOf(message).includes('"One."'));
    const parent = await stubOf(runId).view();
    const child = await stubOf(parent?.children[0]?.id ?? "").view();
    expect(child).toMatchObject({ outcome: "answered", parent: { id: runId, kind: "continue" } });
    expect(outside.workspace.messages).toHaveLength(1);
    expect(message.replaced).toBe(3);
  });
});

describe("a callback", () => {
  const callbackUrl = `${CALLBACK_ORIGIN}/hook`;

  it("is sent when the outcome is stored, tried again with the same id, and shown on the run", async () => {
    const outside = installOutside();
    outside.statuses.push(500, 503);
    const world = answeringWorld();
    installWorld(world);
    const { input, stub } = newRun(world, { callbackUrl });
    expect((await stub.start(input)).deliveries).toEqual([
      { kind: "webhook", state: "pending", attempts: 0, next_at: null, last_status: null },
    ]);
    await untilFinished(input.id);
    await until(() => outside.hooks.length === 1);
    await until(async () => webhookOf(await stubOf(input.id).view())?.last_status === 500);
    while (outside.hooks.length < 3) await toNextTry(input.id);
    await until(async () => webhookOf(await stubOf(input.id).view())?.state === "delivered");
    expect(outside.hooks.map((hook) => hook.id)).toEqual(Array(3).fill(`msg_${input.id}`));
    expect(outside.hooks[2]?.body).toMatchObject({ type: "run.finished", data: { id: input.id, outcome: "answered" } });
    expect((outside.hooks[2]?.timestamp ?? 0) - (outside.hooks[1]?.timestamp ?? 0)).toBeGreaterThanOrEqual(300);
    const run = await stubOf(input.id).view();
    expect(webhookOf(run)).toMatchObject({ state: "delivered", attempts: 3, next_at: null, last_status: 200 });
    expect(JSON.stringify(run)).not.toContain("own words");
  });

  it("is switched off by 410, and can be sent once more by hand", async () => {
    const outside = installOutside();
    outside.statuses.push(410);
    const world = answeringWorld();
    installWorld(world);
    const { input, stub } = newRun(world, { callbackUrl });
    await stub.start(input);
    await until(async () => webhookOf(await stubOf(input.id).view())?.state === "disabled");
    expect(await stubOf(input.id).outgoing({ kind: "resend" })).toMatchObject({ kind: "resent" });
    await until(async () => webhookOf(await stubOf(input.id).view())?.state === "delivered");
    expect(outside.hooks.map((hook) => hook.id)).toEqual(Array(2).fill(`msg_${input.id}`));
  });

  it("goes nowhere when its origin is not allowed any more, or there is none", async () => {
    const outside = installOutside();
    const world = answeringWorld();
    installWorld(world);
    const { input, stub } = newRun(world, { callbackUrl: "https://elsewhere.example.com/hook" });
    await stub.start(input);
    await until(async () => webhookOf(await stubOf(input.id).view())?.state === "failed");
    expect(outside.hooks).toEqual([]);
    const none = newRun(world);
    await none.stub.start(none.input);
    await untilFinished(none.input.id);
    expect(await stubOf(none.input.id).outgoing({ kind: "resend" })).toMatchObject({ kind: "nothing_to_send" });
  });

  it("is sent again after a crash in the middle of it", async () => {
    const outside = installOutside();
    outside.unanswered = 1;
    const world = answeringWorld();
    installWorld(world);
    const { input, stub } = newRun(world, { callbackUrl });
    await stub.start(input);
    await until(() => outside.hooks.length === 1);
    await abortAllDurableObjects();
    expect(webhookOf(await stubOf(input.id).view())).toMatchObject({ state: "pending", attempts: 1 });
    while (webhookOf(await stubOf(input.id).view())?.state !== "delivered") await toNextTry(input.id);
    expect(new Set(outside.hooks.map((hook) => hook.id)).size).toBe(1);
  });
});
