/**
 * `npm run eval -- --set NAME`: how often is the answer right, and what does a question cost?
 *
 * Owns: the command line, the order of things, the exit code: 0 as good as the baseline (or none was given), 1 worse or
 * failed, 2 a wrong call. Leaves to others: asking (evals/run-set.ts), grading, reporting.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { err, ok, type Result } from "../lib/result.ts";
import { bundleWorker } from "./bundle.ts";
import { readQuestionSet } from "./evals/question-set.ts";
import { compareReports, renderEvalReport, reportSchema, toReport } from "./evals/report.ts";
import { type Attempt, runSet } from "./evals/run-set.ts";

const HELP = `npm run eval -- --set NAME [options]

  --set NAME        demo, edge (sets of ours), or the path of a JSON-lines file; databases are looked for beside it
  --model ID        offline (default), claude-sonnet-5-5, … (with ANTHROPIC_API_KEY)
  --n N             only the first N questions
  --repeat K        ask each question K times; gives pass@K and pass^K
  --budget USD      dollars a question may cost
  --compare FILE    exit 1 when worse than this report by more than --tolerance (default 0.02)
  --out FILE        write the report as JSON
  --json            print the report as JSON instead of a table

Examples
  npm run eval -- --set demo
  npm run eval -- --set ./questions.jsonl --model claude-haiku-5-5 --repeat 3 --out report.json
`;

interface EvalCommand {
  readonly set: string;
  readonly model: string;
  readonly n: number | null;
  readonly repeat: number;
  readonly budgetUsd: number | null;
  readonly compare: string | null;
  readonly tolerance: number;
  readonly out: string | null;
  readonly isJson: boolean;
}

async function main(argv: readonly string[]): Promise<number> {
  const parsed = parse(argv);
  if (!parsed.ok) return complain(2, `${parsed.error}\nMore: npm run eval -- --help`);
  if (parsed.value === null) {
    process.stdout.write(HELP);
    return 0;
  }
  const command = parsed.value;
  const read = readQuestionSet(command.set);
  if (!read.ok) return complain(2, read.error);
  const set = { ...read.value, questions: read.value.questions.slice(0, command.n ?? undefined) };
  const bundle = await bundleWorker();
  if (!bundle.ok) return complain(1, bundle.error);
  const { model, repeat, budgetUsd } = command;
  const env = { ...process.env, QUERENT_MODEL: model };
  const onAttempt = (attempt: Attempt, done: number, total: number): void => {
    if (process.stderr.isTTY)
      process.stderr.write(`\r${done}/${total} ${attempt.passed ? "ok" : "--"} ${attempt.id}   `);
  };
  const attempts = await runSet(set, { bundle: bundle.value.code, env, model, repeat, budgetUsd, onAttempt });
  if (!attempts.ok) return complain(1, attempts.error);
  const report = toReport(set.name, model, repeat, attempts.value);
  if (process.stderr.isTTY) process.stderr.write("\r\n");
  process.stdout.write(command.isJson ? `${JSON.stringify(report, null, 2)}\n` : renderEvalReport(report));
  if (command.out !== null) writeFileSync(command.out, `${JSON.stringify(report, null, 2)}\n`);
  return command.compare === null ? 0 : compare(report, command.compare, command.tolerance);
}

function compare(report: ReturnType<typeof toReport>, path: string, tolerance: number): number {
  if (!existsSync(path)) return complain(2, `There is no baseline ${path}.`);
  const baseline = reportSchema.safeParse(JSON.parse(readFileSync(path, "utf8")));
  if (!baseline.success) return complain(2, `${path} is not a report of this command.`);
  const worse = compareReports(report, baseline.data, tolerance);
  return worse.length === 0 ? 0 : complain(1, `Worse than ${path}: ${worse.join("; ")}.`);
}

/** Null for --help. */
function parse(argv: readonly string[]): Result<EvalCommand | null, string> {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = {
    set: text,
    model: text,
    n: text,
    repeat: text,
    budget: text,
    compare: text,
    tolerance: text,
    out: text,
    json: flag,
    help: flag,
  };
  try {
    const { values } = parseArgs({ args: [...argv], options, strict: true });
    if (values.help) return ok(null);
    if (values.set === undefined) return err("--set is missing: the name or path of a question set.");
    const [n, repeat, budget, tolerance] = [values.n, values.repeat, values.budget, values.tolerance].map(toAmount);
    if ([n, repeat, budget, tolerance].includes(Number.NaN))
      return err("--n, --repeat, --budget and --tolerance take positive numbers.");
    return ok({
      set: values.set,
      model: values.model ?? "offline",
      n: n ?? null,
      repeat: repeat ?? 1,
      budgetUsd: budget ?? null,
      compare: values.compare ?? null,
      tolerance: tolerance ?? 0.02,
      out: values.out ?? null,
      isJson: values.json ?? false,
    });
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
}

function toAmount(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const amount = Number(given);
  return Number.isFinite(amount) && amount > 0 ? amount : Number.NaN;
}

function complain(exitCode: number, message: string): number {
  process.stderr.write(`${message}\n`);
  return exitCode;
}

if (process.env.npm_lifecycle_event === "eval" && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
process.exitCode = await main(process.argv.slice(2));
