/** A run that waits for a person, in workerd with the real D1: over the API, across evictions, by alarm (C45, C47). */
import { abortAllDurableObjects, applyD1Migrations, runDurableObjectAlarm } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { PublicRun } from "../src/agent/view.ts";
import { createAskUserTool } from "../src/tools/ask-user.ts";
import { askInSlack, installOutside, send, until } from "./durable/outside.ts";
import {
  advanceClock,
  answer,
  answeringWorld,
  installWorld,
  newRun,
  stubOf,
  untilFinished,
  type World,
} from "./durable/world.ts";
import { calling, functionModel } from "./fakes/function-model.ts";
import { finalAnswerTool } from "./fakes/memory-run.ts";

const QUESTION = "Which country's customers have spent the most?";
const HOUR_MS = 3_600_000;

beforeAll(async () => {
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return exports.default.fetch(`http://localhost${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

/** Asked over the API; comes back when it waits. */
async function askWaiting(): Promise<PublicRun> {
  const asked = await post("/v1/runs", { question: QUESTION, approve_above_rows: 0 }, { prefer: "wait=30" });
  const run = (await asked.json()) as PublicRun;
  // Nobody holds a connection for a person.
  expect([asked.status, run.status, run.waiting?.kind]).toEqual([202, "waiting", "approval"]);
  return run;
}

describe("a run over the API", () => {
  it("C45, C48: shows what it waits for, and answers once it is allowed", async () => {
    const run = await askWaiting();
    const [query, ...others] = run.waiting?.approval?.queries ?? [];
    expect(others).toEqual([]);
    expect(query?.sql).toMatch(/^SELECT .*Country/s);
    expect(query?.tables.toSorted()).toEqual(["Customer", "Invoice"]);
    expect(query?.rows_read).toBeGreaterThan(400);
    expect(query?.cost_usd).toBeGreaterThan(0);
    expect(query?.plan.join("\n")).toMatch(/SCAN|SEARCH/);
    expect(run).toMatchObject({ approve_above_rows: 0, usage: { rows_read: 0 }, n_queries: 0 });
    expect(run.links.approve).toBe(`/v1/runs/${run.id}/approve`);
    const approval = run.waiting?.approval?.id ?? "";
    const decided = await post(`/v1/runs/${run.id}/approve`, { approval, decision: "approve" });
    expect(decided.status).toBe(200);
    const done = await untilFinished(run.id);
    expect(done).toMatchObject({ outcome: "answered", n_queries: 1, waiting: null });
    expect(done.answer).toContain("523.06");
    const again = await post(`/v1/runs/${run.id}/approve`, { approval, decision: "approve" });
    expect(again.status).toBe(409);
  });

  it("C47: another id decides nothing, and the same decision twice is one", async () => {
    installWorld(answeringWorld());
    const { input, stub } = newRun(answeringWorld(), { approveAboveRows: 5, mode: "manual" });
    await stub.start(input);
    expect(await stub.step()).toMatchObject({ kind: "waiting", run: { status: "waiting" } });
    const approval = (await stub.view())?.waiting?.approval?.id ?? "";
    const yes = { approval, decision: "approved", note: null, by: "test" } as const;
    expect(await stub.decide({ ...yes, approval: "0".repeat(16) })).toMatchObject({ kind: "not_waiting" });
    expect(await stub.decide(yes)).toMatchObject({ kind: "decided", run: { waiting: null } });
    expect(await stub.decide(yes)).toMatchObject({ kind: "decided" });
    expect(await stub.decide({ ...yes, decision: "declined" })).toMatchObject({ kind: "not_waiting" });
    const { events } = (await stub.eventsAfter(0, 0)) ?? { events: [] };
    expect(events.filter(({ event }) => event.type === "approval_decided")).toHaveLength(1);
  });

  it("goes on without what was declined, and reads no row for it", async () => {
    const run = await askWaiting();
    const approval = run.waiting?.approval?.id ?? "";
    await post(`/v1/runs/${run.id}/approve`, { approval, decision: "decline", note: "Not today." });
    const done = await untilFinished(run.id);
    expect(done.usage.rows_read).toBe(0);
    expect(done.answer).toBeNull();
    const entries = (await stubOf(run.id).transcript())?.entries ?? [];
    const told = entries.flatMap((entry) =>
      entry.kind === "message" && entry.message.role === "tool" ? [entry.message] : [],
    );
    expect(JSON.stringify(told)).toContain("Not today.");
  });
});

describe("a run that waits", () => {
  const waiting = async () => {
    installWorld(answeringWorld());
    const { input, stub } = newRun(answeringWorld(), { approveAboveRows: 5 });
    await stub.start(input);
    let run = await stub.view();
    while (run?.status !== "waiting") {
      await runDurableObjectAlarm(stub);
      run = await stub.view();
    }
    return run;
  };

  it("C45: is evicted while it waits, is allowed hours later, goes on, and pays for none of the hours", async () => {
    const run = await waiting();
    await abortAllDurableObjects();
    advanceClock(20 * HOUR_MS);
    await runDurableObjectAlarm(stubOf(run.id));
    expect(await stubOf(run.id).view()).toMatchObject({ status: "waiting", usage: { model_calls: 1 } });
    const approval = run.waiting?.approval?.id ?? "";
    await stubOf(run.id).decide({ approval, decision: "approved", note: null, by: "test" });
    await abortAllDurableObjects();
    let done = await stubOf(run.id).view();
    while (done?.status !== "finished") {
      await runDurableObjectAlarm(stubOf(run.id));
      done = await stubOf(run.id).view();
    }
    expect(done).toMatchObject({ outcome: "answered", answer: "One.", usage: { model_calls: 2, rows_read: 10 } });
    expect(done.usage.active_ms).toBeLessThan(60_000);
  });

  it("O2, C45: ends as expired after a day, by its alarm, with nobody there", async () => {
    const run = await waiting();
    advanceClock(24 * HOUR_MS + 1_000);
    await runDurableObjectAlarm(stubOf(run.id));
    expect(await stubOf(run.id).view()).toMatchObject({ status: "finished", stop_reason: "expired", answer: null });
  });

  it("J5: can be cancelled", async () => {
    const run = await waiting();
    expect(await stubOf(run.id).cancel()).toMatchObject({ kind: "cancelled", run: { waiting: null } });
  });
});

describe("a run that asks back", () => {
  const INPUT = { question: "Which do you mean?", options: ["Revenue", "Number of orders"] };
  /** Asks which, then answers with what it was told. */
  const asking = (): World => ({
    model: functionModel(({ messages }) => {
      const told = messages.flatMap((message) => (message.role === "tool" ? message.results : []))[0];
      if (told === undefined) return calling(["ask_user", INPUT]);
      return answer(`By ${JSON.parse(told.content).data.reply}.`);
    }),
    tools: [createAskUserTool(), finalAnswerTool],
  });

  it("over the API: shows question and options, and goes on with the words that came", async () => {
    installWorld(asking());
    const asked = await post("/v1/runs", { question: "How much?", may_ask: true }, { prefer: "wait=30" });
    const run = (await asked.json()) as PublicRun;
    expect(run).toMatchObject({ status: "waiting", waiting: { kind: "reply", approval: null, inquiry: INPUT } });
    expect(run.links.reply).toBe(`/v1/runs/${run.id}/reply`);
    const reply = { inquiry: run.waiting?.inquiry?.id, reply: "revenue without tax" };
    await abortAllDurableObjects();
    expect((await post(`/v1/runs/${run.id}/reply`, reply)).status).toBe(200);
    expect(await untilFinished(run.id)).toMatchObject({ answer: "By revenue without tax.", waiting: null });
  });

  it("in Slack: a button for each option, in the place of the working message, and then the answer there", async () => {
    installWorld(asking());
    const outside = installOutside();
    const { message, runId } = await askInSlack(outside, "How much?");
    const words = () => JSON.stringify(message.blocks);
    await until(() => words().includes("querent_reply_1"));
    expect(words()).toContain(INPUT.question);
    await send(outside.workspace.press(message, "querent_reply_1"));
    await until(() => words().includes("By Number of orders."));
    expect((await stubOf(runId).view())?.outcome).toBe("answered");
    expect(outside.workspace.messages).toHaveLength(1);
  });
});
