/**
 * The command line of `eval`: which flags there are, and what is wrong with a call, in one clear sentence each.
 * Pure: no I/O, no clock.
 */
import { parseArgs } from "node:util";
import { err, ok, type Result } from "../../lib/result.ts";

export const EVAL_HELP = `npm run eval -- --set NAME [options]

  --set NAME          demo, edge (sets of ours), or the path of a JSON-lines file; databases are looked for beside it
  --model ID          offline (default), claude-sonnet-5-5, … (with ANTHROPIC_API_KEY)
  --n N               only the first N questions
  --repeat K          ask each question K times; gives pass@K and pass^K
  --budget USD        dollars a question may cost
  --compare FILE      exit 1 when worse than this report by more than --tolerance (default 0.02)
  --out FILE          write the report as JSON
  --json              print the report as JSON instead of a table
  --record DIR        keep every reply of the model, and the transcript of every run, in DIR
  --replay DIR        answer from what was recorded in DIR: no key, no model, no network
  --transcripts DIR   write the transcript of every run to DIR, for runs:scan and replay

Exit code: 0 done, and no worse than the baseline · 1 worse, or failed · 2 a wrong call.

Examples
  npm run eval -- --set demo
  npm run eval -- --set edge --compare test/evals/baselines/edge-offline.json
  npm run eval -- --set ./questions.jsonl --model claude-haiku-5-5 --repeat 3 --record ./recorded
`;

export interface EvalCommand {
  readonly set: string;
  readonly model: string;
  readonly n: number | null;
  readonly repeat: number;
  readonly budgetUsd: number | null;
  readonly compare: string | null;
  readonly tolerance: number;
  readonly out: string | null;
  readonly isJson: boolean;
  readonly record: string | null;
  readonly replay: string | null;
  readonly transcripts: string | null;
}

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const OPTIONS = {
  set: text,
  model: text,
  n: text,
  repeat: text,
  budget: text,
  compare: text,
  tolerance: text,
  out: text,
  json: flag,
  record: text,
  replay: text,
  transcripts: text,
  help: flag,
} as const;

const TOLERANCE_DEFAULT = 0.02;

/** Null for --help. */
export function parseEvalArguments(argv: readonly string[]): Result<EvalCommand | null, string> {
  const read = readFlags(argv);
  if (!read.ok) return read;
  const given = read.value;
  if (given.help === true) return ok(null);
  if (given.set === undefined) return err("--set is missing: the name or path of a question set.");
  const n = toCount("--n", given.n);
  const repeat = toCount("--repeat", given.repeat);
  const budget = toAmount("--budget", given.budget);
  const tolerance = toAmount("--tolerance", given.tolerance);
  for (const number of [n, repeat, budget, tolerance]) if (!number.ok) return number;
  if (given.record !== undefined && given.replay !== undefined) {
    return err("--record asks the model and --replay does not: give one of them.");
  }
  const model = given.model ?? "offline";
  if (model === "offline" && (given.record ?? given.replay) !== undefined) {
    return err("The offline model says the same every time and needs no recording. Give --model.");
  }
  return ok({
    set: given.set,
    model,
    n: n.ok ? n.value : null,
    repeat: (repeat.ok ? repeat.value : null) ?? 1,
    budgetUsd: budget.ok ? budget.value : null,
    compare: given.compare ?? null,
    tolerance: (tolerance.ok ? tolerance.value : null) ?? TOLERANCE_DEFAULT,
    out: given.out ?? null,
    isJson: given.json ?? false,
    record: given.record ?? null,
    replay: given.replay ?? null,
    transcripts: given.transcripts ?? null,
  });
}

function readFlags(argv: readonly string[]) {
  try {
    return ok(parseArgs({ args: [...argv], options: OPTIONS, strict: true }).values);
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
}

function toCount(name: string, given: string | undefined): Result<number | null, string> {
  if (given === undefined) return ok(null);
  return /^[1-9][0-9]{0,5}$/.test(given)
    ? ok(Number(given))
    : err(`${name} takes a whole number from 1, not "${given}".`);
}

function toAmount(name: string, given: string | undefined): Result<number | null, string> {
  if (given === undefined) return ok(null);
  const amount = Number(given);
  const isAmount = given.trim() !== "" && Number.isFinite(amount) && amount >= 0;
  return isAmount ? ok(amount) : err(`${name} takes a number that is not negative, not "${given}".`);
}
