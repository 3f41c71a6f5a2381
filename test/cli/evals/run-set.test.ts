import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bundleWorker } from "../../../src/cli/bundle.ts";
import { questionSchema } from "../../../src/cli/evals/question-set.ts";
import { type Attempt, runSet } from "../../../src/cli/evals/run-set.ts";
import { createDatabase, temporaryFolder } from "../database-fixtures.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
  const insert = Array.from({ length: 250 }, (_, index) => `(${index})`).join(",");
  createDatabase(join(folder.path, "box.sqlite"), [
    "CREATE TABLE items (item_id INTEGER PRIMARY KEY)",
    `INSERT INTO items VALUES ${insert}`,
  ]);
});
afterEach(() => folder.remove());

async function run(
  questions: readonly object[],
  repeat = 1,
): Promise<{ attempts: readonly Attempt[]; transcripts: string[] }> {
  const bundle = await bundleWorker();
  if (!bundle.ok) throw new Error(bundle.error);
  const transcripts: string[] = [];
  const set = {
    name: "box",
    folder: folder.path,
    questions: questions.map((question) => questionSchema.parse(question)),
  };
  const ran = await runSet(set, {
    bundle: bundle.value.code,
    env: { QUERENT_MODEL: "offline" },
    model: "offline",
    repeat,
    budgetUsd: null,
    onTranscript: (id, round, text) => transcripts.push(`${id} ${round} ${text.split("\n").length}`),
  });
  if (!ran.ok) throw new Error(ran.error);
  return { attempts: ran.value, transcripts };
}

describe("a set is asked through the very worker", () => {
  it("each question as often as told, with what it took; a wrong gold query fails and says why", async () => {
    const ask = { db: "box", question: "How many items are there?" };
    const { attempts, transcripts } = await run(
      [
        { ...ask, id: "right", gold_sql: "SELECT count(*) FROM items", tags: ["t"], difficulty: "easy" },
        { ...ask, id: "wrong", gold_sql: "SELECT 7" },
      ],
      2,
    );
    expect(attempts.map(({ id, passed, why }) => [id, passed, why])).toEqual([
      ["right", true, ""],
      ["right", true, ""],
      ["wrong", false, "other rows than the gold query's"],
      ["wrong", false, "other rows than the gold query's"],
    ]);
    const [first] = attempts;
    expect(first).toMatchObject({ stopReason: "done", queries: 1, waste: 0, tags: ["t", "db:box", "easy"] });
    for (const figure of [first?.steps, first?.tokens, first?.rowsRead, first?.modelCalls])
      expect(figure).toBeGreaterThan(0);
    expect(transcripts).toHaveLength(4);
  });

  it("rows beyond the first page of a result count too", async () => {
    const ask = { id: "all", db: "box", question: "List the items.", gold_sql: "SELECT item_id FROM items" };
    const { attempts } = await run([ask]);
    expect(attempts[0]).toMatchObject({ passed: true, why: "" });
  });
});
