/**
 * The runs of a kept state folder: a small index, so that a run can be looked at again and an interrupted one is found.
 *
 * Owns: `runs.json` and the lock that lets one process at a time use the folder; two workerds on the same files would
 * spoil them. Leaves to others: the runs themselves, which live in the objects' storage.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { err, ok, type Result } from "../lib/result.ts";
import { messageOf } from "./sqlite-text.ts";

const keptRunSchema = z.object({
  id: z.string(),
  question: z.string(),
  /** Digest of the database that was asked. */
  database: z.string(),
  label: z.string(),
  is_finished: z.boolean(),
  created_at: z.string(),
});

/** Stored form: fields are only ever added, with a default. */
const indexSchema = z.object({ version: z.literal(1), runs: z.array(keptRunSchema) });

export type KeptRun = z.infer<typeof keptRunSchema>;

/** All runs of the folder, oldest first. An index that cannot be read is as good as none. */
export function readKeptRuns(folder: string): readonly KeptRun[] {
  try {
    const index = indexSchema.safeParse(JSON.parse(readFileSync(join(folder, "runs.json"), "utf8")));
    return index.success ? index.data.runs : [];
  } catch {
    return [];
  }
}

/** Adds `run`, or replaces what the index says of it. */
export function writeKeptRun(folder: string, run: KeptRun): void {
  const runs = readKeptRuns(folder);
  const others = runs.filter((each) => each.id !== run.id);
  const at = runs.findIndex((each) => each.id === run.id);
  const next = at === -1 ? [...others, run] : others.toSpliced(at, 0, run);
  const path = join(folder, "runs.json");
  // Renamed into place: a process killed in the middle leaves the old index whole.
  writeFileSync(`${path}.new`, `${JSON.stringify({ version: 1, runs: next }, null, 2)}\n`);
  renameSync(`${path}.new`, path);
}

/** Takes the folder for this process; the value gives it back. A lock whose process is gone is taken over. */
export function lockFolder(folder: string): Result<() => void, string> {
  const path = join(folder, "lock");
  try {
    mkdirSync(folder, { recursive: true });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      if (createLock(path)) return ok(() => rmSync(path, { force: true }));
      const holder = Number(readFileSync(path, "utf8"));
      if (isAlive(holder)) {
        return err(
          `${folder} is in use by another ask or dev (process ${holder}). Wait for it, or name another folder.`,
        );
      }
      rmSync(path, { force: true });
    }
    return err(`${folder} is in use by another ask or dev. Wait for it, or name another folder.`);
  } catch (error) {
    return err(`${folder} cannot be used to keep state: ${messageOf(error)}`);
  }
}

function createLock(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, and belongs to somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
