/**
 * Figures: which columns can be added up, which one a table is mainly about, which column an adjective orders by, and
 * what stands for sales in a schema that has no such column. Pure: no I/O, no clock.
 */
import type { Adjective } from "./adjectives.ts";
import type { AggregateFunction, Measure } from "./intent.ts";
import type { Context } from "./resolve.ts";
import type { ColumnNode, TableNode } from "./schema-graph.ts";
import { findPath } from "./schema-graph.ts";
import { likeness, stemOf } from "./words.ts";

/** A number that can be added up: no key, no year. */
export function isMeasure(column: ColumnNode): boolean {
  return (
    column.kind === "number" &&
    !column.isKey &&
    !/^(code|zip|phone|postal|latitude|longitude)$/.test(column.words.at(-1) ?? "")
  );
}

/** Can be ordered by an adjective. */
function isOrderable(column: ColumnNode): boolean {
  return isMeasure(column) || column.kind === "date" || column.kind === "year";
}

/** The number that a row of `table` is mainly about, if one stands out. */
export function mainMeasure(table: TableNode): ColumnNode | null {
  const measures = table.columns.filter(isMeasure);
  for (const word of "total amount price size area population capacity value quantity weight salary freight score".split(
    " ",
  )) {
    const found =
      measures.find((column) => column.words.includes(word)) ??
      measures.find((column) => column.words.some((own) => likeness(own, word) >= 0.75));
    if (found !== undefined) return found;
  }
  return measures[0] ?? null;
}

/** The date of a row of `table`: the one the hints speak of, else the first. */
export function dateColumn(context: Context, table: TableNode): ColumnNode | null {
  const dates = table.columns.filter((column) => column.kind === "date" || column.kind === "year");
  const spoken = dates.find((column) =>
    column.words.some((word) => !/^(date|year)$/.test(word) && !table.words.includes(word) && hasHint(context, word)),
  );
  const own = dates.find((column) => column.words.some((word) => table.words.includes(word)));
  return spoken ?? own ?? dates[0] ?? null;
}

function hasHint(context: Context, word: string): boolean {
  for (const hint of context.hints)
    if (stemOf(word) === hint || likeness(hint, word) >= 0.75 || (hint.length > 3 && word.startsWith(hint)))
      return true;
  return false;
}

/** The column an adjective orders the rows of `table` by, and whether its high end is meant. */
export function columnOfAdjective(
  adjective: Adjective,
  table: TableNode,
  context: Context,
): { readonly column: ColumnNode; readonly high: boolean } | null {
  for (const reading of adjective.readings) {
    if (reading.attribute === "*") {
      const column = mainMeasure(table);
      if (column !== null) return { column, high: reading.high };
      continue;
    }
    const scored = table.columns
      .filter(isOrderable)
      .map((column) => ({
        column,
        score: Math.max(
          column.kind === reading.attribute ? 0.8 : 0,
          ...column.words.map((word) => likeness(word, reading.attribute)),
        ),
        spoken: column.ownWords.some((word) => word !== reading.attribute && hasHint(context, word)) ? 1 : 0,
      }))
      .filter((entry) => entry.score >= 0.75)
      .sort((a, b) => b.score - a.score || b.spoken - a.spoken);
    const found = scored[0];
    if (found !== undefined) return { column: found.column, high: reading.high };
  }
  return null;
}

/** Sales of any kind: a total column, else price times quantity; nearest to `tables`, never fanned out by the way there. */
export function moneyMeasure(context: Context, tables: readonly string[], name: AggregateFunction): Measure | null {
  let best: { readonly measure: Measure; readonly cost: number } | null = null;
  for (const table of context.graph.tables.filter(holdsSales)) {
    const measure = moneyOf(table, name);
    if (measure === null) continue;
    let cost = measure.kind === "line_total" ? 0.5 : 0;
    for (const other of tables) {
      const path = findPath(context.graph, table.name, other, context.hints);
      if (path === null) cost += 20;
      else cost += path.length * 0.1 + path.filter((hop) => hop.direction === "down").length * 5;
    }
    if (best === null || cost < best.cost) best = { measure, cost };
  }
  return best?.measure ?? null;
}

/** Pieces sold: the quantity beside a price, where there is one; else sales. */
export function soldMeasure(context: Context, tables: readonly string[]): Measure | null {
  const money = moneyMeasure(context, tables, "sum");
  for (const table of context.graph.tables) {
    const quantity = table.columns.find((column) => isMeasure(column) && column.words.includes("quantity"));
    const price = table.columns.some((column) => column.words.includes("price"));
    if (table.kind === "table" && quantity !== undefined && price)
      return { kind: "aggregate", function: "sum", column: quantity };
  }
  return money;
}

/** Rows of `table` are sales, or parts of one. */
export function holdsSales(table: TableNode): boolean {
  return table.kind === "table" && moneyOf(table, "sum") !== null;
}

function moneyOf(table: TableNode, name: AggregateFunction): Measure | null {
  const measures = table.columns.filter(isMeasure);
  const total = measures.find((column) =>
    column.ownWords.some((word) => /^(total|amount|revenue|sale|subtotal|payment|fee)$/.test(word)),
  );
  const price = measures.find((column) => column.words.includes("price"));
  const quantity = measures.find((column) => column.words.includes("quantity"));
  const discount = measures.find((column) => column.words.includes("discount")) ?? null;
  if (total !== undefined) return { kind: "aggregate", function: name, column: total };
  if (price === undefined || quantity === undefined) return null;
  return { kind: "line_total", function: name, columns: [price, quantity], discount };
}

/** The table a measure is computed over; null for the count of the question's own rows. */
export function tableOfMeasure(measure: Measure): string | null {
  if (measure.kind === "count") return measure.table;
  return measure.kind === "line_total" ? (measure.columns[0]?.table ?? null) : measure.column.table;
}
