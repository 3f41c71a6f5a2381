/** The caller object in workerd: exact counts under load, settlement by real runs, runs that die, alerts, keys, lists. */
import { abortAllDurableObjects, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { CallerApi, CallerPolicy } from "../../src/durable/caller-contract.ts";
import { CallerObject } from "../../src/durable/caller-object.ts";
import { RunObject } from "../../src/durable/run-object.ts";
import {
  advanceClock,
  answeringWorld,
  holdModel,
  installWorld,
  newRun,
  query,
  stubOf,
  untilFinished,
} from "./world.ts";

type CallerStub = DurableObjectStub & CallerApi;

const USD = 1_000_000_000;
const POLICY: CallerPolicy = { dailyNanoUsdMax: 10 * USD, ratePerMinuteMax: 1_000, runsAtOnceMax: 1_000 };
let names = 0;

function newCaller(): { readonly caller: string; readonly stub: CallerStub } {
  names += 1;
  const caller = `caller_${names}`;
  return { caller, stub: env.CALLERS.get(env.CALLERS.idFromName(caller)) as unknown as CallerStub };
}

function ask(runId: string, policy: Partial<CallerPolicy> = {}, reserveNanoUsd = USD / 2) {
  return { runId, reserveNanoUsd, question: "How many?", policy: { ...POLICY, ...policy } };
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("admission", () => {
  it("is exact when two hundred ask at once", async () => {
    const { stub } = newCaller();
    const asked = Array.from({ length: 200 }, (_, index) => stub.admit(ask(`r${index}`, { runsAtOnceMax: 15 })));
    const kinds = (await Promise.all(asked)).map((reply) => reply.kind);
    expect(kinds.filter((kind) => kind === "admitted")).toHaveLength(15);
    expect(await stub.usage(1)).toMatchObject([{ runs: 15, reservedNanoUsd: 7.5 * USD, spentNanoUsd: 0 }]);
  });

  it("G5: never holds and spends more than the day's dollars, and says when to come back", async () => {
    const { stub } = newCaller();
    const asked = Array.from({ length: 200 }, (_, index) => stub.admit(ask(`r${index}`)));
    const replies = await Promise.all(asked);
    expect(replies.filter((reply) => reply.kind === "admitted")).toHaveLength(20);
    const refused = replies.find((reply) => reply.kind === "refused");
    expect(refused).toMatchObject({ reason: "daily_budget", retryAfterS: 5 });
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        stub.settle({ runId: `r${index}`, costNanoUsd: USD / 2, outcome: "answered" }),
      ),
    );
    const spent = await stub.admit(ask("one more"));
    const untilMidnight = Math.ceil((86_400_000 - (Date.now() % 86_400_000)) / 1000);
    expect(spent).toMatchObject({ kind: "refused", reason: "daily_budget" });
    if (spent.kind === "refused") expect(Math.abs(spent.retryAfterS - untilMidnight)).toBeLessThan(5);
    advanceClock(86_400_000);
    expect(await stub.admit(ask("tomorrow"))).toMatchObject({ kind: "admitted" });
  });
});

describe("settlement", () => {
  it("a run gives its place back and its cost to the day when it ends, however it ends", async () => {
    const { caller, stub } = newCaller();
    const world = answeringWorld();
    installWorld(world);
    const answered = newRun(world, { caller });
    const cancelled = newRun(world, { caller, mode: "manual" });
    for (const run of [answered, cancelled]) {
      await stub.admit(ask(run.input.id));
      await run.stub.start(run.input);
    }
    const run = await untilFinished(answered.input.id);
    await cancelled.stub.cancel();
    await vi.waitFor(async () => {
      const [day] = await stub.usage(1);
      expect(day).toMatchObject({ runs: 2, reservedNanoUsd: 0, outcomes: { answered: 1, cancelled: 1 } });
      expect((day?.spentNanoUsd ?? 0) / USD).toBeCloseTo(run.usage.cost_usd, 9);
    });
  });

  it("a run that was admitted and never started gives everything back", async () => {
    const { stub } = newCaller();
    await stub.admit(ask("run_lost"));
    advanceClock(3 * 60_000);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await stub.usage(1)).toMatchObject([{ spentNanoUsd: 0, reservedNanoUsd: 0, outcomes: { lost: 1 } }]);
  });

  it("a run whose settlement never arrives is asked for its account; one that goes on keeps what it holds", async () => {
    vi.spyOn(CallerObject.prototype, "settle").mockRejectedValue(new Error("unreachable"));
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { caller, stub } = newCaller();
    const world = answeringWorld();
    installWorld(world);
    const { input, stub: runStub } = newRun(world, { caller, mode: "manual" });
    await stub.admit(ask(input.id));
    await runStub.start(input);
    await runStub.step();
    advanceClock(3 * 60_000);
    await runDurableObjectAlarm(stub);
    expect(await stub.usage(1)).toMatchObject([{ reservedNanoUsd: USD / 2, spentNanoUsd: 0 }]);
    await runStub.step();
    const cost = (await runStub.view())?.usage.cost_usd ?? 0;
    advanceClock(11 * 60_000);
    await runDurableObjectAlarm(stub);
    const [day] = await stub.usage(1);
    expect(day).toMatchObject({ reservedNanoUsd: 0, outcomes: { answered: 1 } });
    expect((day?.spentNanoUsd ?? 0) / USD).toBeCloseTo(cost, 9);
  });

  it("a run that cannot be asked for longer than it can live counts at all it held, and gives its place back", async () => {
    vi.spyOn(RunObject.prototype, "account").mockRejectedValue(new Error("unreachable"));
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { stub } = newCaller();
    await stub.admit(ask("run_gone", { runsAtOnceMax: 1 }));
    advanceClock(24 * 60 * 60_000);
    await runDurableObjectAlarm(stub);
    expect(await stub.admit(ask("next", { runsAtOnceMax: 1 }))).toMatchObject({ reason: "runs_at_once" });
    advanceClock(61 * 60_000);
    await runDurableObjectAlarm(stub);
    expect((await stub.list(null, 5))?.runs).toMatchObject([{ id: "run_gone", outcome: "lost", costNanoUsd: USD / 2 }]);
    expect(await stub.admit(ask("next", { runsAtOnceMax: 1 }))).toMatchObject({ kind: "admitted" });
  });

  it("a second settlement corrects the first, and a repeated one changes nothing", async () => {
    const { stub } = newCaller();
    await stub.admit(ask("r1"));
    await stub.settle({ runId: "r1", costNanoUsd: USD / 4, outcome: "failed" });
    for (let times = 1; times <= 3; times += 1) {
      await stub.settle({ runId: "r1", costNanoUsd: USD / 8, outcome: "cancelled" });
    }
    expect(await stub.usage(1)).toMatchObject([
      { runs: 1, spentNanoUsd: USD / 8, reservedNanoUsd: 0, outcomes: { failed: 0, cancelled: 1 } },
    ]);
  });

  it("a cancelled call whose object died settles at its reservation", async () => {
    const { caller, stub } = newCaller();
    const world = answeringWorld();
    const model = holdModel(() => query("SELECT 1"));
    world.model = model;
    installWorld(world);
    const { input, stub: runStub } = newRun(world, { caller, mode: "manual" });
    await stub.admit(ask(input.id));
    await runStub.start(input);
    const step = runStub.step().catch(() => "died");
    await vi.waitFor(() => expect(model.calls).toBe(1));
    const reserved = (await runStub.view())?.usage.reserved_usd ?? 0;
    await runStub.cancel();
    await abortAllDurableObjects();
    await step;
    model.release();
    advanceClock(100_000);
    await runDurableObjectAlarm(stubOf(input.id));
    const fresh = env.CALLERS.get(env.CALLERS.idFromName(caller)) as unknown as CallerStub;
    const [day] = await fresh.usage(1);
    expect(day).toMatchObject({ reservedNanoUsd: 0, outcomes: { cancelled: 1 } });
    expect((day?.spentNanoUsd ?? 0) / USD).toBeCloseTo(reserved, 9);
  });

  it("tells dollars and seconds of its last runs, counted from the admission to the settlement", async () => {
    const { stub } = newCaller();
    for (const [index, seconds] of [2, 4, 30].entries()) {
      await stub.admit(ask(`r${index}`));
      advanceClock(seconds * 1_000);
      await stub.settle({ runId: `r${index}`, costNanoUsd: seconds * USD, outcome: "answered" });
    }
    const { runs, outcomes, runCost, runTime } = await stub.figures();
    expect({ runs, outcomes, runCost }).toMatchObject({
      runs: 3,
      outcomes: { answered: 3 },
      runCost: { p50NanoUsd: 4 * USD, p95NanoUsd: 30 * USD },
    });
    expect(runTime?.p50Ms).toBeGreaterThanOrEqual(4_000);
    expect(runTime?.p95Ms).toBeGreaterThanOrEqual(30_000);
  });

  it("alerts once at 50 % and once at 80 % of the day's dollars", async () => {
    const lines: string[] = [];
    vi.spyOn(console, "warn").mockImplementation((line: string) => {
      lines.push(line);
    });
    const { caller, stub } = newCaller();
    const policy = { dailyNanoUsdMax: USD };
    for (const [index, cents] of [40, 15, 10, 20, 5].entries()) {
      await stub.admit(ask(`r${index}`, policy, (cents * USD) / 100));
      await stub.settle({ runId: `r${index}`, costNanoUsd: (cents * USD) / 100, outcome: "answered" });
    }
    const alerts = lines.map((line) => JSON.parse(line));
    expect(alerts.map((line) => line.percent)).toEqual([50, 80]);
    expect(alerts[0]).toMatchObject({ event: "daily_budget_alert", caller });
    expect(await stub.usage(1)).toMatchObject([{ alerts: [50, 80] }]);
  });
});

describe("keys and lists", () => {
  it("C32: a key stands for one request and one run, also when it is sent twenty times at once", async () => {
    const { stub } = newCaller();
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) => stub.claim("key", "body", `run_${index}`)),
    );
    expect(claims.filter((claim) => claim.kind === "claimed")).toHaveLength(1);
    expect(new Set(claims.map((claim) => ("runId" in claim ? claim.runId : null))).size).toBe(1);
    expect(await stub.claim("key", "other body", "run_x")).toEqual({ kind: "other_body" });
    advanceClock(86_400_001);
    expect(await stub.claim("key", "other body", "run_x")).toMatchObject({ kind: "claimed", runId: "run_x" });
  });

  it("keeps the line of a run, its cost in it, when the run itself is deleted", async () => {
    const { caller, stub } = newCaller();
    const world = answeringWorld();
    installWorld(world);
    const { input, stub: runStub } = newRun(world, { caller });
    await stub.admit(ask(input.id));
    await runStub.start(input);
    await untilFinished(input.id);
    await vi.waitFor(async () => expect((await stub.list(null, 5))?.runs[0]?.outcome).toBe("answered"));
    const [line] = (await stub.list(null, 5))?.runs ?? [];
    expect(line?.costNanoUsd).toBeGreaterThan(0);
    advanceClock(31 * 86_400_000);
    await runDurableObjectAlarm(runStub);
    expect(await runStub.view()).toBeNull();
    expect((await stub.list(null, 5))?.runs).toEqual([line]);
    // Asked about again, it gives back nothing and loses nothing.
    await runDurableObjectAlarm(stub);
    expect((await stub.list(null, 5))?.runs).toEqual([line]);
  });

  it("lists runs newest first, in pages without gap or repeat, whatever is asked meanwhile", async () => {
    const { stub } = newCaller();
    for (let index = 1; index <= 5; index += 1) await stub.admit(ask(`r${index}`));
    const first = await stub.list(null, 2);
    expect(first?.runs.map((run) => run.id)).toEqual(["r5", "r4"]);
    await stub.admit(ask("r6"));
    const second = await stub.list(first?.next ?? null, 2);
    const third = await stub.list(second?.next ?? null, 2);
    expect([...(second?.runs ?? []), ...(third?.runs ?? [])].map((run) => run.id)).toEqual(["r3", "r2", "r1"]);
    expect(third?.next).toBeNull();
    expect(await stub.list("x'; DROP TABLE runs", 2)).toBeNull();
  });
});
