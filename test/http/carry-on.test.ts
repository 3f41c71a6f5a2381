import { describe, expect, test } from "vitest";
import { createHarness, type Harness, KEY, readProblem, sha256 } from "./harness.ts";

async function stoppedRun(harness: Harness = createHarness(), body: object = {}) {
  const id = await harness.ask({ limits: { max_steps: 3, budget_usd: 0.2 }, ...body });
  const run = harness.runs.get(id)!;
  run.end("stopped", "max_steps");
  run.run = { ...run.run!, usage: { ...run.run!.usage, cost_usd: 0.05 } };
  return { ...harness, id, run };
}

describe("POST /v1/runs/:id/continue", () => {
  test("opens a new run under the old limits and those that are raised, and holds only what is not spent", async () => {
    const { post, id, run, callers } = await stoppedRun();
    const response = await post(`/v1/runs/${id}/continue`, { limits: { max_steps: 6 } });
    expect(response.status).toBe(202);
    const child = (await response.json()) as { id: string };
    expect(child.id).not.toBe(id);
    expect(response.headers.get("location")).toBe(`/v1/runs/${child.id}`);
    expect(run.carried).toMatchObject({
      driver: "alarm",
      request: { id: child.id, kind: "continue", step: null, limits: { stepsMax: 6, costNanoUsdMax: 200_000_000 } },
    });
    expect(callers.get("local")?.admitted.at(-1)).toMatchObject({ runId: child.id, reserveNanoUsd: 150_000_000 });
  });

  test("no body is the same as no changes", async () => {
    const { request, id, run } = await stoppedRun();
    expect((await request(`/v1/runs/${id}/continue`, { method: "POST" })).status).toBe(202);
    expect(run.carried?.request.limits).toMatchObject({ stepsMax: 3, costNanoUsdMax: 200_000_000 });
  });

  test("what the caller may see and read unasked is what is set for them now", async () => {
    const fields = { scopes: { tables: { deny: ["secrets"] } }, approve_above_rows: 7 };
    const QUERENT_CALLERS = JSON.stringify({ alice: { keys: [sha256(KEY)], ...fields } });
    for (const way of ["continue", "fork"]) {
      const harness = createHarness({ QUERENT_CALLERS });
      const alice = { authorization: `Bearer ${KEY}` };
      const asked = await harness.post("/v1/runs", { question: "How many?" }, alice);
      const { id } = (await asked.json()) as { id: string };
      harness.runs.get(id)?.end("stopped", "max_steps");
      expect((await harness.post(`/v1/runs/${id}/${way}`, {}, alice)).status).toBe(202);
      expect(harness.runs.get(id)?.carried?.request.terms).toEqual({ scopes: fields.scopes, approveAboveRows: 7 });
    }
  });

  test("a run of a model that its caller may not use any more is refused before anything is held", async () => {
    const QUERENT_CALLERS = JSON.stringify({ alice: { keys: [sha256(KEY)], models: ["offline"] } });
    const harness = createHarness({ QUERENT_CALLERS });
    const alice = { authorization: `Bearer ${KEY}` };
    const asked = await harness.post("/v1/runs", { question: "How many?" }, alice);
    const { id } = (await asked.json()) as { id: string };
    const run = harness.runs.get(id)!;
    run.end("stopped", "max_steps");
    run.run = { ...run.run!, model: "claude-opus-5-5" };
    const response = await harness.post(`/v1/runs/${id}/continue`, {}, alice);
    expect(response.status).toBe(422);
    expect(await readProblem(response)).toMatchObject({
      code: "model_not_available",
      detail: "This run used claude-opus-5-5, which you may not use any more. Ask anew with offline.",
      available: ["offline"],
    });
    expect(harness.callers.get("alice")?.admitted).toHaveLength(1);
    // What followed a plan asked no model: the object says why it cannot go on.
    run.run = { ...run.run, model: "none" };
    expect((await harness.post(`/v1/runs/${id}/continue`, {}, alice)).status).toBe(202);
  });

  test("while the client waits, the new run is driven", async () => {
    const { post, id, run } = await stoppedRun();
    const response = await post(`/v1/runs/${id}/continue`, { limits: { max_steps: 6 } }, { prefer: "wait=10" });
    expect(response.status).toBe(200);
    expect(run.carried?.driver).toBe("caller");
    expect(((await response.json()) as { status: string }).status).toBe("finished");
  });

  test("the same idempotency key continues once, another wish with it is 422", async () => {
    const { post, id, runs } = await stoppedRun();
    const key = { "idempotency-key": '"k1"' };
    const wish = { limits: { max_steps: 6 } };
    const ids = [await post(`/v1/runs/${id}/continue`, wish, key), await post(`/v1/runs/${id}/continue`, wish, key)];
    const [first, second] = await Promise.all(ids.map(async (r) => ((await r.json()) as { id: string }).id));
    expect(first).toBe(second);
    expect(runs.size).toBe(2);
    expect((await post(`/v1/runs/${id}/continue`, { limits: { max_steps: 7 } }, key)).status).toBe(422);
  });

  test("a limit above the caller's maximum is 422, a run that goes on 409; neither is admitted", async () => {
    const harness = createHarness();
    const { post, id, callers } = await stoppedRun(harness);
    const above = await post(`/v1/runs/${id}/continue`, { limits: { max_steps: 1_000 } });
    expect([above.status, (await readProblem(above)).code]).toEqual([422, "limit_above_maximum"]);
    const going = await harness.ask();
    const early = await post(`/v1/runs/${going}/continue`, {});
    expect([early.status, (await readProblem(early)).code]).toEqual([409, "run_not_finished"]);
    expect(callers.get("local")?.admitted).toHaveLength(2);
  });

  test.each([
    ["not_continuable", 409, "run_not_continuable"],
    ["limit_not_raised", 422, "limit_not_raised"],
    ["no_such_step", 422, "step_not_found"],
    ["not_finished", 409, "run_not_finished"],
  ] as const)("a refusal of the object, %s, is %i, and what was held is free again", async (reason, status, code) => {
    const { post, id, run, callers } = await stoppedRun();
    run.carryOnReply = { kind: "refused", reason, message: "Because." };
    const response = await post(`/v1/runs/${id}/continue`, {});
    expect([response.status, (await readProblem(response)).code]).toEqual([status, code]);
    const admitted = callers.get("local")?.admitted.at(-1);
    expect(callers.get("local")?.withdrawn).toEqual([admitted?.runId]);
  });
});

describe("POST /v1/runs/:id/fork", () => {
  test("goes on from the step that is named, 0 included", async () => {
    for (const step of [0, 2]) {
      const { post, id, run } = await stoppedRun();
      expect((await post(`/v1/runs/${id}/fork`, { step })).status).toBe(202);
      expect(run.carried?.request).toMatchObject({ kind: "fork", step });
    }
  });

  test("without a step it goes on from the last one", async () => {
    const { post, id, run } = await stoppedRun();
    await post(`/v1/runs/${id}/fork`, {});
    expect(run.carried?.request).toMatchObject({ kind: "fork", step: null });
  });

  test.each([{ step: -1 }, { step: 1.5 }, { step: "1" }, { step: null }, { steps: 1 }, { limits: { max_steps: 0 } }])(
    "%j is 400",
    async (body) => {
      const { post, id } = await stoppedRun();
      expect((await post(`/v1/runs/${id}/fork`, body)).status).toBe(400);
    },
  );
});
