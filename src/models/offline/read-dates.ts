/**
 * Reads dates and periods in a condition: which date of which table is meant, and the range it must lie in.
 * Pure, but for the reader's state.
 */
import type { Condition, Literal } from "./intent.ts";
import type { Item } from "./items.ts";
import type { Operator } from "./keys.ts";
import { dateColumn } from "./measures.ts";
import { isClause, isKey } from "./read-target.ts";
import type { Reader } from "./reader.ts";
import { addComparison, addHere, scopesOf, tablesAround } from "./reader.ts";
import { columnOfRef, nodeOf } from "./resolve.ts";
import type { ColumnNode } from "./schema-graph.ts";
import { createScope, distance, nearestScope } from "./scopes.ts";

type DateItem = Extract<Item, { readonly kind: "date" }>;

export function between(reader: Reader, low: DateItem, high: DateItem): void {
  const column = chooseDate(reader);
  reader.pending = null;
  if (column === null) return;
  const condition: Condition =
    column.kind === "year" && low.year !== null && high.year !== null
      ? { kind: "between", column, low: yearLiteral(low.year), high: yearLiteral(high.year) }
      : { kind: "during", column, from: low.from, to: high.to, negated: false };
  addHere(reader, column, condition);
  reader.negated = false;
}

/** A period, with or without an operator before it or `or later` behind it. */
export function onDate(reader: Reader, operator: Operator | null, item: DateItem): void {
  const behind = reader.items[reader.at + 1];
  let actual = operator;
  if (isKey(reader.items[reader.at], "or") && behind?.kind === "key" && behind.key.key === "compare") {
    actual = behind.key.operator.startsWith(">") ? ">=" : "<=";
    reader.at += 2;
  }
  const range = reader.items[reader.at + 1];
  if (operator === null && isClause(reader.items[reader.at], "to") && range?.kind === "date") {
    reader.at += 2;
    return between(reader, item, range);
  }
  const pending = pendingMeasureColumn(reader);
  if (
    pending !== null &&
    pending.kind !== "date" &&
    pending.kind !== "year" &&
    pending.kind !== "flag" &&
    item.year !== null &&
    !pending.isKey
  ) {
    reader.pending = null;
    return addComparison(reader, pending, actual ?? "=", { kind: "number", text: item.text });
  }
  const column = chooseDate(reader);
  reader.pending = null;
  if (column === null) {
    reader.unread.push(item.text);
    return;
  }
  addDate(reader, column, actual, item);
}

function addDate(reader: Reader, column: ColumnNode, operator: Operator | null, item: DateItem): void {
  const condition = dateCondition(column, operator, item);
  const previous = reader.items[reader.at - 2];
  if ((reader.or || isKey(previous, "and")) && !reader.both && condition.kind !== "compare") {
    for (const scope of scopesOf(reader.root)) {
      const last = scope.conditions.at(-1);
      if (last === undefined || !("column" in last) || last.column !== column) continue;
      scope.conditions.pop();
      scope.conditions.push({ kind: "any_of", conditions: [last, condition] });
      reader.or = false;
      return;
    }
  }
  const twin = reader.both ? doubleScope(reader, column, condition) : false;
  if (!twin) addHere(reader, column, condition, reader.negated, reader.both);
  reader.negated = false;
}

/** `in both 2014 and 2015` about a named related table: one scope for each year. */
function doubleScope(reader: Reader, column: ColumnNode, condition: Condition): boolean {
  const { scope } = reader;
  if (scope.parent === null || scope.table !== column.table || scope.conditions.length === 0) return false;
  createScope(scope.table, scope.parent, false).conditions.push(condition);
  return true;
}

function dateCondition(column: ColumnNode, operator: Operator | null, item: DateItem): Condition {
  if (column.kind === "year" && item.year !== null) {
    if (operator !== null) return { kind: "compare", column, operator, value: yearLiteral(item.year) };
    return { kind: "one_of", column, values: [yearLiteral(item.year)], negated: false };
  }
  const during = (from: string | null, to: string | null): Condition => ({
    kind: "during",
    column,
    from,
    to,
    negated: false,
  });
  if (operator === ">") return during(item.to, null);
  if (operator === ">=") return during(item.from, null);
  if (operator === "<") return during(null, item.from);
  if (operator === "<=") return during(null, item.to);
  return during(item.from, item.to);
}

function yearLiteral(year: number): Literal {
  return { kind: "number", text: String(year) };
}

/** The date meant: the column named, one of the scope, or of the nearest table that has one. */
function chooseDate(reader: Reader): ColumnNode | null {
  const pending = pendingMeasureColumn(reader);
  if (pending !== null && (pending.kind === "date" || pending.kind === "year")) return pending;
  for (const table of tablesAround(reader)) {
    const column = dateColumn(reader.context, nodeOf(reader.context, table));
    if (column !== null) return column;
  }
  return nearestDate(reader);
}

function nearestDate(reader: Reader): ColumnNode | null {
  let best: { readonly column: ColumnNode; readonly cost: number } | null = null;
  for (const table of reader.context.graph.tables) {
    const column = dateColumn(reader.context, table);
    if (column === null || table.kind === "view") continue;
    const home = nearestScope(reader.context, reader.scope, table.name);
    const cost = distance(reader.context, home, table.name);
    if (cost !== null && (best === null || cost < best.cost)) best = { column, cost };
  }
  return best?.column ?? null;
}

export function pendingMeasureColumn(reader: Reader): ColumnNode | null {
  if (reader.pending === null) return null;
  const numeric = (column: ColumnNode): boolean =>
    column.kind === "number" || column.kind === "year" || column.kind === "date";
  return (
    columnOfRef(reader.pending.ref, reader.context, tablesAround(reader), numeric) ??
    columnOfRef(reader.pending.ref, reader.context, tablesAround(reader))
  );
}
