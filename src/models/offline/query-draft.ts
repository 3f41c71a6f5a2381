/**
 * A SELECT in the making: its sources so far and how to reach another table from one of them. A way already joined is
 * used again. Pure, but for the draft it is given to extend.
 */
import type { Context } from "./resolve.ts";
import type { ColumnNode, Hop } from "./schema-graph.ts";
import { findPath } from "./schema-graph.ts";
import type { Expression, Predicate, Source } from "./select.ts";

export interface Draft {
  readonly context: Context;
  readonly root: string;
  readonly sources: Source[];
  readonly where: Predicate[];
  /** A join from parent to children was made: the root's rows may repeat. */
  repeats: boolean;
}

export function createDraft(root: string, context: Context): Draft {
  return { context, root, sources: [{ id: 0, table: root, join: null }], where: [], repeats: false };
}

/** The source of `table` as seen from source `from`, joined if need be; null when no keys lead there. */
export function sourceOf(draft: Draft, from: number, table: string): number | null {
  const start = draft.sources.find((source) => source.id === from);
  if (start === undefined) return null;
  if (start.table === table) return from;
  const path = findPath(draft.context.graph, start.table, table, draft.context.hints);
  if (path === null) return draft.sources.find((source) => source.table === table)?.id ?? null;
  const known = draft.sources.find((source) => source.table === table);
  if (known !== undefined && path.some((hop) => hop.direction === "down")) return known.id;
  return path.reduce((here, hop) => addHop(draft, here, hop), from);
}

/** Joins one hop from source `from`, or finds it joined. `optional` keeps rows that meet none. */
export function addHop(draft: Draft, from: number, hop: Hop, optional = false): number {
  const { edge, direction } = hop;
  const table = direction === "up" ? edge.parent : edge.child;
  const [near, far] =
    direction === "up" ? [edge.childColumns, edge.parentColumns] : [edge.parentColumns, edge.childColumns];
  const pairs = near.map((column, index): readonly [string, string] => [column, far[index] ?? ""]);
  const known = draft.sources.find(
    (source) =>
      source.table === table &&
      source.join?.to === from &&
      source.join.optional === optional &&
      JSON.stringify(source.join.pairs) === JSON.stringify(pairs),
  );
  if (known !== undefined) return known.id;
  if (direction === "down") draft.repeats = true;
  const id = draft.sources.length;
  draft.sources.push({ id, table, join: { to: from, pairs, optional } });
  return id;
}

/** `column` as reached from source `from`. */
export function columnAt(draft: Draft, from: number, column: ColumnNode): Expression | null {
  const source = sourceOf(draft, from, column.table);
  return source === null ? null : { kind: "column", source, name: column.name };
}
