/** The run object when things die: crashes in mid-call, evictions, broken records, bugs, a platform that resets it. */
import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { Model } from "../../src/agent/model.ts";
import { defineTool } from "../../src/agent/tool.ts";
import { MIGRATIONS, migrate } from "../../src/durable/layout.ts";
import { WATCHDOG_MS } from "../../src/durable/schedule.ts";
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
  vi.restoreAllMocks();
});

function logged(): { readonly lines: string[] } {
  const lines: string[] = [];
  vi.spyOn(console, "error").mockImplementation((line: string) => {
    lines.push(line);
  });
  return { lines };
}

/** Starts a run in manual mode and kills the object while its first model call is open. */
async function killedInMidCall(world: World) {
  const model = holdModel(() => query("SELECT 1"));
  const real = world.model;
  world.model = model;
  installWorld(world);
  const { input, stub } = newRun(world, { mode: "manual" });
  await stub.start(input);
  const step = stub.step().catch(() => "died");
  await vi.waitFor(() => expect(model.calls).toBe(1));
  const reserved = (await stub.view())?.usage.reserved_usd ?? 0;
  await abortAllDurableObjects();
  expect(await step).toBe("died");
  model.release();
  world.model = real;
  return { input, stub: stubOf(input.id), reserved };
}

describe("crashes", () => {
  it("aborted in mid-call: what was reserved is spent, and the next wake takes the step up again", async () => {
    const { stub, reserved } = await killedInMidCall(answeringWorld());
    expect(reserved).toBeGreaterThan(0);
    advanceClock(WATCHDOG_MS);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    const run = await stub.view();
    expect(run).toMatchObject({ status: "running", usage: { steps: 1, model_calls: 2, hops: 1 } });
    expect(run?.usage.cost_usd).toBeGreaterThan(reserved);
    expect(run?.usage.cost_usd).toBeLessThan(reserved * 1.5);
    const types = (await stub.eventsAfter(0, 0))?.events.map((entry) => entry.event.type);
    expect(types?.filter((type) => type === "attempt_lost")).toHaveLength(1);
  });

  it("E1: killed in the middle of a wake, it ends by its next alarm, with nobody touching it", async () => {
    const world = answeringWorld();
    const real = world.model;
    const held = holdModel(() => query("SELECT 1"));
    let answers = 0;
    world.model = held;
    installWorld(world);
    const { input, stub } = newRun(world);
    await stub.start(input);
    // The alarm has fired and is used up: its handler is in the middle of a model call.
    await vi.waitFor(() => expect(held.calls).toBe(1));
    world.model = {
      ...real,
      complete: async (request, signal) => {
        const outcome = await real.complete(request, signal);
        answers += Number(outcome.kind === "reply" && outcome.reply.calls[0]?.name === "final_answer");
        return outcome;
      },
    };
    await abortAllDurableObjects();
    held.release();
    await vi.waitFor(() => expect(answers).toBe(1), { timeout: 20_000, interval: 50 });
    expect(await untilFinished(input.id)).toMatchObject({ outcome: "answered", answer: "One." });
    const events = (await stubOf(input.id).eventsAfter(0, 0))?.events.map((entry) => entry.event.type) ?? [];
    expect(events.filter((type) => type === "attempt_lost")).toHaveLength(1);
  });

  it("aborted in mid-call: a touch alone brings the lost alarm back", async () => {
    const { stub } = await killedInMidCall(answeringWorld());
    await inObject(stub, (_object, state) => state.storage.deleteAlarm());
    await stub.view();
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect((await stub.view())?.usage.steps).toBe(1);
  });

  it("E13: killed while the tools ran, the model is not asked again for that step", async () => {
    let isHeld = true;
    let calls = 0;
    const world = answeringWorld();
    world.model = functionModel(({ messages }) => {
      calls += 1;
      return messages.length < 3 ? query("SELECT 1") : answer();
    });
    let ran = 0;
    const slow = defineTool({
      name: "execute_read_only_sql",
      description: "Slow.",
      input: z.strictObject({ sql: z.string() }),
      run: async ({ sql }, context) => {
        ran += 1;
        while (isHeld) await new Promise((resolve) => setTimeout(resolve, 1));
        const [tool] = [queryTool(() => ({ columns: ["n"], rows: [[1]] }))];
        const checked = tool.check({ sql });
        if (!checked.ok) throw new Error("unreachable");
        return checked.value.run(context);
      },
    });
    world.tools = [slow, finalAnswerTool];
    installWorld(world);
    const { input, stub } = newRun(world, { mode: "manual" });
    await stub.start(input);
    const step = stub.step().catch(() => "died");
    await vi.waitFor(() => expect(ran).toBe(1));
    await abortAllDurableObjects();
    await step;
    isHeld = false;
    expect(await stubOf(input.id).step()).toMatchObject({ kind: "ran", run: { usage: { steps: 1, hops: 1 } } });
    expect({ calls, ran }).toEqual({ calls: 1, ran: 2 });
  });

  it("evicted between all its steps, it ends as if nothing had happened", async () => {
    const world = answeringWorld();
    installWorld(world);
    const { input } = newRun(world, { mode: "manual" });
    await stubOf(input.id).start(input);
    for (let steps = 1; steps <= 2; steps += 1) {
      await evictDurableObject(stubOf(input.id));
      expect(await stubOf(input.id).step()).toMatchObject({ kind: "ran", run: { usage: { steps } } });
    }
    expect(await stubOf(input.id).view()).toMatchObject({ answer: "One.", usage: { model_calls: 2 } });
  });

  it("E9: a call that kills the object every time is given up with its cost kept", async () => {
    const world = answeringWorld();
    const model = holdModel(() => answer());
    world.model = model;
    installWorld(world);
    const { input } = newRun(world);
    await stubOf(input.id).start(input, "caller");
    for (let wakes = 1; wakes <= 4; wakes += 1) {
      const step = stubOf(input.id)
        .step("caller")
        .catch(() => "died");
      await vi.waitFor(() => expect(model.calls).toBe(wakes));
      await abortAllDurableObjects();
      await step;
    }
    model.release();
    const reply = await stubOf(input.id).step("caller");
    expect(reply).toMatchObject({
      run: { outcome: "failed", stop_reason: "error", usage: { model_calls: 4, steps: 1 } },
    });
    expect(model.calls).toBe(4);
    // Dollars of the four calls that were made, each at what was held for it, and of nothing else.
    const events = (await stubOf(input.id).eventsAfter(0, 0))?.events.map(({ event }) => event) ?? [];
    const kept = events.flatMap((event) => (event.type === "attempt_lost" ? [Number(event.kept_usd)] : []));
    expect(kept).toHaveLength(4);
    expect(Math.min(...kept)).toBeGreaterThan(0);
    const cost = reply.kind === "not_found" || reply.kind === "went_on" ? null : reply.run.usage.cost_usd;
    expect(cost).toBeCloseTo(
      kept.reduce((sum, usd) => sum + usd, 0),
      9,
    );
  });

  it("E5: wakes that kill the object before a step are given up after six", async () => {
    const world = answeringWorld();
    installWorld(world);
    const { input } = newRun(world, { mode: "manual" });
    await stubOf(input.id).start(input);
    await inObject(stubOf(input.id), (_object, state) => {
      state.storage.sql.exec("INSERT INTO facts (name, value) VALUES ('failing_wakes', '6')");
    });
    await evictDurableObject(stubOf(input.id));
    await runDurableObjectAlarm(stubOf(input.id));
    const run = await stubOf(input.id).view();
    expect(run).toMatchObject({ outcome: "failed", stop_reason: "error" });
    expect(run?.message).toContain("6 times in a row");
  });

  it("counts a wake in a fresh object until it has ended well", async () => {
    const world = answeringWorld();
    installWorld(world);
    const { input } = newRun(world, { mode: "manual" });
    await stubOf(input.id).start(input);
    const count = () =>
      inObject(stubOf(input.id), (_object, state) =>
        state.storage.sql.exec("SELECT value FROM facts WHERE name = 'failing_wakes'").toArray(),
      );
    await evictDurableObject(stubOf(input.id));
    await runDurableObjectAlarm(stubOf(input.id));
    expect(await count()).toEqual([{ value: "0" }]);
  });
});

describe("bugs and the platform", () => {
  it("L4: a tool that throws ends the run as failed, is logged without any data, and is never told to the model", async () => {
    const log = logged();
    const world = answeringWorld();
    world.tools = [
      queryTool(() => {
        throw new TypeError("secret row 4711");
      }),
      finalAnswerTool,
    ];
    installWorld(world);
    const { input, stub } = newRun(world, { question: "A private question?" });
    await stub.start(input);
    const run = await untilFinished(input.id);
    expect(run).toMatchObject({ outcome: "failed", failed: true, stop_reason: "error", answer: null });
    expect(run.usage.reserved_usd).toBe(0);
    expect(log.lines).toHaveLength(1);
    expect(JSON.parse(log.lines[0] ?? "")).toMatchObject({
      event: "bug",
      where: "step",
      run: input.id,
      error: "TypeError",
    });
    expect(log.lines.join()).not.toMatch(/4711|private|SELECT/);
    const transcript = JSON.stringify(await stub.transcript());
    expect(transcript).not.toContain("4711");
  });

  it("E3: an error of the platform in the alarm is thrown on, so that the platform tries again", async () => {
    const world = answeringWorld();
    installWorld(world);
    const { input, stub } = newRun(world);
    await stub.start(input, "caller");
    advanceClock(10_000);
    const message = "Durable Object reset because its code was updated.";
    const thrown = await inObject(stub, async (object, state) => {
      const { setAlarm } = state.storage;
      state.storage.setAlarm = () => Promise.reject(new TypeError(message));
      try {
        return await object.alarm().then(
          () => "swallowed",
          (error: Error) => error.message,
        );
      } finally {
        state.storage.setAlarm = setAlarm;
      }
    });
    expect(thrown).toBe(message);
    await runDurableObjectAlarm(stub);
    expect((await stub.view())?.usage.steps).toBeGreaterThan(0);
  });

  it("O4: any other error in the alarm is logged, and the watchdog stands", async () => {
    const log = logged();
    const world = answeringWorld();
    installWorld(world);
    const { input, stub } = newRun(world);
    await stub.start(input, "caller");
    advanceClock(10_000);
    const alarm = await inObject(stub, async (object, state) => {
      const broken = vi.spyOn(object as unknown as { wake(): Promise<void> }, "wake");
      broken.mockRejectedValueOnce(new RangeError("a bug with row data"));
      await object.alarm();
      return state.storage.getAlarm();
    });
    expect(alarm).toBe(Date.now() + WATCHDOG_MS);
    expect(JSON.parse(log.lines[0] ?? "")).toMatchObject({ where: "alarm", error: "RangeError", rule: null });
  });
});

describe("stored records", () => {
  /** A run with one step done, its object evicted after `harm` was done to the storage. */
  async function harmed(harm: (sql: SqlStorage) => void) {
    const world = answeringWorld();
    installWorld(world);
    const { input } = newRun(world, { mode: "manual" });
    await stubOf(input.id).start(input);
    await stubOf(input.id).step();
    const cost = (await stubOf(input.id).view())?.usage.cost_usd ?? 0;
    await inObject(stubOf(input.id), (_object, state) => harm(state.storage.sql));
    await evictDurableObject(stubOf(input.id));
    return { id: input.id, cost };
  }

  it.each([
    ["a state that is no JSON", "UPDATE steps SET state = '{\"version\":1,' WHERE number = 1", "not JSON"],
    [
      "a state of a version to come",
      'UPDATE steps SET state = \'{"set":{"version":99}}\' WHERE number = 1',
      "version 99",
    ],
    [
      "a state that does not fit",
      'UPDATE steps SET state = \'{"set":{"version":1}}\' WHERE number = 1',
      "does not fit",
    ],
    ["the states that are gone", "UPDATE steps SET state = ''", "not JSON"],
    ["a first row that is gone", "DELETE FROM steps WHERE number = 0", "not JSON"],
    ["a message that is gone", "UPDATE steps SET body = json_remove(body, '$.messages[1]')", "message 3 of 3"],
    [
      "a message that is broken",
      "UPDATE steps SET body = json_set(body, '$.messages[0]', 1) WHERE number = 1",
      "row 1",
    ],
    [
      "a result that is broken",
      "UPDATE steps SET body = json_set(body, '$.results[0]', 'x') WHERE number = 1",
      "row 1",
    ],
    ["an event that is gone", "UPDATE steps SET body = json_remove(body, '$.events[0]') WHERE number = 0", "event"],
    ["settings that are gone", "DELETE FROM facts WHERE name = 'settings'", "settings"],
    ["pinned texts that are gone", "DELETE FROM facts WHERE name = 'pinned'", "system text"],
  ])("C52: %s ends the run as failed, with the reason and the cost", async (_what, sql, reason) => {
    const { id, cost } = await harmed((storage) => storage.exec(sql));
    const run = await stubOf(id).view();
    expect(run).toMatchObject({
      id,
      status: "finished",
      outcome: "failed",
      stop_reason: "error",
      question: "How many?",
    });
    expect(run?.message).toContain(reason);
    expect(run?.usage.cost_usd).toBeCloseTo(cost, 6);
    expect(await stubOf(id).step()).toMatchObject({ kind: "finished" });
    expect((await stubOf(id).eventsAfter(0, 0))?.finished).toBe(true);
    expect((await stubOf(id).transcript())?.entries[0]?.kind).toBe("run");
    await evictDurableObject(stubOf(id));
    expect(await stubOf(id).view()).toEqual(run);
  });

  it("a finished run stays as it ended, also when rows of it are broken", async () => {
    const { id } = await harmed(() => undefined);
    await stubOf(id).step();
    await inObject(stubOf(id), (_object, state) =>
      state.storage.sql.exec("UPDATE steps SET body = '' WHERE number = 1"),
    );
    await evictDurableObject(stubOf(id));
    expect(await stubOf(id).view()).toMatchObject({ outcome: "answered", answer: "One." });
  });

  it("a deploy with a further table layout carries the old tables forward, and a step back still reads them", async () => {
    const { id } = await harmed(() => undefined);
    await inObject(stubOf(id), (_object, state) => {
      const { storage } = state;
      storage.transactionSync(() =>
        migrate(storage.sql, 1, [...MIGRATIONS, (sql) => void sql.exec("ALTER TABLE steps ADD COLUMN note TEXT")]),
      );
      expect(storage.sql.exec("SELECT max(version) AS v FROM versions").one().v).toBe(MIGRATIONS.length + 2);
    });
    await evictDurableObject(stubOf(id));
    expect(await stubOf(id).step()).toMatchObject({ kind: "ran", run: { answer: "One." } });
  });

  it("E7: a reply and rows of several megabytes are stored in parts and read back whole", async () => {
    const text = "ü€😀 ".repeat(300_000);
    const rows = Array.from({ length: 500 }, (_, index) => [index, "x".repeat(5_000)]);
    let asked = 0;
    const world = answeringWorld();
    const model: Model = functionModel(() => {
      asked += 1;
      const outcome = asked === 1 ? query("SELECT 1") : answer();
      if (outcome.kind !== "reply" || asked > 1) return outcome;
      return { kind: "reply", reply: { ...outcome.reply, text, content: [{ type: "text", text }] } };
    });
    world.model = { ...model, boundInputTokens: () => 5_000 };
    world.tools = [queryTool(() => ({ columns: ["n", "s"], rows })), finalAnswerTool];
    installWorld(world);
    const { input } = newRun(world, { mode: "manual" });
    await stubOf(input.id).start(input);
    await stubOf(input.id).step();
    await evictDurableObject(stubOf(input.id));
    const page = await stubOf(input.id).result("r1", 500);
    expect(page?.rows).toEqual(rows.slice(499));
    const largest = await inObject(stubOf(input.id), (_object, state) =>
      state.storage.sql
        .exec(
          "SELECT max(length(CAST(body AS BLOB))) AS n FROM (SELECT body FROM parts UNION ALL SELECT body FROM steps)",
        )
        .one(),
    );
    expect(largest.n).toBeLessThan(950_000);
    expect(await stubOf(input.id).step()).toMatchObject({ run: { answer: "One." } });
    const said = (await stubOf(input.id).transcript(2))?.entries.find(
      (entry) => entry.kind === "message" && entry.number === 1,
    );
    expect(said?.kind === "message" && said.message.role === "assistant" && said.message.text === text).toBe(true);
  });

  it("writes the same bytes in step 60 as in step 6", async () => {
    const world: World = {
      model: functionModel(({ messages }) => query(`SELECT ${100_000 + messages.length}`)),
      tools: [queryTool((sql) => ({ columns: ["n"], rows: [[sql]] })), finalAnswerTool],
    };
    installWorld(world);
    const asked = { max_steps: 128, max_hops: 256, max_model_calls: 256, budget_usd: 10 };
    const { input, stub } = newRun(world, { mode: "manual", asked });
    await stub.start(input);
    const bytes = () =>
      inObject(stub, (_object, state) =>
        Number(
          state.storage.sql
            .exec("SELECT sum(length(CAST(state AS BLOB)) + length(CAST(body AS BLOB))) AS n FROM steps")
            .one().n,
        ),
      );
    const written: number[] = [];
    for (let step = 1; step <= 60; step += 1) {
      const before = await bytes();
      await stub.step();
      written.push((await bytes()) - before);
    }
    const early = written[14] ?? 0;
    const late = written[59] ?? 0;
    expect(early).toBeGreaterThan(1_000);
    expect(late).toBeLessThan(early * 1.05);
  });
});
