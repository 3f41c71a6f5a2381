/**
 * What a SELECT with groups must not hold: a column that the groups do not determine (SQLite would take any row's), and
 * a sum or an average over rows that a join has repeated. Such a statement runs and is wrong. Pure: no I/O, no clock.
 */
import type { Draft } from "./query-draft.ts";
import { nodeOf } from "./resolve.ts";
import type { Expression, SelectOutput, Source } from "./select.ts";

/** The join leads to at most one row for each row before it. */
function isUp(draft: Draft, source: Source): boolean {
  const keys = nodeOf(draft.context, source.table).keys;
  return (
    source.join !== null &&
    keys.length > 0 &&
    keys.every((key) => source.join?.pairs.some(([, own]) => own === key.name))
  );
}

/** The sources of which a group holds one row. */
function determinedSources(draft: Draft, grouped: ReadonlySet<string>): ReadonlySet<number> {
  const held = new Set<number>();
  const isGrouped = (source: number, names: readonly string[]): boolean =>
    names.length > 0 && names.every((name) => grouped.has(JSON.stringify({ kind: "column", source, name })));
  for (let known = -1; known < held.size; ) {
    known = held.size;
    for (const { id, table, join } of draft.sources) {
      if (
        isGrouped(
          id,
          nodeOf(draft.context, table).keys.map((key) => key.name),
        )
      )
        held.add(id);
      if (join === null) continue;
      const up = isUp(draft, { id, table, join });
      if (
        up &&
        (held.has(join.to) ||
          isGrouped(
            join.to,
            join.pairs.map(([earlier]) => earlier),
          ))
      )
        held.add(id);
      if (!up && held.has(id)) held.add(join.to);
    }
  }
  return held;
}

type Column = Extract<Expression, { readonly kind: "column" }>;

/** Columns among the outputs that the groups leave open; beside a lone min or max SQLite says whose they are. */
export function openColumns(
  draft: Draft,
  groupBy: readonly Expression[],
  outputs: readonly SelectOutput[],
): readonly Column[] {
  const calls = outputs.flatMap(({ expression }) => (expression.kind === "call" ? [expression.function] : []));
  if (groupBy.length === 0 || (calls.length === 1 && /^(min|max)$/.test(calls[0] ?? ""))) return [];
  const grouped = new Set(groupBy.map((each) => JSON.stringify(each)));
  const held = determinedSources(draft, grouped);
  /** The key of a row that the group holds, as the row before it has it. */
  const isKeyOfHeld = (of: Column): boolean =>
    draft.sources.some(
      ({ id, join }) => join?.to === of.source && held.has(id) && join.pairs.some(([earlier]) => earlier === of.name),
    );
  return outputs.flatMap(({ expression: of }) =>
    of.kind === "column" && !held.has(of.source) && !grouped.has(JSON.stringify(of)) && !isKeyOfHeld(of) ? [of] : [],
  );
}

/** A sum or an average beside a join to the rows' children, which repeats them. */
export function addsRepeats(draft: Draft, outputs: readonly SelectOutput[]): boolean {
  const repeats = draft.sources.some(
    (source) => source.join !== null && !isUp(draft, source) && !nodeOf(draft.context, source.table).isBridge,
  );
  return repeats && outputs.some(({ expression: of }) => of.kind === "call" && /^(sum|avg)$/.test(of.function));
}
