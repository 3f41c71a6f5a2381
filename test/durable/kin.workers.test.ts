/** Carrying a finished run on: `continue` under raised limits, `fork` from a step, between real run objects. */
import { abortAllDurableObjects } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, DEFAULT_LIMITS_MAX, type LimitsRequest, resolveLimits } from "../../src/agent/limits.ts";
import type { CarryOn } from "../../src/durable/contract.ts";
import { readFact } from "../../src/durable/facts.ts";
import { decodeSettings } from "../../src/durable/settings.ts";
import { failed, functionModel, saying } from "../fakes/function-model.ts";
import { finalAnswerTool, queryTool } from "../fakes/memory-run.ts";
import { answer, inObject, installWorld, newRun, query, stubOf, untilFinished, type World } from "./world.ts";

/** Five queries, then the answer; every result is different. */
function fiveQueries(): World {
  return {
    model: functionModel(({ messages }) => {
      const asked = messages.filter((message) => message.role === "assistant").length;
      return asked < 5 ? query(`SELECT ${asked}`) : answer();
    }),
    tools: [queryTool((sql) => ({ columns: ["sql"], rows: [[sql]] })), finalAnswerTool],
  };
}

let ids = 0;

function carryOn(kind: CarryOn["kind"], step: number | null, asked: LimitsRequest = {}): CarryOn {
  const limits = resolveLimits(asked, DEFAULT_LIMITS, DEFAULT_LIMITS_MAX);
  if (!limits.ok) throw new Error("limits of the test are above the maximum");
  ids += 1;
  return { id: `run_kin_${ids}`, kind, step, limits: limits.value, terms: { scopes: {}, approveAboveRows: null } };
}

async function finishedRun(asked: LimitsRequest = {}): Promise<string> {
  const world = fiveQueries();
  installWorld(world);
  const { input, stub } = newRun(world, { asked });
  await stub.start(input);
  await untilFinished(input.id);
  return input.id;
}

describe("continue", () => {
  it("goes on from the last checkpoint under a raised limit, with all that was spent, linked both ways", async () => {
    const id = await finishedRun({ max_steps: 3 });
    const before = await stubOf(id).view();
    expect(before).toMatchObject({ outcome: "stopped", stop_reason: "max_steps", usage: { steps: 3 } });
    const request = carryOn("continue", null, { max_steps: 12 });
    expect(await stubOf(id).carryOn(request)).toMatchObject({
      kind: "started",
      run: { id: request.id, usage: { steps: 3 } },
    });
    const run = await untilFinished(request.id);
    expect(run).toMatchObject({ outcome: "answered", parent: { id, step: 3, kind: "continue" }, n_queries: 5 });
    expect(run.receipt.queries.map((entry) => entry.sql)).toEqual([0, 1, 2, 3, 4].map((n) => `SELECT ${n}`));
    expect(run.usage.steps).toBe(6);
    expect(run.usage.cost_usd).toBeGreaterThan(before?.usage.cost_usd ?? 0);
    const events = (await stubOf(request.id).eventsAfter(0, 0))?.events.map((entry) => entry.event) ?? [];
    expect(events.find((event) => event.type === "run_forked")).toMatchObject({
      limits: [{ name: "max_steps", from: 3, to: 12 }],
      message: expect.stringContaining("max_steps raised from 3 to 12"),
    });
    const transcript = await stubOf(request.id).transcript();
    const said = transcript?.entries.flatMap((entry) => (entry.kind === "message" ? [entry.message] : [])) ?? [];
    expect(said[7]).toEqual({ role: "user", text: expect.stringContaining("max_steps raised from 3 to 12") });
    expect(said[7]).toMatchObject({ text: expect.stringContaining("You have 9 steps and 5 tool calls left") });
    const after = await stubOf(id).view();
    expect(after).toEqual({ ...before, children: [{ id: request.id, step: 3, kind: "continue" }] });
    expect(await stubOf(request.id).account()).toMatchObject({ outcome: "answered" });
    const own = (await stubOf(request.id).account())?.costNanoUsd ?? 0;
    expect(own / 1e9).toBeCloseTo(run.usage.cost_usd - (before?.usage.cost_usd ?? 0), 9);
  });

  it("keeps for how long the caller's prompt is cached, as the run was started", async () => {
    for (const promptCache of ["1h", undefined] as const) {
      const world = fiveQueries();
      const wired = installWorld(world);
      wired.mockClear();
      const pinned = promptCache === undefined ? {} : { promptCache };
      const { input, stub } = newRun(world, { asked: { max_steps: 3 }, ...pinned });
      await stub.start(input);
      await untilFinished(input.id);
      const request = carryOn("continue", null, { max_steps: 12 });
      await stub.carryOn(request);
      await untilFinished(request.id);
      const settings = wired.mock.calls.map(([each]) => each);
      expect(new Set(settings.map((each) => each.id))).toEqual(new Set([input.id, request.id]));
      expect(settings.map((each) => each.promptCache)).toEqual(settings.map(() => promptCache));
    }
  });

  it("B63: after an outage of the provider it goes on where it stood, with no limit raised and no note of one", async () => {
    const world = fiveQueries();
    const real = world.model;
    let calls = 0;
    let isDown = true;
    world.model = {
      ...real,
      complete: async (request, signal) => {
        calls += 1;
        if (isDown && calls > 2) return failed("fatal", "billing", { status: 402, unbilled: true });
        return real.complete(request, signal);
      },
    };
    installWorld(world);
    const { input, stub } = newRun(world);
    await stub.start(input);
    const before = await untilFinished(input.id);
    expect(before).toMatchObject({ outcome: "failed", stop_reason: "provider_error", n_queries: 2 });
    isDown = false;
    const request = carryOn("continue", null);
    expect(await stub.carryOn(request)).toMatchObject({ kind: "started" });
    const run = await untilFinished(request.id);
    expect(run).toMatchObject({ outcome: "answered", n_queries: 5 });
    expect(run.usage.cost_usd).toBeGreaterThan(before.usage.cost_usd);
    const transcript = await stubOf(request.id).transcript();
    const said = transcript?.entries.flatMap((entry) => (entry.kind === "message" ? [entry.message] : [])) ?? [];
    expect(said.filter((message) => message.role === "user")).toHaveLength(1);
  });

  it("is refused while nothing is raised, for an answered run, and for one that goes on", async () => {
    const stopped = await finishedRun({ max_steps: 3 });
    const same = await stubOf(stopped).carryOn(carryOn("continue", null, { max_steps: 3 }));
    expect(same).toMatchObject({ kind: "refused", reason: "limit_not_raised" });
    const answered = await finishedRun();
    expect(await stubOf(answered).carryOn(carryOn("continue", null))).toMatchObject({ reason: "not_continuable" });
    const world = fiveQueries();
    installWorld(world);
    const { input, stub } = newRun(world, { mode: "manual" });
    await stub.start(input);
    expect(await stub.carryOn(carryOn("fork", 0))).toMatchObject({ reason: "not_finished" });
    expect(await stubOf("run_nobody").carryOn(carryOn("fork", 0))).toEqual({ kind: "not_found" });
  });
});

describe("fork", () => {
  it("B26: begins with what step k held; the spend carries over and the old run stays as it was", async () => {
    const id = await finishedRun();
    const before = await stubOf(id).view();
    const request = carryOn("fork", 2);
    const reply = await stubOf(id).carryOn({ ...request }, "caller");
    expect(reply).toMatchObject({
      kind: "started",
      run: { usage: { steps: 2, hops: 2, cost_usd: before?.usage.cost_usd } },
    });
    const [mine, theirs] = await Promise.all([stubOf(request.id).transcript(1), stubOf(id).transcript(1)]);
    const messages = mine?.entries.filter((entry) => entry.kind === "message");
    expect(messages).toHaveLength(5);
    expect(messages).toEqual(theirs?.entries.filter((entry) => entry.kind === "message").slice(0, 5));
    expect(mine?.entries[0]).toEqual(theirs?.entries[0]);
    expect(await stubOf(request.id).result("r2")).toEqual(await stubOf(id).result("r2"));
    expect(await stubOf(request.id).result("r3")).toBeNull();
    const events = (await stubOf(request.id).eventsAfter(0, 0))?.events.map((entry) => entry.event) ?? [];
    expect(events.at(-1)).toMatchObject({ type: "run_forked", from_run: id, from_step: 2, kind: "fork" });
    expect(await stubOf(id).view()).toMatchObject({ ...before, children: [{ id: request.id, step: 2, kind: "fork" }] });
    // A fork can be forked at a step it has from its parent.
    const stub = stubOf(request.id);
    while ((await stub.step("caller")).kind !== "finished");
    expect(await stub.carryOn(carryOn("fork", 1))).toMatchObject({ kind: "started", run: { usage: { steps: 1 } } });
  });

  it("C47: is held to what its caller may see and read unasked by now, not when the old run began", async () => {
    const id = await finishedRun();
    const scopes = { tables: { deny: ["secrets"] } };
    const request = { ...carryOn("fork", 2), terms: { scopes, approveAboveRows: 7 } };
    const reply = await stubOf(id).carryOn(request, "caller");
    expect(reply).toMatchObject({ kind: "started", run: { approve_above_rows: 7 } });
    const settings = await inObject(stubOf(request.id), (_, { storage }) =>
      decodeSettings(readFact(storage.sql, "settings") ?? ""),
    );
    expect(settings).toMatchObject({ ok: true, value: { scopes } });
  });

  it("B26, B8: carries the ladder on: what was refused before the fork is refused after it, and not before its rung", async () => {
    const world = fiveQueries();
    world.model = functionModel(({ system, toolChoice }) => {
      if (system.includes("advise") || toolChoice === "none") return saying("I cannot say.");
      return query("SELECT 1");
    });
    installWorld(world);
    const { input, stub } = newRun(world, { asked: { max_hops: 20 } });
    await stub.start(input);
    expect(await untilFinished(input.id)).toMatchObject({ stop_reason: "cycle" });
    const firstResult = async (step: number): Promise<string> => {
      const request = carryOn("fork", step, { max_hops: 40, max_steps: 40 });
      await stub.carryOn(request, "caller");
      await stubOf(request.id).step("caller");
      const transcript = await stubOf(request.id).transcript();
      const said = transcript?.entries.flatMap((entry) => (entry.kind === "message" ? [entry.message] : [])) ?? [];
      return JSON.stringify(said[2 + 2 * step]);
    };
    expect(await firstResult(3)).toContain("was not run again: the same call has the same result every time");
    const third = await firstResult(2);
    expect(third).not.toContain("was not run again");
    expect(third).toContain("You are repeating yourself");
  });

  it("of a step before which the record is broken is refused, and of one before that is not", async () => {
    const id = await finishedRun();
    await inObject(stubOf(id), (_object, { storage }) => {
      storage.sql.exec("UPDATE steps SET body_parts = 3 WHERE number = 2");
    });
    await abortAllDurableObjects();
    expect(await stubOf(id).carryOn(carryOn("fork", 2))).toMatchObject({ kind: "refused", reason: "not_continuable" });
    expect(await stubOf(id).carryOn(carryOn("fork", 1))).toMatchObject({ kind: "started" });
  });

  it("of a step that never was is refused", async () => {
    const id = await finishedRun();
    const reply = await stubOf(id).carryOn(carryOn("fork", 99));
    expect(reply).toMatchObject({ kind: "refused", reason: "no_such_step" });
  });

  it("twice with the same id is one run, also at once, and large rows come along whole", async () => {
    const world = fiveQueries();
    const rows = Array.from({ length: 400 }, (_, index) => [index, "y".repeat(1_600)]);
    world.tools = [queryTool((sql) => ({ columns: ["n", "s"], rows: [[sql, ""], ...rows] })), finalAnswerTool];
    installWorld(world);
    const { input, stub } = newRun(world);
    await stub.start(input);
    await untilFinished(input.id);
    const request = carryOn("fork", 4);
    const replies = await Promise.all([1, 2, 3].map(() => stub.carryOn(request, "caller")));
    expect(new Set(replies.map((reply) => (reply.kind === "started" ? reply.run.created_at : reply.kind))).size).toBe(
      1,
    );
    expect(await stub.view()).toMatchObject({ children: [{ id: request.id }] });
    await abortAllDurableObjects();
    expect((await stubOf(request.id).result("r4", 401))?.rows).toEqual([rows[399]]);
    expect((await stubOf(request.id).result("r4", 1, 1))?.rows).toEqual([["SELECT 3", ""]]);
  });
});
