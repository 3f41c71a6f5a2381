/**
 * Turns conditions into predicates of a draft. What a row has at most one of is joined; what it may have many of, lacks
 * or has a number of becomes a subselect on the key. Pure, but for the draft it is given to extend.
 */
import { measureExpression } from "./build-measure.ts";
import type { Condition, Literal, Related } from "./intent.ts";
import type { Operator } from "./keys.ts";
import type { Draft } from "./query-draft.ts";
import { addHop, columnAt, createDraft, sourceOf } from "./query-draft.ts";
import type { Context } from "./resolve.ts";
import { nodeOf } from "./resolve.ts";
import type { ColumnNode, Hop } from "./schema-graph.ts";
import { findPath } from "./schema-graph.ts";
import type { Expression, Predicate, Select } from "./select.ts";

/** Adds predicates for `conditions`, which speak of the row of source `from`, to `into`. */
export function addConditions(draft: Draft, from: number, conditions: readonly Condition[], into: Predicate[]): void {
  for (const condition of conditions) {
    const predicate =
      condition.kind === "related"
        ? relatedPredicate(draft, from, condition, into)
        : plainPredicate(draft, from, condition);
    if (predicate !== null) into.push(predicate);
  }
}

function plainPredicate(draft: Draft, from: number, condition: Exclude<Condition, Related>): Predicate | null {
  if (condition.kind === "all_of" || condition.kind === "any_of") {
    const parts: Predicate[] = [];
    addConditions(draft, from, condition.conditions, parts);
    const [only] = parts;
    if (parts.length <= 1) return only ?? null;
    return { kind: condition.kind === "all_of" ? "and" : "or", parts };
  }
  if (condition.kind === "columns") {
    const left = columnAt(draft, from, condition.left);
    const right = columnAt(draft, from, condition.right);
    return left === null || right === null ? null : { kind: "compare", left, operator: condition.operator, right };
  }
  const of = columnAt(draft, from, condition.column);
  if (of === null) return null;
  switch (condition.kind) {
    case "compare":
      return {
        kind: "compare",
        left: comparable(of, condition.column, condition.value),
        operator: condition.operator,
        right: { kind: "literal", value: condition.value },
      };
    case "between":
      return {
        kind: "between",
        of: comparable(of, condition.column, condition.low),
        low: condition.low,
        high: condition.high,
      };
    case "one_of":
      return {
        kind: "in_list",
        of,
        values: condition.values.map((value) => fitted(value, condition.column)),
        negated: condition.negated,
      };
    case "contains":
      return { kind: "like", of, text: condition.text, at: condition.at, negated: condition.negated };
    case "empty":
      return { kind: "null", of, negated: condition.negated };
    case "during":
      return duringPredicate(of, condition);
    case "points_to":
      return pointedPredicate(draft, of, condition);
    case "versus_average":
      return {
        kind: "compare_select",
        left: of,
        operator: condition.operator,
        select: averageOf(draft.context, condition.column),
      };
  }
}

function pointedPredicate(
  draft: Draft,
  of: Expression,
  condition: Extract<Condition, { readonly kind: "points_to" }>,
): Predicate {
  const inner = createDraft(condition.table, draft.context);
  addConditions(inner, 0, condition.conditions, inner.where);
  const select = selectOf(inner, [{ kind: "column", source: 0, name: condition.key }]);
  return { kind: "in_select", of: [of], select, negated: condition.negated };
}

/** Numbers written as text are compared as numbers; years are not, since four digits sort alike. */
function comparable(of: Expression, column: ColumnNode, value: Literal): Expression {
  const isText = /TEXT|CHAR|CLOB/.test(column.type);
  return isText && value.kind === "number" && column.kind !== "year" && column.kind !== "date"
    ? { kind: "number", of }
    : of;
}

/** A bare number against a text column is written as text. */
function fitted(value: Literal, column: ColumnNode): Literal {
  return value.kind === "number" && /TEXT|CHAR|CLOB/.test(column.type) ? { kind: "text", text: value.text } : value;
}

function duringPredicate(
  column: Expression,
  condition: Extract<Condition, { readonly kind: "during" }>,
): Predicate | null {
  const of: Expression = /INT|REAL/.test(condition.column.type) ? { kind: "day", of: column } : column;
  const compare = (operator: Operator, text: string | null): readonly Predicate[] =>
    text === null
      ? []
      : [{ kind: "compare", left: of, operator, right: { kind: "literal", value: { kind: "text", text } } }];
  const { from, to, negated } = condition;
  const parts = [...compare(negated ? "<" : ">=", from), ...compare(negated ? ">=" : "<", to)];
  const [only] = parts;
  if (parts.length <= 1) return only ?? null;
  return { kind: negated ? "or" : "and", parts };
}

function averageOf(context: Context, column: ColumnNode): Select {
  const of: Expression = { kind: "column", source: 0, name: column.name };
  return selectOf(createDraft(column.table, context), [{ kind: "call", function: "avg", distinct: false, of }]);
}

function selectOf({ sources, where }: Draft, outputs: readonly Expression[]): Select {
  return {
    sources,
    outputs: outputs.map((expression) => ({ expression, alias: null })),
    distinct: false,
    where,
    groupBy: [],
    having: [],
    orderBy: [],
    limit: null,
  };
}

function relatedPredicate(draft: Draft, from: number, related: Related, into: Predicate[]): Predicate | null {
  const start = draft.sources.find((source) => source.id === from)?.table ?? draft.root;
  const joined = draft.sources.find((source) => source.table === related.table);
  const plain = !related.negated && related.having === null && related.rank === null;
  if (plain && joined !== undefined && joined.id !== from) {
    addConditions(draft, joined.id, related.conditions, into);
    return null;
  }
  const path = findPath(draft.context.graph, start, related.table, draft.context.hints);
  const [first] = path ?? [];
  if (path === null || first === undefined) return null;
  if (plain && path.every((hop) => hop.direction === "up")) {
    const source = sourceOf(draft, from, related.table);
    if (source !== null) addConditions(draft, source, related.conditions, into);
    return null;
  }
  return subselectPredicate(draft, from, related, path, first);
}

function subselectPredicate(
  draft: Draft,
  from: number,
  related: Related,
  path: readonly Hop[],
  first: Hop,
): Predicate | null {
  const { edge, direction } = first;
  const [own, other] =
    direction === "up" ? [edge.childColumns, edge.parentColumns] : [edge.parentColumns, edge.childColumns];
  const inner = createDraft(direction === "up" ? edge.parent : edge.child, draft.context);
  const needsEnd =
    related.conditions.length > 0 ||
    related.rank !== null ||
    (related.having !== null && related.having.measure.kind !== "count");
  // The last step up to the row itself adds nothing when nothing is asked of it.
  const last = path.at(-1);
  const skips = !needsEnd && path.length > 1 && last?.direction === "up";
  const rest = path.slice(1, skips ? -1 : path.length);
  const end = rest.reduce((here, hop) => addHop(inner, here, hop), 0);
  addConditions(inner, end, related.conditions, inner.where);
  const keys = other.map((name): Expression => ({ kind: "column", source: 0, name }));
  if (related.negated) excludeNulls(draft, inner, other);
  const [key] = skips && last !== undefined ? last.edge.childColumns : [];
  const counted: Expression | null = key === undefined ? null : { kind: "column", source: end, name: key };
  const select = finishSubselect(inner, related, keys, end, counted);
  const of = own.map((name): Expression => ({ kind: "column", source: from, name }));
  const predicate: Predicate = { kind: "in_select", of, select, negated: related.negated };
  const [left] = of;
  const nullable = related.negated && direction === "up" && left !== undefined && !isNotNull(draft, edge.child, own);
  return nullable ? { kind: "or", parts: [{ kind: "null", of: left, negated: false }, predicate] } : predicate;
}

/** One NULL among the values would make NOT IN true of nothing. */
function excludeNulls(draft: Draft, inner: Draft, names: readonly string[]): void {
  const table = nodeOf(draft.context, inner.root);
  for (const name of names) {
    const column = table.columns.find((each) => each.name === name);
    if (column === undefined || column.notNull || (column.keyPosition > 0 && table.keys.length === 1)) continue;
    inner.where.push({ kind: "null", of: { kind: "column", source: 0, name }, negated: true });
  }
}

function isNotNull(draft: Draft, table: string, names: readonly string[]): boolean {
  const node = nodeOf(draft.context, table);
  return names.every((name) =>
    node.columns.some((column) => column.name === name && (column.notNull || column.keyPosition > 0)),
  );
}

/** `of`: what is counted, each once (`saw more than one doctor`); null for rows. */
function finishSubselect(
  inner: Draft,
  related: Related,
  keys: readonly Expression[],
  end: number,
  of: Expression | null,
): Select {
  const { having, rank } = related;
  const base = selectOf(inner, keys);
  if (having !== null) {
    const counted: Expression = { kind: "call", function: "count", distinct: of !== null, of };
    const left = having.measure.kind === "count" ? counted : (measureExpression(inner, having.measure) ?? counted);
    const right: Expression = { kind: "literal", value: { kind: "number", text: having.value } };
    return { ...base, groupBy: keys, having: [{ kind: "compare", left, operator: having.operator, right }] };
  }
  if (rank === null) return base;
  const expression =
    rank.by.kind === "column" ? columnAt(inner, end, rank.by.column) : measureExpression(inner, rank.by.measure);
  if (expression === null) return base;
  const groupBy = rank.by.kind === "measure" ? keys : [];
  return { ...base, groupBy, orderBy: [{ expression, descending: rank.descending }], limit: rank.limit ?? 1 };
}
