import { describe, expect, it, vi } from "vitest";
import { advance } from "../../src/agent/advance.ts";
import { endRun, openJournal } from "../../src/durable/journal.ts";
import { limitsWith, modelAttempt } from "../agent/states.ts";
import { functionModel, replied } from "../fakes/function-model.ts";
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
    const moved = advance(before, { kind: "cancelled", partial: null }, Date.now());
    const exec = vi.spyOn(run.storage.sql, "exec").mockImplementationOnce(() => {
      throw new Error("disk is full");
    });
    expect(() => run.journal.save(moved, [])).toThrow("disk is full");
    exec.mockRestore();
    expect(run.journal.load()).toEqual(before);
    run.journal.save(moved, []);
    expect(run.reopen().load()).toEqual(moved.state);
    expect(run.journal.events().filter(({ type }) => type === "run_finished")).toHaveLength(1);
  });

  it("A1: takes no run back from its end: what was planned before a cancel is not saved after it", async () => {
    const run = storedRun();
    await run.step();
    const before = run.journal.load();
    run.journal.save(advance(before, { kind: "cancelled", partial: null }, Date.now()), []);
    const ended = run.journal.load();
    const attempt = { ...modelAttempt(), startedAt: before.touchedAt, abortAt: before.touchedAt + 1_000 };
    const planned = advance(before, { kind: "call_reserved", attempt }, before.touchedAt);
    expect(() => run.journal.save(planned, [])).toThrow("A1");
    expect(run.journal.load()).toEqual(ended);
    expect(run.reopen().load()).toEqual(ended);
  });

  it("C53: the row of a step that is done is never written again", async () => {
    const run = storedRun();
    await run.step();
    const dump = () => run.storage.sql.exec("SELECT * FROM steps").toArray();
    const before = dump();
    await run.step();
    expect(dump()).toEqual(expect.arrayContaining(before));
    await run.step();
    const end = dump();
    expect(await run.step()).toBe("finished");
    expect(dump()).toEqual(end);
  });

  it("writes one row a save, four a step, and one row stays", async () => {
    const run = storedRun();
    await run.step();
    const exec = vi.spyOn(run.storage.sql, "exec");
    await run.step();
    expect(exec.mock.calls.map(([query]) => query.slice(0, 17))).toEqual(Array(4).fill("INSERT INTO steps"));
    expect(run.storage.sql.exec("SELECT count(*) AS n FROM steps").one()).toEqual({ n: 3 });
  });

  it("what a step stores beside its own words and rows stays small, and is the same at the hundredth", async () => {
    const sqlOf = (step: number) => `SELECT Name FROM Track WHERE TrackId BETWEEN ${100 + step} AND ${103 + step}`;
    const model = functionModel(({ messages }) => {
      const step = messages.filter((message) => message.role === "assistant").length;
      const call = { id: `toolu_${100 + step}`, name: "execute_read_only_sql", input: { sql: sqlOf(step) } };
      return replied({ content: [{ type: "tool_use", ...call }], calls: [call] });
    });
    const limits = { stepsMax: 128, hopsMax: 256, modelCallsMax: 512, costNanoUsdMax: 10_000_000_000 };
    const run = storedRun({ limits: limitsWith(limits) }, model);
    for (let step = 0; step < 110; step += 1) await run.step();
    const rows = run.storage.sql.exec<{ state: string; body: string }>("SELECT state, body FROM steps").toArray();
    const own = rows.map(({ state, body }, number) => {
      const said = number === 0 ? [] : run.journal.messages().slice(number * 2 - 1, number * 2 + 1);
      const words = said.map((message) => JSON.stringify(message.role === "assistant" ? message.content : message));
      return state.length + body.length - words.join("").length;
    });
    expect(own).toHaveLength(111);
    expect(Math.max(...own.slice(1))).toBeLessThan(1_300);
    expect(Math.abs((own[110] ?? 0) - (own[10] ?? 0))).toBeLessThan(60);
  });

  it("a step that a fresh object finishes is told by two rows, and reads as one", async () => {
    const run = storedRun();
    await run.step();
    const state = run.journal.load();
    const attempt = { ...modelAttempt(), startedAt: state.touchedAt, abortAt: state.touchedAt + 1_000 };
    run.journal.save(advance(state, { kind: "call_reserved", attempt }, state.touchedAt), []);
    const open = run.reopen();
    expect(open.load().attempt).toEqual(attempt);
    expect(await run.step()).toBe("ready");
    expect(
      run
        .reopen()
        .checkpoints()
        .map(({ number, state: past }) => [number, past.usage.steps]),
    ).toEqual([
      [0, 0],
      [1, 1],
      [3, 2],
    ]);
  });

  it("a step whose cut-off reply is megabytes long is read back, goes on, and leaves no such text", async () => {
    const run = storedRun();
    await run.step();
    const state = { ...run.journal.load(), cutText: "€".repeat(900_000) };
    run.journal.save({ state, messages: [], events: [] }, []);
    expect(run.reopen().load()).toEqual(state);
    run.journal.save({ state: { ...state, windowTokens: 1 }, messages: [], events: [] }, []);
    run.journal.save(advance(state, { kind: "extra_skipped" }, Date.now()), []);
    expect(run.reopen().load().cutText).toBeNull();
    expect(run.journal.checkpoints().map((checkpoint) => checkpoint.state.cutText)).toEqual([null, null]);
    expect(run.storage.sql.exec("SELECT count(*) AS n FROM parts WHERE kind = 'state' AND number > 2").one().n).toBe(0);
  });

  it("C51: keeps one checkpoint a step, at rest, and the question once", async () => {
    const run = storedRun({ question: "What a long question?" });
    await run.step();
    await run.step();
    await run.step();
    const steps = run.journal.checkpoints().map(({ state }) => state.usage.steps);
    expect(steps).toEqual([0, 1, 2]);
    expect(run.journal.checkpoints()[1]?.state).toMatchObject({
      question: "What a long question?",
      messages: 3,
      results: 1,
      ending: null,
    });
    const stored = run.storage.sql.exec("SELECT state FROM steps WHERE number > 0").toArray();
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

describe("ending a run by its state alone", () => {
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
