/**
 * The state of reading conditions, and how a condition is put where it belongs: joined to the one before by `or`,
 * widened to a list, or placed in the scope that can hold it.
 * Leaves to others: what the words say (read-*.ts). Pure, but for the reader it is given to move.
 */
import type { Condition, Having, Literal, Measure } from "./intent.ts";
import type { Item } from "./items.ts";
import type { Operator } from "./keys.ts";
import { isJoiner, isKey } from "./read-target.ts";
import type { Context, Ref } from "./resolve.ts";
import type { ColumnNode } from "./schema-graph.ts";
import type { Scope } from "./scopes.ts";
import { chainOf, createScope, isReachedUpwards, nearestScope, place } from "./scopes.ts";

/** The reader's state. */
export interface Reader {
  readonly context: Context;
  readonly items: readonly Item[];
  readonly root: Scope;
  /** The question shows columns or groups, so that a count of its own rows is a condition on groups. */
  readonly grouped: boolean;
  /** The question lists or counts rows, and does not look up columns of one. */
  readonly lists: boolean;
  at: number;
  scope: Scope;
  pending: { readonly ref: Ref; readonly clause: string; readonly negated: boolean } | null;
  pendingMeasure: Measure | null;
  negated: boolean;
  or: boolean;
  both: boolean;
  clause: string;
  /** The scope that took the last value or was opened last. */
  latest: Scope | null;
  readonly having: Having[];
  readonly shown: ColumnNode[];
  readonly unread: string[];
}

/** Joins `Canada and Brazil`, `cat or dog` to one list where they speak of one column. */
export function addValue(reader: Reader, column: ColumnNode, condition: Condition, negated: boolean): void {
  const previous = reader.items[reader.at - 2];
  const listed = isKey(previous, "or") || isJoiner(previous);
  // `who speak English and Dutch`: of what a row may have many of, both are wanted.
  const each =
    isKey(previous, "and") &&
    !isReachedUpwards(reader.context, nearestScope(reader.context, reader.scope, column.table).table, column.table);
  if (
    listed &&
    !reader.both &&
    !each &&
    condition.kind === "one_of" &&
    widenPrevious(reader, column, condition.values)
  ) {
    reader.or = false;
    return;
  }
  const other = reader.or ? lastCondition(reader) : null;
  if (other !== null) {
    other.scope.conditions.pop();
    other.scope.conditions.push({
      kind: "any_of",
      conditions: [other.condition, condition],
    });
    reader.or = false;
    return;
  }
  if (each) leaveDeed(reader, column);
  const scope = addHere(reader, column, condition, negated, reader.both || each);
  reader.latest = scope;
  if (scope.table === column.table && scope !== reader.root && scope.named) reader.scope = scope;
  if (negated && !isJoiner(reader.items[reader.at])) reader.negated = false;
}

/** `who bought Jazz and Metal`: each was bought, not both at once. */
function leaveDeed(reader: Reader, column: ColumnNode): void {
  const { scope } = reader;
  const isDeed = reader.items.some(
    (item) => item.kind === "ref" && /(ed|ght)$/.test(item.text) && item.link.tables[0]?.table.name === scope.table,
  );
  if (!isDeed || scope.parent === null || scope.table === column.table) return;
  reader.scope = createScope(scope.table, scope.parent, true);
}

function widenPrevious(reader: Reader, column: ColumnNode, values: readonly Literal[]): boolean {
  for (const scope of scopesOf(reader.root)) {
    const last = scope.conditions.at(-1);
    if (last?.kind === "one_of" && last.column.name === column.name && last.column.table === column.table) {
      scope.conditions.pop();
      scope.conditions.push({ ...last, values: [...last.values, ...values] });
      return true;
    }
  }
  return false;
}

export function scopesOf(scope: Scope): readonly Scope[] {
  return [scope, ...scope.children.flatMap(scopesOf)];
}

function lastCondition(reader: Reader): { readonly scope: Scope; readonly condition: Condition } | null {
  const condition = reader.scope.conditions.at(-1);
  return condition === undefined ? null : { scope: reader.scope, condition };
}

/** Puts a condition where it belongs, as seen from the scope that is being read. */
export function addHere(
  reader: Reader,
  column: ColumnNode,
  condition: Condition,
  negated = reader.negated,
  separate = false,
): Scope {
  return place(reader.context, reader.scope, column, condition, { negated, separate });
}

export function tablesAround(reader: Reader): readonly string[] {
  return chainOf(reader.scope).map((scope) => scope.table);
}

/** An age in years against a date of birth. */
const AGE_YEARS_MAX = 150;

function agedValue(column: ColumnNode, value: Literal): Literal {
  const years = Number(value.text);
  if (column.kind !== "date" || value.kind !== "number" || !(years >= 0 && years <= AGE_YEARS_MAX)) return value;
  return { kind: "number", text: `date('now', '-${years} years')` };
}

export function addComparison(reader: Reader, column: ColumnNode, operator: Operator, value: Literal): void {
  const condition: Condition = { kind: "compare", column, operator, value: agedValue(column, value) };
  if (reader.or) {
    const last = reader.scope.conditions.pop();
    reader.or = false;
    if (last !== undefined) {
      reader.scope.conditions.push({ kind: "any_of", conditions: [last, condition] });
      return;
    }
  }
  addHere(reader, column, condition);
  reader.negated = false;
}
