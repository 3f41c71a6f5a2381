/**
 * Every message that D1 or SQLite gives for a read, with a code, and advice that names a safe next step. The order
 * decides: the first pattern that matches a message is taken. Near names come from the caller's own schema, so that
 * they never tell of what is hidden. Pure: no I/O, no clock.
 */
import { nearestNames } from "../lib/nearest.ts";
import { rewriteFor, rewritesForDialect } from "./functions.ts";
import type { DatabaseSchema } from "./schema.ts";

export interface ErrorEntry {
  readonly code: string;
  readonly pattern: RegExp;
  /** A message of ours, where the engine's own would puzzle. */
  readonly say?: (found: string) => string;
  readonly advise: (found: string, schema: DatabaseSchema, sql: string) => readonly string[];
}

/** Names offered as near ones. */
const NEAR_MAX = 3;
/** Tables named as owners of a near column. */
const OWNERS_MAX = 3;

const fixed =
  (...advice: readonly string[]) =>
  (): readonly string[] =>
    advice;

/** In order: the first pattern that matches decides. */
export const ERROR_CATALOGUE: readonly ErrorEntry[] = [
  {
    code: "recursion_limit",
    pattern: /recursion passed its limit of (\d+) rows/,
    say: (found) => `A recursive table passed its limit of ${found} rows.`,
    advise: fixed(
      "Make the recursion end: add a WHERE that stops it, use UNION instead of UNION ALL where rows repeat.",
      "Or end the recursive table's body with a LIMIT that is large enough for the answer.",
    ),
  },
  { code: "no_such_table", pattern: /no such table: (.+?)(?: at offset \d+)?$/, advise: nearestTables },
  { code: "no_such_column", pattern: /no such column: (.+?)(?: at offset \d+|$)/, advise: nearestColumns },
  {
    code: "ambiguous_column",
    pattern: /ambiguous column name: (.+?)(?: at offset \d+)?$/,
    advise: (found) => [`Several tables have ${found}: write table.${found}, with the table or alias you mean.`],
  },
  {
    code: "missing_function",
    pattern: /(?:no such function|not authorized to use function): (\w+)/,
    advise: (found) => rewriteFor(found) ?? [`There is no function ${found} in SQLite on D1: use its core functions.`],
  },
  {
    code: "function_arguments",
    pattern: /wrong number of arguments to function (\w+)/,
    advise: (found) => rewriteFor(found) ?? [`Check how many arguments ${found} takes in SQLite.`],
  },
  {
    code: "aggregate_misuse",
    pattern: /misuse of (?:aggregate|window function)[:]? ?(.*)$/,
    advise: fixed("Aggregates cannot stand in WHERE or inside each other: use HAVING, or a subquery."),
  },
  {
    code: "too_many_columns",
    pattern: /too many columns/,
    advise: fixed("D1 gives at most 100 columns: name the columns you need instead of *."),
  },
  {
    code: "too_many_terms",
    pattern: /too many terms in compound SELECT/,
    advise: fixed(
      "D1 allows 5 terms in one compound: nest them, SELECT * FROM (… UNION ALL …) UNION ALL SELECT ….",
      "Or replace the UNION by one query with IN, CASE or GROUP BY.",
    ),
  },
  {
    code: "expression_too_deep",
    pattern: /(Expression tree is too large|parser stack overflow)/,
    advise: fixed("D1 allows expressions 100 levels deep: replace chains of OR by IN (…), chains of AND by a join."),
  },
  {
    code: "like_too_long",
    pattern: /LIKE or GLOB pattern too complex/,
    advise: fixed("D1 allows 50 bytes in a LIKE or GLOB pattern: use instr(column, 'text') > 0 instead."),
  },
  {
    code: "too_many_arguments",
    pattern: /too many arguments on function (\w+)/,
    advise: fixed("Give the function fewer arguments, or nest calls."),
  },
  {
    code: "value_too_big",
    pattern: /string or blob too big/,
    advise: fixed("A value of the query is over the size limit: use substr(), or aggregate fewer rows."),
  },
  {
    code: "fts_syntax",
    pattern: /(fts5: syntax error.*|unknown special query.*|unterminated string)$/,
    advise: fixed(
      'The text after MATCH is a full-text query: words, "phrases", AND, OR, NOT between two terms, prefix*.',
      "Put the user's words in double quotes inside the single quotes: MATCH '\"like this\"'.",
    ),
  },
  {
    code: "match_misuse",
    pattern: /unable to use function (?:MATCH|match|bm25|highlight|snippet)/,
    advise: fixed("MATCH works on full-text tables only (tagged fts5 in the schema): use LIKE or instr()."),
  },
  {
    code: "malformed_json",
    pattern: /(malformed JSON|bad JSON path.*)/,
    advise: fixed("Filter with json_valid(column) first; a path starts with $, as in '$.name'."),
  },
  {
    code: "column_count",
    pattern:
      /(SELECTs to the left and right|sub-select returns \d+ columns|all VALUES must have the same|row value misused|has \d+ values for \d+ columns)/,
    advise: fixed("Give every part of the compound, list or subquery the same number of columns."),
  },
  {
    code: "order_by_mismatch",
    pattern: /(ORDER BY|GROUP BY) term (?:does not match|out of range)/,
    advise: fixed("Order a compound by a column of its result or its number; number columns from 1."),
  },
  {
    code: "misplaced_clause",
    pattern: /clause should come (?:after|before)/,
    advise: fixed(
      "In a compound, ORDER BY and LIMIT come once, at the end. Wrap a part in SELECT * FROM (…) to limit it.",
    ),
  },
  {
    code: "circular_reference",
    pattern: /circular reference: (.+)$/,
    advise: (found) => [`Rename ${found}: a common table must not have the name of the table it reads.`],
  },
  {
    code: "integer_overflow",
    pattern: /integer overflow/,
    advise: fixed("Use total() or CAST(column AS REAL): the sum does not fit 64 bits."),
  },
  {
    code: "no_such_index",
    pattern: /no such index: (.+)$/,
    advise: fixed("Leave INDEXED BY out: the engine chooses its index."),
  },
  {
    code: "not_authorized",
    pattern: /^(not authorized|access to .* is prohibited)/,
    advise: fixed(
      "D1 forbids this table or pragma. When sqlite_schema is joined to a pragma, exclude Cloudflare's own tables: WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'.",
      "Better: use list_tables and describe_tables.",
    ),
  },
  { code: "sql_too_long", pattern: /statement too long/, advise: fixed("Shorten the statement.") },
  { code: "datatype_mismatch", pattern: /datatype mismatch/, advise: fixed("LIMIT and OFFSET take whole numbers.") },
  {
    code: "incomplete_statement",
    pattern: /incomplete input/,
    advise: fixed("The statement ends too early: complete it."),
  },
  {
    code: "join_columns",
    pattern: /(cannot join using column \S+|a NATURAL join may not have)/,
    advise: fixed("Join with ON a.x = b.y: USING and NATURAL need equal column names in both tables."),
  },
  {
    code: "too_many_tables",
    pattern: /(at most \d+ tables in a join|too many FROM clause terms)/,
    advise: fixed("Join fewer tables, or aggregate in steps with WITH."),
  },
  {
    code: "recursion_shape",
    pattern:
      /(recursive reference in a subquery|multiple recursive references|cannot use window functions in recursive|recursive aggregate)/,
    advise: fixed(
      "A recursive table names itself once, in the FROM of its last part, without aggregates or windows there.",
    ),
  },
  {
    code: "window_shape",
    pattern:
      /(no such window|unsupported frame specification|frame (?:starting|ending) offset|argument of n\w+ must be)/,
    advise: fixed("Check the OVER clause: its window must be defined, its frame offsets positive whole numbers."),
  },
  {
    code: "grouping",
    pattern:
      /(a GROUP BY clause is required before HAVING|HAVING clause on a non-aggregate|DISTINCT aggregates must|ORDER BY may not be used with non-aggregate)/,
    advise: fixed("HAVING needs a GROUP BY; count(DISTINCT x) takes one expression: join several with ||."),
  },
  {
    code: "syntax_error",
    pattern: /near "(.*)": syntax error/s,
    advise: (found, _schema, sql) => adviseSyntax(found, sql),
  },
];

function nearestTables(found: string, schema: DatabaseSchema): readonly string[] {
  const wanted = found.replace(/^main\./, "");
  const near = nearestNames(
    wanted,
    schema.tables.map((table) => table.name),
    NEAR_MAX,
  );
  if (schema.tables.length === 0) return ["The database has no tables that can be read."];
  return near.length > 0
    ? [`Did you mean ${near.join(", ")}?`]
    : ["Use list_tables to see the tables, then describe_tables for their columns."];
}

function nearestColumns(found: string, schema: DatabaseSchema): readonly string[] {
  const column =
    found
      .split(".")
      .at(-1)
      ?.replace(/ - should this be a string literal.*$/, "") ?? found;
  const owners = new Map<string, string[]>();
  for (const table of schema.tables) {
    for (const { name } of table.columns) owners.set(name, [...(owners.get(name) ?? []), table.name]);
  }
  const near = nearestNames(column, [...owners.keys()], NEAR_MAX);
  const advice = near.map((name) => `${name} (in ${owners.get(name)?.slice(0, OWNERS_MAX).join(", ")})`);
  const text = "If it is meant as text, write it in single quotes.";
  return advice.length > 0
    ? [`Did you mean ${advice.join("; ")}?`, text]
    : ["Use describe_tables to see the columns of the tables you join.", text];
}

/** Another dialect's word is often not where the engine stumbles: EXTRACT(YEAR FROM d) fails at FROM. */
function adviseSyntax(near: string, sql: string): readonly string[] {
  // Our wrapper's bracket follows the statement: stumbling there means that the statement ends too early.
  const place =
    near === ")"
      ? "The statement, or a bracket in it, ends too early: complete its last clause."
      : `SQLite cannot go on at ${JSON.stringify(near)}.`;
  const rewrites = rewriteFor(near) ?? rewritesForDialect(sql);
  return rewrites.length === 0 ? [place, "Write it in SQLite's dialect."] : [place, ...rewrites];
}
