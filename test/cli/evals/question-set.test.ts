import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { goldQueries, readQuestionSet, sourceOf } from "../../../src/cli/evals/question-set.ts";
import { temporaryFolder } from "../database-fixtures.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

function write(lines: readonly unknown[]): string {
  const path = join(folder.path, "set.jsonl");
  writeFileSync(path, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
  return path;
}

describe("question sets", () => {
  it.each(["demo", "edge"])("our own set %s is well formed: unique ids, a database for each question", (name) => {
    const set = readQuestionSet(name);
    if (!set.ok) throw new Error(set.error);
    const ids = set.value.questions.map((question) => question.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { db } of set.value.questions) expect(sourceOf(set.value, db).ok).toBe(true);
  });

  it("the edge set has every kind of question that other sets lack", () => {
    const set = readQuestionSet("edge");
    if (!set.ok) throw new Error(set.error);
    const tags = new Set(set.value.questions.flatMap((question) => question.tags));
    const wanted =
      "ambiguous unanswerable injected wide_schema big_number empty_result wrong_premise multi_step write".split(" ");
    expect(wanted.filter((tag) => !tags.has(tag))).toEqual([]);
  });

  it("a line that is wrong is named, with what is wrong about it", () => {
    const good = { id: "a", db: "demo", question: "?", gold_sql: "SELECT 1" };
    expect(readQuestionSet(write([good, "{"]))).toMatchObject({
      ok: false,
      error: expect.stringMatching(/line 2: not JSON/),
    });
    expect(readQuestionSet(write([{ ...good, gold: 1 }]))).toMatchObject({
      ok: false,
      error: expect.stringMatching(/line 1.*gold/s),
    });
    const goldless = { id: "a", db: "demo", question: "?" };
    expect(readQuestionSet(write([goldless]))).toMatchObject({ ok: false, error: expect.stringMatching(/needs gold/) });
    expect(readQuestionSet(write([{ ...goldless, expect: "refusal" }])).ok).toBe(true);
    expect(readQuestionSet(write([]))).toMatchObject({ ok: false, error: expect.stringMatching(/no questions/) });
    expect(readQuestionSet("nowhere")).toMatchObject({
      ok: false,
      error: expect.stringMatching(/no question set nowhere/),
    });
  });

  it("a database is the demo, a file in dbs/ or beside the set, SQLite or a dump", () => {
    const set = readQuestionSet(write([{ id: "a", db: "shop", question: "?", gold_sql: "SELECT 1" }]));
    if (!set.ok) throw new Error(set.error);
    expect(sourceOf(set.value, "demo")).toEqual({ ok: true, value: { kind: "demo" } });
    expect(sourceOf(set.value, "shop")).toMatchObject({
      ok: false,
      error: expect.stringMatching(/shop is not beside/),
    });
    mkdirSync(join(folder.path, "dbs"));
    writeFileSync(join(folder.path, "dbs", "shop.sql"), "");
    expect(sourceOf(set.value, "shop")).toMatchObject({ value: { kind: "sql_dump" } });
    writeFileSync(join(folder.path, "shop.sqlite"), "");
    expect(sourceOf(set.value, "shop")).toMatchObject({ value: { kind: "sqlite_file" } });
  });

  it("a question may have several right queries", () => {
    expect(goldQueries({ gold_sql: "a" })).toEqual(["a"]);
    expect(goldQueries({ gold_sql: ["a", "b"] })).toEqual(["a", "b"]);
    expect(goldQueries({})).toEqual([]);
  });
});
