import { describe, expect, it } from "vitest";
import { writeFact } from "../../src/durable/facts.ts";
import { SETTLED } from "../../src/durable/record.ts";
import { nextStepNumber, writeStepRow } from "../../src/durable/rows.ts";
import { joinTexts } from "../../src/durable/step-body.ts";
import { LIMITS } from "../agent/states.ts";
import { type StoredRun, storedRun } from "./stored-run.ts";

/** Writes a row as a step under way would: `events` added, the state not told. */
function addEvents(run: StoredRun, events: readonly object[]): void {
  const body = joinTexts({ messages: [], events: events.map((event) => JSON.stringify(event)), results: [] });
  writeStepRow(run.storage.sql, nextStepNumber(run.storage.sql), "{", body);
}

describe("a record that cannot be read", () => {
  it("C52: without its state keeps all that its events say was spent, an open call at its reservation", async () => {
    const run = storedRun();
    await run.step();
    const { usage, events } = run.journal.load();
    const started = {
      type: "step_started",
      purpose: "step",
      reservedNanoUsd: 5_000_000,
      at: 1,
      step: 2,
      phase: "thought",
    };
    addEvents(run, [started]);
    const state = run.reopen().load();
    expect(state.ending).toMatchObject({ outcome: "failed", stopReason: "error" });
    expect(state.usage.costNanoUsd).toBe(usage.costNanoUsd + 5_000_000);
    expect(state.events).toBe(events + 2);
  });

  it("C52: is given up once: read again, it says the same", async () => {
    const run = storedRun();
    await run.step();
    run.storage.sql.exec("UPDATE steps SET state = 'x'");
    const first = run.reopen().load();
    expect(first.ending?.message).toContain("not JSON");
    expect(run.reopen().load()).toEqual(first);
    expect(run.journal.events().at(-1)?.type).toBe("run_finished");
  });

  it("never goes on without its scopes", async () => {
    const run = storedRun({ scopes: { tables: { deny: ["Secret"] } } });
    run.storage.sql.exec("UPDATE facts SET value = '{}' WHERE name = 'settings'");
    const journal = run.reopen();
    expect(journal.load().ending?.stopReason).toBe("error");
    expect(journal.settings.scopes).toEqual({ tables: { allow: [] } });
    expect(journal.settings.question).toBe("How many?");
  });

  it("is also one that has lost the end its ledger was told of: it does not run on, and costs what was told", async () => {
    const run = storedRun({ limits: { ...LIMITS, costNanoUsdMax: 1_000_000_000 } });
    for (const _ of [1, 2, 3]) await run.step();
    const { usage, ending } = run.journal.load();
    expect(ending?.outcome).toBe("answered");
    writeFact(run.storage.sql, SETTLED, String(usage.costNanoUsd));
    run.storage.sql.exec("DELETE FROM steps WHERE number = (SELECT max(number) FROM steps)");
    const state = run.reopen().load();
    expect(state.ending).toMatchObject({
      outcome: "failed",
      message: expect.stringContaining("stored end is missing"),
    });
    expect(state.usage.costNanoUsd).toBe(usage.costNanoUsd);
    run.storage.sql.exec("DELETE FROM steps");
    expect(run.reopen().load().usage.costNanoUsd).toBe(usage.costNanoUsd);
  });

  it("is also one whose meters are over its limits", async () => {
    const run = storedRun();
    await run.step();
    const { usage, limits } = run.journal.load();
    const over = JSON.stringify({ set: {}, usage: { costNanoUsd: limits.costNanoUsdMax * 2 } });
    writeStepRow(run.storage.sql, 2, over, joinTexts({ messages: [], events: [], results: [] }));
    const state = run.reopen().load();
    expect(state.ending).toMatchObject({ outcome: "failed", message: expect.stringContaining("more than its limits") });
    expect(state.usage.costNanoUsd).toBe(usage.costNanoUsd);
  });

  it("spends nothing that its limit does not allow, whatever its events say", async () => {
    const run = storedRun();
    const { limits } = run.journal.load();
    addEvents(run, [{ type: "model_replied", totalNanoUsd: 1e15, at: 1, step: 1, phase: "thought" }]);
    expect(run.reopen().load().usage.costNanoUsd).toBe(limits.costNanoUsdMax);
  });
});

describe("rows of a newer release", () => {
  it("keep the fields that this one does not know", async () => {
    const run = storedRun();
    const { body = "{}" } = run.storage.sql.exec<{ body: string }>("SELECT body FROM steps").one();
    const message = { role: "user", text: "How many?", mood: "curious" };
    run.storage.sql.exec(
      "UPDATE steps SET body = ?",
      JSON.stringify({ ...JSON.parse(body), messages: [message], more: 1 }),
    );
    expect(run.reopen().messages()[0]).toEqual(message);
    expect(run.journal.load().ending).toBeNull();
  });
});
