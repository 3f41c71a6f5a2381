/**
 * The gate, layers 1 and 2: proves from the text alone that it is exactly one balanced SELECT, VALUES or WITH … SELECT,
 * and gives the text in which it may run, as a subquery on its own lines, where SQLite's grammar has no write.
 * It decides by grammar position, never by words. Whatever it cannot prove (which tables are opened, what a view hides)
 * is left to the engine's verdict (verdict.ts); only both together make a `ReadOnlyQuery`.
 * Pure: no I/O, no clock.
 */

import { byteLength } from "../lib/bytes.ts";
import { err, ok, type Result } from "../lib/result.ts";
import { checkExpansion } from "./expansion.ts";
import { type Token, tokenize } from "./lexer.ts";
import { findRecursion, type Recursion } from "./recursion.ts";
import type { SqlRefusal } from "./refusal.ts";
import { isSymbol, keyword, matchBrackets, readShape, readWith, type StatementShape } from "./statement.ts";

export type { SqlRefusal } from "./refusal.ts";

/** One proved read. `sql` is the statement from its first to its last token, as written. */
export interface CheckedQuery {
  readonly sql: string;
  readonly shape: StatementShape;
  /** Recursive common tables: those without a LIMIT of their own get ours. */
  readonly recursion: Recursion;
}

/** D1's own limit for the text of a statement. The wrapped text must fit too; database.ts sees to that. */
export const SQL_BYTES_MAX = 100_000;

/** Table functions over the schema that only read. Every other `pragma_…` is refused: `pragma_optimize` writes. */
export const PRAGMA_READERS: ReadonlySet<string> = new Set([
  "pragma_table_info",
  "pragma_table_xinfo",
  "pragma_table_list",
  "pragma_index_list",
  "pragma_index_info",
  "pragma_foreign_key_list",
]);

const ONE_STATEMENT_ADVICE = "Send exactly one SELECT, VALUES or WITH … SELECT statement.";

/** Checks the text of a query. Refuses whatever is not provably one read. */
export function checkQuery(sql: string): Result<CheckedQuery, SqlRefusal> {
  if (sql.length > SQL_BYTES_MAX || byteLength(sql) > SQL_BYTES_MAX) {
    return refuse("sql_too_long", `The statement is longer than ${SQL_BYTES_MAX} bytes.`, [
      "Shorten it: select fewer columns, or replace long IN lists by a join or a subquery.",
    ]);
  }
  const nul = sql.indexOf("\0");
  if (nul >= 0) return refuse("nul_character", "The statement contains a NUL character.", ["Remove it."], nul);
  const all = tokenize(sql);
  const illegal = all.find((token) => token.kind === "illegal");
  if (illegal !== undefined) return refuseIllegal(illegal);
  const tokens = trimSemicolons(all.filter((token) => token.kind !== "blank" && token.kind !== "comment"));
  const first = tokens[0];
  const last = tokens.at(-1);
  if (first === undefined || last === undefined) {
    return refuse("empty_statement", "The text contains no SQL statement.", [ONE_STATEMENT_ADVICE]);
  }
  const refusal = checkStatement(tokens, first);
  if (refusal !== null) return err(refusal);
  const closing = matchBrackets(tokens);
  if (closing === null) {
    return refuse("unbalanced_brackets", "The round brackets do not balance.", ["Close every bracket that is opened."]);
  }
  const shape = readShape(tokens, closing);
  const position = checkHeads(shape) ?? checkTables(shape) ?? checkExpansion(shape);
  if (position !== null) return err(position);
  const text = sql.slice(first.start, last.start + last.text.length);
  const recursion = findRecursion(shape, first.start);
  if (!recursion.ok) return recursion;
  return ok({ sql: text, shape, recursion: recursion.value });
}

/**
 * One text for all spellings of a statement: bare words folded to lower case, blanks and comments made one blank or
 * none, leading and trailing semicolons dropped. Quoted names and literals stay as they are. For signatures; never run.
 */
export function normalizeSql(sql: string): string {
  const tokens = trimSemicolons(tokenize(sql).filter((token) => token.kind !== "blank" && token.kind !== "comment"));
  return tokens.map((token) => (token.kind === "word" ? token.text.toLowerCase() : token.text)).join(" ");
}

function refuse(
  code: string,
  message: string,
  advice: readonly string[],
  offset?: number,
): { readonly ok: false; readonly error: SqlRefusal } {
  return err(offset === undefined ? { code, message, advice } : { code, message, advice, offset });
}

function refuseIllegal(token: Token): { readonly ok: false; readonly error: SqlRefusal } {
  const quote = token.text[0] ?? "";
  const isOpen = "'\"`[".includes(quote) && quote !== "";
  return isOpen
    ? refuse(
        "unclosed_quote",
        `A quote opened with ${quote} is never closed.`,
        ["Close it, or double it."],
        token.start,
      )
    : refuse(
        "unreadable_token",
        `SQLite cannot read ${JSON.stringify(token.text.slice(0, 40))}.`,
        token.text === ":"
          ? ["x::type is CAST(x AS type) in SQLite."]
          : ["Remove it, or put it in single quotes if it is text, in double quotes if it is a name."],
        token.start,
      );
}

/** D1 fails on blanks or comments behind a semicolon and on empty statements, so they never reach it. */
function trimSemicolons(tokens: readonly Token[]): readonly Token[] {
  let from = 0;
  let to = tokens.length;
  while (from < to && isSymbol(tokens[from], ";")) from += 1;
  while (to > from && isSymbol(tokens[to - 1], ";")) to -= 1;
  return tokens.slice(from, to);
}

/** What can be said before brackets are matched: statement kind, count, parameters. */
function checkStatement(tokens: readonly Token[], first: Token): SqlRefusal | null {
  const kind = checkKind(first);
  if (kind !== null) return kind;
  const semicolon = tokens.find((token) => isSymbol(token, ";"));
  if (semicolon !== undefined) {
    return {
      code: "several_statements",
      message: "The text contains more than one statement.",
      advice: [ONE_STATEMENT_ADVICE, "Ask a second question in a second query."],
      offset: semicolon.start,
    };
  }
  const parameter = tokens.find((token) => token.kind === "parameter");
  if (parameter === undefined) return null;
  return {
    code: "unbound_parameter",
    message: `${parameter.text} is a parameter without a value.`,
    advice: ["Write the value itself into the statement, text in single quotes."],
    offset: parameter.start,
  };
}

function checkKind(first: Token): SqlRefusal | null {
  const word = keyword(first);
  if (word === "SELECT" || word === "VALUES" || word === "WITH") return null;
  const offset = first.start;
  if (word === "EXPLAIN") {
    return {
      code: "explain_refused",
      message: "EXPLAIN is not run: every query is explained for you before it runs.",
      advice: ["Send the SELECT itself, without EXPLAIN; full scans and high costs come back as warnings."],
      offset,
    };
  }
  if (word === "PRAGMA") {
    return {
      code: "pragma_refused",
      message: "PRAGMA is not run: some of them change the database or its connection.",
      advice: ["Use the schema tools, or read `SELECT * FROM pragma_table_info('table_name')`."],
      offset,
    };
  }
  if (isSymbol(first, "(")) {
    return {
      code: "bracketed_statement",
      message: "SQLite has no brackets around a whole SELECT.",
      advice: ["Remove the outer brackets; write `SELECT … UNION SELECT …` without them."],
      offset,
    };
  }
  return {
    code: "not_a_read",
    message: `Only reads run here: the statement starts with ${JSON.stringify(first.text.slice(0, 40))}.`,
    advice: [ONE_STATEMENT_ADVICE, "The database cannot be changed; report what the data says instead."],
    offset,
  };
}

/** The main word behind every WITH, and the first word in every bracket. */
function checkHeads(shape: StatementShape): SqlRefusal | null {
  for (const head of shape.heads) {
    const main = readWith(shape.tokens, shape.closing, head, []);
    const token = shape.tokens[main];
    const word = keyword(token);
    const isWrite =
      word === "DELETE" ||
      word === "INSERT" ||
      word === "UPDATE" ||
      (word === "REPLACE" && keyword(shape.tokens[main + 1]) === "INTO");
    const isBadMain = main !== head && word !== "SELECT" && word !== "VALUES";
    if (!isWrite && !isBadMain) continue;
    return {
      code: isWrite ? "not_a_read" : "incomplete_with",
      message: isWrite
        ? `Only reads run here: ${word} would change the database.`
        : "WITH must be followed by its tables and then a SELECT.",
      advice: [ONE_STATEMENT_ADVICE],
      ...(token === undefined ? {} : { offset: token.start }),
    };
  }
  return null;
}

/** D1 has no temporary objects, so the schema table of `temp` is always empty and harmless; the rest of it is not there. */
function isReadableSchema(qualifier: string, name: string): boolean {
  return qualifier === "main" || (qualifier === "temp" && (name === "sqlite_schema" || name === "sqlite_master"));
}

/** Names in table position: no pragma but the schema readers, no schema but main. */
function checkTables(shape: StatementShape): SqlRefusal | null {
  for (const table of shape.tables) {
    const offset = shape.tokens[table.index]?.start ?? 0;
    const name = table.name.toLowerCase();
    if (name.startsWith("pragma_") && !PRAGMA_READERS.has(name)) {
      return {
        code: "pragma_refused",
        message: `${table.name} is not readable: some pragmas change the database.`,
        advice: [`These can be read: ${[...PRAGMA_READERS].join(", ")}.`],
        offset,
      };
    }
    if (name.startsWith("_cf_")) {
      return {
        code: "table_not_readable",
        message: `There is no readable table ${JSON.stringify(table.name)}.`,
        advice: ["Tables that begin with _cf_ are Cloudflare's own. Use list_tables to see what can be read."],
        offset,
      };
    }
    if (table.qualifier !== null && !isReadableSchema(table.qualifier.toLowerCase(), name)) {
      return {
        code: "other_schema",
        message: `There is no database ${JSON.stringify(table.qualifier)} to read: D1 has one, called main.`,
        advice: [`Write the table's name alone: ${table.name}.`],
        offset,
      };
    }
  }
  return null;
}
