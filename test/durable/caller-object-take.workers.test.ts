/** Questions that are taken in at once and begun afterwards. */
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import type { CallerApi, TakeRequest } from "../../src/durable/caller-contract.ts";
import { until } from "./outside.ts";
import { answeringWorld, installWorld, newRun, stubOf, untilFinished } from "./world.ts";

const POLICY = { dailyNanoUsdMax: 10_000_000_000, ratePerMinuteMax: 1_000, runsAtOnceMax: 1_000 };

afterEach(() => {
  vi.restoreAllMocks();
});

const callerOf = (name: string): CallerApi => env.CALLERS.get(env.CALLERS.idFromName(name)) as unknown as CallerApi;

function request(caller: string, key: string | null, policy = POLICY): TakeRequest {
  const world = answeringWorld();
  installWorld(world);
  const { input } = newRun(world, { caller });
  return {
    admit: { runId: input.id, reserveNanoUsd: 1_000_000, question: input.question, policy },
    key: key === null ? null : { name: key, keptMs: 60_000 },
    start: JSON.stringify(input),
  };
}

it("begins what it took, also after a crash, and settles it like any other run", async () => {
  const asked = request("take-crash", null);
  expect(await callerOf("take-crash").take(asked)).toEqual({
    kind: "taken",
    runId: asked.admit.runId,
    isRepeat: false,
  });
  await abortAllDurableObjects();
  await until(async () => (await stubOf(asked.admit.runId).view()) !== null);
  expect(await untilFinished(asked.admit.runId)).toMatchObject({ outcome: "answered", answer: "One." });
  await until(async () => (await callerOf("take-crash").list(null, 5))?.runs[0]?.outcome === "answered");
});

it("makes one run of one key, whatever ids its tellings bring, also all at once", async () => {
  const tellings = Array.from({ length: 20 }, () => request("take-once", "slack:1.1"));
  const replies = await Promise.all(tellings.map((telling) => callerOf("take-once").take(telling)));
  const ids = new Set(replies.map((reply) => (reply.kind === "taken" ? reply.runId : "refused")));
  expect([...ids]).toEqual([tellings[0]?.admit.runId]);
  expect(replies.filter((reply) => reply.kind === "taken" && !reply.isRepeat)).toHaveLength(1);
  const [id = ""] = ids;
  await until(async () => (await stubOf(id).view()) !== null);
  expect((await callerOf("take-once").list(null, 50))?.runs).toHaveLength(1);
});

it("keeps nothing that is not admitted, and counts exactly in a burst", async () => {
  const policy = { ...POLICY, runsAtOnceMax: 3 };
  const asked = Array.from({ length: 10 }, () => request("take-limit", null, policy));
  const replies = await Promise.all(asked.map((one) => callerOf("take-limit").take(one)));
  expect(replies.map((reply) => (reply.kind === "refused" ? reply.reason : reply.kind))).toEqual([
    ...Array(3).fill("taken"),
    ...Array(7).fill("runs_at_once"),
  ]);
  const refused = asked[5]?.admit.runId ?? "";
  expect(await callerOf("take-limit").beginTaken(refused)).toBe(false);
  expect(await stubOf(refused).view()).toBeNull();
});

it("begins at once what somebody asks for", async () => {
  const asked = request("take-hurry", null);
  await callerOf("take-hurry").take(asked);
  await callerOf("take-hurry").beginTaken(asked.admit.runId);
  expect(await stubOf(asked.admit.runId).view()).not.toBeNull();
  expect(await callerOf("take-hurry").beginTaken(asked.admit.runId)).toBe(false);
});
