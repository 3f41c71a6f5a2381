/**
 * Reads conditions on computed figures: a number of related rows (`more than 5 albums`), an average or a sum
 * (`whose average age is over 30`). Pure, but for the reader's state.
 */
import type { AggregateFunction, Measure } from "./intent.ts";
import type { Operator } from "./keys.ts";
import { isMeasure, tableOfMeasure } from "./measures.ts";
import { isKey } from "./read-target.ts";
import type { Reader } from "./reader.ts";
import { tablesAround } from "./reader.ts";
import type { Ref } from "./resolve.ts";
import { columnOfRef, tableOfRef } from "./resolve.ts";
import { createScope, isReachedUpwards, nearestScope } from "./scopes.ts";
import { unitOf } from "./units.ts";

/** `more than 5 albums`, `at least 3 languages`: a number of related rows. */
export function countsRows(reader: Reader, ref: Ref, operator: Operator, value: string): boolean {
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
export function compareMeasure(reader: Reader, measure: Measure, operator: Operator, value: string): void {
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
  if (item?.kind !== "ref") return;
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
