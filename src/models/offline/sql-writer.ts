/**
 * Writes a SELECT as SQLite text a person can read: one clause a line, short aliases where tables are joined, names
 * quoted only where they must be. Owns: quoting of names and literals. Pure: no I/O, no clock.
 */
import type { Literal } from "./intent.ts";
import type { Expression, Predicate, Select, Source } from "./select.ts";
import type { PeriodUnit } from "./vocabulary.ts";
import { wordsOfName } from "./words.ts";

/** Aliases that would be keywords. */
const SHORT_KEYWORDS = /^(add|all|and|asc?|by|do|end|for|i[fns]|key|no|not|o[fnr]|row|set|to)$/;

const NONE: ReadonlySet<string> = new Set();

/** Bare when it is plain and the schema, whose writer knows every keyword, writes it bare as well. */
export function quoteName(name: string, quoted = NONE): string {
  const bare = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !quoted.has(name.toLowerCase());
  return bare ? name : `"${name.replaceAll('"', '""')}"`;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** How the statement calls things. */
interface Names {
  readonly quote: (name: string) => string;
  readonly aliases: ReadonlyMap<number, string | null>;
  /** A SELECT within this one. */
  readonly inner: (select: Select, indent: string) => string;
}

/** The statement's text, without a semicolon. */
export function writeSelect(select: Select, indent = "", quoted = select.quoted ?? NONE): string {
  const quote = (name: string): string => quoteName(name, quoted);
  const inner = (within: Select, deeper: string): string => writeSelect(within, deeper, quoted);
  const names: Names = { quote, aliases: chooseAliases(select.sources), inner };
  const expression = (of: Expression): string => writeExpression(of, names);
  const predicate = (of: Predicate): string => writePredicate(of, names, indent);
  const outputs = select.outputs.map(
    ({ expression: of, alias }) => `${expression(of)}${alias === null ? "" : ` AS ${quote(alias)}`}`,
  );
  const lines = [`SELECT ${select.distinct ? "DISTINCT " : ""}${outputs.join(", ")}`];
  for (const source of select.sources) lines.push(writeSource(source, names));
  select.where.forEach((part, index) => {
    const text = part.kind === "or" ? `(${predicate(part)})` : predicate(part);
    lines.push(`${index === 0 ? "WHERE" : "  AND"} ${text}`);
  });
  if (select.groupBy.length > 0) lines.push(`GROUP BY ${select.groupBy.map(expression).join(", ")}`);
  if (select.having.length > 0) lines.push(`HAVING ${select.having.map(predicate).join(" AND ")}`);
  if (select.orderBy.length > 0) {
    const keys = select.orderBy.map(
      (key) => `${orderKey(key.expression, select, expression, quote)}${key.descending ? " DESC" : ""}`,
    );
    lines.push(`ORDER BY ${keys.join(", ")}`);
  }
  if (select.limit !== null) lines.push(`LIMIT ${select.limit}`);
  return lines.map((line, index) => (index === 0 ? line : indent + line)).join("\n");
}

/** An output with an alias is ordered by that alias. */
function orderKey(
  of: Expression,
  select: Select,
  expression: (of: Expression) => string,
  quote: Names["quote"],
): string {
  const text = expression(of);
  const output = select.outputs.find((each) => each.alias !== null && expression(each.expression) === text);
  return output?.alias === undefined || output.alias === null ? text : quote(output.alias);
}

function writeSource(source: Source, { quote, aliases }: Names): string {
  const alias = aliases.get(source.id) ?? null;
  const name = `${quote(source.table)}${alias === null ? "" : ` AS ${alias}`}`;
  if (source.join === null) return `FROM ${name}`;
  const earlier = aliases.get(source.join.to) ?? "";
  const on = source.join.pairs.map(([left, right]) => `${alias}.${quote(right)} = ${earlier}.${quote(left)}`);
  return `${source.join.optional ? "LEFT " : ""}JOIN ${name} ON ${on.join(" AND ")}`;
}

/** Initials of the table's words, numbered where two agree; none when one table stands alone. */
function chooseAliases(sources: readonly Source[]): Names["aliases"] {
  const aliases = new Map<number, string | null>();
  if (sources.length === 1) {
    for (const source of sources) aliases.set(source.id, null);
    return aliases;
  }
  const taken = new Set<string>();
  for (const source of sources) {
    const initials =
      wordsOfName(source.table)
        .map((word) => word.replace(/[^a-z]/g, "").slice(0, 1))
        .join("")
        .slice(0, 3) || "t";
    let alias = SHORT_KEYWORDS.test(initials) ? `${initials}1` : initials;
    for (let number = 2; taken.has(alias); number += 1) alias = `${initials}${number}`;
    taken.add(alias);
    aliases.set(source.id, alias);
  }
  return aliases;
}

function writeExpression(of: Expression, names: Names): string {
  const write = (inner: Expression): string => writeExpression(inner, names);
  switch (of.kind) {
    case "column": {
      const alias = names.aliases.get(of.source) ?? null;
      return alias === null ? names.quote(of.name) : `${alias}.${names.quote(of.name)}`;
    }
    case "period":
      return writePeriod(of.unit, write(of.of), of.isNumber ? ", 'auto'" : "");
    case "ratio":
      return `${write(of.of)} / ${of.by}.0`;
    case "place":
      return `${of.within.length === 0 ? "rank() OVER (" : `row_number() OVER (PARTITION BY ${of.within.map(write).join(", ")} `}ORDER BY ${write(of.by)}${of.descending ? " DESC" : ""})`;
    case "share":
      return `round(100.0 * ${write(of.of)} / sum(${write(of.of)}) OVER (), 2)`;
    case "day":
      return `date(${write(of.of)}, 'auto')`;
    case "number":
      return `CAST(${write(of.of)} AS REAL)`;
    case "joined":
      return of.parts.map(write).join(" || '/' || ");
    case "product": {
      const product = of.factors.map(write).join(" * ");
      return of.discount === null ? product : `${product} * (1 - ${write(of.discount)})`;
    }
    case "call":
      return `${of.function}(${of.distinct ? "DISTINCT " : ""}${of.of === null ? "*" : write(of.of)})`;
    case "literal":
      return writeLiteral(of.value);
  }
}

const FORMATS = { year: "%Y", month: "%Y-%m", day: "%Y-%m-%d", week: "%Y-W%W" } as const;

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

function writePeriod(unit: PeriodUnit, date: string, modifier: string): string {
  const part = (format: string): string => `strftime('${format}', ${date}${modifier})`;
  if (unit === "quarter") return `${part("%Y")} || '-Q' || ((CAST(${part("%m")} AS INTEGER) + 2) / 3)`;
  if (unit !== "weekday") return part(FORMATS[unit]);
  return `CASE ${part("%w")} ${WEEKDAYS.map((day, index) => `WHEN '${index}' THEN '${day}'`).join(" ")} END`;
}

function writeLiteral(value: Literal): string {
  return value.kind === "number" ? value.text : quoteText(value.text);
}

/** A LIKE pattern longer than this is refused by the database. */
const LIKE_PATTERN_BYTES_MAX = 50;

function writePredicate(of: Predicate, names: Names, indent: string): string {
  const write = (inner: Expression): string => writeExpression(inner, names);
  const not = "negated" in of && of.negated ? "NOT " : "";
  switch (of.kind) {
    case "compare":
      return `${write(of.left)} ${of.operator} ${write(of.right)}`;
    case "between":
      return `${write(of.of)} BETWEEN ${writeLiteral(of.low)} AND ${writeLiteral(of.high)}`;
    case "in_list": {
      const [only] = of.values;
      if (of.values.length === 1 && only !== undefined)
        return `${write(of.of)} ${of.negated ? "<>" : "="} ${writeLiteral(only)}`;
      return `${write(of.of)} ${not}IN (${of.values.map(writeLiteral).join(", ")})`;
    }
    case "like":
      return writeLike(write(of.of), of.text, of.at, not);
    case "null":
      return `${write(of.of)} IS ${not}NULL`;
    case "in_select": {
      const left = of.of.length === 1 ? of.of.map(write).join("") : `(${of.of.map(write).join(", ")})`;
      return `${left} ${not}IN (\n${indent}    ${names.inner(of.select, `${indent}    `)}\n${indent}  )`;
    }
    case "compare_select":
      return `${write(of.left)} ${of.operator} (${names.inner(of.select, "").replaceAll("\n", " ")})`;
    case "and":
    case "or": {
      const joiner = of.kind === "and" ? " AND " : " OR ";
      return of.parts
        .map((part) =>
          part.kind === "and" || part.kind === "or"
            ? `(${writePredicate(part, names, indent)})`
            : writePredicate(part, names, indent),
        )
        .join(joiner);
    }
  }
}

function writeLike(column: string, text: string, at: "any" | "start" | "end", not: string): string {
  const escaped = text.replace(/[\\%_]/g, (mark) => `\\${mark}`);
  const pattern = `${at === "start" ? "" : "%"}${escaped}${at === "end" ? "" : "%"}`;
  if (new TextEncoder().encode(pattern).length > LIKE_PATTERN_BYTES_MAX) {
    return `${not}instr(lower(${column}), ${quoteText(text.toLowerCase())}) > 0`;
  }
  return `${column} ${not}LIKE ${quoteText(pattern)}${escaped === text ? "" : " ESCAPE '\\'"}`;
}
