/**
 * Reads comparisons: with a number (`over 10`, `between 5 and 9`, `longer than 5 minutes`), a date (`after 2013`), an
 * average, another column, and counts of related rows (`more than 5 albums`).
 * Leaves to others: everything else a condition may be (read-conditions.ts). Pure, but for the reader's state.
 */
import type { Adjective } from "./adjectives.ts";
import type { Condition } from "./intent.ts";
import type { Operator } from "./keys.ts";
import { columnOfAdjective, isMeasure, mainMeasure, moneyMeasure } from "./measures.ts";
import { compareMeasure, countsRows } from "./read-counts.ts";
import { between, onDate, pendingMeasureColumn } from "./read-dates.ts";
import { isClause, isKey } from "./read-target.ts";
import type { Reader } from "./reader.ts";
import { addComparison, addHere, addValue, tablesAround } from "./reader.ts";
import type { Ref } from "./resolve.ts";
import { columnOfRef, nodeOf, tableOfRef } from "./resolve.ts";
import type { ColumnNode } from "./schema-graph.ts";
import { isReachedUpwards } from "./scopes.ts";
import { convert, unitOf } from "./units.ts";
import { isMoneyWord } from "./vocabulary.ts";
import { lemmaOf } from "./words.ts";

/** `more than …`: the thing compared stands before, or between operator and number, or behind. */
export function onCompare(reader: Reader, operator: Operator): void {
  leaveVerb(reader);
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
}

/** `customers who bought more than 30 tracks`: the verb named a table, but the count is the customer's. */
function leaveVerb(reader: Reader): void {
  const { scope } = reader;
  const before = reader.items[reader.at - 2];
  if (scope.parent === null || scope.conditions.length > 0 || scope.children.length > 0 || scope.negated) return;
  if (before?.kind !== "ref" || before.plural || tableOfRef(before)?.name !== scope.table) return;
  const number = reader.items[reader.at];
  const counted = reader.items[reader.at + (isKey(reader.items[reader.at + 1], "distinct") ? 2 : 1)];
  if (number?.kind !== "number" || counted?.kind !== "ref" || tableOfRef(counted) === null) return;
  scope.parent.children.splice(scope.parent.children.indexOf(scope), 1);
  reader.scope = scope.parent;
  reader.latest = null;
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
  addHere(reader, left, { kind: "columns", left, operator, right }, false);
}

function compareAverage(reader: Reader, operator: Operator): void {
  const item = reader.items[reader.at];
  if (item?.kind !== "key" || item.key.key !== "aggregate" || item.key.function !== "avg") return;
  reader.at += 1;
  if (isClause(reader.items[reader.at], "of", "for", "in")) reader.at += 1;
  const ref = reader.items[reader.at];
  const named = ref?.kind === "ref" && tableOfRef(ref) === null ? ref : null;
  if (named !== null) reader.at += 1;
  const source = reader.pending?.ref ?? named;
  const column =
    source === null || source === undefined
      ? mainMeasure(nodeOf(reader.context, reader.scope.table))
      : columnOfRef(source, reader.context, tablesAround(reader), isMeasure);
  reader.pending = null;
  if (column === null) return;
  const condition: Condition = { kind: "versus_average", column, operator };
  addHere(reader, column, condition, false);
  skipRepeatedTable(reader, column.table);
}

/** `… the average population of cities`: the table is named again and opens nothing new. */
function skipRepeatedTable(reader: Reader, table: string): void {
  const of = isClause(reader.items[reader.at], "of", "for") ? 1 : 0;
  const ref = reader.items[reader.at + of];
  if (ref?.kind === "ref" && tableOfRef(ref)?.name === table) reader.at += of + 1;
}

/** A number against a count of rows, a computed figure, the column named, or the main figure of the row. */
function compareNumber(reader: Reader, operator: Operator, value: number, text: string): void {
  const next = reader.items[reader.at];
  if (reader.pendingMeasure !== null) return compareMeasure(reader, reader.pendingMeasure, operator, text);
  const named = pendingMeasureColumn(reader);
  const pending = named !== null && named.kind === "text" && next?.kind === "ref" ? null : named;
  if (next?.kind === "ref" && pending === null && countsRows(reader, next, operator, text)) return;
  const distinct = isKey(next, "distinct") ? reader.items[reader.at + 1] : undefined;
  if (distinct?.kind === "ref" && pending === null && countsRows(reader, distinct, operator, text)) return;
  const unit = next === undefined ? null : unitOf(next);
  // `less than 20 in stock`
  const placed = isClause(next, "in") ? reader.items[reader.at + 1] : undefined;
  if (pending === null && placed?.kind === "ref" && tableOfRef(placed) === null) {
    const own = columnOfRef(placed, reader.context, tablesAround(reader), isMeasure);
    if (own !== null) {
      reader.at += 2;
      return addComparison(reader, own, operator, { kind: "number", text });
    }
  }
  const behind =
    pending === null && next?.kind === "ref" && tableOfRef(next) === null
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

function defaultColumn(reader: Reader): ColumnNode | null {
  for (const table of tablesAround(reader)) {
    const column = mainMeasure(nodeOf(reader.context, table));
    if (column !== null) return column;
  }
  return null;
}

/** `older than 20`, `longer than average`, `a greater weight than 10`, `earlier than 2010`. */
export function onComparative(reader: Reader, adjective: Adjective): void {
  const ref = reader.items[reader.at];
  const follower = reader.items[reader.at + 1];
  if (ref?.kind === "ref" && isClause(follower, "than")) {
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
      addHere(reader, column, { kind: "versus_average", column, operator });
      const again = reader.items[reader.at];
      if (again?.kind === "ref" && tableOfRef(again) === null) reader.at += 1;
      skipRepeatedTable(reader, column.table);
    }
    return;
  }
  if (next?.kind === "date") {
    reader.at += 1;
    return onDate(reader, operator, next);
  }
  if (next?.kind !== "number") return;
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
  addHere(reader, column, condition);
  reader.negated = false;
}

/** A number alone: of related rows (`two pets`), of the column just named, or the key of the row just named. */
export function onNumber(reader: Reader, text: string, value: number): void {
  const next = reader.items[reader.at];
  const after = reader.items[reader.at + 1];
  if (isKey(next, "or") && after?.kind === "word" && /^(more|less|fewer|above|older|higher)$/.test(after.lower)) {
    reader.at += 2;
    return compareNumber(reader, /^(less|fewer)$/.test(after.lower) ? "<=" : ">=", value, text);
  }
  const column = reader.pending === null ? null : columnOfRef(reader.pending.ref, reader.context, tablesAround(reader));
  if (column !== null) {
    reader.pending = null;
    addValue(reader, column, numberCondition(column, text), reader.negated);
    reader.negated = false;
    return;
  }
  if (next?.kind === "ref" && countsRows(reader, next, "=", text)) return;
  const before = reader.items[reader.at - 2];
  const [key] = nodeOf(reader.context, reader.scope.table).keys;
  if (before?.kind === "ref" && key !== undefined && tableOfRef(before)?.name === reader.scope.table) {
    reader.scope.conditions.push(numberCondition(key, text));
    return;
  }
  reader.unread.push(text);
}

function numberCondition(column: ColumnNode, text: string): Condition {
  return {
    kind: "one_of",
    column,
    values: [{ kind: column.kind === "text" ? "text" : "number", text }],
    negated: false,
  };
}
