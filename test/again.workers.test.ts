/**
 * Asking again through the front door: worker, objects, D1 and the demo database, nothing faked. The first answer is the
 * offline model's; every repetition asks no model at all.
 */
import { abortAllDurableObjects, applyD1Migrations, runDurableObjectAlarm } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { replayRun } from "../src/agent/replay.ts";
import { toRecord } from "../src/agent/replay-record.ts";
import { type PublicRun, publicRunSchema } from "../src/agent/view.ts";
import { createRunId } from "../src/http/run-id.ts";
import { LIMITS } from "./agent/states.ts";
import { stubOf, untilFinished } from "./durable/world.ts";

const QUESTION = "Which country's customers have spent the most?";
const DAY_MS = 24 * 60 * 60 * 1000;

beforeAll(async () => {
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
});

afterEach(() => vi.useRealTimers());

const runOf = async (response: Response): Promise<PublicRun> => publicRunSchema.parse(await response.json());

function post(path: string, body: object = {}, headers: Record<string, string> = {}): Promise<Response> {
  return exports.default.fetch(`http://localhost${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", prefer: "wait=20", ...headers },
    body: JSON.stringify(body),
  });
}

const asked = async (): Promise<PublicRun> => runOf(await post("/v1/runs", { question: QUESTION }));
const again = async (id: string, body: object = {}): Promise<PublicRun> =>
  runOf(await post(`/v1/runs/${id}/again`, body));

/** Sells more to Canada for as long as `act` takes. */
async function withSale<T>(act: () => Promise<T>): Promise<T> {
  await env.DB.prepare("UPDATE Invoice SET Total = Total + 1000 WHERE BillingCountry = 'Canada'").run();
  try {
    return await act();
  } finally {
    await env.DB.prepare("UPDATE Invoice SET Total = Total - 1000 WHERE BillingCountry = 'Canada'").run();
  }
}

describe("the rows as they were", () => {
  it("C18: the earlier answer, marked, with no model call and nothing to pay but rows; and so once more", async () => {
    const first = await asked();
    expect(first).toMatchObject({ outcome: "answered", again: null, links: { again: `/v1/runs/${first.id}/again` } });
    const second = await again(first.id);
    const day = first.finished_at?.slice(0, 10);
    const since = `Unchanged since ${day}: the same queries give the same rows.`;
    expect(second).toMatchObject({
      status: "finished",
      outcome: "answered",
      stop_reason: "done",
      answer: `${since}\n\n${first.answer}`,
      grounded: true,
      question: QUESTION,
      model: "none",
      warnings: [],
      parent: null,
      again: { id: first.id, answered_at: first.finished_at, unchanged: true, changed: [] },
      usage: { model_calls: 0, errors: 0 },
    });
    expect(second.receipt.citations).toEqual(first.receipt.citations);
    expect(second.receipt.results).toEqual(first.receipt.results);
    expect(second.receipt.queries.map(({ sql }) => sql)).toEqual(
      first.receipt.queries.filter(({ error }) => error === null).map(({ sql }) => sql),
    );
    expect(second.usage.rows_read).toBeGreaterThan(0);
    expect(second.usage.cost_usd).toBeCloseTo(second.usage.rows_read * 1e-9, 12);
    expect(second.receipt.cost_by_phase?.queries_usd).toBe(second.usage.cost_usd);
    expect(await stubOf(second.id).account()).toEqual({
      costNanoUsd: second.usage.rows_read,
      outcome: "answered",
    });
    // Twice from the first, and from the repetition: always beside the answer that a model gave.
    for (const id of [first.id, second.id]) {
      const next = await again(id);
      expect(next).toMatchObject({ answer: second.answer, again: second.again, usage: { model_calls: 0 } });
      expect(new Set([next.id, first.id, second.id]).size).toBe(3);
    }
    expect((await stubOf(first.id).view())?.children).toEqual([]);
  });

  it("events and transcript tell of the plan, and the transcript replays byte for byte", async () => {
    const run = await again((await asked()).id);
    const page = await stubOf(run.id).eventsAfter(0, 0);
    expect(page?.events.map(({ event }) => event.type)).toEqual([
      "run_started",
      "plan_followed",
      "tool_observed",
      "step_finished",
      "run_finished",
    ]);
    const transcript = await stubOf(run.id).transcript();
    const record = toRecord(transcript?.entries ?? []);
    if (!record.ok) throw new Error(record.error);
    expect(replayRun(record.value)).toMatchObject({ kind: "same" });
    expect(transcript?.entries.find((entry) => entry.kind === "pinned")).toMatchObject({
      pinned: { system: "", tools: [], plan: { runId: run.again?.id, steps: [{ tool: "execute_read_only_sql" }] } },
    });
  });

  it("by the alarm, over the death of every object, and with a callback, as any run", async () => {
    const first = await asked();
    const callback_url = "https://receiver.example.com/monday";
    const response = await post(`/v1/runs/${first.id}/again`, { callback_url, mode: "manual" }, { prefer: "" });
    expect(response.status).toBe(202);
    const { id } = await runOf(response);
    await abortAllDurableObjects();
    const stepped = await stubOf(id).step();
    expect(stepped).toMatchObject({ kind: "ran", run: { outcome: "answered", usage: { model_calls: 0, steps: 1 } } });
    expect((await stubOf(id).view())?.deliveries).toMatchObject([{ kind: "webhook" }]);
    const { id: other } = await runOf(await post(`/v1/runs/${first.id}/again`, {}, { prefer: "" }));
    expect(await untilFinished(other)).toMatchObject({ outcome: "answered", again: { unchanged: true } });
  });
});

describe("other rows", () => {
  it("C18: are the answer, with what changed, and the earlier sentence is gone", async () => {
    const first = await asked();
    const run = await withSale(() => again(first.id));
    expect(run).toMatchObject({
      outcome: "answered",
      grounded: true,
      again: { id: first.id, unchanged: false, changed: ["r1"] },
      usage: { model_calls: 0 },
    });
    expect(run.answer).not.toContain(first.answer);
    expect(run.answer).not.toContain("USA");
    expect(run.answer).toContain("Canada");
    expect(run.answer).toContain("Changed: r1.");
    expect(run.answer).toContain("Ask the question anew");
    expect(run.receipt.citations[0]).toMatchObject({ result: "r1", row: 1 });
    expect(await again(run.id)).toMatchObject({ again: { id: first.id, unchanged: true } });
  });
});

describe("what the caller may read today", () => {
  it("counts: a table that is denied now ends the run in words, and nothing of it is read", async () => {
    const first = await asked();
    const offer = await stubOf(first.id).offerPlan();
    if (offer.kind !== "plan") throw new Error("the run has a plan");
    const id = createRunId("local", crypto.getRandomValues(new Uint8Array(16)));
    const { question, grounding } = offer.run;
    const settings = { caller: "local", mode: "auto", model: "none", callbackUrl: null } as const;
    await stubOf(id).start({
      ...settings,
      id,
      question,
      grounding,
      limits: LIMITS,
      tools: offer.tools,
      plan: offer.plan,
      scopes: { tables: { deny: ["Invoice"] } },
    });
    const run = await untilFinished(id);
    expect(run).toMatchObject({
      outcome: "stopped",
      stop_reason: "retry_ceiling",
      failed: true,
      answer: null,
      again: { id: first.id, unchanged: null, changed: [] },
      usage: { model_calls: 0, rows_read: 0, cost_usd: 0 },
    });
    expect(run.message).toMatch(/^The query of the stored plan could not be run: .*Invoice.*ask the question anew\.$/);
    expect(run.links.continue).toBeUndefined();
  });

  it("a run of another caller is 404, one that made no query and one that goes on are 409", async () => {
    const foreign = createRunId("somebody else", new Uint8Array(16));
    expect((await post(`/v1/runs/${foreign}/again`)).status).toBe(404);
    const { id } = await runOf(await post("/v1/runs", { question: QUESTION, mode: "manual" }));
    const early = await post(`/v1/runs/${id}/again`);
    expect([early.status, await early.json()]).toMatchObject([409, { code: "run_not_finished" }]);
    await stubOf(id).cancel();
    const cancelled = await post(`/v1/runs/${id}/again`);
    expect([cancelled.status, await cancelled.json()]).toMatchObject([409, { code: "run_not_repeatable" }]);
  });

  it("continue and fork of such a run are refused in words", async () => {
    const run = await again((await asked()).id);
    for (const action of ["continue", "fork"]) {
      const refused = await post(`/v1/runs/${run.id}/${action}`);
      expect([refused.status, await refused.json()]).toMatchObject([
        409,
        { code: "run_not_continuable", detail: expect.stringContaining("stored plan") },
      ]);
    }
  });
});

describe("retention", () => {
  it("a run that is asked again is kept from then on; one that is not goes as ever", async () => {
    const [kept, other] = [await asked(), await asked()];
    const alarmLater = async (id: string, days: number): Promise<void> => {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + days * DAY_MS });
      await runDurableObjectAlarm(stubOf(id));
    };
    await alarmLater(kept.id, 20);
    expect(await stubOf(kept.id).offerPlan()).toMatchObject({ kind: "plan" });
    await alarmLater(kept.id, 11);
    await runDurableObjectAlarm(stubOf(other.id));
    expect(await stubOf(other.id).view()).toBeNull();
    expect(await stubOf(kept.id).view()).not.toBeNull();
    await alarmLater(kept.id, 20);
    expect(await stubOf(kept.id).view()).toBeNull();
  });
});
