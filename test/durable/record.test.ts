import { describe, expect, it } from "vitest";
import { decodeRow, rowsSchema } from "../../src/durable/record.ts";
import { appendRow } from "../../src/durable/rows.ts";
import { storedRun } from "./stored-run.ts";

describe("a record that cannot be read", () => {
  it("C52: without its head keeps all that its events say was spent, an open call at its reservation", async () => {
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
    appendRow(run.storage.sql, "events", events, JSON.stringify(started));
    run.storage.sql.exec("UPDATE head SET state = '{'");
    const state = run.reopen().load();
    expect(state.ending).toMatchObject({ outcome: "failed", stopReason: "error" });
    expect(state.usage.costNanoUsd).toBe(usage.costNanoUsd + 5_000_000);
    expect(state.events).toBe(events + 2);
  });

  it("C52: is given up once: read again, it says the same", async () => {
    const run = storedRun();
    await run.step();
    run.storage.sql.exec("UPDATE head SET state = 'x'; DELETE FROM checkpoints");
    const first = run.reopen().load();
    expect(first.ending?.message).toContain("not JSON");
    expect(run.reopen().load()).toEqual(first);
  });

  it("never goes on without its scopes", async () => {
    const run = storedRun({ scopes: { tables: { deny: ["Secret"] } } });
    run.storage.sql.exec("UPDATE facts SET value = '{}' WHERE name = 'settings'");
    const journal = run.reopen();
    expect(journal.load().ending?.stopReason).toBe("error");
    expect(journal.settings.scopes).toEqual({ tables: { allow: [] } });
    expect(journal.settings.question).toBe("How many?");
  });

  it("is also one whose meters are over its limits", async () => {
    const run = storedRun();
    await run.step();
    const head = run.journal.load();
    const usage = { ...head.usage, costNanoUsd: head.limits.costNanoUsdMax * 2 };
    run.storage.sql.exec("UPDATE head SET state = ?", JSON.stringify({ ...head, usage }));
    const state = run.reopen().load();
    expect(state.ending).toMatchObject({ outcome: "failed", message: expect.stringContaining("more than its limits") });
    expect(state.usage.costNanoUsd).toBe(head.usage.costNanoUsd);
  });

  it("spends nothing that its limit does not allow, whatever its events say", async () => {
    const run = storedRun();
    const { events, limits } = run.journal.load();
    const replied = { type: "model_replied", totalNanoUsd: 1e15, at: 1, step: 1, phase: "thought" };
    appendRow(run.storage.sql, "events", events, JSON.stringify(replied));
    run.storage.sql.exec("DELETE FROM head");
    expect(run.reopen().load().usage.costNanoUsd).toBe(limits.costNanoUsdMax);
  });
});

describe("rows of a newer release", () => {
  it("keep the fields that this one does not know", async () => {
    const run = storedRun();
    const text = JSON.stringify({ role: "user", text: "How many?", mood: "curious" });
    run.storage.sql.exec("UPDATE messages SET body = ? WHERE number = 0", text);
    expect(run.reopen().messages()[0]).toEqual(JSON.parse(text));
  });

  it("are null when they are no JSON or of another form", () => {
    expect(decodeRow("[[1,null]]", rowsSchema)).toEqual([[1, null]]);
    expect(decodeRow("[1]", rowsSchema)).toBeNull();
    expect(decodeRow("[[1]", rowsSchema)).toBeNull();
  });
});
