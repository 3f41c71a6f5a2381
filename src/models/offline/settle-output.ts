/**
 * Settles what a target means: an entity, a column or a figure, and for a group the rows or values it stands for.
 * Pure: no I/O, no clock.
 */
import type { Measure, Output } from "./intent.ts";
import { isMeasure, mainMeasure, moneyMeasure, tableOfMeasure } from "./measures.ts";
import type { Target } from "./read-target.ts";
import type { Context, Ref } from "./resolve.ts";
import { columnOfRef, nodeOf, tableOfRef } from "./resolve.ts";
import type { ColumnNode } from "./schema-graph.ts";
import { isMoneyWord } from "./vocabulary.ts";
import { lemmaOf } from "./words.ts";

export function settleOutput(
  context: Context,
  target: Exclude<Target, { readonly kind: "period" }>,
  near: readonly string[],
): readonly Output[] {
  if (target.kind === "money") {
    const measure = moneyMeasure(context, [...new Set([...near, ...context.mentioned])], target.function);
    return measure === null ? [] : [{ kind: "measure", measure }];
  }
  if (target.kind === "count")
    return [{ kind: "measure", measure: settleCount(context, target.ref, target.distinct, near) }];
  const { ref } = target;
  const owner = target.owner === null ? null : tableOfRef(target.owner);
  if (target.function !== null) {
    const measure = settleAggregate(context, ref, target.function, owner === null ? near : [owner.name, ...near]);
    return measure === null ? [] : [{ kind: "measure", measure }];
  }
  const table = tableOfRef(ref);
  if (table !== null && owner === null) return [{ kind: "entity", table: table.name }];
  const around = owner === null ? near : [owner.name, ...near];
  const owned = owner === null ? null : columnOfRef(ref, context, around, (each) => each.table === owner.name);
  const column = owned ?? columnOfRef(ref, context, around);
  if (column === null) return table === null ? [] : [{ kind: "entity", table: table.name }];
  if (owner !== null && table !== null && column.table !== owner.name) return [{ kind: "entity", table: table.name }];
  // `the quantity of tracks sold` adds up what the lines say.
  const adds = /^quantit/i.test(ref.text) && isMeasure(column) && owner !== null && owner.name !== column.table;
  if (adds) return [{ kind: "measure", measure: { kind: "aggregate", function: "sum", column } }];
  return namesOf(context, ref, column).map((each): Output => ({ kind: "column", column: each }));
}

/** `name` of a table whose rows go by two names means both. */
function namesOf(context: Context, ref: Ref, column: ColumnNode): readonly ColumnNode[] {
  const table = nodeOf(context, column.table);
  const isName =
    /^(full )?names?$/i.test(ref.text) ||
    (lemmaOf(ref.text.split(" ").at(-1) ?? "") === "name" &&
      ref.text.split(" ").length === 2 &&
      column.words.length > 1 &&
      /^(first|last)$/.test(column.words[0] ?? "") &&
      !/first|last/i.test(ref.text));
  if (!isName) return [column];
  if (table.labels.length > 1 && !table.columns.some((other) => other.words.join(" ") === "name")) return table.labels;
  const label = table.labels[0];
  return label?.words.includes("name") && column.words.join(" ") !== "name" ? [label] : [column];
}

export function settleCount(context: Context, ref: Ref | null, distinct: boolean, near: readonly string[]): Measure {
  if (ref === null) return { kind: "count", table: context.mentioned[0] ?? null };
  const table = tableOfRef(ref);
  if (table !== null && !(distinct && table.isBridge)) return { kind: "count", table: table.name };
  const column = columnOfRef(ref, context, near);
  if (column === null) return { kind: "count", table: table?.name ?? null };
  if (isMeasure(column) && !distinct) return { kind: "aggregate", function: "sum", column };
  const home = nodeOf(context, column.table);
  // A column that alone is the key of its table counts rows.
  if (home.keys.length === 1 && home.keys[0] === column) return { kind: "count", table: home.name };
  return { kind: "count_distinct", column };
}

export function settleAggregate(
  context: Context,
  ref: Ref,
  name: "avg" | "sum" | "min" | "max",
  near: readonly string[],
): Measure | null {
  const around = [...new Set([...near, ...context.mentioned])];
  // `total invoiced` is what the invoices came to, `total invoices` how many there are.
  const isMoney =
    isMoneyWord(lemmaOf(ref.text)) || (name === "sum" && /ed$/.test(ref.text) && tableOfRef(ref) !== null);
  // `the smallest invoice` is not that of the lowest number.
  const named = (ref.link.tables[0]?.score ?? 0) >= 0.95;
  const orderable = (column: ColumnNode): boolean =>
    name === "sum" || name === "avg" ? isMeasure(column) || isUntypedNamed(ref, column) : !(column.isKey && named);
  // `total of orders` is no sum over UnitsOnOrder: a table named outright outweighs a column that only mentions it.
  const isLoose = named && !ref.link.columns.some((link) => link.score >= 0.6 && orderable(link.column));
  const column = isLoose ? null : columnOfRef(ref, context, near, orderable);
  if (isMoney) {
    const money = moneyMeasure(context, around, name);
    if (money !== null) return money;
  }
  if (column !== null) return { kind: "aggregate", function: name, column };
  const table = tableOfRef(ref);
  if (table === null) return null;
  if (name === "sum") return { kind: "count", table: table.name };
  const main = mainMeasure(table);
  return main === null ? null : { kind: "aggregate", function: name, column: main };
}

/** A column declared without a type (computed ones often are) may hold numbers: it is added up when named outright. */
function isUntypedNamed(ref: Ref, column: ColumnNode): boolean {
  const isNamed = ref.link.columns.some((link) => link.column === column && link.score >= 0.95);
  return isNamed && column.type === "" && column.kind === "text" && !column.isKey && column.values.length === 0;
}

/** A sum of it would mean nothing. */
export function isMean(column: ColumnNode): boolean {
  return column.words.some((word) => /^(price|rating|age|score|salary|percentage|rate|height|length)$/.test(word));
}

export function tableOfOutput(output: Output): string | null {
  if (output.kind === "measure") return tableOfMeasure(output.measure);
  return output.kind === "column" ? output.column.table : output.table;
}
