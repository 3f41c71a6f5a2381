import { describe, expect, test } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { createRunId } from "../../src/http/run-id.ts";
import { CALLBACK_SECRET } from "../fakes/door-settings.ts";
import { PLAN } from "../fakes/fake-run-object.ts";
import { CALLERS, createHarness, type Harness, KEY, OTHER_KEY, readProblem, sha256 } from "./harness.ts";

async function answeredRun(harness: Harness = createHarness(), body: object = {}) {
  const id = await harness.ask({ limits: { max_steps: 3, budget_usd: 0.2, max_rows_read: 1_000 }, ...body });
  const run = harness.runs.get(id)!;
  run.end("answered", "done");
  return { ...harness, id, run };
}

const runOf = async (response: Response) => (await response.json()) as { id: string; model: string; question: string };

describe("POST /v1/runs/:id/again", () => {
  test("opens a new run of the same question, with the plan and no model, that holds only what rows can cost", async () => {
    const { post, id, runs, callers } = await answeredRun();
    const response = await post(`/v1/runs/${id}/again`, {});
    expect(response.status).toBe(202);
    const child = await runOf(response);
    expect(child).toMatchObject({ model: "none", question: runs.get(id)?.run?.question });
    expect(response.headers.get("location")).toBe(`/v1/runs/${child.id}`);
    const begun = runs.get(child.id)!;
    expect(begun.driver).toBe("alarm");
    expect(begun.started).toMatchObject({
      id: child.id,
      caller: "local",
      mode: "auto",
      grounding: "report",
      model: "none",
      tools: runs.get(id)?.started?.tools,
      limits: { stepsMax: 3, rowsReadMax: 1_000 },
      callbackUrl: null,
      plan: PLAN,
    });
    expect(callers.get("local")?.admitted.at(-1)).toMatchObject({ runId: child.id, reserveNanoUsd: 1_000 });
  });

  test("no body is the same as an empty one", async () => {
    const { request, id } = await answeredRun();
    expect((await request(`/v1/runs/${id}/again`, { method: "POST" })).status).toBe(202);
  });

  test("while the client waits, the new run is driven", async () => {
    const { post, id, runs } = await answeredRun();
    const response = await post(`/v1/runs/${id}/again`, {}, { prefer: "wait=10" });
    expect(response.status).toBe(200);
    expect(response.headers.get("preference-applied")).toBe("wait=10");
    expect(runs.get((await runOf(response)).id)?.driver).toBe("caller");
  });

  test("limits, mode and callback are those that are named", async () => {
    const harness = createHarness({
      QUERENT_LOCAL: "1",
      CALLBACK_ORIGINS: "https://hooks.example.com",
      WEBHOOK_SIGNING_SECRET: CALLBACK_SECRET,
    });
    const { post, id, runs } = await answeredRun(harness);
    const callback_url = "https://hooks.example.com/monday";
    const response = await post(`/v1/runs/${id}/again`, { limits: { max_hops: 20 }, mode: "manual", callback_url });
    const begun = runs.get((await runOf(response)).id);
    expect(begun?.started).toMatchObject({
      mode: "manual",
      callbackUrl: callback_url,
      limits: { hopsMax: 20, stepsMax: 3 },
    });
    const elsewhere = await post(`/v1/runs/${id}/again`, { callback_url: "https://evil.example.com/" });
    expect([elsewhere.status, (await readProblem(elsewhere)).code]).toEqual([400, "invalid_request"]);
  });

  test("the scopes are the caller's of today, and the run of another caller is 404", async () => {
    const settings = (alice: object) => ({ QUERENT_CALLERS: JSON.stringify({ ...JSON.parse(CALLERS), alice }) });
    const keys = [sha256(KEY)];
    const { bindings, post, runs, request } = createHarness(settings({ keys }));
    const as = (key: string) => ({ authorization: `Bearer ${key}` });
    const { id } = await runOf(await post("/v1/runs", { question: "How many?" }, as(KEY)));
    runs.get(id)?.end("answered", "done");
    const denied = { tables: { deny: ["Customer"] } };
    const today = { ...bindings, ...settings({ keys, scopes: denied }) };
    const init = { method: "POST", headers: as(KEY) };
    const child = await runOf(await createApp().request(`/v1/runs/${id}/again`, init, today));
    expect(runs.get(id)?.started?.scopes).toEqual({});
    expect(runs.get(child.id)?.started?.scopes).toEqual(denied);
    const foreign = await request(`/v1/runs/${id}/again`, { method: "POST", headers: as(OTHER_KEY) });
    expect([foreign.status, (await readProblem(foreign)).code]).toEqual([404, "run_not_found"]);
  });

  test("the same idempotency key is one run, another wish with it is 422", async () => {
    const { post, id, runs } = await answeredRun();
    const key = { "idempotency-key": '"monday"' };
    const first = await runOf(await post(`/v1/runs/${id}/again`, {}, key));
    const second = await runOf(await post(`/v1/runs/${id}/again`, {}, key));
    expect(second.id).toBe(first.id);
    expect(runs.size).toBe(2);
    expect((await post(`/v1/runs/${id}/again`, { mode: "manual" }, key)).status).toBe(422);
  });

  test("an id of another caller, one that never was and a made-up one are 404, and no object is woken for the first", async () => {
    const { post, runs } = await answeredRun();
    const foreign = createRunId("somebody else", new Uint8Array(16));
    const unknown = createRunId("local", new Uint8Array(16).fill(9));
    for (const id of [foreign, unknown, "run_x"]) {
      const response = await post(`/v1/runs/${id}/again`, {});
      expect([response.status, (await readProblem(response)).code]).toEqual([404, "run_not_found"]);
    }
    expect(runs.has(foreign)).toBe(false);
  });

  test("a run that goes on, and one without a query, are 409 in words; neither is admitted", async () => {
    const harness = createHarness();
    const { post, id, run, callers } = await answeredRun(harness);
    const going = await harness.ask();
    const admitted = callers.get("local")?.admitted.length;
    const early = await post(`/v1/runs/${going}/again`, {});
    expect([early.status, (await readProblem(early)).code]).toEqual([409, "run_not_finished"]);
    run.planReply = { kind: "refused", reason: "not_repeatable", message: "There was no query." };
    const empty = await post(`/v1/runs/${id}/again`, {});
    expect([empty.status, await readProblem(empty)]).toMatchObject([
      409,
      { code: "run_not_repeatable", detail: "There was no query." },
    ]);
    expect(callers.get("local")?.admitted).toHaveLength(admitted ?? -1);
  });

  test("a limit above the caller's maximum is 422", async () => {
    const { post, id } = await answeredRun();
    const response = await post(`/v1/runs/${id}/again`, { limits: { max_steps: 1_000 } });
    expect([response.status, (await readProblem(response)).code]).toEqual([422, "limit_above_maximum"]);
  });

  test.each([{ question: "x" }, { model: "offline" }, { limits: { max_steps: 0 } }, { mode: "x" }, { tools: [] }])(
    "%j is 400: the question, its tools and its model are not asked for again",
    async (body) => {
      const { post, id } = await answeredRun();
      expect((await post(`/v1/runs/${id}/again`, body)).status).toBe(400);
    },
  );
});
