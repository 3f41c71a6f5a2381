/**
 * Asks the questions of a set, through the very worker, over its public API.
 *
 * Owns: one worker a database, the questions one after another (so that seconds mean something), the gold rows from the
 * same copy of the database. Leaves to others: what is right (grade.ts), what is reported (report.ts).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { err, ok, type Result } from "../../lib/result.ts";
import { openDatabase } from "../database-check.ts";
import { databasePath, type Host } from "../host.ts";
import { prepareDatabase } from "../load-database.ts";
import { createRun, getResult, getRun, type Run } from "../run-client.ts";
import { containsAll, isOrdered, matchesRows, type Row } from "./grade.ts";
import type { EvalQuestion, QuestionSet } from "./question-set.ts";
import { sourceOf } from "./question-set.ts";

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
  onAttempt(attempt: Attempt, done: number, total: number): void;
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
      const gold = new GoldRows(databasePath(prepared.value.stateDir), set, db);
      const opened = await openDatabase(prepared.value, { bundle: options.bundle, env: options.env });
      if (!opened.ok) return opened;
      try {
        for (const question of set.questions.filter((each) => each.db === db)) {
          for (let round = 0; round < options.repeat; round += 1) {
            const attempt = await ask(opened.value.host, question, gold, options);
            attempts.push(attempt);
            options.onAttempt(attempt, attempts.length, total);
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

/** The gold rows of a database, read before the worker opens it. */
class GoldRows {
  readonly #rows = new Map<string, Result<readonly Row[], string>>();

  constructor(path: string, set: QuestionSet, db: string) {
    const database = new DatabaseSync(path, { readOnly: true, enableDoubleQuotedStringLiterals: true });
    for (const { id, db: wanted, gold_sql } of set.questions) {
      if (wanted !== db || gold_sql === undefined) continue;
      try {
        const statement = database.prepare(gold_sql);
        statement.setReturnArrays(true);
        statement.setReadBigInts(true);
        this.#rows.set(id, ok(statement.all() as unknown as Row[]));
      } catch (error) {
        this.#rows.set(id, err(`the gold query fails: ${String(error)}`));
      }
    }
    database.close();
  }

  of(id: string): Result<readonly Row[], string> | null {
    return this.#rows.get(id) ?? null;
  }
}

async function ask(host: Host, question: EvalQuestion, gold: GoldRows, options: RunSetOptions): Promise<Attempt> {
  const request = { question: question.question, model: options.model, budgetUsd: options.budgetUsd, maxSteps: null };
  const created = await createRun(host, request);
  if (!created.ok) return failedAttempt(question, created.error.message);
  const run = await waitForEnd(host, created.value.id);
  if (!run.ok) return failedAttempt(question, run.error);
  const why = await whyWrong(host, question, run.value, gold);
  return toAttempt(question, run.value, why, await readTokens(host, run.value.id));
}

/** Follows the events, which end with the run. */
async function waitForEnd(host: Host, id: string): Promise<Result<Run, string>> {
  for (;;) {
    const events = await host.fetch(`/v1/runs/${id}/events`);
    await events.text();
    const run = await getRun(host, id);
    if (!run.ok) return err(run.error.message);
    if (run.value.status === "finished") return run;
  }
}

/** Null when the answer is right, else why it is not. */
async function whyWrong(host: Host, question: EvalQuestion, run: Run, gold: GoldRows): Promise<string | null> {
  const queries = run.receipt.queries;
  const answered = queries.filter((query) => !query.error);
  if (question.expect === "refusal") {
    const refused = run.outcome !== "answered" || run.receipt.results.length === 0;
    return refused ? null : "answered where the right thing was to decline";
  }
  if (run.outcome !== "answered") return `ended with ${run.stop_reason}`;
  if (answered.length === 0) return "no query gave rows";
  if (question.tags.includes("recovery") && answered.length === queries.length) return "no failing query was repaired";
  if (question.gold_answer !== undefined && !containsAll(run.answer ?? "", question.gold_answer)) {
    return `the answer does not hold ${question.gold_answer.join(", ")}`;
  }
  if (question.gold_sql === undefined) return null;
  const expected = gold.of(question.id);
  if (expected === null || !expected.ok) return expected?.error ?? "no gold rows";
  const refs = [...run.receipt.results, ...answered.map((query) => query.result ?? "")].filter((ref) => ref !== "");
  for (const ref of new Set(refs)) {
    const result = await getResult(host, run.id, ref);
    if (!result.ok) continue;
    if (matchesRows(expected.value, result.value.rows, isOrdered(question.gold_sql))) return null;
    // Only the result that the answer names counts; a lucky earlier query does not.
    if (run.receipt.results.length > 0) return "other rows than the gold query's";
  }
  return "other rows than the gold query's";
}

async function readTokens(host: Host, id: string): Promise<number> {
  const events = await (await host.fetch(`/v1/runs/${id}/events`)).text();
  let tokens = 0;
  for (const match of events.matchAll(/"usage":(\{[^}]*\})/g)) {
    const usage: unknown = JSON.parse(match[1] ?? "{}");
    for (const value of Object.values(usage as Record<string, unknown>))
      tokens += typeof value === "number" ? value : 0;
  }
  return tokens;
}

function toAttempt(question: EvalQuestion, run: Run, why: string | null, tokens: number): Attempt {
  const queries = run.receipt.queries;
  const seen = new Set<string>();
  const useful = queries.filter((query) => {
    const isNew = !query.error && !seen.has(query.result ?? "");
    seen.add(query.result ?? "");
    return isNew;
  });
  const usage = run.usage as { readonly model_calls?: number } | undefined;
  return {
    id: question.id,
    tags: [...question.tags, `db:${question.db}`, ...(question.difficulty === null ? [] : [question.difficulty])],
    passed: why === null,
    why: why ?? "",
    stopReason: run.stop_reason ?? "",
    usd: run.receipt.cost_usd,
    seconds: run.receipt.seconds,
    steps: run.receipt.steps,
    queries: queries.length,
    rowsRead: run.receipt.rows_read,
    modelCalls: usage?.model_calls ?? 0,
    tokens,
    waste: queries.length === 0 ? 0 : 1 - useful.length / queries.length,
  };
}

function failedAttempt(question: EvalQuestion, why: string): Attempt {
  const nothing = { usd: 0, seconds: 0, steps: 0, queries: 0, rowsRead: 0, modelCalls: 0, tokens: 0, waste: 0 };
  return { id: question.id, tags: question.tags, passed: false, why, stopReason: "not_started", ...nothing };
}
