/** The run object in workerd: its drivers, its readers, one step at a time. Crashes are in run-object-crash. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CALLER_GRACE_MS } from "../../src/durable/schedule.ts";
import { functionModel } from "../fakes/function-model.ts";
import { finalAnswerTool, queryTool } from "../fakes/memory-run.ts";
import {
  advanceClock,
  answer,
  answeringWorld,
  holdModel,
  inObject,
  installWorld,
  newRun,
  query,
  stubOf,
  untilFinished,
  type World,
} from "./world.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("drivers", () => {
  it("runs to the answer by alarm alone", async () => {
    const world = answeringWorld();
    installWorld(world);
    const { input, stub } = newRun(world);
    expect(await stub.start(input)).toMatchObject({ status: "running", phase: "thought" });
    const run = await untilFinished(input.id);
    expect(run).toMatchObject({ answer: "One.", usage: { steps: 2, model_calls: 2 }, n_queries: 1 });
  });

  it("never stalls over a hundred steps that take no time", async () => {
    const world: World = {
      model: functionModel(({ messages }) => (messages.length < 200 ? query(`SELECT ${messages.length}`) : answer())),
      tools: [queryTool((sql) => ({ columns: ["n"], rows: [[sql]] })), finalAnswerTool],
    };
    installWorld(world);
    const asked = { max_steps: 128, max_hops: 256, max_model_calls: 256, budget_usd: 10 };
    const { input, stub } = newRun(world, { asked });
    await stub.start(input);
    const run = await untilFinished(input.id);
    expect(run).toMatchObject({ stop_reason: "done", usage: { steps: 101, hops: 101 } });
  });

  it("lets a waiting caller drive one step a call, and drives itself when the caller is gone", async () => {
    const world = answeringWorld();
    installWorld(world);
    const { input, stub } = newRun(world);
    await stub.start(input, "caller");
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect((await stub.view())?.usage.steps).toBe(0);
    expect(await stub.step("caller")).toMatchObject({ kind: "ran", run: { usage: { steps: 1 } } });
    advanceClock(CALLER_GRACE_MS + 1);
    await runDurableObjectAlarm(stub);
    expect(await stub.view()).toMatchObject({ status: "finished", answer: "One." });
  });

  it("tells a driver that asks for no more only that the run goes on, and at its end the run", async () => {
    const world = answeringWorld();
    installWorld(world);
    const { input, stub } = newRun(world);
    await stub.start(input, "caller");
    expect(await stub.step("caller", true)).toEqual({ kind: "went_on" });
    expect(await stub.step("caller", true)).toMatchObject({ kind: "ran", run: { status: "finished", answer: "One." } });
  });

  it("runs exactly one step a call in manual mode, and says when the run was over before", async () => {
    const world = answeringWorld();
    installWorld(world);
    const { input, stub } = newRun(world, { mode: "manual" });
    await stub.start(input);
    await runDurableObjectAlarm(stub);
    expect((await stub.view())?.usage.steps).toBe(0);
    expect(await stub.step()).toMatchObject({ kind: "ran", run: { status: "running", usage: { steps: 1 } } });
    await runDurableObjectAlarm(stub);
    expect((await stub.view())?.usage.steps).toBe(1);
    expect(await stub.step()).toMatchObject({ kind: "ran", run: { status: "finished", answer: "One." } });
    expect(await stub.step()).toMatchObject({ kind: "finished", run: { answer: "One." } });
  });

  it("O2: a manual run that nobody touches ends at its deadline, by alarm", async () => {
    const world = answeringWorld();
    installWorld(world);
    const { input, stub } = newRun(world, { mode: "manual" });
    await stub.start(input);
    await stub.step();
    advanceClock(301_000);
    await runDurableObjectAlarm(stub);
    const run = await stub.view();
    expect(run).toMatchObject({ status: "finished", outcome: "stopped", stop_reason: "timeout", answer: null });
    expect(run?.partial_answer).toContain("r1");
  });

  it("O1: of twenty calls at once one runs the step and the others are told so", async () => {
    const world = answeringWorld();
    const model = holdModel(() => query("SELECT 1"));
    world.model = model;
    installWorld(world);
    const { input, stub } = newRun(world, { mode: "manual" });
    await stub.start(input);
    const replies = Array.from({ length: 20 }, () => stub.step());
    await vi.waitFor(() => expect(model.calls).toBe(1));
    model.release();
    const kinds = (await Promise.all(replies)).map((reply) => reply.kind);
    expect(kinds.filter((kind) => kind === "ran")).toHaveLength(1);
    expect(kinds.filter((kind) => kind === "busy")).toHaveLength(19);
    expect(await stub.view()).toMatchObject({ usage: { steps: 1, model_calls: 1 } });
  });

  it("O1: the same alarm twice in parallel, beside a caller, makes one model call", async () => {
    const world = answeringWorld();
    const model = holdModel(() => query("SELECT 1"));
    world.model = model;
    installWorld(world);
    const { input, stub } = newRun(world);
    await stub.start(input, "caller");
    advanceClock(CALLER_GRACE_MS + 1);
    const twice = inObject<unknown>(stub, (object) => Promise.all([object.alarm(), object.alarm()]));
    await vi.waitFor(() => expect(model.calls).toBe(1));
    expect(await stub.step("caller")).toMatchObject({ kind: "busy" });
    model.release();
    await twice;
    expect(model.calls).toBe(1);
    expect((await stub.view())?.usage.model_calls).toBe(1);
  });
});

describe("start", () => {
  it("is idempotent, also when called at once and with other words", async () => {
    const world = answeringWorld();
    installWorld(world);
    const { input, stub } = newRun(world, { mode: "manual" });
    const runs = await Promise.all(Array.from({ length: 10 }, () => stub.start(input)));
    expect(new Set(runs.map((run) => run.created_at)).size).toBe(1);
    expect(await stub.start({ ...input, question: "Something else?" })).toMatchObject({ question: "How many?" });
    expect((await stub.eventsAfter(0, 0))?.events.map((entry) => entry.event.type)).toEqual(["run_started"]);
  });

  it("ends at once, and says why, when the database cannot be read", async () => {
    vi.restoreAllMocks();
    const { input, stub } = newRun(answeringWorld(), { model: "offline" });
    await inObject(stub, (object) => {
      const d1 = { prepare: () => ({}), batch: async () => Promise.reject(new Error("D1_ERROR: overloaded")) };
      Object.assign(object, { env: { DB: d1, QUERENT_LOCAL: "1" } });
    });
    const run = await stub.start(input);
    expect(run).toMatchObject({ status: "finished", outcome: "failed", stop_reason: "error", answer: null });
    expect(run.message).toContain("busy");
  });

  it("knows nothing of a run that never started, and writes nothing for it", async () => {
    const stub = stubOf("run_never_started");
    expect(await stub.view()).toBeNull();
    expect(await stub.step()).toEqual({ kind: "not_found" });
    expect(await stub.cancel()).toEqual({ kind: "not_found" });
    expect(await stub.eventsAfter(0, 10)).toBeNull();
    expect(await stub.result("r1")).toBeNull();
    expect(await stub.transcript()).toBeNull();
    const tables = await inObject(stub, (_object, state) =>
      state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
    );
    expect(tables).toEqual([]);
  });
});

describe("cancel", () => {
  it("aborts the open call, keeps what was found, and the late reply only brings its bill", async () => {
    const world = answeringWorld();
    installWorld(world);
    const { input, stub } = newRun(world, { mode: "manual" });
    await stub.start(input);
    await stub.step();
    const model = holdModel(() => answer());
    world.model = model;
    const open = stub.step();
    await vi.waitFor(() => expect(model.calls).toBe(1));
    const reserved = (await stub.view())?.usage.reserved_usd ?? 0;
    expect(reserved).toBeGreaterThan(0);
    const cancelled = await stub.cancel();
    expect(cancelled).toMatchObject({ kind: "cancelled", run: { outcome: "cancelled", answer: null } });
    expect(model.aborted).toBe(1);
    const before = (await stub.view())?.usage.cost_usd ?? 0;
    model.release();
    await open;
    const after = await stub.view();
    expect(after).toMatchObject({ outcome: "cancelled", answer: null, usage: { reserved_usd: 0 } });
    expect(after?.partial_answer).toContain("r1");
    expect(after?.usage.cost_usd).toBeGreaterThan(before);
    expect(after?.usage.cost_usd).toBeLessThan(before + reserved);
    expect(await stub.cancel()).toMatchObject({ kind: "finished", run: { outcome: "cancelled" } });
  });

  it("wins between the reply and its query, while the database is asked what that would read", async () => {
    const world = answeringWorld();
    let isHeld = true;
    let asked = 0;
    let ran = 0;
    const plain = queryTool(() => {
      ran += 1;
      return { columns: ["n"], rows: [[1]] };
    });
    const slow: typeof plain = {
      ...plain,
      check: (input) => {
        const checked = plain.check(input);
        if (!checked.ok) return checked;
        const foresee = async () => {
          asked += 1;
          while (isHeld) await new Promise((resolve) => setTimeout(resolve, 1));
          return { rowsRead: 10, tables: ["T"], plan: () => [] };
        };
        return { ok: true, value: { ...checked.value, foresee } };
      },
    };
    world.tools = [slow, finalAnswerTool];
    installWorld(world);
    const { input, stub } = newRun(world, { mode: "manual" });
    await stub.start(input);
    const open = stub.step();
    await vi.waitFor(() => expect(asked).toBe(1));
    const cancelled = await stub.cancel();
    isHeld = false;
    await open;
    expect(await stub.view()).toEqual(cancelled.kind === "not_found" ? null : cancelled.run);
    expect(await stub.view()).toMatchObject({ outcome: "cancelled", usage: { reserved_usd: 0 } });
    expect(ran).toBe(0);
    const events = (await stub.eventsAfter(0, 0))?.events.map(({ event }) => event.type) ?? [];
    expect(events.filter((type) => type === "run_finished")).toHaveLength(1);
  });

  it("counts a cancelled call that never answers at its reservation", async () => {
    const world = answeringWorld();
    const model = holdModel(() => answer());
    world.model = model;
    installWorld(world);
    const { input, stub } = newRun(world, { mode: "manual" });
    await stub.start(input);
    stub.step().catch(() => undefined);
    await vi.waitFor(() => expect(model.calls).toBe(1));
    const reserved = (await stub.view())?.usage.reserved_usd;
    await stub.cancel();
    advanceClock(200_000);
    await runDurableObjectAlarm(stub);
    expect(await stub.view()).toMatchObject({ usage: { cost_usd: reserved, reserved_usd: 0 } });
    model.release();
  });
});

describe("readers", () => {
  it("gives every event once and in order, however they are asked for", async () => {
    const world = answeringWorld();
    installWorld(world);
    const { input, stub } = newRun(world);
    await stub.start(input);
    const seen: number[] = [];
    const types: string[] = [];
    for (;;) {
      const page = await stub.eventsAfter(seen.at(-1) ?? 0, 5_000);
      seen.push(...(page?.events.map((entry) => entry.seq) ?? []));
      types.push(...(page?.events.map((entry) => entry.event.type) ?? []));
      if (page === null || page.finished) break;
    }
    expect(seen).toEqual(seen.map((_, index) => index + 1));
    expect(types[0]).toBe("run_started");
    expect(types.at(-1)).toBe("run_finished");
    expect((await stub.eventsAfter(3, 0))?.events[0]?.seq).toBe(4);
    expect(await stub.eventsAfter(9_999, 0)).toMatchObject({ events: [], finished: true, last: seen.length });
  });

  it("wakes a waiting reader at the next save", async () => {
    const world = answeringWorld();
    installWorld(world);
    const { input, stub } = newRun(world, { mode: "manual" });
    await stub.start(input);
    const waiting = stub.eventsAfter(1, 20_000);
    await stub.step();
    expect((await waiting)?.events[0]).toMatchObject({ seq: 2, event: { type: "step_started" } });
    expect(await stub.eventsAfter(999, 1)).toMatchObject({ events: [], finished: false });
  });

  it("pages the rows of a result, from the front and from the end", async () => {
    const rows = Array.from({ length: 2_500 }, (_, index) => [index + 1]);
    const world = answeringWorld();
    world.tools = [queryTool(() => ({ columns: ["n"], rows })), finalAnswerTool];
    installWorld(world);
    const { input, stub } = newRun(world, { mode: "manual" });
    await stub.start(input);
    await stub.step();
    expect(await stub.result("r2")).toBeNull();
    expect(await stub.result("r1")).toMatchObject({ fromRow: 1, storedRows: 2_500, nextRow: 1_001, columns: ["n"] });
    expect((await stub.result("r1", 2_001))?.rows).toHaveLength(500);
    expect(await stub.result("r1", -2)).toMatchObject({ rows: [[2_499], [2_500]], fromRow: 2_499, nextRow: null });
    expect(await stub.result("r1", 3, 4)).toMatchObject({ rows: [[3], [4]], nextRow: null });
    expect(await stub.result("r1", 9_999)).toMatchObject({ rows: [], nextRow: null });
  });

  it("gives the whole journal as a transcript", async () => {
    const world = answeringWorld();
    installWorld(world);
    const { input, stub } = newRun(world);
    await stub.start(input);
    await untilFinished(input.id);
    const page = await stub.transcript();
    const kinds = page?.entries.map((entry) => entry.kind) ?? [];
    expect(page?.next).toBeNull();
    expect(kinds.slice(0, 3)).toEqual(["run", "pinned", "message"]);
    expect(kinds.filter((kind) => kind === "message")).toHaveLength(5);
    expect(kinds.filter((kind) => kind === "result")).toHaveLength(1);
    expect(kinds.at(-1)).toBe("state");
    expect(await stub.transcript(2)).toMatchObject({ entries: page?.entries.slice(2) });
  });
});

describe("after the end", () => {
  it("tells the caller's ledger, once, and is deleted when its time is up", async () => {
    const world = answeringWorld();
    installWorld(world);
    const { input, stub } = newRun(world);
    await stub.start(input);
    const run = await untilFinished(input.id);
    await runDurableObjectAlarm(stub);
    expect(await stub.account()).toMatchObject({ outcome: "answered" });
    expect(run.usage.cost_usd).toBeGreaterThan(0);
    const days = 24 * 60 * 60 * 1000;
    advanceClock(30 * days - 60_000);
    await runDurableObjectAlarm(stub);
    expect(await stub.view()).toMatchObject({ outcome: "answered" });
    advanceClock(120_000);
    await runDurableObjectAlarm(stub);
    expect(await stub.view()).toBeNull();
  });
});
