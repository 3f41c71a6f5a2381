/**
 * Turns an intent into a SELECT: joins along the shortest keys, subselects for related rows (never correlated, so that
 * the work stays one pass a table), distinct counts where a join repeats rows.
 * Leaves to others: conditions (build-conditions.ts), text (sql-writer.ts). Pure: no I/O, no clock.
 */
import { addConditions } from "./build-conditions.ts";
import { measureExpression, measureName } from "./build-measure.ts";
import { addsRepeats, openColumns } from "./determined.ts";
import type { Group, Intent, Order, Output, Rank } from "./intent.ts";
import { isMeasure } from "./measures.ts";
import type { Draft } from "./query-draft.ts";
import { addHop, columnAt, createDraft, sourceOf } from "./query-draft.ts";
import type { Context } from "./resolve.ts";
import { nodeOf } from "./resolve.ts";
import type { ColumnNode, TableNode } from "./schema-graph.ts";
import { edgeOf } from "./schema-graph.ts";
import type { Expression, Select, SelectOutput } from "./select.ts";
import { convert } from "./units.ts";
import { wordsOfName } from "./words.ts";

/** `plain` leaves out what only helps the reader (keys beside names), for a second try after an error. */
export function buildQuery(intent: Intent, context: Context, plain: boolean): Select | null {
  const draft = createDraft(intent.root, context);
  const groupBy: Expression[] = [];
  const outputs: SelectOutput[] = [];
  for (const group of intent.groups) {
    const expressions = groupExpressions(draft, group);
    if (expressions === null) return null;
    groupBy.push(...expressions);
    if (group.kind === "period" && expressions[0] !== undefined)
      outputs.push({ expression: expressions[0], alias: group.unit });
  }
  const figures: Expression[] = [];
  for (const output of intent.outputs) {
    const made = outputExpressions(draft, output, plain);
    if (made === null) return null;
    outputs.push(...made);
    figures.push(...made.slice(0, 1).map((each) => each.expression));
  }
  if (intent.share && groupBy.length > 0)
    outputs.push(
      ...figuresOf(outputs).map((of) => ({ expression: { kind: "share" as const, of }, alias: "percentage" })),
    );
  addConditions(draft, 0, intent.conditions, draft.where);
  const orderBy = rankOrder(draft, intent.rank, outputs);
  if (orderBy === null) return null;
  for (const order of intent.orders) {
    const expression = orderExpression(draft, order, intent, figures);
    if (expression !== null) orderBy.push({ expression, descending: order.descending });
  }
  if (openColumns(draft, groupBy, outputs).length > 0 && !placeWithin(draft, intent, groupBy, outputs, orderBy[0]))
    return null;
  if (addsRepeats(draft, outputs)) return null;
  const [best] = orderBy;
  if (intent.rank?.limit === null && best !== undefined && !outputs.some((each) => each.expression.kind === "place"))
    outputs.push({
      expression: { kind: "place", within: [], by: best.expression, descending: best.descending },
      alias: "place",
    });
  if (orderBy.length === 0) orderBy.push(...usualOrder(intent, outputs));
  const having = intent.having.map((each) => ({
    kind: "compare" as const,
    left: measureExpression(draft, each.measure),
    operator: each.operator,
    right: { kind: "literal" as const, value: { kind: "number" as const, text: each.value } },
  }));
  return {
    sources: draft.sources,
    outputs: nameOutputs(dropRepeats(outputs), draft).map((output) => inUnit(draft, output, intent.unit)),
    distinct: groupBy.length === 0 && isDistinct(intent, context),
    where: draft.where,
    groupBy,
    having: having.flatMap((each) => (each.left === null ? [] : [{ ...each, left: each.left }])),
    orderBy,
    limit: intent.rank?.limit ?? null,
    quoted: context.graph.quoted,
  };
}

/** `top 3 artists per genre`: the rows are the artists of each genre, numbered within it. */
function placeWithin(
  draft: Draft,
  intent: Intent,
  groupBy: Expression[],
  outputs: SelectOutput[],
  by: Select["orderBy"][number] | undefined,
): boolean {
  if (intent.rank === null || by === undefined) return false;
  const within = [...groupBy];
  const open = openColumns(draft, groupBy, outputs);
  if (intent.rank.by.kind === "column") groupBy.length = 0;
  else
    for (const source of new Set(open.map((column) => column.source))) {
      const table = draft.sources.find((each) => each.id === source)?.table ?? draft.root;
      groupBy.push(
        ...nodeOf(draft.context, table).keys.map(({ name }): Expression => ({ kind: "column", source, name })),
      );
    }
  outputs.push({ expression: { kind: "place", within, by: by.expression, descending: by.descending }, alias: "place" });
  return openColumns(draft, groupBy, outputs).length === 0;
}

function figuresOf(outputs: readonly SelectOutput[]): readonly Expression[] {
  return outputs.map((output) => output.expression).filter((each) => each.kind === "call");
}

function groupExpressions(draft: Draft, group: Group): readonly Expression[] | null {
  if (group.kind === "entity") {
    const source = sourceOf(draft, 0, group.table);
    if (source === null) return null;
    const table = nodeOf(draft.context, group.table);
    const keys = table.keys.length > 0 ? table.keys : table.labels;
    return keys.map((key): Expression => ({ kind: "column", source, name: key.name }));
  }
  const column = columnAt(draft, 0, group.column);
  if (column === null) return null;
  if (group.kind === "column") return [column];
  return [{ kind: "period", unit: group.unit, of: column, isNumber: /INT|REAL|NUM/.test(group.column.type) }];
}

function outputExpressions(draft: Draft, output: Output, plain: boolean): readonly SelectOutput[] | null {
  if (output.kind === "measure") {
    const expression = measureExpression(draft, output.measure);
    return expression === null ? null : [{ expression, alias: measureName(output.measure, draft.root) }];
  }
  if (output.kind === "column") {
    const expression = columnAt(draft, 0, output.column);
    return expression === null ? null : [{ expression, alias: null }, ...pointedAt(draft, output.column, plain)];
  }
  const source = sourceOf(draft, 0, output.table);
  if (source === null) return null;
  const table = nodeOf(draft.context, output.table);
  const columns = output.kind === "all" ? table.columns : identifying(table, plain);
  return columns.map((column) => ({ expression: { kind: "column", source, name: column.name }, alias: null }));
}

/** `average length in minutes` over a column of milliseconds. */
function inUnit(draft: Draft, output: SelectOutput, unit: string | null): SelectOutput {
  const { expression, alias } = output;
  const of = expression.kind === "call" && expression.function !== "count" ? expression.of : expression;
  if (unit === null || of?.kind !== "column") return output;
  const table = draft.sources.find((source) => source.id === of.source)?.table ?? draft.root;
  const column = nodeOf(draft.context, table).columns.find((each) => each.name === of.name);
  const factor = column === undefined ? "1" : convert(1, "1", unit, column).text;
  if (factor === "1") return output;
  const name = (alias ?? wordsOfName(of.name).join("_"))
    .replace(/_?((milli)?seconds?|bytes?)$|$/, `_${unit}s`)
    .replace(/^_/, "");
  return { expression: { kind: "ratio", of: expression, by: factor }, alias: name };
}

/** Beside a key that points to another row, the names of that row. */
function pointedAt(draft: Draft, column: ColumnNode, plain: boolean): readonly SelectOutput[] {
  const edge = edgeOf(draft.context.graph, column);
  if (edge?.childColumns.length !== 1 || plain || column.table !== draft.root || draft.context.hints.has("id"))
    return [];
  const source = addHop(draft, 0, { edge, direction: "up" }, !column.notNull);
  const labels = nodeOf(draft.context, edge.parent).labels;
  const snake = (name: string): string => wordsOfName(name).join("_");
  return labels.map((label) => ({
    expression: { kind: "column", source, name: label.name },
    alias: `${snake(column.name)}_${snake(label.name)}`,
  }));
}

/** The columns a row is known by: its key and its names; without names, what it has of dates and figures. */
export function identifying(table: TableNode, plain: boolean): readonly ColumnNode[] {
  const keys = plain && table.labels.length > 0 ? [] : table.keys;
  const columns = [...keys, ...table.labels.filter((label) => !keys.includes(label))];
  if (table.labels.some((label) => !label.isKey && label.words.some((word) => /name|title|description/.test(word))))
    return columns;
  const rest = table.columns.filter((column) => !columns.includes(column) && column.kind !== "blob");
  const telling = rest.filter((column) => column.kind === "date" || column.kind === "year" || isMeasure(column));
  const more = rest.length + columns.length <= 6 ? rest : telling.slice(0, 4);
  const all = table.columns.filter((column) => columns.includes(column) || more.includes(column));
  return all.length > 0 ? all : table.columns;
}

function rankOrder(
  draft: Draft,
  rank: Rank | null,
  outputs: SelectOutput[],
): { expression: Expression; descending: boolean }[] | null {
  if (rank === null) return [];
  const expression =
    rank.by.kind === "column" ? columnAt(draft, 0, rank.by.column) : measureExpression(draft, rank.by.measure);
  if (expression === null) return null;
  if (rank.by.kind === "column") {
    // NULL sorts first in SQLite: without this the smallest would be what nobody knows.
    if (!rank.descending && !rank.by.column.notNull) draft.where.push({ kind: "null", of: expression, negated: true });
    outputs.push({ expression, alias: null });
  }
  return [{ expression, descending: rank.descending }];
}

function orderExpression(
  draft: Draft,
  order: Order,
  intent: Intent,
  figures: readonly Expression[],
): Expression | null {
  if (order.by.kind === "output") {
    const period = intent.groups.find((group) => group.kind === "period");
    if (order.by.index === 0 && period !== undefined && intent.outputs[0]?.kind !== "measure")
      return groupExpressions(draft, period)?.[0] ?? null;
    return figures[order.by.index] ?? null;
  }
  return order.by.kind === "column" ? columnAt(draft, 0, order.by.column) : measureExpression(draft, order.by.measure);
}

/** Periods run forward; groups show the largest figure first. */
function usualOrder(
  intent: Intent,
  outputs: readonly SelectOutput[],
): { expression: Expression; descending: boolean }[] {
  if (intent.groups.length === 0) return [];
  const [first] = outputs;
  if (first !== undefined && first.expression.kind === "period" && first.expression.unit !== "weekday")
    return [{ expression: first.expression, descending: false }];
  const figure = outputs.find((output) => output.expression.kind === "call");
  return figure === undefined ? [] : [{ expression: figure.expression, descending: true }];
}

/** A list of values that name no row (`countries of customers`) is told once each. */
function isDistinct(intent: Intent, context: Context): boolean {
  if (intent.outputs.some((output) => output.kind === "measure")) return false;
  if (intent.distinct) return true;
  if (intent.rank !== null || intent.orders.length > 0) return false;
  return (
    intent.outputs.length === 1 &&
    intent.outputs.every((output) => {
      if (output.kind !== "column") return false;
      const table = nodeOf(context, output.column.table);
      return (
        !table.labels.includes(output.column) &&
        output.column.keyPosition === 0 &&
        output.column.kind === "text" &&
        output.column.words.at(-1) !== "name"
      );
    })
  );
}

function dropRepeats(outputs: readonly SelectOutput[]): readonly SelectOutput[] {
  return outputs.filter(
    (output, index) =>
      outputs.findIndex((other) => JSON.stringify(other.expression) === JSON.stringify(output.expression)) === index,
  );
}

/** Two outputs of one name get their table's name before it. */
function nameOutputs(outputs: readonly SelectOutput[], draft: Draft): readonly SelectOutput[] {
  const nameOf = (output: SelectOutput): string =>
    output.alias ?? (output.expression.kind === "column" ? output.expression.name : "");
  return outputs.map((output) => {
    const twin = outputs.some(
      (other) => other !== output && nameOf(other).toLowerCase() === nameOf(output).toLowerCase(),
    );
    const { expression } = output;
    if (!twin || expression.kind !== "column") return output;
    const table = draft.sources.find((source) => source.id === expression.source)?.table ?? "";
    return { expression, alias: [...wordsOfName(table), ...wordsOfName(expression.name)].join("_") };
  });
}
