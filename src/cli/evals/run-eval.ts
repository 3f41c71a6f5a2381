/**
 * One evaluation from a command line to an exit code: 0 as good as the baseline (or none was given), 1 worse or failed,
 * 2 a wrong call.
 *
 * Owns: the order of things, what is written where. Leaves to others: asking (run-set.ts), grading (judge.ts), reporting
 * (report.ts), recording (recording.ts). `eval.ts` is this with the real screen; tests run it in their own process.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ok, type Result } from "../../lib/result.ts";
import { bundleWorker } from "../bundle.ts";
import { EVAL_HELP, type EvalCommand, parseEvalArguments } from "./command.ts";
import { type QuestionSet, readQuestionSet } from "./question-set.ts";
import { openRecording, type Recording } from "./recording.ts";
import { compareReports, type Report, renderEvalReport, reportSchema, toReport } from "./report.ts";
import { type Attempt, runSet } from "./run-set.ts";

export interface EvalScreen {
  print(text: string): void;
  complain(text: string): void;
  /** Called after each question. */
  progress(attempt: Attempt, done: number, total: number): void;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Where the vendors are when nobody says otherwise; a recording stands in front of them. */
const UPSTREAMS = {
  ANTHROPIC_BASE_URL: "https://api.anthropic.com",
  OPENAI_BASE_URL: "https://api.openai.com/v1",
} as const;

export async function runEval(argv: readonly string[], variables: Variables, screen: EvalScreen): Promise<number> {
  const parsed = parseEvalArguments(argv);
  if (!parsed.ok) return complain(screen, 2, `${parsed.error}\nMore: npm run eval -- --help`);
  if (parsed.value === null) {
    screen.print(EVAL_HELP);
    return 0;
  }
  const command = parsed.value;
  const read = readQuestionSet(command.set);
  if (!read.ok) return complain(screen, 2, read.error);
  const baseline = command.compare === null ? ok(null) : readBaseline(command.compare);
  if (!baseline.ok) return complain(screen, 2, baseline.error);
  const set = { ...read.value, questions: read.value.questions.slice(0, command.n ?? undefined) };
  const attempts = await askAll(set, command, variables, screen);
  if (!attempts.ok) return complain(screen, 1, attempts.error);
  const report = toReport(set.name, command.model, command.repeat, attempts.value);
  screen.print(command.isJson ? `${JSON.stringify(report, null, 2)}\n` : renderEvalReport(report));
  if (command.out !== null) writeFileSync(command.out, `${JSON.stringify(report, null, 2)}\n`);
  if (baseline.value === null) return 0;
  const worse = compareReports(report, baseline.value, command.tolerance);
  return worse.length === 0 ? 0 : complain(screen, 1, `Worse than ${command.compare}: ${worse.join("; ")}.`);
}

async function askAll(
  set: QuestionSet,
  command: EvalCommand,
  variables: Variables,
  screen: EvalScreen,
): Promise<Result<readonly Attempt[], string>> {
  const bundle = await bundleWorker();
  if (!bundle.ok) return bundle;
  const recordings = await openRecordings(command, variables);
  const transcripts = command.transcripts ?? (command.record === null ? null : join(command.record, "transcripts"));
  if (transcripts !== null) mkdirSync(transcripts, { recursive: true });
  try {
    const attempts = await runSet(set, {
      bundle: bundle.value.code,
      env: { ...variables, QUERENT_MODEL: command.model, ...recordings?.variables },
      model: command.model,
      repeat: command.repeat,
      budgetUsd: command.budgetUsd,
      onAttempt: screen.progress,
      onTranscript: (id, round, text) => {
        if (transcripts !== null) writeFileSync(join(transcripts, fileNameOf(id, round)), text);
      },
    });
    const missing = recordings?.all.reduce((sum, recording) => sum + recording.counts().missing, 0) ?? 0;
    if (missing > 0) screen.complain(`${missing} requests to the model were not answered by ${command.replay}.\n`);
    return attempts;
  } finally {
    for (const recording of recordings?.all ?? []) await recording.close();
  }
}

/** A stand-in for each vendor; null when nothing is recorded or replayed. */
async function openRecordings(
  command: EvalCommand,
  variables: Variables,
): Promise<{ readonly variables: Variables; readonly all: readonly Recording[] } | null> {
  const folder = command.record ?? command.replay;
  if (folder === null) return null;
  const all: Recording[] = [];
  const changed: Record<string, string> = {};
  for (const [name, otherwise] of Object.entries(UPSTREAMS)) {
    const upstream = command.record === null ? null : variables[name] || otherwise;
    const recording = await openRecording({ folder: join(folder, "replies"), upstream });
    all.push(recording);
    changed[name] = recording.url;
  }
  // A replay needs no key, but a model without one is refused at start.
  const key = command.replay === null ? {} : { ANTHROPIC_API_KEY: "replay", OPENAI_API_KEY: "replay" };
  return { variables: { ...changed, ...key }, all };
}

function fileNameOf(id: string, round: number): string {
  return `${id.replace(/[^A-Za-z0-9._-]/g, "_")}-${round + 1}.jsonl`;
}

function readBaseline(path: string): Result<Report, string> {
  if (!existsSync(path)) return { ok: false, error: `There is no baseline ${path}.` };
  try {
    const parsed = reportSchema.safeParse(JSON.parse(readFileSync(path, "utf8")));
    if (parsed.success) return ok(parsed.data);
  } catch {
    // Not JSON: the same answer as for JSON of another shape.
    return { ok: false, error: `${path} is not a report of this command.` };
  }
  return { ok: false, error: `${path} is not a report of this command.` };
}

function complain(screen: EvalScreen, exitCode: number, message: string): number {
  screen.complain(`${message}\n`);
  return exitCode;
}
