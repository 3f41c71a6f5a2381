/**
 * The right rows of a set's questions, read with SQLite itself from the very file that the worker will open.
 *
 * Owns: reading them before the worker starts, so that nothing the run does can change them. A gold query that fails is
 * an error of the set, told with the question. Leaves to others: comparing (grade.ts).
 */
import { DatabaseSync } from "node:sqlite";
import { err, ok, type Result } from "../../lib/result.ts";
import type { Row } from "./grade.ts";
import { goldQueries, type QuestionSet } from "./question-set.ts";

export interface GoldReading {
  readonly sql: string;
  readonly rows: Result<readonly Row[], string>;
}

export interface GoldRows {
  /** One for each gold query of the question; any of them is right. */
  of(id: string): readonly GoldReading[];
}

/** Reads the gold rows of every question of `set` about the database `db`, whose file is at `path`. */
export function readGoldRows(path: string, set: Pick<QuestionSet, "questions">, db: string): GoldRows {
  const readings = new Map<string, readonly GoldReading[]>();
  const database = new DatabaseSync(path, { readOnly: true, enableDoubleQuotedStringLiterals: true });
  try {
    for (const question of set.questions) {
      if (question.db !== db) continue;
      readings.set(
        question.id,
        goldQueries(question).map((sql) => ({ sql, rows: readRows(database, sql) })),
      );
    }
  } finally {
    database.close();
  }
  return { of: (id) => readings.get(id) ?? [] };
}

function readRows(database: DatabaseSync, sql: string): Result<readonly Row[], string> {
  try {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    // The typings of node:sqlite know rows as objects only; with return arrays each is a list.
    const rows: readonly unknown[] = statement.all();
    return ok(rows.filter((row) => Array.isArray(row)));
  } catch (error) {
    return err(`the gold query fails: ${error instanceof Error ? error.message : String(error)}`);
  }
}
