/**
 * Settles what figures are grouped by: targets behind `per` and `by`, and whatever else is shown beside a figure.
 * Pure: no I/O, no clock.
 */
import type { Focus } from "./focus.ts";
import type { Group, Output, Rank } from "./intent.ts";
import { dateColumn } from "./measures.ts";
import type { Target } from "./read-target.ts";
import type { Context } from "./resolve.ts";
import { columnOfRef, labelsOfTable, nodeOf, tableOfRef } from "./resolve.ts";
import type { ColumnNode, TableNode } from "./schema-graph.ts";
import { edgeOf, hopsFrom } from "./schema-graph.ts";

export function settleGroup(
  context: Context,
  target: Target,
  base: string | null,
  near: readonly string[],
): readonly Group[] {
  const around = base === null ? near : [base, ...near];
  if (target.kind === "period") {
    const own = base === null ? null : dateColumn(context, nodeOf(context, base));
    const column = own ?? nearestDateColumn(context, around);
    if (column === null) return [];
    return [
      column.kind === "year" && target.unit === "year"
        ? { kind: "column", column }
        : { kind: "period", unit: target.unit, column },
    ];
  }
  if (target.kind === "money" || target.ref === null) return [];
  const table = tableOfRef(target.ref);
  const owner = target.kind === "ref" && target.owner !== null ? tableOfRef(target.owner) : null;
  if (table !== null && owner === null) return [{ kind: "entity", table: table.name }];
  const column = columnOfRef(target.ref, context, owner === null ? around : [owner.name, ...around]);
  if (column === null) return table === null ? [] : [{ kind: "entity", table: table.name }];
  const home = nodeOf(context, column.table);
  const pointed = /\bid\b/i.test(target.ref.text) ? undefined : pointedTable(context, column);
  if (pointed !== undefined) return [{ kind: "entity", table: pointed }];
  const isLabel = isNaming(home, column) && home.name !== base && !home.isBridge;
  return [isLabel ? { kind: "entity", table: home.name } : { kind: "column", column }];
}

/** The table whose rows a key column points to, if it can tell them by name. */
function pointedTable(context: Context, column: ColumnNode): string | undefined {
  const edge = edgeOf(context.graph, column);
  if (edge?.childColumns.length !== 1 || edge.parent === edge.child) return undefined;
  return nodeOf(context, edge.parent).labels.length > 0 ? edge.parent : undefined;
}

function nearestDateColumn(context: Context, tables: readonly string[]): ColumnNode | null {
  for (const name of tables) {
    for (const hop of hopsFrom(context.graph, name)) {
      const other = nodeOf(context, hop.direction === "up" ? hop.edge.parent : hop.edge.child);
      // When the clerk of a customer was born says nothing of the customer.
      if (other.labels.length > 1) continue;
      const column = dateColumn(context, other);
      if (column !== null) return column;
    }
  }
  return null;
}

export function tableOfGroup(group: Group): string {
  return group.kind === "entity" ? group.table : group.column.table;
}

/** Beside a figure, whatever else is shown is what the figure is grouped by; a ranking by a figure groups as well. */
export function completeGroups(
  context: Context,
  focus: Focus,
  rank: Rank | null,
  hasHaving: boolean,
  root: string,
): { readonly outputs: readonly Output[]; readonly groups: readonly Group[] } {
  const measures = focus.outputs.filter((output) => output.kind === "measure");
  const plain = focus.outputs.filter((output) => output.kind !== "measure");
  const ranksFigure = rank?.by.kind === "measure";
  if (measures.length === 0 && !ranksFigure && !hasHaving && focus.groups.length === 0) return focus;
  const groups = [...focus.groups];
  if (groups.length === 0) groups.push(...groupsOfOutputs(context, plain, root));
  const outputs: Output[] = [...plain];
  for (const group of focus.groups) {
    if (group.kind === "period") continue;
    const covered = plain.some((output) =>
      output.kind === "column"
        ? group.kind === "column" && output.column === group.column
        : group.kind === "entity" && output.table === group.table,
    );
    const named =
      group.kind === "entity" &&
      plain.some((output) => output.kind === "column" && output.column.table === group.table);
    if (!covered && !named)
      outputs.push(
        group.kind === "entity" ? { kind: "entity", table: group.table } : { kind: "column", column: group.column },
      );
  }
  outputs.push(...measures);
  if (rank?.by.kind === "measure" && measures.length === 0) outputs.push({ kind: "measure", measure: rank.by.measure });
  if (groups.length > 0 && measures.length === 0 && rank === null && !hasHaving)
    outputs.push({ kind: "measure", measure: { kind: "count", table: null } });
  return { outputs, groups };
}

/** Columns that name a row, and columns of one table beside them, group by that row; others by their values. */
function groupsOfOutputs(context: Context, plain: readonly Output[], root: string): readonly Group[] {
  const groups: Group[] = [];
  for (const output of plain) {
    if (output.kind === "measure") continue;
    const table = output.kind === "column" ? output.column.table : output.table;
    const node = nodeOf(context, table);
    const names = plain.some((other) =>
      other.kind === "entity" || other.kind === "all"
        ? other.table === table
        : other.kind === "column" && other.column.table === table && isNaming(node, other.column),
    );
    if (names && table !== root) groups.push({ kind: "entity", table });
    else if (names && output.kind !== "column") groups.push({ kind: "entity", table });
    else if (output.kind === "column") groups.push({ kind: "column", column: output.column });
  }
  return groups.filter(
    (group, index) => groups.findIndex((other) => JSON.stringify(other) === JSON.stringify(group)) === index,
  );
}

export function isNaming(table: TableNode, column: ColumnNode): boolean {
  return (
    (table.keys.length <= 1 && labelsOfTable(table).includes(column)) ||
    (table.keys.length === 1 && table.keys[0] === column)
  );
}
