/**
 * Error text to advice: what went wrong in plain words and the safe next step (two of the three parts of C25; when the
 * run will stop is the loop's to say). The catalogue holds every message that D1 or SQLite gives for a read. Nearest
 * names come from the caller's own schema, so that they never tell of what is hidden. Pure: no I/O, no clock.
 */
import { rewriteFor } from "./functions.ts";
import type { DatabaseSchema } from "./schema.ts";

export interface SqlError {
  readonly code: string;
  readonly message: string;
  readonly advice: readonly string[];
  /** True when the database, not the statement, is to blame and another try may succeed. */
  readonly transient: boolean;
}

interface Entry {
  readonly code: string;
  readonly pattern: RegExp;
  readonly advise: (found: string, schema: DatabaseSchema) => readonly string[];
}

/** Names offered as near ones. */
const NEAREST_MAX = 3;

const fixed =
  (...advice: readonly string[]) =>
  (): readonly string[] =>
    advice;

/** In order: the first pattern that matches decides. */
const CATALOGUE: readonly Entry[] = [
  {
    code: "recursion_limit",
    pattern: /(recursion passed its limit of \d+ rows)/,
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
    pattern: /Expression tree is too large/,
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
    advise: (found) => [`${found} refers to itself: a common table must not have the name of the table it reads.`],
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
  { code: "syntax_error", pattern: /near "(.*)": syntax error/s, advise: (found) => adviseSyntax(found) },
];

const GENERIC_ADVICE = ["Read the message, look at the schema, and send a simpler SELECT."];

/** Advice for an error that the statement itself caused. `message` is D1's, with or without its prefix and suffix. */
export function adviseError(message: string, schema: DatabaseSchema): SqlError {
  const plain = toPlainMessage(message);
  for (const entry of CATALOGUE) {
    const found = entry.pattern.exec(plain);
    if (found === null) continue;
    return { code: entry.code, message: plain, advice: entry.advise(found[1] ?? "", schema), transient: false };
  }
  return { code: "sql_error", message: plain, advice: GENERIC_ADVICE, transient: false };
}

/** D1's message without `D1_ERROR:` in front and the SQLite code behind; offsets are of our wrapper, so they go too. */
export function toPlainMessage(message: string): string {
  return message
    .replace(/^(?:D1_\w+: )+/, "")
    .replace(/: SQLITE_\w+(?: \(.*\))?$/s, "")
    .replace(/ at offset \d+$/, "")
    .replace(/ -?\d{6,}'$/, "")
    .trim();
}

/** The names nearest to `wanted` by edit distance, nearest first, none that is a different word altogether. */
export function nearestNames(wanted: string, names: Iterable<string>): readonly string[] {
  const target = wanted.toLowerCase();
  const bound = Math.max(2, Math.floor(target.length / 2));
  return [...new Set(names)]
    .map((name) => ({ name, distance: nameDistance(target, name.toLowerCase(), bound) }))
    .filter(({ distance }) => distance <= bound)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, NEAREST_MAX)
    .map(({ name }) => name);
}

/** Edit distance, with a name that contains the other counted as near. */
function nameDistance(a: string, b: string, bound: number): number {
  if (a === b) return 0;
  if (b.includes(a) || (b.length > 2 && a.includes(b))) return 1;
  if (Math.abs(a.length - b.length) > bound) return bound + 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, char] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (b[j - 1] === char ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? bound + 1;
}

function nearestTables(found: string, schema: DatabaseSchema): readonly string[] {
  const wanted = found.replace(/^main\./, "");
  const near = nearestNames(
    wanted,
    schema.tables.map((table) => table.name),
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
  const near = nearestNames(column, owners.keys());
  const advice = near.map((name) => `${name} (in ${owners.get(name)?.slice(0, NEAREST_MAX).join(", ")})`);
  const text = "If it is meant as text, write it in single quotes.";
  return advice.length > 0
    ? [`Did you mean ${advice.join("; ")}?`, text]
    : ["Use describe_tables to see the columns of the tables you join.", text];
}

function adviseSyntax(near: string): readonly string[] {
  const rewrite = rewriteFor(near);
  const place = `SQLite cannot go on at ${JSON.stringify(near)}.`;
  return rewrite === null ? [place, "Write it in SQLite's dialect."] : [place, ...rewrite];
}
