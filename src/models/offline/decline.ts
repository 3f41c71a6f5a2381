/**
 * Words for when there is no answer: what could not be read, and questions about this very schema that could be.
 * Pure: no I/O, no clock.
 */
import { isMeasure } from "./measures.ts";
import { labelsOfTable } from "./resolve.ts";
import type { SchemaGraph } from "./schema-graph.ts";
import { pluralName, readableName } from "./words.ts";

/** Says that the question was not understood, with questions about this very schema that would be. */
export function writeDecline(graph: SchemaGraph, unread: readonly string[]): string {
  const examples = exampleQuestions(graph);
  const words = unread.slice(0, 5).map((word) => `"${word}"`);
  const what = words.length === 0 ? "" : ` What I could not place: ${words.join(", ")}.`;
  const help =
    examples.length === 0 ? "" : `\nThings I can read:\n${examples.map((example) => `- ${example}`).join("\n")}`;
  return `I am the offline model and could not read this question against the schema, so I do not guess.${what}${help}`;
}

/** Tables named in an answer about the schema itself. */
const TABLES_TOLD_MAX = 40;

/** The schema's own tables, for who asks what there is. */
export function writeTables(graph: SchemaGraph): string {
  const names = graph.tables
    .slice(0, TABLES_TOLD_MAX)
    .map(
      (table) =>
        `- ${table.name}${table.kind === "view" ? " (view)" : ""}: ${table.columns.map((column) => column.name).join(", ")}`,
    );
  const more = graph.tables.length > names.length || graph.omitted > 0 ? "\n- … and more" : "";
  return `${countTables(graph)} The tables and their columns, as the schema shows them:\n${names.join("\n")}${more}`;
}

function countTables(graph: SchemaGraph): string {
  const views = graph.tables.filter((table) => table.kind === "view").length;
  const tables = graph.tables.length + graph.omitted - views;
  const seen = views === 0 ? "" : ` and ${views} ${views === 1 ? "view" : "views"}`;
  return `There ${tables === 1 ? "is 1 table" : `are ${tables} tables`}${seen}.`;
}

/** Example questions over the largest tables of the schema. */
export function exampleQuestions(graph: SchemaGraph): readonly string[] {
  const tables = graph.tables
    .filter((table) => table.kind === "table" && !table.isBridge && table.rows !== 0)
    .sort((a, b) => (b.rows ?? 0) - (a.rows ?? 0));
  const examples: string[] = [];
  const [first] = tables;
  if (first !== undefined) examples.push(`How many ${pluralName(first.name)} are there?`);
  for (const edge of graph.edges) {
    const child = tables.find((table) => table.name === edge.child);
    const parent = tables.find((table) => table.name === edge.parent);
    if (child === undefined || parent === undefined || child === parent) continue;
    examples.push(
      `Which ${readableName(parent.name)} has the most ${pluralName(child.name)}?`,
      `How many ${pluralName(child.name)} are there per ${readableName(parent.name)}?`,
    );
    break;
  }
  for (const table of tables) {
    const measure = table.columns.find(isMeasure);
    if (measure === undefined || labelsOfTable(table).length === 0) continue;
    examples.push(`What is the average ${readableName(measure.name)} of ${pluralName(table.name)}?`);
    break;
  }
  return examples.slice(0, 4);
}
