/**
 * Reads what is left of a question after outputs, groups, order and ranking: the conditions. Walks the items once,
 * holding the column last named (`pending`), whether a negation or an `or` is open, and the scope it is in.
 * Leaves to others: comparisons with numbers and dates (read-comparison.ts). Pure, but for its own state.
 */
import type { Condition, Having } from "./intent.ts";
import type { Item } from "./items.ts";
import { onBetween, onComparative, onCompare, onNumber } from "./read-comparison.ts";
import { onAggregate } from "./read-counts.ts";
import { onDate } from "./read-dates.ts";
import { flushPending } from "./read-pending.ts";
import { isClause, isKey } from "./read-target.ts";
import { onValue } from "./read-value.ts";
import { onContains, onWord } from "./read-words.ts";
import type { Reader } from "./reader.ts";
import { tablesAround } from "./reader.ts";
import type { Context, Ref } from "./resolve.ts";
import { tableOfRef } from "./resolve.ts";
import type { ColumnNode } from "./schema-graph.ts";
import { findPath } from "./schema-graph.ts";
import type { Scope } from "./scopes.ts";
import { chainOf, createScope, isReachedUpwards, nearestScope, toConditions } from "./scopes.ts";

export interface ConditionReading {
  readonly conditions: readonly Condition[];
  readonly having: readonly Having[];
  /** Columns that a condition named and that are worth showing. */
  readonly shown: readonly ColumnNode[];
  readonly unread: readonly string[];
}

export function readConditions(
  items: readonly Item[],
  root: Scope,
  context: Context,
  mode: { readonly grouped: boolean; readonly lists: boolean },
): ConditionReading {
  const reader: Reader = {
    context,
    items,
    root,
    ...mode,
    at: 0,
    scope: root,
    pending: null,
    pendingMeasure: null,
    negated: false,
    or: false,
    both: false,
    clause: "",
    latest: null,
    having: [],
    shown: [],
    unread: [],
  };
  while (reader.at < items.length) {
    const item = items[reader.at];
    reader.at += 1;
    if (item !== undefined) readItem(reader, item);
  }
  flushPending(reader);
  return { conditions: toConditions(context, root), having: reader.having, shown: reader.shown, unread: reader.unread };
}

function readItem(reader: Reader, item: Item): void {
  switch (item.kind) {
    case "key":
      return readKey(reader, item);
    case "ref":
      return onRef(reader, item);
    case "value":
      return onValue(reader, item.text, item.matches);
    case "number":
      return onNumber(reader, item.text, item.value);
    case "date":
      return onDate(reader, null, item);
    case "adjective":
      if (item.degree === "comparative") onComparative(reader, item.adjective);
      return;
    case "word":
      return onWord(reader, item.text, item.lemma);
    default:
      return;
  }
}

function readKey(reader: Reader, item: Extract<Item, { readonly kind: "key" }>): void {
  const { key } = item;
  if (key.key === "clause") return onClause(reader, key.word);
  if (key.key === "compare") return onCompare(reader, key.operator);
  if (key.key === "contains") return onContains(reader, key.at);
  if (key.key === "aggregate") return onAggregate(reader, key.function);
  switch (key.key) {
    case "not":
      if (!isClause(reader.items[reader.at - 2], "is", "are", "was", "were")) flushPending(reader);
      reader.negated = true;
      return;
    case "or":
      reader.or = true;
      return;
    case "and":
      flushPending(reader);
      return;
    case "both":
      reader.both = true;
      return;
    case "by":
      reader.clause = "by";
      return;
    case "between":
      return onBetween(reader);
    case "count":
      return onAggregate(reader, null);
    default:
      return;
  }
}

function onClause(reader: Reader, word: string): void {
  if (word === "but") {
    flushPending(reader);
    reader.scope = reader.root;
    reader.negated = false;
  }
  if (/^(that|who|whom|whose|which|where|with|having|from|during|when|but)$/.test(word)) flushPending(reader);
  if (/^(who|whose|whom|that|which)$/.test(word)) {
    if (reader.latest !== null && reader.latest.parent !== null) reader.scope = reader.latest;
    if (!isKey(reader.items[reader.at - 2], "not")) reader.negated = false;
  }
  if (!/^(is|are|was|were|do|does|did|of|than|to)$/.test(word)) reader.clause = word;
}

function onRef(reader: Reader, ref: Ref): void {
  const table = tableOfRef(ref);
  const value = reader.items[reader.at];
  const named = isClause(value, "named", "called");
  if (table === null || prefersColumn(reader, ref)) {
    if (reader.pending !== null && reader.pending.ref.text !== ref.text) flushPending(reader);
    reader.pending = { ref, clause: reader.clause, negated: reader.negated };
    return;
  }
  flushPending(reader);
  const known = chainOf(reader.scope).find((scope) => scope.table === table.name);
  if (known !== undefined) {
    if (known !== reader.root || !named) reader.scope = known;
    if (!reader.negated || known === reader.root) return;
  }
  const { latest } = reader;
  if (
    latest?.negated === true &&
    reader.items[reader.at - 2]?.kind === "value" &&
    isReachedUpwards(reader.context, table.name, latest.table)
  ) {
    // `no Jazz tracks`: tracks that are not there, and no others that are.
    reader.scope = latest;
    return;
  }
  const home = nearestScope(reader.context, reader.scope, table.name);
  // `a cat as a pet`, `Rock tracks`: the value just read already speaks of this table.
  const fresh = reader.latest !== null && reader.latest.table === table.name ? reader.latest : null;
  const mate = fresh ?? home.children.find((child) => child.table === table.name && child.negated === reader.negated);
  if (mate !== undefined) {
    reader.scope = mate;
  } else {
    if (findPath(reader.context.graph, home.table, table.name, reader.context.hints) === null) {
      reader.unread.push(ref.text);
      return;
    }
    const scope = createScope(table.name, home, true);
    scope.negated = reader.negated;
    reader.scope = scope;
    reader.latest = scope;
  }
  reader.negated = false;
}

/** A loose table name that is as well the exact name of a column at hand. */
function prefersColumn(reader: Reader, ref: Ref): boolean {
  const [link] = ref.link.columns;
  const score = ref.link.tables[0]?.score ?? 0;
  if (link === undefined || score >= 0.95) return false;
  const around = tablesAround(reader);
  const word = ref.text.toLowerCase();
  const isVerb =
    /ed$/.test(word) &&
    ref.link.columns.some((column) => around.includes(column.column.table) && column.column.words.includes(word));
  return isVerb || ref.link.columns.some((column) => around.includes(column.column.table) && column.score >= score);
}
