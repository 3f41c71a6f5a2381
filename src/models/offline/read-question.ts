/**
 * Reads a whole question into an intent: takes order, groups and ranking out, reads what is to be shown, settles which
 * table the question is about, and hands the rest to the conditions. Null when nothing of the schema is named.
 * Pure: no I/O, no clock.
 */
import type { Focus } from "./focus.ts";
import type { Condition, Intent, Output } from "./intent.ts";
import type { Item } from "./items.ts";
import { moneyMeasure, tableOfMeasure } from "./measures.ts";
import { readConditions } from "./read-conditions.ts";
import { takeGroups, takeOrder } from "./read-order.ts";
import { takeOutputs } from "./read-outputs.ts";
import { type RankReading, takeRank } from "./read-rank.ts";
import { isKey, type Target } from "./read-target.ts";
import type { Context } from "./resolve.ts";
import { nodeOf } from "./resolve.ts";
import type { SchemaGraph } from "./schema-graph.ts";
import { createScope } from "./scopes.ts";
import { mentionedTables, rootOf, settleFocus, showEach, tablesOfTargets, withExtreme } from "./settle-focus.ts";
import { completeGroups, isNaming } from "./settle-group.ts";
import { settleOrders } from "./settle-order.ts";
import { settleOutput } from "./settle-output.ts";
import { settleRank } from "./settle-rank.ts";
import { wantedUnit } from "./units.ts";

export function readQuestion(source: readonly Item[], graph: SchemaGraph, hints: ReadonlySet<string>): Intent | null {
  const context: Context = { graph, hints, mentioned: mentionedTables(source) };
  const items = [...source];
  const order = takeOrder(items);
  const grouping = takeGroups(items);
  const groupTargets = grouping.targets;
  const rankReading = takeRank(items);
  const taken = takeOutputs(items, rankReading !== null);
  const near = [...tablesOfTargets([...taken.targets, ...groupTargets])];
  const money = taken.money ? moneyMeasure(context, context.mentioned, "sum") : null;
  const figures = (order?.targets ?? []).flatMap((target) =>
    target.kind === "period" || (target.kind === "ref" && target.function === null) ? [] : [target],
  );
  const sales = figures.some((target) => target.kind === "money") ? moneyMeasure(context, near, "sum") : null;
  if (sales !== null) near.unshift(tableOfMeasure(sales) ?? "");
  const settled = settleFocus(context, taken.targets, groupTargets, near, rankReading, taken.all, money, source);
  if (settled === null) return null;
  if (grouping.each) showEach(settled);
  if (!settled.outputs.some((output) => output.kind === "measure")) {
    // `genres by number of tracks`: what orders the rows is worked out for each, and shown.
    settled.outputs.push(...figures.flatMap((target): readonly Output[] => settleOutput(context, target, near)));
  }
  const ranked = rankReading === null ? null : settleRank(context, rankReading, settled);
  // `the oldest student in each major`: the extreme of every group, with the row it stands in.
  const isExtreme = ranked?.each === true && ranked.rank.limit === 1;
  const focus = isExtreme ? withExtreme(settled, ranked.rank) : settled;
  const rank = isExtreme ? null : ranked;
  const root = rootOf(context, focus, rank?.rank ?? null);
  if (root === null) return null;
  const scope = createScope(root, null, true);
  const nested = rank?.nested ?? null;
  if (nested !== null && nested !== root) createScope(nested, scope, true).rank = rank?.rank ?? null;
  const grouped = focus.groups.length > 0 || focus.outputs.every((output) => output.kind === "column");
  const lists = focus.outputs.every(
    (output) =>
      output.kind === "entity" ||
      (output.kind === "measure" && output.measure.kind === "count") ||
      (output.kind === "column" && isNaming(nodeOf(context, output.column.table), output.column)),
  );
  const reading = readConditions(items, scope, context, { grouped, lists });
  if (hints.has("compar") && focus.groups.length === 0) compareBy(focus, reading.conditions, root);
  const mainRank = nested !== null && nested !== root ? null : (rank?.rank ?? null);
  const completed = completeGroups(context, focus, mainRank, reading.having.length > 0, root);
  const shown = reading.shown.filter(
    (column) => !completed.outputs.some((output) => output.kind === "column" && output.column === column),
  );
  const showable =
    completed.groups.length === 0 && completed.outputs.every((output) => output.kind !== "measure") ? shown : [];
  return {
    root,
    outputs: [...completed.outputs, ...showable.map((column): Output => ({ kind: "column", column }))],
    distinct: focus.distinct,
    groups: completed.groups,
    conditions: reading.conditions,
    having: reading.having,
    rank: mainRank?.limit === 1 && isPlural(rankReading, taken.targets) ? { ...mainRank, limit: null } : mainRank,
    orders: order === null ? [] : settleOrders(context, order, completed, root),
    over:
      taken.targets.flatMap((target) =>
        target.kind === "count" && target.over !== undefined ? [target.over] : [],
      )[0] ?? null,
    unit: wantedUnit(source),
    share:
      source.some((item) => isKey(item, "share") && !/ of$/.test("text" in item ? item.text : "")) ||
      taken.targets.some((target) => "share" in target && target.share === true),
    unread: [...reading.unread, ...taken.unread],
  };
}

/** `the cheapest tracks`, `which cities have the most …`. */
function isPlural(reading: RankReading | null, [first]: readonly Target[]): boolean {
  return (reading?.entity ?? (first?.kind === "ref" ? first.ref : null))?.plural === true;
}

/** `compare sales in the USA and Canada`: one figure for each of the values that a condition lists. */
function compareBy(focus: Focus, conditions: readonly Condition[], root: string): void {
  for (const condition of conditions) {
    const parts = condition.kind === "any_of" ? condition.conditions : [];
    const [first] = parts;
    if (condition.kind === "one_of" && condition.values.length > 1 && !condition.negated)
      focus.groups.push({ kind: "column", column: condition.column });
    else if (first?.kind === "during" && parts.every((part) => part.kind === "during"))
      focus.groups.push({
        kind: "period",
        unit: parts.every((part) => part.kind === "during" && part.to?.endsWith("-01-01")) ? "year" : "month",
        column: first.column,
      });
  }
  if (focus.groups.length > 0 && !focus.outputs.some((output) => output.kind !== "entity"))
    focus.outputs.splice(0, focus.outputs.length, { kind: "measure", measure: { kind: "count", table: root } });
}
