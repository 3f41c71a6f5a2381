import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockFolder, readKeptRuns, writeKeptRun } from "../../src/cli/kept-runs.ts";
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

describe("the lock of a folder", () => {
  it("keeps a living process out, by name, and lets the next one in when it is given back", () => {
    const path = join(folder.path, "deep", "state");
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "lock"), String(process.ppid));
    expect(lockFolder(path)).toEqual({
      ok: false,
      error: expect.stringMatching(new RegExp(`is in use by another ask or dev \\(process ${process.ppid}\\)`)),
    });
  });

  it("of a process that is gone is taken over", () => {
    const gone = spawnSync(process.execPath, ["-e", ""]).pid;
    writeFileSync(join(folder.path, "lock"), String(gone));
    const locked = lockFolder(folder.path);
    expect(locked.ok).toBe(true);
    if (locked.ok) locked.value();
    expect(lockFolder(folder.path).ok).toBe(true);
  });

  it("on a folder that cannot be made says so", () => {
    writeFileSync(join(folder.path, "file"), "");
    expect(lockFolder(join(folder.path, "file", "state"))).toEqual({
      ok: false,
      error: expect.stringMatching(/cannot be used to keep state/),
    });
  });
});
