/**
 * Builds a database file from a script of SQL, such as what `sqlite3 x.db .dump` prints.
 *
 * Owns: running the script, with everything refused that would reach outside the one file being built, and naming the
 * statement and line that fails. Leaves to others: where a statement ends (sql-statements.ts), what D1 can take (d1-fit.ts).
 */
import { readFileSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { err, ok, type Result } from "../lib/result.ts";
import { type SqlStatement, splitStatements } from "./sql-statements.ts";
import { messageOf } from "./sqlite-text.ts";

/** A script is held as one string, and the engine's strings end a little above this. */
const SCRIPT_BYTES_MAX = 400_000_000;
/** Characters of a failing statement that its message quotes. */
const QUOTED_STATEMENT_MAX = 120;

/** Reads a script; the error says what is wrong with the path. */
export function readScript(path: string): Result<string, string> {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) return err(`${path} is a directory. Name the SQL file in it.`);
    if (stats.size > SCRIPT_BYTES_MAX)
      return err(`${path} is over 400 MB. Load it with sqlite3 and give the file with --db.`);
    const bytes = readFileSync(path);
    if (bytes.toString("latin1", 0, 15) === "SQLite format 3") {
      return err(`${path} is a SQLite file, not SQL text. Give it with --db instead of --sql.`);
    }
    if (bytes.includes(0))
      return err(`${path} is not SQL text in UTF-8: it holds zero bytes. Convert it (iconv -t UTF-8).`);
    return ok(bytes.toString("utf8").replace(/^\ufeff/, ""));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT")
      return err(`There is no file ${path}. Check the path; a relative one starts at ${process.cwd()}.`);
    if (code === "EACCES") return err(`${path} may not be read by this user. Change its permissions, or copy it.`);
    return err(`${path} cannot be read: ${messageOf(error)}`);
  }
}

/** Runs `script` into a new database at `target`. On an error nothing is worth keeping there. */
export function runScript(script: string, label: string, target: string): Result<void, string> {
  // A dump states its rows before all their parents, so foreign keys are not enforced while it loads.
  const database = new DatabaseSync(target, {
    enableForeignKeyConstraints: false,
    enableDoubleQuotedStringLiterals: true,
  });
  try {
    database.exec("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN");
    for (const statement of splitStatements(script)) {
      const failure = runStatement(database, statement);
      if (failure !== null) return err(explain(label, statement, failure, script));
    }
    database.exec("COMMIT");
    return ok(undefined);
  } catch (error) {
    return err(`${label} cannot be loaded: ${messageOf(error)}`);
  } finally {
    database.close();
  }
}

/** Null when the statement ran or needs no running; else why it did not. */
function runStatement(database: DatabaseSync, statement: SqlStatement): string | null {
  const words = firstWords(statement.text);
  switch (words[0]) {
    // The whole script is one transaction of ours, which also makes it fast.
    case "BEGIN":
    case "COMMIT":
    case "END":
    case "ROLLBACK":
      return null;
    case "ATTACH":
    case "DETACH":
      return "a dump may not reach other files";
    case "VACUUM":
      return words.includes("INTO") ? "a dump may not write other files" : null;
    case "PRAGMA":
      // Only these change what the database holds; the rest is about the program that once ran the script.
      if (!/^(?:WRITABLE_SCHEMA|USER_VERSION|APPLICATION_ID|LEGACY_ALTER_TABLE)$/.test(words[1] ?? "")) return null;
  }
  try {
    database.exec(statement.text);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** The statement's words before any string, upper-case, without comments. */
function firstWords(sql: string): readonly string[] {
  const bare = sql.slice(0, 2_000).replaceAll(/--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, " ");
  return bare.toUpperCase().match(/\w+/g) ?? [];
}

function explain(label: string, statement: SqlStatement, failure: string, script: string): string {
  const flat = statement.text.replaceAll(/\s+/g, " ").trim();
  const shown = flat.length > QUOTED_STATEMENT_MAX ? `${flat.slice(0, QUOTED_STATEMENT_MAX).toWellFormed()}…` : flat;
  return `${label}, line ${statement.line}: ${failure}. The statement is: ${shown}${hintFor(script)}`;
}

function hintFor(script: string): string {
  const isForeign = /\bENGINE\s*=\s*\w+|^LOCK TABLES|^COPY .* FROM stdin;|^SET (?:statement_timeout|SQL_MODE)/im.exec(
    script.slice(0, 200_000),
  );
  return isForeign === null
    ? ""
    : "\nThis looks like a dump of another database system: only SQLite's dialect can be loaded.";
}
