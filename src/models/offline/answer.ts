/**
 * Words for people: the answer made from the rows of the query, with the cell behind each figure, and the replies for
 * when there is no answer. Every figure in an answer is copied from a cell.
 * Pure: no I/O, no clock.
 */
import type { Intent, Output } from "./intent.ts";
import { labelsOfTable } from "./resolve.ts";
import type { SchemaGraph } from "./schema-graph.ts";
import type { ShownRows } from "./transcript.ts";
import { wordsOfName } from "./words.ts";

export interface CitedFigure {
  readonly figure: string;
  readonly result: string;
  readonly row: number;
  readonly column: string;
}

export interface FinalAnswer {
  readonly answer: string;
  readonly results: readonly string[];
  readonly citations: readonly CitedFigure[];
}

/** Rows told one by one; what is more is counted. */
const ROWS_TOLD_MAX = 10;

/** The answer that the rows of result `ref` give. */
export function writeAnswer(rows: ShownRows, ref: string | null, intent: Intent | null): FinalAnswer {
  const results = ref === null ? [] : [ref];
  const citations: CitedFigure[] = [];
  const cite = (row: number, column: number): string => {
    const text = showCell(rows.rows[row]?.[column]);
    const name = rows.columns[column];
    if (ref !== null && name !== undefined && isFigure(rows.rows[row]?.[column]))
      citations.push({ figure: text, result: ref, row: row + 1, column: name });
    return text;
  };
  const [first] = rows.rows;
  if (first === undefined) return { answer: nothingFound(intent), results, citations };
  if (rows.rows.length === 1 && rows.columns.length === 1)
    return { answer: singleFigure(rows, first[0], cite(0, 0)), results, citations };
  if (rows.rows.length === 1)
    return {
      answer: `${rows.columns.map((column, index) => `${spoken(column)}: ${cite(0, index)}`).join(", ")}.`,
      results,
      citations,
    };
  const total = rows.totalRows ?? rows.rows.length;
  const shown = rows.rows.slice(0, ROWS_TOLD_MAX);
  const hidden = keyColumns(rows);
  const lines = shown.map((_row, index) => `- ${rowText(rows, index, hidden, cite)}`);
  const more = total > shown.length ? `\n… and ${total - shown.length} more rows.` : "";
  const count = rows.truncated && rows.totalRows === null ? `More than ${rows.rows.length}` : String(total);
  return { answer: `${count} rows (${headOf(rows, hidden)}):\n${lines.join("\n")}${more}`, results, citations };
}

function rowText(
  rows: ShownRows,
  row: number,
  hidden: ReadonlySet<number>,
  cite: (row: number, column: number) => string,
): string {
  const cells = rows.columns
    .map((_column, index) => (hidden.has(index) ? null : cite(row, index)))
    .filter((cell) => cell !== null);
  return cells.join(", ");
}

function headOf(rows: ShownRows, hidden: ReadonlySet<number>): string {
  return rows.columns
    .filter((_column, index) => !hidden.has(index))
    .map(spoken)
    .join(", ");
}

/** Keys tell a person little where the row has other columns. */
function keyColumns(rows: ShownRows): ReadonlySet<number> {
  const keys = rows.columns.flatMap((column, index) => (/(^|_|[a-z])(id|ID|Id)$/.test(column) ? [index] : []));
  return new Set(keys.length < rows.columns.length ? keys : []);
}

function singleFigure(rows: ShownRows, cell: unknown, text: string): string {
  const name = spoken(rows.columns[0] ?? "");
  if (cell === null) return `There is no ${name}: no row has a value for it.`;
  const count = /^(.*) count$/.exec(name);
  const things = count?.[1];
  return things === undefined ? `The ${name} is ${text}.` : `The number of ${things} rows that match is ${text}.`;
}

function nothingFound(intent: Intent | null): string {
  const of = intent === null ? "" : ` of ${intent.root}`;
  return `No row${of} matches the question.`;
}

export function spoken(column: string): string {
  return wordsOfName(column).join(" ") || column;
}

function showCell(cell: unknown): string {
  if (cell === null || cell === undefined) return "(none)";
  if (typeof cell === "string") return cell;
  if (typeof cell === "number" || typeof cell === "boolean") return String(cell);
  return JSON.stringify(cell);
}

function isFigure(cell: unknown): boolean {
  return typeof cell === "number";
}

/** One short sentence on what the query does, for the terminal. */
export function writeThought(intent: Intent): string {
  const parts = intent.outputs.map((output) => describeOutput(output, intent.root));
  const groups = intent.groups.map((group) =>
    group.kind === "entity" ? group.table : group.kind === "column" ? group.column.name : group.unit,
  );
  const by = groups.length === 0 ? "" : ` for each ${[...new Set(groups)].join(" and ")}`;
  const under =
    intent.conditions.length === 0
      ? ""
      : ` under ${intent.conditions.length} ${intent.conditions.length === 1 ? "condition" : "conditions"}`;
  const rank =
    intent.rank === null
      ? ""
      : `, the ${intent.rank.descending ? "highest" : "lowest"} ${intent.rank.limit === 1 ? "" : `${intent.rank.limit} `}only`;
  return `I ${[...new Set(parts)].join(" and ")}${by}${under}${rank}.`;
}

function describeOutput(output: Output, root: string): string {
  if (output.kind === "entity" || output.kind === "all") return `list rows of ${output.table}`;
  if (output.kind === "column") return `look up ${output.column.table}.${output.column.name}`;
  const { measure } = output;
  if (measure.kind === "count") return `count rows of ${measure.table ?? root}`;
  if (measure.kind === "count_distinct")
    return `count the different values of ${measure.column.table}.${measure.column.name}`;
  const verb = { avg: "average", sum: "add up", min: "find the minimum of", max: "find the maximum of" }[
    measure.function
  ];
  if (measure.kind === "line_total") return `${verb} ${measure.columns.map((column) => column.name).join(" × ")}`;
  return `${verb} ${measure.column.table}.${measure.column.name}`;
}

/** Says that the question was not understood, with questions about this very schema that would be. */
export function writeDecline(graph: SchemaGraph, unread: readonly string[]): string {
  const examples = exampleQuestions(graph);
  const words = unread.slice(0, 5).map((word) => `"${word}"`);
  const what = words.length === 0 ? "" : ` What I could not place: ${words.join(", ")}.`;
  const help =
    examples.length === 0 ? "" : `\nThings I can read:\n${examples.map((example) => `- ${example}`).join("\n")}`;
  return `I am the offline model and could not read this question against the schema, so I do not guess.${what}${help}`;
}

/** Example questions over the largest tables of the schema. */
export function exampleQuestions(graph: SchemaGraph): readonly string[] {
  const tables = graph.tables
    .filter((table) => table.kind === "table" && !table.isBridge && table.rows !== 0)
    .sort((a, b) => (b.rows ?? 0) - (a.rows ?? 0));
  const examples: string[] = [];
  const [first] = tables;
  if (first !== undefined)
    examples.push(
      `How many rows of ${first.name} are there?`.replace(/rows of (\S+)/, (_all, name: string) => plural(name)),
    );
  for (const edge of graph.edges) {
    const child = tables.find((table) => table.name === edge.child);
    const parent = tables.find((table) => table.name === edge.parent);
    if (child === undefined || parent === undefined || child === parent) continue;
    examples.push(
      `Which ${singular(parent.name)} has the most ${plural(child.name)}?`,
      `How many ${plural(child.name)} are there per ${singular(parent.name)}?`,
    );
    break;
  }
  for (const table of tables) {
    const measure = table.columns.find((column) => column.kind === "number" && !column.isKey);
    if (measure === undefined || labelsOfTable(table).length === 0) continue;
    examples.push(`What is the average ${measure.words.join(" ")} of ${plural(table.name)}?`);
    break;
  }
  return examples.slice(0, 4);
}

function singular(name: string): string {
  return wordsOfName(name).join(" ");
}

function plural(name: string): string {
  const words = singular(name);
  if (/(s|x|ch|sh)$/.test(words)) return `${words}es`;
  return /[^aeiou]y$/.test(words) ? `${words.slice(0, -1)}ies` : `${words}s`;
}
