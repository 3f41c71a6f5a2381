/**
 * Question sets: JSON lines, one question each, and the databases they are about.
 *
 * Owns: the shape of a line and where a database is looked for: `demo` is the demo database; any other name is
 * `dbs/NAME.sqlite`, `NAME.sqlite` or `NAME.sql` beside the set. Leaves to others: asking (run-set.ts), grading (grade.ts).
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { err, ok, type Result } from "../../lib/result.ts";
import type { DatabaseSource } from "../load-database.ts";

export const questionSchema = z.strictObject({
  id: z.string().min(1),
  db: z.string().min(1),
  question: z.string().min(1),
  /** The rows it gives are the right answer; several where the question can be read several ways. */
  gold_sql: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  /** Beside the rows or instead: values that the answer's text must hold, and some that it must not. */
  gold_answer: z.array(z.string()).min(1).optional(),
  forbidden: z.array(z.string()).min(1).optional(),
  /** `answer` (default); `refusal`: the right thing is not to answer with rows. */
  expect: z.enum(["answer", "refusal"]).default("answer"),
  /** `recovery`: passes only with a failing and a repaired query. */
  tags: z.array(z.string()).default([]),
  difficulty: z.string().nullable().default(null),
  /** Of the gold rows, for people; not graded. */
  rows: z.number().optional(),
  first: z.array(z.unknown()).optional(),
});

export type EvalQuestion = z.infer<typeof questionSchema>;

export interface QuestionSet {
  readonly name: string;
  /** Folder that database names are looked up in. */
  readonly folder: string;
  readonly questions: readonly EvalQuestion[];
}

/** Sets that come with the project. */
const OWN_SETS_DIR = fileURLToPath(new URL("../../../test/evals/sets/", import.meta.url));

/** The gold queries of a question: any of them is right. */
export function goldQueries(question: Pick<EvalQuestion, "gold_sql">): readonly string[] {
  const { gold_sql } = question;
  return gold_sql === undefined ? [] : typeof gold_sql === "string" ? [gold_sql] : gold_sql;
}

/** Reads a set by the name of one of ours or by path. */
export function readQuestionSet(nameOrPath: string): Result<QuestionSet, string> {
  const own = join(OWN_SETS_DIR, `${nameOrPath}.jsonl`);
  const path = existsSync(own) ? own : resolve(nameOrPath);
  if (!existsSync(path)) return err(`There is no question set ${nameOrPath}: neither one of ours nor a file.`);
  const questions: EvalQuestion[] = [];
  const lines = readFileSync(path, "utf8").split("\n");
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const parsed = parseLine(line);
    if (!parsed.ok) return err(`${path}, line ${index + 1}: ${parsed.error}`);
    questions.push(parsed.value);
  }
  const name = nameOrPath.replace(/^.*\//, "").replace(/\.jsonl$/, "");
  return questions.length === 0 ? err(`${path} holds no questions.`) : ok({ name, folder: dirname(path), questions });
}

function parseLine(line: string): Result<EvalQuestion, string> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return err("not JSON.");
  }
  const parsed = questionSchema.safeParse(value);
  if (!parsed.success) return err(z.prettifyError(parsed.error));
  const { gold_sql, gold_answer, expect } = parsed.data;
  if (gold_sql === undefined && gold_answer === undefined && expect === "answer") {
    return err("a question that expects an answer needs gold_sql or gold_answer.");
  }
  return ok(parsed.data);
}

/** Where the database of a question is. */
export function sourceOf(set: QuestionSet, db: string): Result<DatabaseSource, string> {
  if (db === "demo") return ok({ kind: "demo" });
  const files = [join(set.folder, "dbs", `${db}.sqlite`), join(set.folder, `${db}.sqlite`)];
  const path = files.find((candidate) => existsSync(candidate));
  if (path !== undefined) return ok({ kind: "sqlite_file", path });
  const dump = [join(set.folder, "dbs", `${db}.sql`), join(set.folder, `${db}.sql`)].find((each) => existsSync(each));
  if (dump !== undefined) return ok({ kind: "sql_dump", path: dump });
  return err(`The database ${db} is not beside the set: looked for ${files.join(" and ")}.`);
}
