import { describe, expect, it } from "vitest";
import type { StoredResult } from "../../src/agent/tool.ts";
import { publicRunSchema } from "../../src/agent/view.ts";
import { toEventPage, toResultPage, toTranscriptPage, toView } from "../../src/durable/projections.ts";
import { failed, functionModel } from "../fakes/function-model.ts";
import { storedRun } from "./stored-run.ts";

function resultOf(rows: StoredResult["rows"]): StoredResult {
  return { ref: "r1", sha256: "0", sql: "SELECT 1", columns: ["n"], rows, totalRows: null, truncated: true };
}

describe("the run as it is shown", () => {
  it("A30: tells every SQL text that ran, with rows, time and error, also after a restart", async () => {
    const run = storedRun();
    await run.step();
    await run.step();
    const queries = toView(run.reopen(), [], Date.now()).receipt.queries;
    expect(queries.map(({ sql, result, error }) => ({ sql, result, error }))).toEqual([
      { sql: "SELECT 0", result: "r1", error: null },
      { sql: "SELECT 1", result: "r2", error: null },
    ]);
    expect(queries[0]).toMatchObject({ rows: 1, rows_read: 10, duration_ms: 1 });
  });

  it("fits its schema in every state, children included", async () => {
    const run = storedRun();
    const children = [{ id: "run_2", step: 1, kind: "fork" }];
    for (let step = 0; step <= 3; step += 1) {
      expect(publicRunSchema.parse(toView(run.journal, children, Date.now())).children).toEqual(children);
      await run.step();
    }
  });
});

describe("pages", () => {
  it("of events follow each other without gap or repeat, a hundred at most", async () => {
    const run = storedRun(
      {},
      functionModel(() => failed("retryable", "overloaded")),
    );
    await run.step();
    const all = run.journal.events();
    const many = {
      ...run.journal,
      events: () => Array.from({ length: 250 }, (_, n) => all[n % all.length] ?? all[0]!),
    };
    const seen: number[] = [];
    let last = 0;
    for (let page = toEventPage(many, 0); page.events.length > 0; page = toEventPage(many, last)) {
      expect(page.events.length).toBeLessThanOrEqual(100);
      seen.push(...page.events.map((entry) => entry.seq));
      last = page.last;
    }
    expect(seen).toEqual(Array.from({ length: 250 }, (_, index) => index + 1));
    expect(toEventPage(many, -5)).toEqual(toEventPage(many, 0));
  });

  it("of a result stay small, however wide its rows, and always hold one", () => {
    const wide = Array.from({ length: 10 }, (_, index) => [index, "x".repeat(300_000)]);
    const first = toResultPage(resultOf(wide), 1, 99);
    expect(first).toMatchObject({ fromRow: 1, storedRows: 10, nextRow: 4 });
    const huge = toResultPage(resultOf([["x".repeat(3_000_000)], [1]]), 1, 99);
    expect(huge.rows).toHaveLength(1);
    expect(huge.nextRow).toBe(2);
  });

  it("of a result begin where they are asked to, from the front or from the end", () => {
    const rows = Array.from({ length: 5 }, (_, index) => [index + 1]);
    const shown = (from: number, to = 99) => toResultPage(resultOf(rows), from, to).rows.flat();
    expect(shown(1)).toEqual([1, 2, 3, 4, 5]);
    expect(shown(0)).toEqual([1, 2, 3, 4, 5]);
    expect(shown(2, 3)).toEqual([2, 3]);
    expect(shown(-2)).toEqual([4, 5]);
    expect(shown(-99)).toEqual([1, 2, 3, 4, 5]);
    expect(shown(6)).toEqual([]);
    expect(shown(3, 2)).toEqual([]);
  });

  it("of a transcript give every entry once", async () => {
    const run = storedRun();
    await run.step();
    const view = toView(run.journal, [], 0);
    const whole = toTranscriptPage(run.journal, 0, view);
    const counts = { messages: run.journal.messages().length, events: run.journal.events().length };
    const states = [...run.journal.checkpoints().map((checkpoint) => checkpoint.state), run.journal.load()];
    expect(states).toHaveLength(3);
    expect(whole.entries).toHaveLength(2 + counts.messages + counts.events + 1 + states.length);
    expect(whole.entries.slice(-3)).toEqual(states.map((state) => ({ kind: "state", step: state.usage.steps, state })));
    expect(whole.next).toBeNull();
    expect(toTranscriptPage(run.journal, 4, view).entries).toEqual(whole.entries.slice(4));
    expect(toTranscriptPage(run.journal, 9_999, view)).toEqual({ entries: [], next: null });
  });
});
