import { describe, expect, it } from "vitest";
import type { GoldRows } from "../../../src/cli/evals/gold-rows.ts";
import { whyWrong } from "../../../src/cli/evals/judge.ts";
import { type EvalQuestion, questionSchema } from "../../../src/cli/evals/question-set.ts";
import type { Run } from "../../../src/cli/run-client.ts";
import { err, ok } from "../../../src/lib/result.ts";
import { aRun } from "../fake-door.ts";

const right = { sql: "SELECT 1", result: "r1", rows: 1, rows_read: 1, duration_ms: 1, error: null };
const failing = { ...right, result: null, error: "no_such_column" };
const other = { ...right, result: "r2" };

function question(fields: object = {}): EvalQuestion {
  return questionSchema.parse({ id: "q", db: "demo", question: "?", gold_sql: "SELECT 3503", ...fields });
}

function run(queries: readonly object[], changes: Partial<Run> = {}, results: readonly string[] = ["r1"]): Run {
  const base = aRun();
  return {
    ...base,
    grounded: queries.some((query) => "error" in query && query.error === null),
    ...changes,
    receipt: { ...base.receipt, queries: queries as Run["receipt"]["queries"], results: [...results] },
  };
}

const gold: GoldRows = { of: () => [{ sql: "SELECT 3503", rows: ok([[3503n]]) }] };
const rows = async (ref: string) => ok(ref === "r1" ? [[3503]] : [[7]]);
const judge = (asked: EvalQuestion, ran: Run) => whyWrong(asked, ran, gold, rows);

describe("a run passes", () => {
  it("with the gold rows behind its answer", async () => {
    expect(await judge(question(), run([right]))).toBeNull();
    expect(await judge(question(), run([right, other], {}, ["r2"]))).toMatch(/other rows/);
    expect(await judge(question(), run([other, right], {}, []))).toBeNull();
  });

  it("A25: a task needs at least one query that gave rows", async () => {
    expect(await judge(question(), run([], {}, []))).toBe("no query gave rows");
    expect(await judge(question(), run([failing], {}, []))).toBe("no query gave rows");
  });

  it("A26: whether an answer rests on a query is the run's own verdict, whatever the receipt lists", async () => {
    expect(await judge(question(), run([right], { grounded: false }))).toBe("no query gave rows");
  });

  it("A25: a recovery needs a failing query and a repaired one", async () => {
    const recovery = question({ tags: ["recovery"] });
    expect(await judge(recovery, run([right]))).toMatch(/no failing query/);
    expect(await judge(recovery, run([failing, right]))).toBeNull();
  });

  it("A7: only with the outcome answered, whatever its text says", async () => {
    const stopped = run([right], { outcome: "stopped", stop_reason: "budget", answer: null, partial_answer: "3503" });
    expect(await judge(question(), stopped)).toBe("ended with budget");
  });

  it("a refusal, with no rows behind it", async () => {
    const refusal = question({ expect: "refusal", gold_sql: undefined });
    expect(await judge(refusal, run([right]))).toMatch(/decline/);
    expect(await judge(refusal, run([], {}, []))).toBeNull();
    expect(await judge(refusal, run([right], { outcome: "stopped", answer: null }))).toBeNull();
  });

  it("with the values in its text, and none that must not be there", async () => {
    expect(await judge(question({ gold_answer: ["3503"] }), run([right]))).toBeNull();
    expect(await judge(question({ gold_answer: ["42"] }), run([right]))).toMatch(/does not hold 42/);
    expect(await judge(question({ forbidden: ["3503"] }), run([right]))).toMatch(/must not/);
  });

  it("never when the gold or the rows cannot be read", async () => {
    const broken: GoldRows = { of: () => [{ sql: "x", rows: err("the gold query fails: x") }] };
    expect(await whyWrong(question(), run([right]), broken, rows)).toMatch(/gold query fails/);
    expect(await whyWrong(question(), run([right]), gold, async () => err("gone"))).toBe("gone");
  });
});
