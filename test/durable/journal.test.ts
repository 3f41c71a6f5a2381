import { describe, expect, it, vi } from "vitest";
import { advance } from "../../src/agent/advance.ts";
import { endRun, isAtRest, openJournal } from "../../src/durable/journal.ts";
import { endingWith, modelAttempt, stateWith } from "../agent/states.ts";
import { createMemoryStorage } from "../fakes/memory-storage.ts";
import { storedRun } from "./stored-run.ts";

describe("journal", () => {
  it("holds nothing where no run was begun", () => {
    expect(openJournal(createMemoryStorage(), "run_1", 1, () => undefined)).toBeNull();
  });

  it("C49: a fresh object reads exactly what the old one had, after every step", async () => {
    const run = storedRun();
    for (const expected of ["ready", "ready", "finished"]) {
      expect(await run.step()).toBe(expected);
      const before = run.journal;
      const after = run.reopen();
      expect(after).not.toBe(before);
      expect(after.load()).toEqual(before.load());
      expect(after.messages()).toEqual(before.messages());
      expect(after.events()).toEqual(before.events());
      expect(after.pinned()).toEqual(before.pinned());
      expect(after.settings).toEqual(before.settings);
      expect(after.results().map((result) => ({ ...result }))).toEqual(
        before.results().map((result) => ({ ...result })),
      );
    }
    expect(run.journal.load().ending?.answer).toBe("Both.");
  });

  it("saves the state and its rows together or not at all", async () => {
    const run = storedRun();
    await run.step();
    const before = run.journal.load();
    run.storage.sql.exec("INSERT INTO events (number, parts, body) VALUES (?, 1, 'in the way')", before.events + 1);
    const moved = advance(before, { kind: "cancelled", partial: null }, Date.now());
    const doubled = {
      ...moved,
      state: { ...moved.state, events: moved.state.events + 1 },
      events: [...moved.events, ...moved.events],
    };
    expect(() => run.journal.save(doubled, [])).toThrow(/UNIQUE/);
    run.storage.sql.exec("DELETE FROM events WHERE body = 'in the way'");
    expect(run.journal.load()).toEqual(before);
    expect(run.reopen().load()).toEqual(before);
  });

  it("C53: rows are only ever appended, so doing a finished step again changes nothing that stands", async () => {
    const run = storedRun();
    await run.step();
    const dump = () => run.storage.sql.exec("SELECT * FROM messages UNION ALL SELECT * FROM events").toArray();
    const before = dump();
    await run.step();
    expect(dump()).toEqual(expect.arrayContaining(before));
    await run.step();
    const end = dump();
    expect(await run.step()).toBe("finished");
    expect(dump()).toEqual(end);
  });

  it("C51: keeps one checkpoint a step, at rest, with the question as the settings have it", async () => {
    const run = storedRun({ question: "What a long question?" });
    await run.step();
    await run.step();
    await run.step();
    expect([0, 1, 2].map((step) => run.journal.checkpoint(step)?.usage.steps)).toEqual([0, 1, 2]);
    expect(run.journal.checkpoint(3)).toBeNull();
    expect(run.journal.lastCheckpointStep()).toBe(2);
    const checkpoint = run.journal.checkpoint(1);
    expect(checkpoint).toMatchObject({ question: "What a long question?", messages: 3, results: 1, ending: null });
    const stored = run.storage.sql.exec("SELECT state FROM checkpoints").toArray();
    expect(JSON.stringify(stored)).not.toContain("long question");
  });

  it("reads the rows of a result when somebody looks at them, and stores equal ones once", async () => {
    const run = storedRun();
    await run.step();
    await run.step();
    const journal = run.reopen();
    const exec = vi.spyOn(run.storage.sql, "exec");
    expect(journal.results().map((result) => result.ref)).toEqual(["r1", "r2"]);
    expect(exec).not.toHaveBeenCalled();
    expect(journal.results()[1]?.rows).toEqual([["SELECT 1"]]);
    expect(journal.results()[1]?.rows).toEqual([["SELECT 1"]]);
    expect(exec).toHaveBeenCalledTimes(1);
  });

  it("tells after every save", async () => {
    const run = storedRun();
    let saves = 0;
    const journal = openJournal(run.storage, "run_1", 1, () => {
      saves += 1;
    });
    journal?.save(advance(journal.load(), { kind: "cancelled", partial: null }, Date.now()), []);
    expect(saves).toBe(1);
  });
});

describe("ending a run by its head alone", () => {
  it("keeps what it spent, and does nothing to a run that is over", async () => {
    const run = storedRun();
    await run.step();
    const { usage } = run.journal.load();
    endRun(run.storage, "Given up.", Date.now());
    const ended = run.reopen().load();
    expect(ended).toMatchObject({ ending: { outcome: "failed", stopReason: "error", message: "Given up." } });
    expect(ended.usage.costNanoUsd).toBe(usage.costNanoUsd);
    endRun(run.storage, "Again.", Date.now());
    expect(run.reopen().load()).toEqual(ended);
  });
});

describe("at rest", () => {
  it("is a state in which nothing is open, owed or to be tried again", () => {
    expect(isAtRest(stateWith())).toBe(true);
    expect(isAtRest(stateWith({ phase: "observation" }))).toBe(true);
    const busy = [
      { attempt: modelAttempt() },
      { phase: "action" as const },
      { failedTries: 1 },
      { concluding: "budget" as const },
      { waiting: { kind: "retry" as const, until: 1, code: "x" } },
      { phase: "finish" as const, ending: endingWith() },
    ];
    for (const parts of busy) expect(isAtRest(stateWith(parts))).toBe(false);
  });
});
