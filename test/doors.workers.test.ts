/** The HTTP doors over the real objects and the demo database, with the offline model: nothing faked. */
import { applyD1Migrations } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect, it } from "vitest";
import { type PublicRun, publicRunSchema } from "../src/agent/view.ts";
import { untilFinished } from "./durable/world.ts";
import { CALLBACK_SECRET } from "./fakes/door-settings.ts";

const ORIGIN = "http://localhost";
const QUESTION = "How many albums are there?";

beforeAll(async () => {
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  exports.default.fetch(`${ORIGIN}${path}`, { headers });

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return exports.default.fetch(`${ORIGIN}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

const runOf = async (response: Response): Promise<PublicRun> => publicRunSchema.parse(await response.json());

async function listIds(): Promise<readonly string[]> {
  const { runs } = (await (await get("/v1/runs?limit=100")).json()) as { runs: { id: string }[] };
  return runs.map((run) => run.id);
}

describe("POST /v1/runs", () => {
  it("J1: twenty at once with one idempotency key make one run, asked of the model once, and twenty equal answers", async () => {
    const headers = { "idempotency-key": '"twenty"', prefer: "wait=20" };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post("/v1/runs", { question: QUESTION }, headers)),
    );
    const runs = await Promise.all(answers.map(runOf));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    expect(new Set(runs.map((run) => run.id)).size).toBe(1);
    expect(new Set(runs.map((run) => run.answer)).size).toBe(1);
    expect(runs[0]?.usage.model_calls).toBe(2);
    const again = await post("/v1/runs", { question: "How many tracks are there?" }, headers);
    expect(again.status).toBe(422);
  });

  it("a refused question leaves nothing behind", async () => {
    const before = await listIds();
    for (const body of [
      {},
      { question: " " },
      { question: QUESTION, limits: { max_steps: 0 } },
      { question: QUESTION, model: "x" },
    ]) {
      expect((await post("/v1/runs", body)).status).toBeGreaterThanOrEqual(400);
    }
    expect(await listIds()).toEqual(before);
  });

  it("J7: a chunked body of 20 MB is 413", async () => {
    const chunk = new Uint8Array(100_000).fill(0x20);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        if (sent > 200) controller.close();
        else controller.enqueue(chunk);
      },
    });
    const headers = { "content-type": "application/json" };
    const response = await exports.default.fetch(`${ORIGIN}/v1/runs`, { method: "POST", headers, body });
    expect(response.status).toBe(413);
    expect(sent).toBeLessThan(200);
  });
});

describe("events", () => {
  it("J3: read on from any number, the events are the same ones, in order, to the end of the run", async () => {
    const run = await runOf(await post("/v1/runs", { question: QUESTION }));
    const whole = await (await get(`/v1/runs/${run.id}/events`)).text();
    const blocks = whole.split("\n\n").filter((block) => block.startsWith("id: "));
    expect(blocks.map((block) => Number(/^id: (\d+)/.exec(block)?.[1]))).toEqual(blocks.map((_, index) => index + 1));
    expect(blocks.at(-1)).toContain("event: run_finished");
    for (let after = 0; after < blocks.length; after += 1) {
      const rest = await (await get(`/v1/runs/${run.id}/events`, { "last-event-id": String(after) })).text();
      expect(rest.split("\n\n").filter((block) => block.startsWith("id: "))).toEqual(blocks.slice(after));
    }
    expect((await get(`/v1/runs/${run.id}/events`, { "last-event-id": String(blocks.length) })).status).toBe(204);
    expect((await get(`/v1/runs/${run.id}/events`, { "last-event-id": String(blocks.length + 1) })).status).toBe(400);
  });
});

describe("events of a run that goes on", () => {
  it("J3: a reader that is cut off after every single event and comes back has each of them once, live", async () => {
    const { id } = await runOf(await post("/v1/runs", { question: QUESTION, mode: "manual" }));
    const drive = async (): Promise<void> => {
      while ((await post(`/v1/runs/${id}/steps`, {})).status === 200);
    };
    let driving: Promise<void> | null = null;
    const seen: string[] = [];
    for (;;) {
      const response = await get(`/v1/runs/${id}/events`, { "last-event-id": String(seen.length) });
      if (response.status === 204) break;
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      const decoder = new TextDecoder();
      let text = "";
      // Nothing moves the run before somebody is waiting for its second event.
      if (seen.length === 1) driving ??= drive();
      while (!/^id: .*?\n\n/ms.test(text)) {
        const { done, value } = await reader.read();
        if (done) break;
        text += decoder.decode(value, { stream: true });
      }
      await reader.cancel();
      seen.push(/^id: (.*?)\n\n/ms.exec(text)?.[0] ?? "cut off before any event");
    }
    await driving;
    const whole = (await (await get(`/v1/runs/${id}/events`)).text()).split(/(?<=\n\n)/);
    expect(seen).toEqual(whole.filter((block) => block.startsWith("id: ")));
    expect(seen.length).toBeGreaterThan(6);
    expect(seen.at(-1)).toContain("event: run_finished");
  });
});

describe("a manual run", () => {
  it("goes one step a request, stops at its limit, and is continued in a new run with its spend", async () => {
    const asked = await runOf(await post("/v1/runs", { question: QUESTION, mode: "manual", limits: { max_steps: 1 } }));
    const stopped = await runOf(await post(`/v1/runs/${asked.id}/steps`, {}));
    expect(stopped).toMatchObject({ outcome: "stopped", stop_reason: "max_steps" });
    expect((await post(`/v1/runs/${asked.id}/steps`, {})).status).toBe(409);
    const before = await listIds();
    expect((await post(`/v1/runs/${asked.id}/continue`, {})).status).toBe(422);
    expect(await listIds()).toEqual(before);
    const response = await post(`/v1/runs/${asked.id}/continue`, { limits: { max_steps: 5 } });
    const child = await runOf(response);
    expect(child.parent).toMatchObject({ id: asked.id, kind: "continue" });
    expect(child.usage.cost_usd).toBeGreaterThanOrEqual(stopped.usage.cost_usd);
    let run = child;
    for (let step = 0; step < 5 && run.status !== "finished"; step += 1) {
      run = await runOf(await post(`/v1/runs/${child.id}/steps`, {}));
    }
    expect(run).toMatchObject({ outcome: "answered", grounded: true });
    expect((await runOf(await get(`/v1/runs/${asked.id}`))).children).toMatchObject([{ id: child.id }]);
  });

  it("J5: cancelled twice it stays cancelled, and a step is refused", async () => {
    const { id } = await runOf(await post("/v1/runs", { question: QUESTION, mode: "manual" }));
    const first = await runOf(await post(`/v1/runs/${id}/cancel`, {}));
    const again = await runOf(await post(`/v1/runs/${id}/cancel`, {}));
    expect([first.outcome, again]).toEqual(["cancelled", first]);
    expect((await post(`/v1/runs/${id}/steps`, {})).status).toBe(409);
  });
});

describe("what a run leaves", () => {
  it("its rows as pages and as CSV, its journal as lines, itself with an ETag", async () => {
    const ask = { question: "How many albums per artist?" };
    const run = await runOf(await post("/v1/runs", ask, { prefer: "wait=20" }));
    const page = (await (await get(`/v1/runs/${run.id}/results/r1?limit=3`)).json()) as {
      rows: unknown[];
      next: string;
    };
    const next = (await (await get(page.next)).json()) as { rows: unknown[]; from: number; stored_rows: number };
    expect([page.rows.length, next.from]).toEqual([3, 4]);
    const csv = await (await get(`/v1/runs/${run.id}/results/r1?format=csv`)).text();
    expect(csv.trimEnd().split("\r\n")).toHaveLength(next.stored_rows + 1);
    const bytes = await (await get(`/v1/runs/${run.id}/transcript`)).arrayBuffer();
    const lines = new TextDecoder().decode(bytes).trimEnd().split("\n");
    const kinds = new Set(lines.map((line) => (JSON.parse(line) as { kind: string }).kind));
    expect([...kinds]).toEqual(["run", "pinned", "message", "event", "result", "state"]);
    const tag = (await get(`/v1/runs/${run.id}`)).headers.get("etag") ?? "";
    expect((await get(`/v1/runs/${run.id}`, { "if-none-match": tag })).status).toBe(304);
  });
});

describe("webhooks", () => {
  const deliver = (id: string, body: string, at = Date.now()): Promise<Response> =>
    exports.default.fetch(`${ORIGIN}/v1/webhooks/form`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(at / 1000)),
        "webhook-signature": new Webhook(CALLBACK_SECRET).sign(id, new Date(at), body),
      },
      body,
    });

  it("I1: one delivery at once and again makes one run, which ends; a replay after ten minutes is 401", async () => {
    const body = '{"data":{"things":"albums"}}';
    const answers = await Promise.all([deliver("msg_1", body), deliver("msg_1", body), deliver("msg_1", body)]);
    const ids = await Promise.all(answers.map(async (answer) => ((await answer.json()) as { id: string }).id));
    expect(answers.map((answer) => answer.status)).toEqual([202, 202, 202]);
    expect(new Set(ids).size).toBe(1);
    expect((await deliver("msg_1", body, Date.now() - 600_000)).status).toBe(401);
    expect(await untilFinished(ids[0] ?? "")).toMatchObject({
      question: "How many albums are there?",
      outcome: "answered",
    });
  });
});
