import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readGoldRows } from "../../../src/cli/evals/gold-rows.ts";
import { questionSchema } from "../../../src/cli/evals/question-set.ts";
import { createDatabase, temporaryFolder } from "../database-fixtures.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

describe("gold rows", () => {
  it("are read without loss, for the questions about that database only; a failing gold query is told", () => {
    const path = join(folder.path, "a.sqlite");
    createDatabase(path, ["CREATE TABLE t (n INTEGER)", "INSERT INTO t VALUES (9007199254740993)"]);
    const questions = [
      { id: "one", db: "a", question: "?", gold_sql: ["SELECT n FROM t", "SELECT 1"] },
      { id: "bad", db: "a", question: "?", gold_sql: "SELECT m FROM t" },
      { id: "other", db: "b", question: "?", gold_sql: "SELECT 1" },
    ].map((question) => questionSchema.parse(question));
    const gold = readGoldRows(path, { questions }, "a");
    expect(gold.of("one").map((reading) => reading.rows)).toEqual([
      { ok: true, value: [[9007199254740993n]] },
      { ok: true, value: [[1n]] },
    ]);
    expect(gold.of("bad")[0]?.rows).toEqual({
      ok: false,
      error: expect.stringMatching(/gold query fails: no such column/),
    });
    expect(gold.of("other")).toEqual([]);
  });
});
