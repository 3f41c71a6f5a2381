/** The dry run of the evals: our sets, the offline model, no key and no network, against the committed baselines. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { replayRun } from "../../../src/agent/replay.ts";
import { toRecord } from "../../../src/agent/replay-record.ts";
import { reportSchema } from "../../../src/cli/evals/report.ts";
import { runEval } from "../../../src/cli/evals/run-eval.ts";
import { readTranscriptFile } from "../../../src/cli/evals/transcript-file.ts";
import { text, toolUse } from "../../fakes/anthropic-script.ts";
import { startFakeAnthropic } from "../../fakes/fake-anthropic.ts";
import { temporaryFolder } from "../database-fixtures.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const NOTHING = { PATH: process.env.PATH };

async function evaluate(argv: readonly string[], variables: Record<string, string | undefined> = NOTHING) {
  const said = { printed: "", complained: "" };
  const exitCode = await runEval(argv, variables, {
    print: (words) => {
      said.printed += words;
    },
    complain: (words) => {
      said.complained += words;
    },
    progress: () => undefined,
  });
  return { exitCode, ...said };
}

describe("npm run eval", () => {
  it.each(["demo", "edge"])(
    "the offline model is as good on %s as its committed baseline, and every run replays to the same states (C33)",
    async (set) => {
      const baseline = `test/evals/baselines/${set}-offline.json`;
      const { exitCode, complained, printed } = await evaluate([
        "--set",
        set,
        "--compare",
        baseline,
        "--tolerance",
        "0.1",
        "--transcripts",
        folder.path,
      ]);
      expect({ exitCode, complained }).toEqual({ exitCode: 0, complained: "" });
      expect(printed).toContain("accuracy");
      for (const name of readdirSync(folder.path)) {
        const read = readTranscriptFile(join(folder.path, name));
        const record = read.ok ? toRecord(read.value.entries) : read;
        expect([name, record.ok ? replayRun(record.value) : record.error]).toMatchObject([name, { kind: "same" }]);
      }
    },
    120_000,
  );

  it("exits 1 when worse than the baseline, and says by what", async () => {
    const path = join(folder.path, "baseline.json");
    const first = await evaluate(["--set", "demo", "--n", "2", "--out", path, "--json"]);
    expect(first.exitCode).toBe(0);
    const report = reportSchema.parse(JSON.parse(first.printed));
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(report);
    writeFileSync(path, JSON.stringify({ ...report, steps: { ...report.steps, total: 1 } }));
    const second = await evaluate(["--set", "demo", "--n", "2", "--compare", path]);
    expect(second).toMatchObject({ exitCode: 1, complained: expect.stringMatching(/^Worse than .*steps/) });
  }, 60_000);

  it("exits 2 for a wrong call, before anything is asked", async () => {
    expect((await evaluate([])).exitCode).toBe(2);
    expect((await evaluate(["--set", "nowhere"])).exitCode).toBe(2);
    expect(await evaluate(["--set", "demo", "--compare", join(folder.path, "none.json")])).toMatchObject({
      exitCode: 2,
    });
    writeFileSync(join(folder.path, "bad.json"), "{");
    expect(await evaluate(["--set", "demo", "--compare", join(folder.path, "bad.json")])).toMatchObject({
      exitCode: 2,
    });
    expect(await evaluate(["--help"])).toMatchObject({ exitCode: 0, printed: expect.stringContaining("--set") });
  });

  it("C31: a recording answers again with no model, and gives the same report", async () => {
    const set = join(folder.path, "set.jsonl");
    writeFileSync(
      set,
      JSON.stringify({
        id: "one",
        db: "demo",
        question: "How many tracks?",
        gold_sql: "SELECT count(*) FROM Track",
        gold_answer: ["3503"],
      }),
    );
    const vendor = await startFakeAnthropic({
      script: [
        toolUse("execute_read_only_sql", { sql: "SELECT count(*) AS tracks FROM Track" }, "toolu_recorded"),
        text("There are 3,503 tracks."),
      ],
    });
    const argv = ["--set", set, "--model", "claude-haiku-5-5", "--json"];
    const key = { ...NOTHING, ANTHROPIC_API_KEY: vendor.apiKey, ANTHROPIC_BASE_URL: vendor.url };
    const recorded = await evaluate([...argv, "--record", folder.path], key);
    await vendor.close();
    expect(recorded).toMatchObject({ exitCode: 0, complained: "" });
    expect(JSON.parse(recorded.printed)).toMatchObject({ accuracy: 1 });

    const replayed = await evaluate([...argv, "--replay", folder.path]);
    const withoutTime = (printed: string) => ({ ...JSON.parse(printed), seconds: null });
    expect(replayed.complained).toBe("");
    expect(withoutTime(replayed.printed)).toEqual(withoutTime(recorded.printed));
    expect(readFileSync(join(folder.path, "transcripts", "one-1.jsonl"), "utf8")).toContain("toolu_recorded");
  }, 60_000);
});
