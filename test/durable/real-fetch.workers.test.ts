/**
 * The run object with the Claude adapter and a strict fake of the Messages API over real HTTP: what a crash leaves of an
 * open request, and that every request afterwards is one the vendor would take.
 */
import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, inject, it, vi } from "vitest";
import type { LimitsRequest } from "../../src/agent/limits.ts";
import { WATCHDOG_MS } from "../../src/durable/schedule.ts";
import { createAnthropicModel } from "../../src/models/anthropic.ts";
import { lookUpModel } from "../../src/models/prices.ts";
import { hang, type ScriptItem, status, text, thinking, toolUse } from "../fakes/anthropic-script.ts";
import { finalAnswerTool, queryTool } from "../fakes/memory-run.ts";
import { advanceClock, installWorld, newRun, stubOf } from "./world.ts";

const baseUrl = inject("fakeAnthropicUrl");

interface Lane {
  readonly unused: number;
  readonly problems: readonly string[];
  readonly requests: readonly { readonly fault: string | null; readonly isHungUp: boolean }[];
}

/** A manual run whose model is Claude as the fake plays it. */
async function startRun(lane: string, script: readonly ScriptItem[], asked: LimitsRequest = {}) {
  await fetch(`${baseUrl}/__fake/lanes/${lane}`, { method: "PUT", body: JSON.stringify({ script }) });
  const info = lookUpModel("claude-sonnet-5-5");
  if (!info.ok) throw new Error(info.error);
  const world = {
    model: createAnthropicModel({ apiKey: lane, baseUrl, info: info.value }),
    tools: [queryTool((sql) => ({ columns: ["sql"], rows: [[sql]] })), finalAnswerTool],
  };
  installWorld(world);
  const { input, stub } = newRun(world, { mode: "manual", asked });
  await stub.start(input);
  const read = async (): Promise<Lane> => (await fetch(`${baseUrl}/__fake/lanes/${lane}`)).json();
  return { id: input.id, read };
}

const ASK = [thinking("First the rows."), text("I look."), toolUse("execute_read_only_sql", { sql: "SELECT 1" })];
const ANSWER = [toolUse("final_answer", { answer: "One.", results: ["r1"] })];

afterEach(() => {
  vi.useRealTimers();
});

describe("over real HTTP", () => {
  it("aborted while the request is open, evicted between steps, it ends with valid requests only", async () => {
    const { id, read } = await startRun("durable-abort", [hang(), ASK, ANSWER]);
    const step = stubOf(id)
      .step()
      .catch(() => "died");
    await vi.waitFor(async () => expect((await read()).requests).toHaveLength(1));
    const reserved = (await stubOf(id).view())?.usage.reserved_usd ?? 0;
    await abortAllDurableObjects();
    expect(await step).toBe("died");
    advanceClock(WATCHDOG_MS);
    await runDurableObjectAlarm(stubOf(id));
    await evictDurableObject(stubOf(id));
    expect(await stubOf(id).step()).toMatchObject({ kind: "ran", run: { outcome: "answered", answer: "One." } });
    const run = await stubOf(id).view();
    expect(run).toMatchObject({ usage: { steps: 2, model_calls: 3, reserved_usd: 0 } });
    expect(run?.usage.cost_usd).toBeGreaterThan(reserved);
    expect(run?.usage.cost_usd).toBeLessThan(run?.limits.budget_usd ?? 0);
    expect(await read()).toMatchObject({ unused: 0, problems: [], requests: [{}, { fault: null }, { fault: null }] });
  });

  it("a cancel ends the open request at once", async () => {
    const { id, read } = await startRun("durable-cancel", [hang()]);
    const step = stubOf(id).step();
    await vi.waitFor(async () => expect((await read()).requests).toHaveLength(1));
    await stubOf(id).cancel();
    expect(await step).toMatchObject({ kind: "ran", run: { outcome: "cancelled" } });
    const run = await stubOf(id).view();
    expect(run).toMatchObject({ usage: { reserved_usd: 0 } });
    expect(run?.usage.cost_usd).toBeGreaterThan(0);
    await vi.waitFor(async () => expect((await read()).requests).toMatchObject([{ isHungUp: true }]));
  });

  it("C11: a step's time that is up closes the connection, is tried once more, and counts at its reservation", async () => {
    const { id, read } = await startRun("durable-timeout", [hang(), hang()], { step_timeout_s: 0.3 });
    expect(await stubOf(id).step()).toMatchObject({ kind: "waiting", run: { usage: { model_calls: 1 } } });
    await vi.waitFor(async () => expect((await read()).requests).toMatchObject([{ isHungUp: true }]));
    const once = (await stubOf(id).view())?.usage.cost_usd ?? 0;
    expect(once).toBeGreaterThan(0);
    advanceClock(5_000);
    expect(await stubOf(id).step()).toMatchObject({
      kind: "ran",
      run: { stop_reason: "provider_error", usage: { steps: 1, model_calls: 2, reserved_usd: 0 } },
    });
    await vi.waitFor(async () => expect((await read()).requests[1]).toMatchObject({ isHungUp: true }));
    expect((await stubOf(id).view())?.usage.cost_usd).toBeCloseTo(2 * once, 9);
    expect(await read()).toMatchObject({ unused: 0, problems: [] });
  });

  it("B65: after a 529 it waits by alarm, also across an eviction, and then goes on", async () => {
    const { id, read } = await startRun("durable-retry", [status(529), ASK, ANSWER]);
    const reply = await stubOf(id).step();
    expect(reply).toMatchObject({ kind: "waiting", run: { status: "waiting", waiting: { kind: "retry" } } });
    await evictDurableObject(stubOf(id));
    expect(await stubOf(id).step()).toMatchObject({ kind: "waiting" });
    expect((await read()).requests).toHaveLength(1);
    advanceClock(2_000);
    await runDurableObjectAlarm(stubOf(id));
    expect(await stubOf(id).view()).toMatchObject({ status: "running", usage: { steps: 1, model_calls: 2, hops: 1 } });
    expect(await stubOf(id).step()).toMatchObject({ run: { answer: "One." } });
    expect(await read()).toMatchObject({ unused: 0, problems: [] });
  });
});
