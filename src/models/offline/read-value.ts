/**
 * Reads a literal in a condition: which of its places in the data is meant, and what follows for the rows wanted.
 * Pure, but for the reader's state.
 */
import type { Condition } from "./intent.ts";
import { flushPending } from "./read-pending.ts";
import { isClause, isFlagRef } from "./read-target.ts";
import type { Reader } from "./reader.ts";
import { addHere, addValue, tablesAround } from "./reader.ts";
import type { Ref } from "./resolve.ts";
import { columnOfRef, labelsOfTable, nodeOf } from "./resolve.ts";
import type { ColumnNode } from "./schema-graph.ts";
import { findPath } from "./schema-graph.ts";
import { chainOf, nearestScope } from "./scopes.ts";
import type { ValueMatch } from "./values.ts";
import { plainForm } from "./values.ts";

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
  if (
    reader.pending?.negated === true &&
    match?.whole === true &&
    pendingColumn !== null &&
    !match.columns.includes(pendingColumn.name)
  ) {
    // `without company in USA`: the negation belongs to the column.
    flushPending(reader);
    return onValue(reader, text, matches);
  }
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
    addHere(reader, pointer.column, condition, negated);
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

/** The likeliest place of a value: the column just named, the table just named, the subject, its surroundings. */
function chooseMatch(reader: Reader, text: string, matches: readonly ValueMatch[]): ValueMatch | null {
  let best: { readonly match: ValueMatch; readonly score: number } | null = null;
  const doer = likelyDoer(reader, matches);
  for (const match of matches) {
    const score =
      scoreMatch(reader, match) +
      (plainForm(match.values.join(" ")) === plainForm(text) ? 1 : 0) +
      (match === doer ? 0.8 : 0);
    if (best === null || score > best.score) best = { match, score };
  }
  return best?.match ?? null;
}

/** `does X play`, `by X`: who does or makes things is a row of the smaller table among those that go by that name. */
function likelyDoer(reader: Reader, matches: readonly ValueMatch[]): ValueMatch | null {
  if (!isDoing(reader) && reader.clause !== "by") return null;
  let doer: ValueMatch | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  for (const match of matches) {
    const table = nodeOf(reader.context, match.table);
    const isName = match.columns.every(
      (name) => /name$/i.test(name) && table.labels.some((label) => label.name === name),
    );
    if (!match.whole || !isName || reader.context.mentioned.includes(match.table)) continue;
    const rows = table.rows ?? Number.MAX_SAFE_INTEGER;
    if (rows < fewest) [doer, fewest] = [match, rows];
  }
  return doer;
}

function isDoing(reader: Reader): boolean {
  return isClause(reader.items[reader.at - 2], "do", "does", "did");
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
  if (isDoing(reader) && isLabel && /name$/i.test(match.columns[0] ?? "")) score += 0.4;
  if (reader.clause === "by" && isLabel && !isOwn) score += 1.2;
  if (table.kind === "view") score -= 1;
  if (
    /^(from|in|at)$/.test(reader.clause) &&
    match.columns.some((name) => /city|country|state|region|continent|location|nation/i.test(name))
  )
    score += 0.4;
  return score;
}
