/**
 * Reads comparisons: with a number (`over 10`, `between 5 and 9`, `longer than 5 minutes`), a date (`after 2013`), an
 * average, another column, and counts of related rows (`more than 5 albums`).
 * Leaves to others: everything else a condition may be (read-conditions.ts). Pure, but for the reader's state.
 */
import type { Adjective } from "./adjectives.ts";
import type { AggregateFunction, Condition, Literal, Measure } from "./intent.ts";
import type { Item } from "./items.ts";
import type { Reader } from "./read-conditions.ts";
import { addValue, scopesOf, tablesAround } from "./read-conditions.ts";
import { isClause, isKey } from "./read-target.ts";
import type { Ref } from "./resolve.ts";
import {
  columnOfAdjective,
  columnOfRef,
  dateColumn,
  isMeasure,
  isMoneyWord,
  mainMeasure,
  moneyMeasure,
  nodeOf,
  tableOfMeasure,
  tableOfRef,
} from "./resolve.ts";
import type { ColumnNode } from "./schema-graph.ts";
import { createScope, distance, isReachedUpwards, nearestScope, place } from "./scopes.ts";
import type { Operator } from "./vocabulary.ts";
import { lemmaOf } from "./words.ts";

type DateItem = Extract<Item, { readonly kind: "date" }>;

/** `more than …`: the thing compared stands before, or between operator and number, or behind. */
export function onCompare(reader: Reader, operator: Operator): void {
  skipFillers(reader);
  const item = reader.items[reader.at];
  if (item === undefined) return;
  if (item.kind === "number") {
    reader.at += 1;
    return compareNumber(reader, operator, item.value, item.text);
  }
  if (item.kind === "date") {
    reader.at += 1;
    return onDate(reader, operator, item);
  }
  if (isKey(item, "aggregate")) return compareAverage(reader, operator);
  if (item.kind === "ref") return compareReference(reader, operator, item);
  if (item.kind === "adjective") return;
}

function skipFillers(reader: Reader): void {
  while (isClause(reader.items[reader.at], "than", "to", "of", "as", "is", "in")) reader.at += 1;
}

/** `above age 20`, `above the average age`, `surface area greater than population`. */
function compareReference(reader: Reader, operator: Operator, ref: Ref): void {
  const next = reader.items[reader.at + 1];
  if (next !== undefined && (next.kind === "number" || next.kind === "date")) {
    reader.pending = { ref, clause: reader.clause, negated: false };
    reader.at += 2;
    if (next.kind === "date") return onDate(reader, operator, next);
    return compareNumber(reader, operator, next.value, next.text);
  }
  const left = reader.pending === null ? null : columnOfRef(reader.pending.ref, reader.context, tablesAround(reader));
  const right = columnOfRef(ref, reader.context, left === null ? tablesAround(reader) : [left.table]);
  if (left === null || right === null || left.table !== right.table) return;
  reader.at += 1;
  reader.pending = null;
  place(
    reader.context,
    reader.scope,
    left,
    { kind: "columns", left, operator, right },
    { negated: false, separate: false },
  );
}

function compareAverage(reader: Reader, operator: Operator): void {
  const item = reader.items[reader.at];
  if (item === undefined || item.kind !== "key" || item.key.key !== "aggregate" || item.key.function !== "avg") return;
  reader.at += 1;
  if (isClause(reader.items[reader.at], "of", "for", "in")) reader.at += 1;
  const ref = reader.items[reader.at];
  const named = ref !== undefined && ref.kind === "ref" && tableOfRef(ref) === null ? ref : null;
  if (named !== null) reader.at += 1;
  const source = reader.pending?.ref ?? named;
  const column =
    source === null || source === undefined
      ? mainMeasure(nodeOf(reader.context, reader.scope.table))
      : columnOfRef(source, reader.context, tablesAround(reader), isMeasure);
  reader.pending = null;
  if (column === null) return;
  const condition: Condition = { kind: "versus_average", column, operator };
  place(reader.context, reader.scope, column, condition, { negated: false, separate: false });
  skipRepeatedTable(reader, column.table);
}

/** `… the average population of cities`: the table is named again and opens nothing new. */
function skipRepeatedTable(reader: Reader, table: string): void {
  const of = isClause(reader.items[reader.at], "of", "for") ? 1 : 0;
  const ref = reader.items[reader.at + of];
  if (ref !== undefined && ref.kind === "ref" && tableOfRef(ref)?.name === table) reader.at += of + 1;
}

/** A number against a count of rows, a computed figure, the column named, or the main figure of the row. */
function compareNumber(reader: Reader, operator: Operator, value: number, text: string): void {
  const next = reader.items[reader.at];
  if (reader.pendingMeasure !== null) return compareMeasure(reader, reader.pendingMeasure, operator, text);
  const named = pendingMeasureColumn(reader);
  const pending = named !== null && named.kind === "text" && next?.kind === "ref" ? null : named;
  if (next !== undefined && next.kind === "ref" && pending === null && countsRows(reader, next, operator, text)) return;
  const distinct = isKey(next, "distinct") ? reader.items[reader.at + 1] : undefined;
  if (
    distinct !== undefined &&
    distinct.kind === "ref" &&
    pending === null &&
    countsRows(reader, distinct, operator, text)
  )
    return;
  const unit = next === undefined ? null : unitOf(next);
  const behind =
    pending === null && next !== undefined && next.kind === "ref" && tableOfRef(next) === null
      ? columnOfRef(next, reader.context, tablesAround(reader), isMeasure)
      : null;
  const column = pending ?? behind ?? defaultColumn(reader);
  const money = reader.pending !== null && isMoneyWord(lemmaOf(reader.pending.ref.text));
  reader.pending = null;
  if (column === null) return;
  if (behind !== null || unit !== null) reader.at += 1;
  if (money && !isReachedUpwards(reader.context, reader.scope.table, column.table)) {
    const measure = moneyMeasure(reader.context, [reader.scope.table], "sum");
    if (measure !== null) return compareMeasure(reader, measure, operator, text);
  }
  addComparison(reader, column, operator, convert(value, text, unit, column));
}

function addComparison(reader: Reader, column: ColumnNode, operator: Operator, value: Literal): void {
  const condition: Condition = { kind: "compare", column, operator, value };
  if (reader.or) {
    const last = reader.scope.conditions.pop();
    reader.or = false;
    if (last !== undefined) {
      reader.scope.conditions.push({ kind: "any_of", conditions: [last, condition] });
      return;
    }
  }
  place(reader.context, reader.scope, column, condition, { negated: reader.negated, separate: false });
  reader.negated = false;
}

function pendingMeasureColumn(reader: Reader): ColumnNode | null {
  if (reader.pending === null) return null;
  const numeric = (column: ColumnNode): boolean =>
    column.kind === "number" || column.kind === "year" || column.kind === "date";
  return (
    columnOfRef(reader.pending.ref, reader.context, tablesAround(reader), numeric) ??
    columnOfRef(reader.pending.ref, reader.context, tablesAround(reader))
  );
}

function defaultColumn(reader: Reader): ColumnNode | null {
  for (const table of tablesAround(reader)) {
    const column = mainMeasure(nodeOf(reader.context, table));
    if (column !== null) return column;
  }
  return null;
}

/** `more than 5 albums`, `at least 3 languages`: a number of related rows. */
function countsRows(reader: Reader, ref: Ref, operator: Operator, value: string): boolean {
  const table = tableOfRef(ref);
  const column = table === null ? columnOfRef(ref, reader.context, tablesAround(reader)) : null;
  if (table === null && (column === null || column.kind === "number" || unitOf(ref) !== null)) return false;
  const target = table?.name ?? column?.table;
  if (target === undefined) return false;
  if (target === reader.root.table && (reader.scope === reader.root || reader.grouped)) {
    if (!reader.grouped) return false;
    reader.having.push({
      measure: column === null ? { kind: "count", table: null } : { kind: "count_distinct", column },
      operator,
      value,
    });
  } else if (
    reader.grouped &&
    table !== null &&
    reader.scope === reader.root &&
    isReachedUpwards(reader.context, reader.root.table, target)
  ) {
    reader.having.push({ measure: { kind: "count", table: target }, operator, value });
  } else {
    const home = nearestScope(reader.context, reader.scope, target);
    if (home.table === target) return false;
    const scope = createScope(target, home, true);
    scope.negated = reader.negated;
    reader.negated = false;
    scope.having = { measure: { kind: "count", table: null }, operator, value };
    reader.scope = scope;
  }
  reader.at += reader.items[reader.at] === ref ? 1 : 2;
  return true;
}

/** A computed figure of the group, or of the related rows. */
function compareMeasure(reader: Reader, measure: Measure, operator: Operator, value: string): void {
  reader.pendingMeasure = null;
  reader.pending = null;
  const table = tableOfMeasure(measure);
  if (
    table === null ||
    table === reader.root.table ||
    (reader.grouped && isReachedUpwards(reader.context, reader.root.table, table))
  ) {
    reader.having.push({ measure, operator, value });
    return;
  }
  const scope = createScope(table, nearestScope(reader.context, reader.scope, table), true);
  scope.having = { measure: measure.kind === "count" ? { kind: "count", table: null } : measure, operator, value };
}

/** `whose average age is …`, `whose number of albums is …`: remembered until the comparison. */
export function onAggregate(reader: Reader, name: AggregateFunction | null): void {
  const item = reader.items[reader.at];
  if (isKey(item, "aggregate") || isKey(item, "distinct")) return;
  if (item === undefined || item.kind !== "ref") return;
  const compares = reader.items
    .slice(reader.at, reader.at + 6)
    .some((next) => isKey(next, "compare") || (next.kind === "adjective" && next.degree === "comparative"));
  if (!compares) return;
  reader.at += 1;
  if (name === null) {
    const table = tableOfRef(item)?.name ?? columnOfRef(item, reader.context, tablesAround(reader))?.table ?? null;
    reader.pendingMeasure = { kind: "count", table: table === reader.root.table ? null : table };
    return;
  }
  const column = columnOfRef(item, reader.context, tablesAround(reader), isMeasure);
  if (column !== null) reader.pendingMeasure = { kind: "aggregate", function: name, column };
}

/** `older than 20`, `longer than average`, `a greater weight than 10`, `earlier than 2010`. */
export function onComparative(reader: Reader, adjective: Adjective): void {
  const ref = reader.items[reader.at];
  const follower = reader.items[reader.at + 1];
  if (ref !== undefined && ref.kind === "ref" && isClause(follower, "than")) {
    reader.pending = { ref, clause: reader.clause, negated: false };
    reader.at += 1;
  }
  skipFillers(reader);
  const pending = pendingMeasureColumn(reader);
  const table = nodeOf(reader.context, reader.scope.table);
  const found =
    columnOfAdjective(adjective, table, reader.context) ??
    columnOfAdjective(adjective, nodeOf(reader.context, reader.root.table), reader.context);
  const column = pending ?? found?.column ?? null;
  const high = pending === null ? (found?.high ?? adjective.high) : adjective.high;
  const operator: Operator = high ? ">" : "<";
  const next = reader.items[reader.at];
  if (next !== undefined && isKey(next, "aggregate")) {
    if (column !== null) {
      reader.at += 1;
      reader.pending = null;
      place(
        reader.context,
        reader.scope,
        column,
        { kind: "versus_average", column, operator },
        { negated: reader.negated, separate: false },
      );
      const again = reader.items[reader.at];
      if (again !== undefined && again.kind === "ref" && tableOfRef(again) === null) reader.at += 1;
      skipRepeatedTable(reader, column.table);
    }
    return;
  }
  if (next !== undefined && next.kind === "date") {
    reader.at += 1;
    return onDate(reader, operator, next);
  }
  if (next === undefined || next.kind !== "number") return;
  reader.at += 1;
  if (reader.pendingMeasure !== null) return compareMeasure(reader, reader.pendingMeasure, operator, next.text);
  reader.pending = null;
  if (column === null) return;
  const unitItem = reader.items[reader.at];
  const unit = unitItem === undefined ? null : unitOf(unitItem);
  if (unit !== null) reader.at += 1;
  addComparison(reader, column, operator, convert(next.value, next.text, unit, column));
}

export function onBetween(reader: Reader): void {
  const low = reader.items[reader.at];
  const high = reader.items[reader.at + 2];
  if (low === undefined || high === undefined || !isKey(reader.items[reader.at + 1], "and")) return;
  const pending = pendingMeasureColumn(reader);
  const isPlain = pending !== null && pending.kind === "number";
  reader.at += 3;
  if (low.kind === "date" && high.kind === "date" && !isPlain) return between(reader, low, high);
  const column = pending ?? defaultColumn(reader);
  reader.pending = null;
  const numbers = [low, high].map((item) => (item.kind === "number" || item.kind === "date" ? item.text : null));
  const [from, to] = numbers;
  if (column === null || from === null || to === null || from === undefined || to === undefined) return;
  const condition: Condition = {
    kind: "between",
    column,
    low: { kind: "number", text: from },
    high: { kind: "number", text: to },
  };
  place(reader.context, reader.scope, column, condition, { negated: reader.negated, separate: false });
  reader.negated = false;
}

function between(reader: Reader, low: DateItem, high: DateItem): void {
  const column = chooseDate(reader);
  reader.pending = null;
  if (column === null) return;
  const condition: Condition =
    column.kind === "year" && low.year !== null && high.year !== null
      ? { kind: "between", column, low: yearLiteral(low.year), high: yearLiteral(high.year) }
      : { kind: "during", column, from: low.from, to: high.to, negated: false };
  place(reader.context, reader.scope, column, condition, { negated: reader.negated, separate: false });
  reader.negated = false;
}

/** A period, with or without an operator before it or `or later` behind it. */
export function onDate(reader: Reader, operator: Operator | null, item: DateItem): void {
  const behind = reader.items[reader.at + 1];
  let actual = operator;
  if (
    isKey(reader.items[reader.at], "or") &&
    behind !== undefined &&
    behind.kind === "key" &&
    behind.key.key === "compare"
  ) {
    actual = behind.key.operator.startsWith(">") ? ">=" : "<=";
    reader.at += 2;
  }
  const range = reader.items[reader.at + 1];
  if (operator === null && isClause(reader.items[reader.at], "to") && range !== undefined && range.kind === "date") {
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
  if (!twin) place(reader.context, reader.scope, column, condition, { negated: reader.negated, separate: reader.both });
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

/** A number alone: of related rows (`two pets`), of the column just named, or the key of the row just named. */
export function onNumber(reader: Reader, text: string, value: number): void {
  const next = reader.items[reader.at];
  const after = reader.items[reader.at + 1];
  if (
    isKey(next, "or") &&
    after !== undefined &&
    after.kind === "word" &&
    /^(more|less|fewer|above|older|higher)$/.test(after.lower)
  ) {
    reader.at += 2;
    return compareNumber(reader, /^(less|fewer)$/.test(after.lower) ? "<=" : ">=", value, text);
  }
  const column = reader.pending === null ? null : columnOfRef(reader.pending.ref, reader.context, tablesAround(reader));
  if (column !== null) {
    reader.pending = null;
    const literal: Literal = column.kind === "text" ? { kind: "text", text } : { kind: "number", text };
    addValue(reader, column, { kind: "one_of", column, values: [literal], negated: false }, reader.negated);
    reader.negated = false;
    return;
  }
  if (next !== undefined && next.kind === "ref" && countsRows(reader, next, "=", text)) return;
  const before = reader.items[reader.at - 2];
  const [key] = nodeOf(reader.context, reader.scope.table).keys;
  if (
    before !== undefined &&
    before.kind === "ref" &&
    key !== undefined &&
    tableOfRef(before)?.name === reader.scope.table
  ) {
    const literal: Literal = key.kind === "text" ? { kind: "text", text } : { kind: "number", text };
    reader.scope.conditions.push({ kind: "one_of", column: key, values: [literal], negated: false });
    return;
  }
  reader.unread.push(text);
}

function unitOf(item: Item): string | null {
  if (item.kind !== "ref" && item.kind !== "word") return null;
  const lemma = lemmaOf(item.text);
  return /^(minute|second|hour|millisecond|kilobyte|megabyte|gigabyte|kb|mb|gb|day)$/.test(lemma) ? lemma : null;
}

const SECONDS: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3_600 };
const BYTES: Readonly<Record<string, number>> = {
  kilobyte: 1e3,
  kb: 1e3,
  megabyte: 1e6,
  mb: 1e6,
  gigabyte: 1e9,
  gb: 1e9,
};

/** Minutes in a column of milliseconds, megabytes in one of bytes. */
function convert(value: number, text: string, unit: string | null, column: ColumnNode): Literal {
  const seconds = unit === null ? undefined : SECONDS[unit];
  const bytes = unit === null ? undefined : BYTES[unit];
  if (seconds !== undefined && column.words.includes("millisecond"))
    return { kind: "number", text: String(value * seconds * 1_000) };
  if (seconds !== undefined && column.words.includes("second"))
    return { kind: "number", text: String(value * seconds) };
  if (seconds !== undefined && column.words.includes("minute"))
    return { kind: "number", text: String((value * seconds) / 60) };
  if (bytes !== undefined && column.words.includes("byte")) return { kind: "number", text: String(value * bytes) };
  return { kind: "number", text };
}
