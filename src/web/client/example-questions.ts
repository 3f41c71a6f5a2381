/**
 * Questions to start from, made from the schema that the caller may see: counts, groups along a foreign key, a ranking,
 * a sum over a category, a course over time. Simple templates, in words that the offline model reads too.
 * Pure: no I/O, no clock.
 */
import pluralize from "pluralize";
import { toWords } from "../cells.ts";
import type { Schema, SchemaColumn, SchemaTable } from "./api-types.ts";

const QUESTIONS_MAX = 5;

const MEASURE_NAME = /total|amount|price|revenue|sales|cost|quantity|population|salary/i;
const CATEGORY_NAME = /country|city|state|region|category|type|status|genre|continent|department/i;
const LABEL_NAME = /^(.*[_ ]?name|title)$/i;
const NUMBER_TYPE = /int|real|num|dec|float|double/i;

/** At most five, the plainest first. */
export function exampleQuestions(schema: Schema): readonly string[] {
  const tables = schema.tables.filter(
    (table) => table.kind === "table" && table.columns.length > 1 && table.rows !== 0,
  );
  const bySize = tables.toSorted((a, b) => (b.rows ?? 0) - (a.rows ?? 0));
  const things = bySize.filter((table) => table.columns.some((column) => LABEL_NAME.test(column.name)));
  const [first] = things.length > 0 ? things : bySize;
  const questions = [
    first === undefined ? null : `How many ${plural(first)} are there?`,
    ...bySize.flatMap((table) => groupQuestion(table, tables) ?? []).slice(0, 1),
    ...bySize.flatMap((table) => sumQuestion(table) ?? []).slice(0, 1),
    ...bySize.flatMap((table) => timeQuestion(table) ?? []).slice(0, 1),
    ...bySize.flatMap((table) => rankQuestion(table, tables) ?? []).slice(0, 1),
  ];
  return [...new Set(questions.filter((question) => question !== null))].slice(0, QUESTIONS_MAX);
}

function groupQuestion(table: SchemaTable, tables: readonly SchemaTable[]): string | null {
  if (!table.columns.some((column) => LABEL_NAME.test(column.name))) return null;
  const target = targetsOf(table, tables)
    .toSorted((a, b) => (a.rows ?? 0) - (b.rows ?? 0))
    .find((other) => (other.rows ?? 0) > 3);
  return target === undefined ? null : `How many ${plural(table)} are there per ${singular(target)}?`;
}

function rankQuestion(table: SchemaTable, tables: readonly SchemaTable[]): string | null {
  if (!table.columns.some((column) => LABEL_NAME.test(column.name))) return null;
  const target = targetsOf(table, tables).toSorted((a, b) => (b.rows ?? 0) - (a.rows ?? 0))[0];
  return target === undefined ? null : `Which 10 ${plural(target)} have the most ${plural(table)}?`;
}

function sumQuestion(table: SchemaTable): string | null {
  const measure = table.columns.find((column) => MEASURE_NAME.test(column.name) && isPlainNumber(column));
  const category = table.columns.find((column) => CATEGORY_NAME.test(column.name) && !NUMBER_TYPE.test(column.type));
  if (measure === undefined || category === undefined) return null;
  return `What is the sum of ${words(measure.name)} of ${plural(table)} per ${words(category.name)}?`;
}

function timeQuestion(table: SchemaTable): string | null {
  const time = table.columns.find((column) => /date|time/i.test(column.type) || /date$|_at$/i.test(column.name));
  if (time === undefined || /birth/i.test(time.name)) return null;
  return `How many ${plural(table)} were there in each month?`;
}

/** Tables that `table` points at and that have something to be named by. */
function targetsOf(table: SchemaTable, tables: readonly SchemaTable[]): readonly SchemaTable[] {
  return table.columns.flatMap((column) => {
    const target = tables.find((other) => other.name === column.references?.table && other !== table);
    return target?.columns.some((own) => LABEL_NAME.test(own.name)) === true ? [target] : [];
  });
}

function isPlainNumber(column: SchemaColumn): boolean {
  return NUMBER_TYPE.test(column.type) && column.primary_key === 0 && column.references === null && !column.masked;
}

function plural(table: SchemaTable): string {
  return pluralize(words(table.name));
}

function singular(table: SchemaTable): string {
  return pluralize.singular(words(table.name));
}

function words(name: string): string {
  return toWords(name).toLowerCase();
}
