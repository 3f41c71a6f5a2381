/**
 * Writes a SELECT as SQLite text a person can read: one clause a line, short aliases where tables are joined, names
 * quoted only where they must be. Owns: quoting of names and literals. Pure: no I/O, no clock.
 */
import type { Literal } from "./intent.ts";
import type { Expression, Predicate, Select, Source } from "./select.ts";
import { wordsOfName } from "./words.ts";

/** SQLite's keywords that cannot stand bare as a name, and those that would puzzle a reader. */
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "abort action add after all alter always analyze and as asc attach autoincrement before begin between by cascade case cast check collate " +
    "column commit conflict constraint create cross current current_date current_time current_timestamp database default deferrable deferred " +
    "delete desc detach distinct do drop each else end escape except exclude exclusive exists explain fail filter first following for foreign " +
    "from full generated glob group groups having if ignore immediate in index indexed initially inner insert instead intersect into is isnull " +
    "join key last left like limit match materialized natural no not nothing notnull null nulls of offset on or order others outer over " +
    "partition plan pragma preceding primary query raise range recursive references regexp reindex release rename replace restrict returning " +
    "right rollback row rows savepoint select set table temp temporary then ties to transaction trigger unbounded union unique update using " +
    "vacuum values view virtual when where window with without"
  ).split(" "),
);

export function quoteName(name: string): string {
  const bare = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !KEYWORDS.has(name.toLowerCase());
  return bare ? name : `"${name.replaceAll('"', '""')}"`;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

type Aliases = ReadonlyMap<number, string | null>;

/** The statement's text, without a semicolon. */
export function writeSelect(select: Select, indent = ""): string {
  const aliases = chooseAliases(select.sources);
  const expression = (of: Expression): string => writeExpression(of, aliases);
  const predicate = (of: Predicate): string => writePredicate(of, aliases, indent);
  const outputs = select.outputs.map(
    ({ expression: of, alias }) => `${expression(of)}${alias === null ? "" : ` AS ${quoteName(alias)}`}`,
  );
  const lines = [`SELECT ${select.distinct ? "DISTINCT " : ""}${outputs.join(", ")}`];
  for (const source of select.sources) lines.push(writeSource(source, aliases));
  select.where.forEach((part, index) => {
    const text = part.kind === "or" ? `(${predicate(part)})` : predicate(part);
    lines.push(`${index === 0 ? "WHERE" : "  AND"} ${text}`);
  });
  if (select.groupBy.length > 0) lines.push(`GROUP BY ${select.groupBy.map(expression).join(", ")}`);
  if (select.having.length > 0) lines.push(`HAVING ${select.having.map(predicate).join(" AND ")}`);
  if (select.orderBy.length > 0) {
    const keys = select.orderBy.map(
      (key) => `${orderKey(key.expression, select, expression)}${key.descending ? " DESC" : ""}`,
    );
    lines.push(`ORDER BY ${keys.join(", ")}`);
  }
  if (select.limit !== null) lines.push(`LIMIT ${select.limit}`);
  return lines.map((line, index) => (index === 0 ? line : indent + line)).join("\n");
}

/** An output with an alias is ordered by that alias. */
function orderKey(of: Expression, select: Select, expression: (of: Expression) => string): string {
  const text = expression(of);
  const output = select.outputs.find((each) => each.alias !== null && expression(each.expression) === text);
  return output?.alias === undefined || output.alias === null ? text : quoteName(output.alias);
}

function writeSource(source: Source, aliases: Aliases): string {
  const alias = aliases.get(source.id) ?? null;
  const name = `${quoteName(source.table)}${alias === null ? "" : ` AS ${alias}`}`;
  if (source.join === null) return `FROM ${name}`;
  const earlier = aliases.get(source.join.to) ?? "";
  const on = source.join.pairs.map(([left, right]) => `${alias}.${quoteName(right)} = ${earlier}.${quoteName(left)}`);
  return `${source.join.optional ? "LEFT " : ""}JOIN ${name} ON ${on.join(" AND ")}`;
}

/** Initials of the table's words, numbered where two agree; none when one table stands alone. */
function chooseAliases(sources: readonly Source[]): Aliases {
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
        .join("") || "t";
    let alias = KEYWORDS.has(initials) ? `${initials}1` : initials;
    for (let number = 2; taken.has(alias); number += 1) alias = `${initials}${number}`;
    taken.add(alias);
    aliases.set(source.id, alias);
  }
  return aliases;
}

function writeExpression(of: Expression, aliases: Aliases): string {
  const write = (inner: Expression): string => writeExpression(inner, aliases);
  switch (of.kind) {
    case "column": {
      const alias = aliases.get(of.source) ?? null;
      return alias === null ? quoteName(of.name) : `${alias}.${quoteName(of.name)}`;
    }
    case "period":
      return writePeriod(of.unit, write(of.of), of.isNumber ? ", 'auto'" : "");
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

function writePeriod(unit: "year" | "month" | "day" | "quarter", date: string, modifier: string): string {
  if (unit === "year") return `strftime('%Y', ${date}${modifier})`;
  if (unit === "month") return `strftime('%Y-%m', ${date}${modifier})`;
  if (unit === "day") return `strftime('%Y-%m-%d', ${date}${modifier})`;
  return `strftime('%Y', ${date}${modifier}) || '-Q' || ((CAST(strftime('%m', ${date}${modifier}) AS INTEGER) + 2) / 3)`;
}

function writeLiteral(value: Literal): string {
  return value.kind === "number" ? value.text : quoteText(value.text);
}

/** A LIKE pattern longer than this is refused by the database. */
const LIKE_PATTERN_BYTES_MAX = 50;

function writePredicate(of: Predicate, aliases: Aliases, indent: string): string {
  const write = (inner: Expression): string => writeExpression(inner, aliases);
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
      return `${left} ${not}IN (\n${indent}    ${writeSelect(of.select, `${indent}    `)}\n${indent}  )`;
    }
    case "compare_select":
      return `${write(of.left)} ${of.operator} (${writeSelect(of.select).replaceAll("\n", " ")})`;
    case "and":
    case "or": {
      const joiner = of.kind === "and" ? " AND " : " OR ";
      return of.parts
        .map((part) =>
          part.kind === "and" || part.kind === "or"
            ? `(${writePredicate(part, aliases, indent)})`
            : writePredicate(part, aliases, indent),
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
