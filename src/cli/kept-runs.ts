/**
 * The runs of a kept state folder: a small index, so that a run can be looked at again and an interrupted one is found.
 *
 * Owns: `runs.json`. Leaves to others: the runs themselves, which live in the objects' storage, and seeing to it that
 * one process at a time uses the folder (state-lock.ts).
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

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
