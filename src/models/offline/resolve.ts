/**
 * Settles what a reference means in its context: table or column, which of several columns, and the column behind an
 * adjective or a word for money. Leaves to others: the order of words (read-*.ts). Pure: no I/O, no clock.
 */
import type { Item } from "./items.ts";
import type { Link } from "./linking.ts";
import { chooseColumn } from "./linking.ts";
import type { ColumnNode, SchemaGraph, TableNode } from "./schema-graph.ts";
import { tableNamed } from "./schema-graph.ts";

export type Ref = Extract<Item, { readonly kind: "ref" }>;

export interface Context {
  readonly graph: SchemaGraph;
  /** Stems of all words of the question; keys that they name are preferred. */
  readonly hints: ReadonlySet<string>;
  /** Tables the question names outright, in order. */
  readonly mentioned: readonly string[];
}

/** The table a reference names, unless a column fits clearly better. */
export function tableOfRef(ref: Ref | Link): TableNode | null {
  const link = "link" in ref ? ref.link : ref;
  const [table] = link.tables;
  const [column] = link.columns;
  if (table === undefined) return null;
  if (table.score < 0.9 && column !== undefined && column.score > table.score + 0.1) return null;
  return table.table;
}

/** True when a reference names a table outright. */
export function isTableRef(item: Item | undefined): item is Ref {
  return item?.kind === "ref" && tableOfRef(item) !== null;
}

/** The column a reference means near `tables` (nearest first). */
export function columnOfRef(
  ref: Ref | Link,
  context: Context,
  tables: readonly string[],
  accepts?: (column: ColumnNode) => boolean,
): ColumnNode | null {
  const link = "link" in ref ? ref.link : ref;
  const near = [...new Set([...tables, ...context.mentioned])];
  const around = { graph: context.graph, tables: near, hints: context.hints };
  // `shipped` is rather ShippedDate than the key of a shipper.
  const verb = "text" in ref && /ed$/i.test(ref.text) ? ref.text.toLowerCase() : null;
  const links = link.columns.map((each) =>
    verb !== null && each.column.words.includes(verb) ? { ...each, score: each.score + 0.3 } : each,
  );
  return chooseColumn(links, accepts === undefined ? around : { ...around, accepts });
}

/** The columns a row of `table` is known by, or its key. */
export function labelsOfTable(table: TableNode): readonly ColumnNode[] {
  return table.labels.length > 0 ? table.labels : table.keys.length > 0 ? table.keys : table.columns.slice(0, 3);
}

export function nodeOf(context: Context, table: string): TableNode {
  const node = tableNamed(context.graph, table);
  if (node === undefined) throw new Error(`the schema graph lost its table ${table}`);
  return node;
}
