/**
 * `npm run runs:scan -- FILES…`: cycles, waste and dollars of finished runs, by model, from their exported transcripts.
 * Exit code: 0 scanned, 1 a file is no transcript, 2 no file given.
 */
import { parseArgs } from "node:util";
import { renderScan, scanByModel, scanRun } from "./evals/scan.ts";
import { readTranscriptFile } from "./evals/transcript-file.ts";

const HELP = `npm run runs:scan -- [--json] FILES…

Each file is the transcript of one run, as GET /v1/runs/ID/transcript gives it (JSON lines).
`;

function main(argv: readonly string[]): number {
  let given: ReturnType<typeof read>;
  try {
    given = read(argv);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${HELP}`);
    return 2;
  }
  if (given.positionals.length === 0) {
    process.stderr.write(HELP);
    return given.values.help === true ? 0 : 2;
  }
  const runs = given.positionals.map(readTranscriptFile);
  const bad = runs.filter((run) => !run.ok);
  for (const run of bad) process.stderr.write(`${run.error}\n`);
  const scanned = runs.flatMap((run) => (run.ok ? [scanRun(run.value)] : []));
  const asJson = { models: scanByModel(scanned), runs: scanned };
  process.stdout.write(given.values.json === true ? `${JSON.stringify(asJson, null, 2)}\n` : renderScan(scanned));
  return bad.length === 0 ? 0 : 1;
}

function read(argv: readonly string[]) {
  const options = { json: { type: "boolean" }, help: { type: "boolean" } } as const;
  return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
}

// npm runs a script in the package's folder; a path is meant from where the person typed it.
if (process.env.npm_lifecycle_event === "runs:scan" && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
process.exitCode = main(process.argv.slice(2));
