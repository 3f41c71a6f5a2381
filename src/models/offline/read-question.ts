/**
 * Reads a whole question into an intent: takes order, groups and ranking out, reads what is to be shown, settles which
 * table the question is about, and hands the rest to the conditions. Null when nothing of the schema is named.
 * Pure: no I/O, no clock.
 */
import type { Intent, Output } from "./intent.ts";
import type { Item } from "./items.ts";
import { moneyMeasure } from "./measures.ts";
import { readConditions } from "./read-conditions.ts";
import { takeGroups, takeOrder } from "./read-order.ts";
import { takeOutputs } from "./read-outputs.ts";
import { takeRank } from "./read-rank.ts";
import type { Context } from "./resolve.ts";
import { nodeOf } from "./resolve.ts";
import type { SchemaGraph } from "./schema-graph.ts";
import { createScope } from "./scopes.ts";
import { mentionedTables, rootOf, settleFocus, showEach, tablesOfTargets, withExtreme } from "./settle-focus.ts";
import { completeGroups, isNaming } from "./settle-group.ts";
import { settleOrders } from "./settle-order.ts";
import { settleRank } from "./settle-rank.ts";

export function readQuestion(source: readonly Item[], graph: SchemaGraph, hints: ReadonlySet<string>): Intent | null {
  const context: Context = { graph, hints, mentioned: mentionedTables(source) };
  const items = [...source];
  const order = takeOrder(items);
  const grouping = takeGroups(items);
  const groupTargets = grouping.targets;
  const rankReading = takeRank(items);
  const taken = takeOutputs(items, rankReading !== null);
  const near = tablesOfTargets([...taken.targets, ...groupTargets]);
  const money = taken.money ? moneyMeasure(context, context.mentioned, "sum") : null;
  const settled = settleFocus(context, taken.targets, groupTargets, near, rankReading, taken.all, money, source);
  if (settled === null) return null;
  if (grouping.each) showEach(settled);
  const ranked = rankReading === null ? null : settleRank(context, rankReading, settled);
  // `the oldest student in each major`: the extreme of every group, with the row it stands in.
  const focus = ranked?.each === true ? withExtreme(settled, ranked.rank) : settled;
  const rank = ranked?.each === true ? null : ranked;
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
    rank: mainRank,
    orders: order === null ? [] : settleOrders(context, order, completed, root),
    over:
      taken.targets.flatMap((target) =>
        target.kind === "count" && target.over !== undefined ? [target.over] : [],
      )[0] ?? null,
    share: taken.targets.some((target) => target.kind === "count" && target.share === true),
    unread: reading.unread,
  };
}
