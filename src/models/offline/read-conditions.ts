/**
 * Reads what is left of a question after outputs, groups, order and ranking: the conditions. Walks the items once,
 * holding the column last named (`pending`), whether a negation or an `or` is open, and the scope it is in.
 * Leaves to others: comparisons with numbers and dates (read-comparison.ts). Pure, but for its own state.
 */
import type { Condition, Having, Literal, Measure } from "./intent.ts";
import type { Item } from "./items.ts";
import { onAggregate, onBetween, onComparative, onCompare, onDate, onNumber } from "./read-comparison.ts";
import { isClause, isFlagRef, isJoiner, isKey } from "./read-target.ts";
import type { Context, Ref } from "./resolve.ts";
import { columnOfRef, labelsOfTable, moneyMeasure, nodeOf, tableOfMeasure, tableOfRef } from "./resolve.ts";
import type { ColumnNode } from "./schema-graph.ts";
import { findPath } from "./schema-graph.ts";
import type { Scope } from "./scopes.ts";
import { chainOf, createScope, nearestScope, place, toConditions } from "./scopes.ts";
import type { ValueMatch } from "./values.ts";
import { plainForm } from "./values.ts";

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
      if (item.degree === "comparative") return onComparative(reader, item.adjective);
      if (item.link !== null && item.degree === "superlative") return;
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
  if (/^(who|whose|whom|that|which)$/.test(word) && reader.latest !== null && reader.latest.parent !== null) {
    reader.scope = reader.latest;
  }
  if (/^(who|whose|whom|that|which)$/.test(word) && !isKey(reader.items[reader.at - 2], "not")) reader.negated = false;
  if (!/^(is|are|was|were|do|does|did|of|than|to)$/.test(word)) reader.clause = word;
}

/** A column named without a comparison: absent (`no company`), present (`with a fax`), or a flag (`official`). */
export function flushPending(reader: Reader): void {
  const pending = reader.pending;
  reader.pending = null;
  if (pending === null) return;
  const column = columnOfRef(pending.ref, reader.context, tablesAround(reader));
  if (column === null) return;
  if (column.kind === "flag") {
    const condition: Condition = { kind: "one_of", column, values: truthOf(column), negated: false };
    const { latest } = reader;
    if (pending.negated && latest !== null && latest.parent !== null && latest.table === column.table) {
      // `English is not the official language`: no row has both.
      latest.negated = true;
      latest.conditions.push(condition);
      reader.negated = false;
      return;
    }
    place(reader.context, reader.scope, column, condition, { negated: pending.negated, separate: false });
    if (pending.negated) reader.negated = false;
    return;
  }
  const near = nearestScope(reader.context, reader.scope, column.table);
  const own = column.table === near.table;
  if (column.isKey && !pending.negated) return;
  if (pending.negated) {
    reader.negated = false;
    if (own)
      place(
        reader.context,
        reader.scope,
        column,
        { kind: "empty", column, negated: false },
        { negated: false, separate: false },
      );
    else {
      reader.latest = createScope(column.table, near, true);
      reader.latest.negated = true;
    }
  } else if (/^(have|has|had|having|with)$/.test(pending.clause) && own && !column.notNull) {
    place(
      reader.context,
      reader.scope,
      column,
      { kind: "empty", column, negated: true },
      { negated: false, separate: false },
    );
    reader.shown.push(column);
  } else if (/^(with|and)$/.test(pending.clause) && own) {
    reader.shown.push(column);
  }
}

/** How the column writes `true`; every usual way when no sample tells. */
function truthOf(column: ColumnNode): readonly Literal[] {
  const written = column.values.find((value) => /^(1|t|y|true|yes)$/i.test(value));
  if (written !== undefined) return [{ kind: "text", text: written }];
  const isText = /TEXT|CHAR/.test(column.type);
  if (/INT/.test(column.type) && !isText) return [{ kind: "number", text: "1" }];
  const texts = ["T", "Y", "true", "yes", "1"].map((text): Literal => ({ kind: "text", text }));
  return isText ? texts : [{ kind: "number", text: "1" }, ...texts];
}

export function tablesAround(reader: Reader): readonly string[] {
  return chainOf(reader.scope).map((scope) => scope.table);
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

/** A literal: equal to it, or one of several, or containing it where the data only has longer texts. */
export function onValue(reader: Reader, text: string, matches: readonly ValueMatch[]): void {
  if (reader.pending !== null && isFlagRef(reader.pending.ref)) flushPending(reader);
  const negated = reader.negated;
  const match = chooseMatch(reader, text, matches);
  const pendingColumn =
    reader.pending === null
      ? null
      : columnOfRef(
          reader.pending.ref,
          reader.context,
          tablesAround(reader),
          (column) => column.kind !== "number" && column.kind !== "blob",
        );
  const fits = match !== null && (pendingColumn === null || match.columns.includes(pendingColumn.name));
  if (match === null || (!fits && !match.whole)) {
    const column = pendingColumn ?? labelsOfTable(nodeOf(reader.context, reader.scope.table))[0] ?? null;
    if (column === null) return;
    addValue(reader, column, { kind: "one_of", column, values: [{ kind: "text", text }], negated: false }, negated);
    reader.pending = null;
    return;
  }
  const pointer = reader.pending === null ? null : pointerTo(reader, reader.pending.ref, match.table);
  reader.pending = null;
  const table = nodeOf(reader.context, match.table);
  const columns = match.columns.flatMap((name) => table.columns.filter((column) => column.name === name));
  const [first] = columns;
  if (first === undefined) return;
  const conditions = columns.map((column, index): Condition => {
    const stored = match.values[index] ?? text;
    if (match.whole || match.columns.length > 1)
      return { kind: "one_of", column, values: [{ kind: "text", text: stored }], negated: false };
    return { kind: "contains", column, text, at: "any", negated: false };
  });
  const [only] = conditions;
  if (pointer !== null) {
    const condition = { kind: "points_to", ...pointer, table: match.table, conditions, negated: false } as const;
    place(reader.context, reader.scope, pointer.column, condition, { negated, separate: false });
    reader.negated = false;
    return;
  }
  addValue(
    reader,
    first,
    conditions.length === 1 && only !== undefined ? only : { kind: "all_of", conditions },
    negated,
  );
}

/** The column at hand that `ref` names and that points to rows of its own table: only there does it matter which. */
function pointerTo(
  reader: Reader,
  ref: Ref,
  table: string,
): { readonly column: ColumnNode; readonly key: string } | null {
  const column = columnOfRef(
    ref,
    reader.context,
    tablesAround(reader),
    (each) => each.references?.table === table && each.table === table,
  );
  return column === null || column.references === null ? null : { column, key: column.references.column };
}

/** Joins `Canada and Brazil`, `cat or dog` to one list where they speak of one column. */
export function addValue(reader: Reader, column: ColumnNode, condition: Condition, negated: boolean): void {
  const previous = reader.items[reader.at - 2];
  const listed = isKey(previous, "or") || isJoiner(previous);
  if (listed && !reader.both && condition.kind === "one_of" && widenPrevious(reader, column, condition.values)) {
    reader.or = false;
    return;
  }
  const other = reader.or ? lastCondition(reader) : null;
  if (other !== null) {
    other.scope.conditions.pop();
    other.scope.conditions.push({
      kind: "any_of",
      conditions: [other.condition, negated ? { ...condition } : condition],
    });
    reader.or = false;
    return;
  }
  const scope = place(reader.context, reader.scope, column, condition, { negated, separate: reader.both });
  reader.latest = scope;
  if (scope.table === column.table && scope !== reader.root && scope.named) reader.scope = scope;
  if (negated && !isJoiner(reader.items[reader.at])) reader.negated = false;
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

/** The likeliest place of a value: the column just named, the table just named, the subject, its surroundings. */
function chooseMatch(reader: Reader, text: string, matches: readonly ValueMatch[]): ValueMatch | null {
  let best: { readonly match: ValueMatch; readonly score: number } | null = null;
  for (const match of matches) {
    const score = scoreMatch(reader, match) + (plainForm(match.values.join(" ")) === plainForm(text) ? 1 : 0);
    if (best === null || score > best.score) best = { match, score };
  }
  return best?.match ?? null;
}

function scoreMatch(reader: Reader, match: ValueMatch): number {
  let score = match.whole ? 1 : 0;
  const chain = chainOf(reader.scope);
  const index = chain.findIndex((scope) => scope.table === match.table);
  if (index >= 0) score += 1 - 0.2 * index;
  else {
    const home = nearestScope(reader.context, reader.scope, match.table);
    const path = findPath(reader.context.graph, home.table, match.table, reader.context.hints);
    score += path === null ? -2 : 0.5 - 0.25 * path.length;
  }
  const next = reader.items[reader.at];
  for (const [ref, weight] of [
    [reader.pending?.ref, 2],
    [next?.kind === "ref" ? next : undefined, 1.2],
  ] as const) {
    if (ref === undefined) continue;
    const link = ref.link.columns.find(
      (entry) => entry.column.table === match.table && match.columns.includes(entry.column.name),
    );
    if (link !== undefined) score += weight * link.score;
    if (ref.link.tables.some((entry) => entry.table.name === match.table)) score += weight * 0.6;
  }
  const table = nodeOf(reader.context, match.table);
  const isLabel = match.columns.every((name) => table.labels.some((label) => label.name === name));
  if (isLabel) score += 0.35;
  // Rows that are counted or listed are seldom told apart by their own name; `by X` names another row.
  const isOwn = match.table === reader.root.table && index === chain.length - 1;
  if (isLabel && isOwn && reader.lists && !/^(named|called)$/.test(reader.clause)) score -= 1;
  // `does X have`: who has things goes by a name rather than a title.
  const acts = isClause(reader.items[reader.at - 2], "do", "does", "did");
  if (acts && isLabel && /name$/i.test(match.columns[0] ?? "")) score += 0.4;
  if (reader.clause === "by" && isLabel && !isOwn) score += 1.2;
  if (table.kind === "view") score -= 1;
  if (
    /^(from|in|at)$/.test(reader.clause) &&
    match.columns.some((name) => /city|country|state|region|continent|location|nation/i.test(name))
  )
    score += 0.4;
  return score;
}

/** `contains 'love'`, `starting with A`; the column may follow (`the word 'Hey' in its title`). */
function onContains(reader: Reader, where: "any" | "start" | "end"): void {
  let next = reader.at;
  while (isClause(reader.items[next]) || isKey(reader.items[next], "contains")) next += 1;
  const item = reader.items[next];
  if (item === undefined || (item.kind !== "value" && item.kind !== "word" && item.kind !== "number")) return;
  const noun = reader.items[next + 1];
  if (item.kind === "value" && noun !== undefined && noun.kind === "ref" && tableOfRef(noun) !== null) return;
  const text = item.text;
  const follower = reader.items[next + 2];
  let ref = reader.pending?.ref ?? null;
  let end = next + 1;
  if (isClause(reader.items[next + 1], "in") && follower !== undefined && follower.kind === "ref") {
    const isGeneric = /^(name|title|text|description)s?$/i.test(follower.text);
    ref = isGeneric && ref !== null ? ref : follower;
    end = next + 3;
  }
  const isText = (column: ColumnNode): boolean => column.kind === "text";
  const found = ref === null ? null : columnOfRef(ref, reader.context, tablesAround(reader), isText);
  const column = found ?? labelsOfTable(nodeOf(reader.context, reader.scope.table))[0] ?? null;
  reader.pending = null;
  reader.at = end;
  if (column === null) return;
  place(
    reader.context,
    reader.scope,
    column,
    { kind: "contains", column, text, at: where, negated: false },
    { negated: reader.negated, separate: false },
  );
  reader.negated = false;
}

/** `never sold`: the rows that say what was sold. */
function onSold(reader: Reader): boolean {
  const measure = reader.negated ? moneyMeasure(reader.context, [reader.scope.table], "sum") : null;
  const table = measure === null ? null : tableOfMeasure(measure);
  if (table === null || table === reader.scope.table) return false;
  createScope(table, reader.scope, true).negated = true;
  reader.negated = false;
  return true;
}

function onWord(reader: Reader, text: string, lemma: string): void {
  if (/^(sold|sell|bought|buy|purchased)$/.test(lemma) && onSold(reader)) return;
  if (/^(null|missing|unknown|blank|empty|unset)$/.test(lemma) && reader.pending !== null) {
    const column = columnOfRef(reader.pending.ref, reader.context, tablesAround(reader));
    reader.pending = null;
    if (column === null) return;
    place(
      reader.context,
      reader.scope,
      column,
      { kind: "empty", column, negated: reader.negated },
      { negated: false, separate: false },
    );
    reader.negated = false;
    return;
  }
  if (!/^(more|less|than|later|first|last|time|letter|alphabetical)$/.test(lemma)) reader.unread.push(text);
}
