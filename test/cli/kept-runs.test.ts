import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readKeptRuns, writeKeptRun } from "../../src/cli/kept-runs.ts";
import { temporaryFolder } from "./database-fixtures.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const run = (id: string, isFinished = false) => ({
  id,
  question: "How many?",
  database: "d".repeat(64),
  label: "demo database",
  is_finished: isFinished,
  created_at: "2026-11-30T12:00:00.000Z",
});

describe("the index of kept runs", () => {
  it("keeps runs in order, and a run that ends in its place", () => {
    expect(readKeptRuns(folder.path)).toEqual([]);
    for (const each of [run("a"), run("b"), run("a", true)]) writeKeptRun(folder.path, each);
    expect(readKeptRuns(folder.path)).toEqual([run("a", true), run("b")]);
  });

  it("that cannot be read is as good as none", () => {
    writeFileSync(join(folder.path, "runs.json"), '{"version": 1, "runs": [{');
    expect(readKeptRuns(folder.path)).toEqual([]);
    writeKeptRun(folder.path, run("a"));
    expect(readKeptRuns(folder.path)).toEqual([run("a")]);
  });
});
