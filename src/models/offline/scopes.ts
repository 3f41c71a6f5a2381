/**
 * Scopes: which table's rows a condition is about. A question opens a scope with every table it relates to its subject
 * (`students who have a dog`), and later conditions go to the innermost scope that can hold them.
 * Leaves to others: reading the conditions (read-conditions.ts). Pure, but for the scopes it is given to fill.
 */
import type { Condition, Having, Rank, Related } from "./intent.ts";
import type { Context } from "./resolve.ts";
import type { ColumnNode } from "./schema-graph.ts";
import { findPath } from "./schema-graph.ts";

export interface Scope {
  readonly table: string;
  readonly parent: Scope | null;
  readonly conditions: Condition[];
  readonly children: Scope[];
  negated: boolean;
  having: Having | null;
  rank: Rank | null;
  /** Named in the question, not made for a lone value. */
  readonly named: boolean;
}

export function createScope(table: string, parent: Scope | null, named: boolean): Scope {
  const scope: Scope = { table, parent, conditions: [], children: [], negated: false, having: null, rank: null, named };
  parent?.children.push(scope);
  return scope;
}

/** The scope and those around it, innermost first. */
export function chainOf(scope: Scope): readonly Scope[] {
  const chain: Scope[] = [];
  for (let here: Scope | null = scope; here !== null; here = here.parent) chain.push(here);
  return chain;
}

/** The cost of reaching `table` from `scope`, or null; going down costs more, since it means another row. */
export function distance(context: Context, scope: Scope, table: string): number | null {
  if (scope.table === table) return 0;
  const path = findPath(context.graph, scope.table, table, context.hints);
  return path === null ? null : path.reduce((sum, hop) => sum + (hop.direction === "up" ? 1 : 1.6), 0);
}

/** The scope around `from` that is nearest to `table`. */
export function nearestScope(context: Context, from: Scope, table: string): Scope {
  let best = from;
  let bestCost = Number.POSITIVE_INFINITY;
  for (const scope of chainOf(from)) {
    const cost = distance(context, scope, table) ?? Number.POSITIVE_INFINITY;
    if (cost < bestCost) {
      best = scope;
      bestCost = cost;
    }
  }
  return best;
}

/**
 * Puts a condition on `column` where it belongs, and returns the scope that took it. What a row has at most one of
 * (reached upwards) stays with the row; what it may have many of gets a scope of its own, shared by conditions that
 * speak of the same one.
 */
export function place(
  context: Context,
  from: Scope,
  column: ColumnNode,
  condition: Condition,
  options: { readonly negated: boolean; readonly separate: boolean },
): Scope {
  const home = nearestScope(context, from, column.table);
  if (isReachedUpwards(context, home.table, column.table)) {
    home.conditions.push(options.negated ? negate(condition) : condition);
    return home;
  }
  const known = home.children.find(
    (child) => child.table === column.table && child.negated === options.negated && child.having === null,
  );
  if (known !== undefined && !(options.separate && known.conditions.some((other) => speaksOf(other, column)))) {
    known.conditions.push(condition);
    return known;
  }
  const made = createScope(column.table, home, false);
  made.negated = options.negated;
  made.conditions.push(
    condition,
    ...(known === undefined ? [] : known.conditions.filter((other) => !speaksOf(other, column))),
  );
  return made;
}

export function isReachedUpwards(context: Context, from: string, to: string): boolean {
  const path = findPath(context.graph, from, to, context.hints);
  return path?.every((hop) => hop.direction === "up") ?? false;
}

function speaksOf(condition: Condition, column: ColumnNode): boolean {
  return "column" in condition && condition.column.table === column.table && condition.column.name === column.name;
}

/** The opposite condition. */
export function negate(condition: Condition): Condition {
  switch (condition.kind) {
    case "one_of":
    case "contains":
    case "during":
    case "empty":
    case "related":
    case "points_to":
      return { ...condition, negated: !condition.negated };
    case "compare":
    case "columns":
    case "versus_average":
      return { ...condition, operator: OPPOSITES[condition.operator] };
    case "between":
      return {
        kind: "any_of",
        conditions: [
          { kind: "compare", column: condition.column, operator: "<", value: condition.low },
          { kind: "compare", column: condition.column, operator: ">", value: condition.high },
        ],
      };
    case "all_of":
      return { kind: "any_of", conditions: condition.conditions.map(negate) };
    case "any_of":
      return { kind: "all_of", conditions: condition.conditions.map(negate) };
  }
}

const OPPOSITES = { "=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">" } as const;

/** Scopes as conditions. A named scope that demands nothing and is reached upwards says nothing, and is dropped. */
export function toConditions(context: Context, scope: Scope): readonly Condition[] {
  const related = scope.children.flatMap((child): readonly Related[] => {
    const conditions = toConditions(context, child);
    const plain = conditions.length === 0 && child.having === null && child.rank === null && !child.negated;
    if (plain && isReachedUpwards(context, scope.table, child.table)) return [];
    return [
      {
        kind: "related",
        table: child.table,
        conditions,
        negated: child.negated,
        having: child.having,
        rank: child.rank,
      },
    ];
  });
  return [...scope.conditions, ...related];
}
