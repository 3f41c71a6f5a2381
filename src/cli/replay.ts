/**
 * `npm run replay -- FILES…`: finished runs once more through today's rules, from their exported transcripts, with no model
 * and no database. Exit code: 0 every run gives the same states, byte for byte · 1 one parts, or a file is no transcript ·
 * 2 no file given.
 */
import { replayRun } from "../agent/replay.ts";
import { toRecord } from "../agent/replay-record.ts";
import { readTranscriptFile } from "./evals/transcript-file.ts";
import { toSafeText } from "./terminal-text.ts";

const HELP = `npm run replay -- FILES…

Each file is the transcript of one finished run, as GET /v1/runs/ID/transcript gives it (JSON lines).
`;
const SHOWN_CHARS_MAX = 2_000;

function replayFile(path: string): boolean {
  const read = readTranscriptFile(path);
  const record = read.ok ? toRecord(read.value.entries) : read;
  if (!record.ok) {
    process.stderr.write(toSafeText(`${path}: ${record.error}\n`));
    return false;
  }
  const replayed = replayRun(record.value);
  if (replayed.kind === "same") {
    process.stdout.write(`${path}: the same, ${replayed.transitions} transitions, ${replayed.states} states\n`);
    return true;
  }
  const { seq, step, what, recorded, replayed: ours } = replayed;
  const show = (text: string): string => toSafeText(text.slice(0, SHOWN_CHARS_MAX));
  process.stdout.write(
    `${path}: parts before event ${seq}, in step ${step}: ${what}\n  recorded: ${show(recorded)}\n  replayed: ${show(ours)}\n`,
  );
  return false;
}

// npm runs a script in the package's folder; a path is meant from where the person typed it.
if (process.env.npm_lifecycle_event === "replay" && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
const files = process.argv.slice(2);
if (files.length === 0 || files.includes("--help")) {
  process.stderr.write(HELP);
  process.exitCode = files.length === 0 ? 2 : 0;
} else {
  process.exitCode = files.map(replayFile).every(Boolean) ? 0 : 1;
}
