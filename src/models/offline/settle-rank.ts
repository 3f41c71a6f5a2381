/**
 * Settles what a ranking ranks by: a column, a count, sales, or popularity; and whose rows it ranks.
 * Pure: no I/O, no clock.
 */
import type { Focus } from "./focus.ts";
import type { Measure, Rank } from "./intent.ts";
import { columnOfAdjective, isMeasure, mainMeasure, moneyMeasure, soldMeasure, tableOfMeasure } from "./measures.ts";
import type { RankReading } from "./read-rank.ts";
import type { Target } from "./read-target.ts";
import type { Context, Ref } from "./resolve.ts";
import { columnOfRef, nodeOf, tableOfRef } from "./resolve.ts";
import type { ColumnNode, TableNode } from "./schema-graph.ts";
import { findPath, hopsFrom } from "./schema-graph.ts";
import { isReachedUpwards } from "./scopes.ts";
import { isNaming, tableOfGroup } from "./settle-group.ts";
import { isMean, settleAggregate, settleCount, tableOfOutput } from "./settle-output.ts";
import { isMoneyWord } from "./vocabulary.ts";
import { lemmaOf } from "./words.ts";

/** A ranking, and the table it ranks when that is not the question's own (`in the stadium with the highest capacity`). */
export function settleRank(
  context: Context,
  reading: RankReading,
  focus: Focus,
): { readonly rank: Rank; readonly nested: string | null; readonly each: boolean } | null {
  const shown = focus.outputs.find((output) => output.kind !== "measure") ?? focus.outputs[0];
  const subject =
    focus.groups[0] === undefined ? (shown === undefined ? null : tableOfOutput(shown)) : tableOfGroup(focus.groups[0]);
  const entity = reading.entity === null ? null : tableOfRef(reading.entity);
  const listed = shown === undefined || shown.kind === "measure" ? null : tableOfOutput(shown);
  const home = entity?.name ?? listed ?? subject ?? context.mentioned[0] ?? null;
  if (home === null) return null;
  const found = rankBy(context, reading, nodeOf(context, home), focus);
  if (found === null) return null;
  const { descending = reading.descending, ...by } = found;
  const rank: Rank = { by, descending, limit: reading.limit };
  const measured = focus.outputs.some((output) => output.kind === "measure");
  const ranked = by.kind === "column" ? by.column.table : (entity?.name ?? home);
  if (focus.groups.length > 0 && by.kind === "column" && !measured) return { rank, nested: null, each: true };
  const differs = subject !== null && ranked !== subject;
  const nests =
    differs && by.kind === "column" && (measured || isReachedUpwards(context, subject, ranked) || entity !== null);
  return {
    rank,
    nested: nests ? ranked : measured && focus.groups.length === 0 && by.kind === "column" ? ranked : null,
    each: false,
  };
}

type RankedBy = Rank["by"] & { readonly descending?: boolean };

const measure = (found: Measure | null): RankedBy | null => found && { kind: "measure", measure: found };

const column = (found: ColumnNode): RankedBy => ({ kind: "column", column: found });

/** With `descending` where the column found has its own end. */
function rankBy(context: Context, reading: RankReading, home: TableNode, focus: Focus): RankedBy | null {
  const { by } = reading;
  switch (by.kind) {
    case "adjective": {
      const own = focus.outputs.find((output) => output.kind === "measure");
      if (own?.kind === "measure" && focus.groups.length > 0) return measure(own.measure);
      const found = columnOfAdjective(by.adjective, home, context);
      if (found !== null) return { ...column(found.column), descending: found.high };
      if (!by.adjective.readings.some((each) => /^(\*|rating)$/.test(each.attribute))) return null;
      // `our biggest customers` are told by sales; the biggest playlist by what is in it.
      const money = moneyMeasure(context, [home.name], "sum");
      const path =
        money === null ? null : findPath(context.graph, home.name, tableOfMeasure(money) ?? "", context.hints);
      const sells = path !== null && (path.length === 1 || /best$|worst$/.test(by.adjective.word));
      return measure(sells ? money : popularityOf(context, home, focus, false));
    }
    case "money":
      return measure(moneyMeasure(context, [home.name], "sum"));
    case "sold":
      return measure(soldMeasure(context, [home.name]));
    case "popularity":
      return measure(popularityOf(context, home, focus, by.shared));
    case "usual": {
      const own = focus.outputs.find((output) => output.kind === "measure");
      if (own?.kind === "measure") return measure(own.measure);
      const main = mainMeasure(home);
      return main !== null
        ? column(main)
        : (measure(moneyMeasure(context, [home.name], "sum")) ?? measure(popularityOf(context, home, focus, false)));
    }
    case "target":
      return rankByTarget(context, by.target, home);
    case "ref":
      return rankByRef(context, by.ref, home, by.adjective !== null, focus.groups.length > 0);
  }
}

function rankByTarget(context: Context, target: Target, home: TableNode): RankedBy | null {
  if (target.kind === "period") return null;
  if (target.kind === "money") return measure(moneyMeasure(context, [home.name], target.function));
  if (target.kind === "count") {
    const counted = settleCount(context, target.ref, false, [home.name]);
    const same = counted.kind === "count" && counted.table === home.name;
    return measure(same ? { kind: "count", table: null } : counted);
  }
  if (target.function !== null) return measure(settleAggregate(context, target.ref, target.function, [home.name]));
  return rankByRef(context, target.ref, home, false, false);
}

function rankByRef(
  context: Context,
  ref: Ref,
  home: TableNode,
  superlative: boolean,
  grouped: boolean,
): RankedBy | null {
  const own = columnOfRef(
    ref,
    context,
    [home.name],
    (each) => isMeasure(each) || (superlative && (each.kind === "date" || each.kind === "year")),
  );
  const isMoney = isMoneyWord(lemmaOf(ref.text));
  if (own !== null && own.table === home.name && !(isMoney && grouped)) return column(own);
  if (isMoney) {
    const money = moneyMeasure(context, [home.name], "sum");
    if (money !== null) return measure(money);
  }
  if (own !== null && isReachedUpwards(context, home.name, own.table)) return column(own);
  if (own !== null)
    return measure({
      kind: "aggregate",
      function: isMean(own) ? "avg" : superlative || own.kind !== "number" ? "max" : "sum",
      column: own,
    });
  const table = tableOfRef(ref);
  if (table !== null) return measure({ kind: "count", table: table.name });
  const any = columnOfRef(ref, context, [home.name]);
  return any === null ? null : measure({ kind: "count", table: any.table });
}

/** What makes a row popular: how many rows point to it; for a column, how many rows share its value. */
function popularityOf(context: Context, home: TableNode, focus: Focus, shared: boolean): Measure {
  const [first] = focus.outputs;
  if (shared && first?.kind === "column") return { kind: "count", table: home.name };
  const isRow = first?.kind !== "column" || isNaming(home, first.column);
  if (!isRow && (shared || !context.mentioned.includes(home.name))) return { kind: "count", table: home.name };
  const children = hopsFrom(context.graph, home.name)
    .filter((hop) => hop.direction === "down")
    .map((hop) => nodeOf(context, hop.edge.child))
    .sort((a, b) => Number(a.isBridge) - Number(b.isBridge) || (b.rows ?? 0) - (a.rows ?? 0));
  return { kind: "count", table: children[0]?.name ?? home.name };
}
