/** C48, C45: a dear question waits for its person in Slack, or tells a callback so: over real HTTP, in a real workerd. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SlackHost, startSlackHost, until } from "./fakes/slack-host.ts";
import type { VisibleMessage } from "./fakes/slack-workspace.ts";

const QUESTION = "Which country's customers have spent the most?";
let world: SlackHost;

beforeAll(async () => {
  world = await startSlackHost({ approve_above_rows: 0 });
});

afterAll(() => world.stop());

const wordsOf = (message: VisibleMessage): string => JSON.stringify(message.blocks);
const isAsking = (message: VisibleMessage): boolean => wordsOf(message).includes("querent_approve");

describe("a question whose query reads more than may pass unasked", () => {
  it("C48: turns its working message into one with SQL, plan, tables, rows and cost, and that into the answer", async () => {
    const { message } = await world.ask(QUESTION);
    await until(() => isAsking(message));
    expect(wordsOf(message)).toMatch(/May this query run\?/);
    expect(wordsOf(message)).toMatch(/SELECT .*Country/s);
    expect(wordsOf(message)).toMatch(/Tables: .*Customer/);
    expect(wordsOf(message)).toMatch(/about [\d,]+ rows read, (?:&lt;)?\$0\.0/);
    expect(wordsOf(message)).toMatch(/Plan: ```.*(?:SCAN|SEARCH)/s);
    expect(message.markup).toEqual({ mentions: [], links: [] });
    expect((await world.send(world.slack.workspace.press(message, "querent_approve"))).status).toBe(200);
    await until(() => wordsOf(message).includes("523.06"));
    expect(isAsking(message)).toBe(false);
    expect(world.slack.workspace.messages).toHaveLength(1);
  });

  it("says in its place that it was not allowed, and ends without a row", async () => {
    const { message } = await world.ask(QUESTION);
    await until(() => isAsking(message));
    await world.send(world.slack.workspace.press(message, "querent_decline"));
    await until(() => /0 rows read/.test(wordsOf(message)));
    expect(wordsOf(message)).not.toContain("523.06");
  });

  it("lets nobody else decide, and nobody twice", async () => {
    const { workspace } = world.slack;
    const { message } = await world.ask(`share ${QUESTION}`);
    await until(() => isAsking(message));
    const before = workspace.messages.length;
    await world.send(workspace.press(message, "querent_approve", { userId: "U0002" }));
    await until(() => workspace.messages.length === before + 1);
    expect(workspace.messages.at(-1)?.to).toBe("U0002");
    expect(wordsOf(workspace.messages.at(-1) ?? message)).toContain("Only the person who asked");
    expect(isAsking(message)).toBe(true);
    const [yes, no] = [workspace.press(message, "querent_approve"), workspace.press(message, "querent_decline")];
    await world.send(yes);
    await world.send(no);
    await until(() => wordsOf(message).includes("523.06"));
  });

  it("can be stopped while it waits", async () => {
    const { message } = await world.ask(QUESTION);
    await until(() => isAsking(message));
    await world.send(world.slack.workspace.press(message, "querent_stop"));
    await until(() => wordsOf(message).includes("Stopped before there was an answer"));
  });
});

describe("a callback", () => {
  it("gets what the run waits for, and after the decision the run", async () => {
    const { host, receiver } = world;
    const post = (path: string, body: object) =>
      host.fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    const callback_url = `${receiver.url}/hook`;
    const asked = await post("/v1/runs", { question: QUESTION, approve_above_rows: 0, callback_url });
    const { id } = (await asked.json()) as { id: string };
    await until(() => receiver.received.length === 1);
    const first = receiver.received[0]?.body as { data: { waiting: { approval: { id: string } } } };
    expect(first).toMatchObject({
      type: "run.waiting",
      data: {
        id,
        status: "waiting",
        waiting: { approval: { queries: [{ tables: expect.arrayContaining(["Customer"]) }] } },
      },
    });
    const approval = first.data.waiting.approval.id;
    await post(`/v1/runs/${id}/approve`, { approval, decision: "approve" });
    await until(() => receiver.received.length === 2);
    expect(receiver.received[1]?.body).toMatchObject({ type: "run.finished", data: { id, outcome: "answered" } });
    expect(receiver.received.map((one) => [one.id, one.isValid])).toEqual([
      [`msg_${id}_${approval}`, true],
      [`msg_${id}`, true],
    ]);
  });
});
