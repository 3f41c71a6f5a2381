/**
 * Asks the questions of a set, through the very worker, over its public API.
 *
 * Owns: one worker a database, the questions one after another (so that seconds mean something), the gold rows from the
 * same copy of the database. Leaves to others: what is right (grade.ts), what is reported (report.ts).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { err, ok, type Result } from "../../lib/result.ts";
import { openDatabase } from "../database-check.ts";
import { databasePath, type Host } from "../host.ts";
import { prepareDatabase } from "../load-database.ts";
import { createRun, getRun, type Run } from "../run-client.ts";
import { type GoldRows, readGoldRows } from "./gold-rows.ts";
import { whyWrong } from "./judge.ts";
import { type EvalQuestion, type QuestionSet, sourceOf } from "./question-set.ts";
import { readResultRows } from "./result-rows.ts";

/** One question asked once. */
export interface Attempt {
  readonly id: string;
  readonly tags: readonly string[];
  readonly passed: boolean;
  /** Why not, in a few words; empty when passed. */
  readonly why: string;
  readonly stopReason: string;
  readonly usd: number;
  readonly seconds: number;
  readonly steps: number;
  readonly queries: number;
  readonly rowsRead: number;
  readonly modelCalls: number;
  readonly tokens: number;
  /** Calls that gave nothing new, over all calls. */
  readonly waste: number;
}

export interface RunSetOptions {
  readonly bundle: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly model: string | null;
  readonly repeat: number;
  readonly budgetUsd: number | null;
  onAttempt?(attempt: Attempt, done: number, total: number): void;
  onTranscript?(id: string, round: number, transcript: string): void;
}

export async function runSet(set: QuestionSet, options: RunSetOptions): Promise<Result<readonly Attempt[], string>> {
  const root = mkdtempSync(join(tmpdir(), "querent-eval-"));
  const attempts: Attempt[] = [];
  const total = set.questions.length * options.repeat;
  try {
    for (const db of new Set(set.questions.map((question) => question.db))) {
      const source = sourceOf(set, db);
      if (!source.ok) return source;
      const prepared = await prepareDatabase(source.value, root);
      if (!prepared.ok) return prepared;
      const gold = readGoldRows(databasePath(prepared.value.stateDir), set, db);
      const opened = await openDatabase(prepared.value, { bundle: options.bundle, env: options.env });
      if (!opened.ok) return opened;
      try {
        for (const question of set.questions.filter((each) => each.db === db)) {
          for (let round = 0; round < options.repeat; round += 1) {
            const attempt = await ask(opened.value.host, question, round, gold, options);
            attempts.push(attempt);
            options.onAttempt?.(attempt, attempts.length, total);
          }
        }
      } finally {
        await opened.value.host.dispose();
      }
    }
    return ok(attempts);
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function ask(
  host: Host,
  question: EvalQuestion,
  round: number,
  gold: GoldRows,
  options: RunSetOptions,
): Promise<Attempt> {
  const request = {
    question: question.question,
    model: options.model,
    budgetUsd: options.budgetUsd,
    maxSteps: null,
    approveAboveRows: null,
    mayAsk: false,
  };
  const created = await createRun(host, request);
  if (!created.ok) return failedAttempt(question, created.error.message);
  const run = await waitForEnd(host, created.value.id);
  if (!run.ok) return failedAttempt(question, run.error);
  const why = await whyWrong(question, run.value, gold, (ref) => readResultRows(host, run.value.id, ref));
  const transcript = await readTranscript(host, run.value.id);
  options.onTranscript?.(question.id, round, transcript);
  return toAttempt(question, run.value, why, tokensOf(transcript));
}

/** Follows the events, which end with the run: a stream that breaks off is asked for again. */
async function waitForEnd(host: Host, id: string): Promise<Result<Run, string>> {
  for (;;) {
    const events = await host.fetch(`/v1/runs/${id}/events`);
    await events.text();
    const run = await getRun(host, id);
    if (!run.ok) return err(run.error.message);
    if (run.value.status === "finished") return run;
  }
}

/** The journal as JSON lines; what a recording keeps of a run. */
async function readTranscript(host: Host, id: string): Promise<string> {
  return (await host.fetch(`/v1/runs/${id}/transcript`)).text();
}

const repliedSchema = z.object({
  kind: z.literal("event"),
  event: z.object({ type: z.literal("model_replied"), usage: z.record(z.string(), z.number()) }),
});

/** Tokens of every kind, of every model call. */
function tokensOf(transcript: string): number {
  return transcript
    .split("\n")
    .filter((line) => line.includes('"model_replied"'))
    .flatMap((line) => {
      const parsed = repliedSchema.safeParse(JSON.parse(line));
      return parsed.success ? Object.values(parsed.data.event.usage) : [];
    })
    .reduce((sum, tokens) => sum + tokens, 0);
}

function toAttempt(question: EvalQuestion, run: Run, why: string | null, tokens: number): Attempt {
  const queries = run.receipt.queries;
  const seen = new Set<string>();
  const useful = queries.filter((query) => {
    const isNew = !query.error && !seen.has(query.result ?? "");
    seen.add(query.result ?? "");
    return isNew;
  });
  return {
    id: question.id,
    tags: tagsOf(question),
    passed: why === null,
    why: why ?? "",
    stopReason: run.stop_reason ?? "",
    usd: run.receipt.cost_usd,
    seconds: run.receipt.seconds,
    steps: run.receipt.steps,
    queries: queries.length,
    rowsRead: run.receipt.rows_read,
    modelCalls: run.usage?.model_calls ?? 0,
    tokens,
    waste: queries.length === 0 ? 0 : 1 - useful.length / queries.length,
  };
}

function tagsOf({ tags, db, difficulty }: EvalQuestion): string[] {
  return [...tags, `db:${db}`, ...(difficulty === null ? [] : [difficulty])];
}

function failedAttempt(question: EvalQuestion, why: string): Attempt {
  const nothing = { usd: 0, seconds: 0, steps: 0, queries: 0, rowsRead: 0, modelCalls: 0, tokens: 0, waste: 0 };
  return { id: question.id, tags: tagsOf(question), passed: false, why, stopReason: "not_started", ...nothing };
}
