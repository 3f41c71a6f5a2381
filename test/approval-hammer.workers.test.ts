/** Many words at once to a run that waits for one, over the API in workerd: one counts, and nothing is spent twice (C32, C45, C47). */
import { abortAllDurableObjects, applyD1Migrations, runDurableObjectAlarm } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { PublicRun } from "../src/agent/view.ts";
import { createAskUserTool } from "../src/tools/ask-user.ts";
import { answer, inObject, installWorld, stubOf, untilFinished } from "./durable/world.ts";
import { calling, functionModel } from "./fakes/function-model.ts";
import { finalAnswerTool } from "./fakes/memory-run.ts";

const QUESTION = "Which country's customers have spent the most?";
const TIMES = 10;

beforeAll(async () => {
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
});

afterEach(() => {
  vi.restoreAllMocks();
});

function call(path: string, body?: object | string): Promise<Response> {
  const method = body === undefined ? "GET" : "POST";
  const headers = { "content-type": "application/json", prefer: "wait=30" };
  const init = body === undefined ? { method } : { method, headers, body: toText(body) };
  return exports.default.fetch(`http://localhost${path}`, init);
}

const toText = (body: object | string): string => (typeof body === "string" ? body : JSON.stringify(body));

async function ask(fields: object): Promise<PublicRun> {
  const run = (await (await call("/v1/runs", { question: QUESTION, ...fields })).json()) as PublicRun;
  expect(run.status).toBe("waiting");
  return run;
}

interface Day {
  readonly spent_usd: number;
  readonly reserved_usd: number;
}

async function today(): Promise<Day> {
  const { days } = (await (await call("/v1/usage?days=1")).json()) as { days: readonly Day[] };
  return days[0] ?? { spent_usd: 0, reserved_usd: 0 };
}

/** The day once the ledger was told how the run ended: by its next alarm. Nothing is held then. */
async function settled(id: string): Promise<Day> {
  await runDurableObjectAlarm(stubOf(id));
  const day = await today();
  expect(day.reserved_usd).toBe(0);
  return day;
}

/** Types of a run's events, and how often each came. */
async function countEvents(id: string): Promise<Readonly<Record<string, number>>> {
  const { events } = (await stubOf(id).eventsAfter(0, 0)) ?? { events: [] };
  const types = Map.groupBy(events, ({ event }) => event.type);
  return Object.fromEntries([...types].map(([type, all]) => [type, all.length]));
}

/** Sends every request at once, several times over, in an order that mixes them. */
async function hammer(requests: readonly (() => Promise<Response>)[]): Promise<readonly (readonly number[])[]> {
  const all = Array.from({ length: TIMES }, () => requests).flat();
  const statuses = await Promise.all(all.map(async (send) => (await send()).status));
  return requests.map((_, index) => statuses.filter((_status, at) => at % requests.length === index));
}

describe("an approval", () => {
  it("is given or refused once, whoever says what at the same time, and the ledger is the receipt", async () => {
    const before = await today();
    const run = await ask({ approve_above_rows: 0 });
    const path = `/v1/runs/${run.id}`;
    const approval = run.waiting?.approval?.id;
    const [yes = [], no = [], noted = [], looks = [], other = []] = await hammer([
      () => call(`${path}/approve`, { approval, decision: "approve" }),
      () => call(`${path}/approve`, { approval, decision: "decline" }),
      () => call(`${path}/approve`, { approval, decision: "decline", note: "Not today." }),
      () => call(path),
      () => call(`${path}/approve`, { approval: "0".repeat(16), decision: "approve" }),
    ]);
    const won = [yes, no, noted].filter((statuses) => statuses.includes(200));
    expect(won).toHaveLength(1);
    expect(new Set([...yes, ...no, ...noted])).toEqual(new Set([200, 409]));
    expect([new Set(looks), new Set(other)]).toEqual([new Set([200]), new Set([409])]);
    const done = await untilFinished(run.id);
    expect(done.outcome).toBe(yes.includes(200) ? "answered" : "failed");
    expect(done.n_queries).toBe(yes.includes(200) ? 1 : 0);
    expect(await countEvents(run.id)).toMatchObject({ approval_asked: 1, approval_decided: 1, run_finished: 1 });
    const after = await settled(run.id);
    expect(after.spent_usd - before.spent_usd).toBeCloseTo(done.usage.cost_usd, 9);
  });

  it("comes with a cancel: one of the two is first, and the run ends once, with nothing held", async () => {
    const run = await ask({ approve_above_rows: 0 });
    const path = `/v1/runs/${run.id}`;
    const approval = run.waiting?.approval?.id;
    const [yes = [], stops = []] = await hammer([
      () => call(`${path}/approve`, { approval, decision: "approve" }),
      () => call(`${path}/cancel`, {}),
    ]);
    const done = await untilFinished(run.id);
    expect([...yes, ...stops].every((status) => status === 200 || status === 409)).toBe(true);
    expect(["answered", "cancelled"]).toContain(done.outcome);
    expect(done.outcome === "cancelled").toBe(stops.includes(200));
    expect(await countEvents(run.id)).toMatchObject({ run_finished: 1 });
    await settled(run.id);
  });

  it("lets the run go on at once, also where a waiting request has driven it until then", async () => {
    const run = await ask({ approve_above_rows: 0 });
    const approval = run.waiting?.approval?.id ?? "";
    await stubOf(run.id).decide({ approval, decision: "approved", note: null, by: "test" });
    // Null: it is under way already.
    const alarm = await inObject(stubOf(run.id), (_, { storage }) => storage.getAlarm());
    expect((alarm ?? 0) - Date.now()).toBeLessThan(1_000);
    expect((await untilFinished(run.id)).outcome).toBe("answered");
  });

  it("that was given goes on after every object was thrown out, and its query is read once", async () => {
    const asked = await call("/v1/runs", { question: QUESTION, approve_above_rows: 0, mode: "manual" });
    const path = `/v1/runs/${((await asked.json()) as PublicRun).id}`;
    await call(`${path}/steps`, {});
    const approval = ((await (await call(path)).json()) as PublicRun).waiting?.approval?.id;
    expect((await call(`${path}/approve`, { approval, decision: "approve" })).status).toBe(200);
    await abortAllDurableObjects();
    const [steps = []] = await hammer([() => call(`${path}/steps`, {})]);
    expect(steps.every((status) => status === 200 || status === 409)).toBe(true);
    while (((await (await call(path)).json()) as PublicRun).status !== "finished") await call(`${path}/steps`, {});
    const done = (await (await call(path)).json()) as PublicRun;
    expect(done).toMatchObject({ outcome: "answered", n_queries: 1 });
    expect(await countEvents(done.id)).toMatchObject({ approval_asked: 1, approval_decided: 1, tool_observed: 2 });
  });

  it.each<[string, object | string, number]>([
    ["nothing", {}, 400],
    ["no JSON", "approve", 400],
    ["another word", { approval: "x", decision: "yes" }, 400],
    ["an unknown field", { approval: "x", decision: "approve", sql: "SELECT 1" }, 400],
    ["a note without end", { approval: "x", decision: "decline", note: "n".repeat(100_000) }, 400],
    [
      "yes to anything, with odd letters in its note",
      { approval: "x", decision: "approve", note: "\u0000\ud800" },
      409,
    ],
    ["an id of something else", { approval: "\ud800", decision: "approve" }, 409],
  ])("is no %s", async (_what, body, status) => {
    const run = await ask({ approve_above_rows: 0 });
    const said = await call(`/v1/runs/${run.id}/approve`, body);
    expect(said.status).toBe(status);
    expect(said.headers.get("content-type")).toContain("application/problem+json");
    expect((await stubOf(run.id).view())?.status).toBe("waiting");
    await call(`/v1/runs/${run.id}/cancel`, {});
  });
});

describe("an answer to a question back", () => {
  it("counts once: the first of many different ones, which the model hears", async () => {
    const heard: string[] = [];
    installWorld({
      model: functionModel(({ messages }) => {
        const told = messages.flatMap((message) => (message.role === "tool" ? message.results : []))[0];
        if (told === undefined) return calling(["ask_user", { question: "Which?", options: ["A", "B"] }]);
        heard.push(JSON.parse(told.content).data.reply);
        return answer("Done.");
      }),
      tools: [createAskUserTool(), finalAnswerTool],
    });
    const run = await ask({ may_ask: true });
    const inquiry = run.waiting?.inquiry?.id;
    const words = ["A", "B", "neither, \u202eי\ud83d\ude00", "A "];
    const statuses = await hammer(words.map((reply) => () => call(`/v1/runs/${run.id}/reply`, { inquiry, reply })));
    const won = words.filter((_, index) => statuses[index]?.includes(200));
    expect(statuses.flat().every((status) => status === 200 || status === 409)).toBe(true);
    expect(await untilFinished(run.id)).toMatchObject({ outcome: "answered" });
    expect(heard).toHaveLength(1);
    expect(won.map((word) => word.trim())).toContain(heard[0]);
    expect(new Set(won.map((word) => word.trim())).size).toBe(1);
    expect(await countEvents(run.id)).toMatchObject({ question_asked: 1, question_answered: 1, run_finished: 1 });
  });
});
