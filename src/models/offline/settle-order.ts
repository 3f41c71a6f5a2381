/**
 * Settles what an order clause orders by, once outputs and groups are known. An order without a target takes the figure
 * shown, else the first column shown. Pure: no I/O, no clock.
 */
import type { Group, Measure, Order, Output } from "./intent.ts";
import { columnOfAdjective } from "./measures.ts";
import type { OrderReading } from "./read-order.ts";
import type { Context } from "./resolve.ts";
import { columnOfRef, labelsOfTable, nodeOf, tableOfRef } from "./resolve.ts";

export function settleOrders(
  context: Context,
  reading: OrderReading,
  shown: { readonly outputs: readonly Output[]; readonly groups: readonly Group[] },
  root: string,
): readonly Order[] {
  const descending = reading.descending ?? false;
  const figure = shown.outputs.findIndex((output) => output.kind === "measure");
  const byFigure: Order = { by: { kind: "output", index: figure }, descending };
  const orders = reading.targets.flatMap((target): readonly Order[] => {
    if (target.kind === "money") return figure >= 0 ? [byFigure] : [];
    if (target.kind === "count" || (target.kind === "ref" && target.function !== null)) {
      if (figure >= 0) return [byFigure];
      const table = target.ref === null ? null : (tableOfRef(target.ref)?.name ?? null);
      const measure: Measure = { kind: "count", table: table === root ? null : table };
      return [{ by: { kind: "measure", measure }, descending }];
    }
    if (target.kind === "period")
      return shown.groups.length > 0 ? [{ by: { kind: "output", index: 0 }, descending }] : [];
    const table = tableOfRef(target.ref);
    const near: readonly string[] = shown.outputs.flatMap((output) =>
      output.kind === "column" ? [output.column.table] : output.kind === "measure" ? [] : [output.table],
    );
    const column = columnOfRef(target.ref, context, [...near, root]);
    const label = table === null ? undefined : labelsOfTable(table)[0];
    if (table !== null && label !== undefined && (column === null || column.isKey))
      return [{ by: { kind: "column", column: label }, descending }];
    if (column === null) return [];
    const measure = shown.outputs[figure];
    const isFigure =
      measure?.kind === "measure" &&
      measure.measure.kind === "aggregate" &&
      measure.measure.column.name === column.name;
    return [isFigure ? byFigure : { by: { kind: "column", column }, descending }];
  });
  if (orders.length > 0) return orders;
  const found = adjectiveColumn(context, reading, shown.outputs, root);
  const named = reading.adjective?.readings.some((each) => each.attribute === "*") === false;
  if (found !== null && named) return [{ by: { kind: "column", column: found.column }, descending: found.high }];
  if (reading.alphabetical === true) return usualOrder(context, shown.outputs, descending);
  if (figure >= 0 && reading.targets.length === 0) return [byFigure];
  return usualOrder(context, shown.outputs, descending);
}

/** A column that is shown goes before one that is not. */
function adjectiveColumn(
  context: Context,
  reading: OrderReading,
  outputs: readonly Output[],
  root: string,
): ReturnType<typeof columnOfAdjective> {
  if (reading.adjective === undefined) return null;
  const table = nodeOf(context, root);
  const columns = outputs.flatMap((output) => (output.kind === "column" ? [output.column] : []));
  return (
    columnOfAdjective(reading.adjective, { ...table, columns }, context) ??
    columnOfAdjective(reading.adjective, table, context)
  );
}

function usualOrder(context: Context, outputs: readonly Output[], descending: boolean): readonly Order[] {
  const [first] = outputs;
  if (first === undefined || first.kind === "measure") return [];
  const column = first.kind === "column" ? first.column : labelsOfTable(nodeOf(context, first.table))[0];
  return column === undefined ? [] : [{ by: { kind: "column", column }, descending }];
}
