/**
 * Looking for a value: one SELECT with a scalar subquery a text column, each giving the shortest text that holds the
 * value. The result names the value and each place itself, so that reading it back needs no memory.
 * Owns: that query and its reading. Pure: no I/O, no clock.
 */
import type { ColumnNode, SchemaGraph, TableNode } from "./schema-graph.ts";
import { quoteName, quoteText } from "./sql-writer.ts";
import type { ValueMatch } from "./values.ts";
import { plainForm } from "./values.ts";
import { spellingsOf } from "./vocabulary.ts";

/** The first column of a probe's result. */
const PROBE_MARK = "looked_for";

/** The database allows 100 result columns. */
const PLACES_MAX = 60;

/** Scanning a larger table for a word is not worth its rows. */
const PROBED_ROWS_MAX = 200_000;

interface Place {
  readonly table: TableNode;
  readonly columns: readonly ColumnNode[];
}

/** The probe for `value`, or null when there is no text column to look in. */
export function writeProbe(graph: SchemaGraph, value: string): string | null {
  const places = placesOf(graph).slice(0, PLACES_MAX);
  if (places.length === 0) return null;
  const spellings = [...new Set(spellingsOf(value).map((each) => plainForm(each)))];
  const quote = (name: string): string => quoteName(name, graph.quoted);
  const lines = places.map(({ table, columns }) => {
    const text = columns.map((column) => quote(column.name)).join(" || ' ' || ");
    const name = `${table.name}.${columns.map((column) => column.name).join("+")}`;
    const tests = spellings.map((spelling, index) =>
      index === 0 ? `instr(lower(${text}), ${quoteText(spelling)}) > 0` : `lower(${text}) = ${quoteText(spelling)}`,
    );
    const first = quoteText(spellings[0] ?? "");
    return `  (SELECT ${text} FROM ${quote(table.name)} WHERE ${tests.join(" OR ")} ORDER BY lower(${text}) <> ${first}, length(${text}) LIMIT 1) AS ${quoteName(name)}`;
  });
  return `SELECT ${quoteText(value)} AS ${PROBE_MARK},\n${lines.join(",\n")}`;
}

function placesOf(graph: SchemaGraph): readonly Place[] {
  const places: Place[] = [];
  for (const table of graph.tables) {
    if (table.kind === "view" || (table.rows ?? 0) > PROBED_ROWS_MAX || table.rows === 0) continue;
    const texts = table.columns.filter((column) => column.kind === "text" && column.references === null);
    if (table.labels.length === 2) places.push({ table, columns: table.labels });
    for (const column of texts) places.push({ table, columns: [column] });
  }
  const rank = ({ table, columns }: Place): number =>
    columns.every((column) => table.labels.includes(column)) ? 0 : 1;
  return places.sort((a, b) => rank(a) - rank(b));
}

/** What a probe's result says, or null when the columns are no probe's. */
export function readProbe(
  graph: SchemaGraph,
  columns: readonly string[],
  row: readonly unknown[] | undefined,
): { readonly value: string; readonly matches: readonly ValueMatch[] } | null {
  if (columns[0] !== PROBE_MARK || row === undefined) return null;
  const value = String(row[0]);
  const matches: ValueMatch[] = [];
  columns.slice(1).forEach((name, index) => {
    const found = row[index + 1];
    if (typeof found !== "string") return;
    const match = toMatch(graph, name, value, found);
    if (match !== null) matches.push(match);
  });
  return { value, matches };
}

function toMatch(graph: SchemaGraph, name: string, value: string, found: string): ValueMatch | null {
  const table = graph.tables.find(
    (each) =>
      name.startsWith(`${each.name}.`) &&
      each.columns.some((column) => name.slice(each.name.length + 1).split("+")[0] === column.name),
  );
  if (table === undefined) return null;
  const columns = name.slice(table.name.length + 1).split("+");
  const whole = spellingsOf(value).some((spelling) => plainForm(spelling) === plainForm(found));
  if (columns.length === 1) {
    // A part counts only at the edge of words: `art` is not in `Bartók`.
    if (!whole && !holdsWords(found, value)) return null;
    return { table: table.name, columns, values: [found], whole };
  }
  if (!whole) return null;
  const cut = splitName(found, columns.length);
  return cut === null ? null : { table: table.name, columns, values: cut, whole: true };
}

/** First and last name apart: what follows the first space is taken for the last name. */
function splitName(found: string, parts: number): readonly string[] | null {
  const space = found.indexOf(" ");
  return parts !== 2 || space < 0 ? null : [found.slice(0, space), found.slice(space + 1)];
}

function holdsWords(text: string, words: string): boolean {
  const lower = text.toLowerCase();
  const part = plainForm(words);
  const at = lower.indexOf(part);
  if (at < 0) return false;
  const before = lower[at - 1];
  return before === undefined || !/[\p{L}\p{N}]/u.test(before);
}
