/**
 * Error text to advice: what went wrong in plain words and the safe next step (two of the three parts of C25; when the
 * run will stop is the loop's to say). The catalogue is in error-catalogue.ts. Pure: no I/O, no clock.
 */
import { ERROR_CATALOGUE } from "./error-catalogue.ts";
import type { D1Failure } from "./failure.ts";
import type { DatabaseSchema } from "./schema.ts";

export interface SqlError {
  readonly code: string;
  readonly message: string;
  readonly advice: readonly string[];
  /** True when the database, not the statement, is to blame and another try may succeed. */
  readonly transient: boolean;
}

const GENERIC_ADVICE = ["Read the message, look at the schema, and send a simpler SELECT."];

/**
 * Advice for an error that the statement `sql` caused itself. `message` is D1's, with or without its prefix and suffix.
 */
export function adviseError(message: string, schema: DatabaseSchema, sql = ""): SqlError {
  const plain = toPlainMessage(message);
  for (const entry of ERROR_CATALOGUE) {
    const match = entry.pattern.exec(plain);
    if (match === null) continue;
    const found = match[1] ?? "";
    const advice = entry.advise(found, schema, sql);
    return { code: entry.code, message: entry.say?.(found) ?? plain, advice, transient: false };
  }
  return { code: "sql_error", message: plain, advice: GENERIC_ADVICE, transient: false };
}

/** D1's message without `D1_ERROR:` in front and the SQLite code behind; offsets are of our wrapper, so they go too. */
export function toPlainMessage(message: string): string {
  return message
    .replace(/^(?:D1_\w+: )+/, "")
    .replace(/: SQLITE_\w+(?: \(.*\))?$/s, "")
    .replace(/ at offset \d+$/, "")
    .trim();
}

/** The error as the run reports it. */
export function toSqlError(
  failure: Exclude<D1Failure, { kind: "bug" }>,
  schema: DatabaseSchema,
  sql: string,
): SqlError {
  switch (failure.kind) {
    case "statement":
      return adviseError(failure.message, schema, sql);
    case "busy":
      return {
        code: "database_busy",
        message: "The database is busy: it has too many requests waiting.",
        advice: ["Ask again in a minute."],
        transient: true,
      };
    case "too_heavy":
      return {
        code: "query_too_heavy",
        message: `The database gave the query up: ${toPlainMessage(failure.message)}`,
        advice: ["Read less: filter on indexed columns, aggregate before joining, or ask for a smaller range."],
        transient: false,
      };
    case "retryable":
      return {
        code: "database_unreachable",
        message: "The database could not be reached; the query is not to blame.",
        advice: ["Send the same query again."],
        transient: true,
      };
  }
}
