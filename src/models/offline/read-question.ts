/**
 * Reads a whole question into an intent: takes order, groups and ranking out, reads what is to be shown, settles which
 * table the question is about, and hands the rest to the conditions. Null when nothing of the schema is named.
 * Pure: no I/O, no clock.
 */
import type { Group, Intent, Measure, Output, Rank } from "./intent.ts";
import type { Item } from "./items.ts";
import { readConditions } from "./read-conditions.ts";
import { takeGroups, takeOrder } from "./read-order.ts";
import { takeOutputs } from "./read-outputs.ts";
import type { RankReading } from "./read-rank.ts";
import { takeRank } from "./read-rank.ts";
import type { Target } from "./read-target.ts";
import type { Context, Ref } from "./resolve.ts";
import {
  columnOfAdjective,
  columnOfRef,
  dateColumn,
  isMeasure,
  isMoneyWord,
  labelsOfTable,
  mainMeasure,
  moneyMeasure,
  nodeOf,
  soldMeasure,
  tableOfMeasure,
  tableOfRef,
} from "./resolve.ts";
import type { ColumnNode, SchemaGraph, TableNode } from "./schema-graph.ts";
import { hopsFrom } from "./schema-graph.ts";
import { createScope, isReachedUpwards } from "./scopes.ts";
import { settleOrders } from "./settle-order.ts";
import { lemmaOf } from "./words.ts";

/** What the outputs come to, before ranking and grouping are joined to them. */
interface Focus {
  readonly outputs: Output[];
  readonly groups: Group[];
  readonly distinct: boolean;
}

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
    unread: reading.unread,
  };
}

/** Tables that the question names, outright ones first, then those its columns and values belong to alone. */
export function mentionedTables(items: readonly Item[]): readonly string[] {
  const strong: string[] = [];
  const weak: string[] = [];
  for (const item of items) {
    if (item.kind === "value") {
      const tables = new Set(item.matches.filter((match) => match.whole).map((match) => match.table));
      if (tables.size === 1) weak.push(...tables);
    }
    if (item.kind !== "ref") continue;
    const table = tableOfRef(item);
    if (table !== null) strong.push(table.name);
    const [column] = item.link.columns;
    if (table === null && column?.qualified === true) strong.push(column.column.table);
    else if (
      table === null &&
      column !== undefined &&
      column.score >= 0.95 &&
      item.link.columns.filter((link) => link.score >= 0.95).length === 1
    )
      weak.push(column.column.table);
  }
  return [...new Set([...strong, ...weak])];
}

function tablesOfTargets(targets: readonly Target[]): readonly string[] {
  const tables: string[] = [];
  for (const target of targets) {
    if (target.kind === "period" || target.kind === "money" || target.ref === null) continue;
    const owner = target.kind === "ref" && target.owner !== null ? tableOfRef(target.owner) : null;
    const table = tableOfRef(target.ref);
    if (owner !== null) tables.push(owner.name);
    if (table !== null) tables.push(table.name);
  }
  return [...new Set(tables)];
}

function settleFocus(
  context: Context,
  targets: readonly Target[],
  groupTargets: readonly Target[],
  near: readonly string[],
  rank: RankReading | null,
  all: boolean,
  money: Measure | null,
  items: readonly Item[],
): Focus | null {
  const outputs: Output[] = money === null ? [] : [{ kind: "measure", measure: money }];
  let distinct = false;
  const grouped = tablesOfTargets(groupTargets);
  for (const target of targets) {
    if (target.kind === "period") continue;
    // Beside a figure `for each concert`, plain columns are the concert's.
    const isPlain = target.kind === "ref" && target.function === null;
    const settled = settleOutput(context, target, isPlain ? [...grouped, ...near] : near);
    if (target.kind === "ref" && target.distinct) distinct = true;
    for (const output of settled) if (!outputs.some((known) => sameOutput(known, output))) outputs.push(output);
  }
  const base = outputs.map(tableOfOutput).find((table) => table !== null) ?? near[0] ?? context.mentioned[0] ?? null;
  const groups = groupTargets.flatMap((target): readonly Group[] => settleGroup(context, target, base, near));
  for (const target of targets) {
    if (target.kind === "period") groups.unshift(...settleGroup(context, target, base, near));
  }
  if (outputs.length === 0) {
    const table = rank?.entity === null || rank?.entity === undefined ? null : tableOfRef(rank.entity);
    const first = table?.name ?? context.mentioned[0] ?? likelyTable(context, items);
    if (first === undefined) return groups.length > 0 ? { outputs, groups, distinct } : null;
    if (groups.length === 0 || rank !== null) outputs.push({ kind: "entity", table: first });
  }
  const [only] = outputs;
  if (all && only !== undefined && only.kind === "entity") outputs[0] = { kind: "all", table: only.table };
  return { outputs, groups, distinct };
}

/** With no table named: the one that most of the named columns may belong to, people before things. */
function likelyTable(context: Context, items: readonly Item[]): string | undefined {
  let best: { readonly name: string; readonly score: number } | undefined;
  for (const table of context.graph.tables) {
    if (table.kind === "view") continue;
    let score = table.labels.length > 1 ? 0.3 : 0;
    for (const item of items) {
      if (item.kind === "ref") score += item.link.columns.find((link) => link.column.table === table.name)?.score ?? 0;
      if (item.kind === "value" && item.matches.some((match) => match.table === table.name && match.whole))
        score += 0.5;
    }
    if (score >= 0.6 && score > (best?.score ?? 0)) best = { name: table.name, score };
  }
  return best?.name;
}

/** `each order's status` shows which order it is. */
function showEach(focus: Focus): void {
  const [first] = focus.outputs;
  const tables = new Set(focus.outputs.map(tableOfOutput));
  if (first?.kind === "column" && tables.size === 1)
    focus.outputs.unshift({ kind: "entity", table: first.column.table });
}

/** SQLite takes plain columns beside a lone min or max from the row that holds it. */
function withExtreme(focus: Focus, rank: Rank): Focus {
  if (rank.by.kind !== "column") return focus;
  const measure: Measure = { kind: "aggregate", function: rank.descending ? "max" : "min", column: rank.by.column };
  return { ...focus, outputs: [...focus.outputs, { kind: "measure", measure }] };
}

function sameOutput(a: Output, b: Output): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function settleOutput(
  context: Context,
  target: Exclude<Target, { readonly kind: "period" }>,
  near: readonly string[],
): readonly Output[] {
  if (target.kind === "money") {
    const measure = moneyMeasure(context, [...new Set([...near, ...context.mentioned])], target.function);
    return measure === null ? [] : [{ kind: "measure", measure }];
  }
  if (target.kind === "count")
    return [{ kind: "measure", measure: settleCount(context, target.ref, target.distinct, near) }];
  const { ref } = target;
  const owner = target.owner === null ? null : tableOfRef(target.owner);
  if (target.function !== null) {
    const measure = settleAggregate(context, ref, target.function, owner === null ? near : [owner.name, ...near]);
    return measure === null ? [] : [{ kind: "measure", measure }];
  }
  const table = tableOfRef(ref);
  if (table !== null && owner === null) return [{ kind: "entity", table: table.name }];
  const around = owner === null ? near : [owner.name, ...near];
  const column = columnOfRef(ref, context, around);
  if (column === null) return table === null ? [] : [{ kind: "entity", table: table.name }];
  if (owner !== null && table !== null && column.table !== owner.name) return [{ kind: "entity", table: table.name }];
  return namesOf(context, ref, column).map((each): Output => ({ kind: "column", column: each }));
}

/** `name` of a table whose rows go by two names means both. */
function namesOf(context: Context, ref: Ref, column: ColumnNode): readonly ColumnNode[] {
  const table = nodeOf(context, column.table);
  const isName =
    /^(full )?names?$/i.test(ref.text) ||
    (lemmaOf(ref.text.split(" ").at(-1) ?? "") === "name" &&
      ref.text.split(" ").length === 2 &&
      column.words.length > 1 &&
      /^(first|last)$/.test(column.words[0] ?? "") &&
      !/first|last/i.test(ref.text));
  if (!isName) return [column];
  if (table.labels.length > 1 && !table.columns.some((other) => other.words.join(" ") === "name")) return table.labels;
  const label = table.labels[0];
  return label !== undefined && label.words.includes("name") && column.words.join(" ") !== "name" ? [label] : [column];
}

function settleCount(context: Context, ref: Ref | null, distinct: boolean, near: readonly string[]): Measure {
  if (ref === null) return { kind: "count", table: context.mentioned[0] ?? null };
  const table = tableOfRef(ref);
  if (table !== null && !(distinct && table.isBridge)) return { kind: "count", table: table.name };
  const column = columnOfRef(ref, context, near);
  if (column === null) return { kind: "count", table: table?.name ?? null };
  if (isMeasure(column) && !distinct) return { kind: "aggregate", function: "sum", column };
  const home = nodeOf(context, column.table);
  // A column that alone is the key of its table counts rows.
  if (home.keys.length === 1 && home.keys[0] === column) return { kind: "count", table: home.name };
  return { kind: "count_distinct", column };
}

function settleAggregate(
  context: Context,
  ref: Ref,
  name: "avg" | "sum" | "min" | "max",
  near: readonly string[],
): Measure | null {
  const around = [...new Set([...near, ...context.mentioned])];
  const isMoney = isMoneyWord(lemmaOf(ref.text));
  const orderable = (column: ColumnNode): boolean => (name === "sum" || name === "avg" ? isMeasure(column) : true);
  const column = columnOfRef(ref, context, near, orderable);
  if (isMoney) {
    const money = moneyMeasure(context, around, name);
    if (money !== null) return money;
  }
  if (column !== null) return { kind: "aggregate", function: name, column };
  const table = tableOfRef(ref);
  if (table === null) return null;
  if (name === "sum") {
    const money = isMoney ? moneyMeasure(context, around, name) : null;
    return money ?? { kind: "count", table: table.name };
  }
  const main = mainMeasure(table);
  return main === null ? null : { kind: "aggregate", function: name, column: main };
}

function settleGroup(context: Context, target: Target, base: string | null, near: readonly string[]): readonly Group[] {
  const around = base === null ? near : [base, ...near];
  if (target.kind === "period") {
    const own = base === null ? null : dateColumn(context, nodeOf(context, base));
    const column = own ?? nearestDateColumn(context, around);
    if (column === null) return [];
    return [
      column.kind === "year" && target.unit === "year"
        ? { kind: "column", column }
        : { kind: "period", unit: target.unit, column },
    ];
  }
  if (target.kind === "money" || target.ref === null) return [];
  const table = tableOfRef(target.ref);
  const owner = target.kind === "ref" && target.owner !== null ? tableOfRef(target.owner) : null;
  if (table !== null && owner === null) return [{ kind: "entity", table: table.name }];
  const column = columnOfRef(target.ref, context, owner === null ? around : [owner.name, ...around]);
  if (column === null) return table === null ? [] : [{ kind: "entity", table: table.name }];
  const home = nodeOf(context, column.table);
  const pointed = /\bid\b/i.test(target.ref.text) ? undefined : pointedTable(context, column);
  if (pointed !== undefined) return [{ kind: "entity", table: pointed }];
  const isLabel = isNaming(home, column) && home.name !== base && !home.isBridge;
  return [isLabel ? { kind: "entity", table: home.name } : { kind: "column", column }];
}

/** The table whose rows a key column points to, if it can tell them by name. */
function pointedTable(context: Context, column: ColumnNode): string | undefined {
  const edge = context.graph.edges.find(
    (each) => each.child === column.table && each.childColumns.length === 1 && each.childColumns[0] === column.name,
  );
  if (edge === undefined || edge.parent === edge.child) return undefined;
  return nodeOf(context, edge.parent).labels.length > 0 ? edge.parent : undefined;
}

function nearestDateColumn(context: Context, tables: readonly string[]): ColumnNode | null {
  for (const name of tables) {
    for (const hop of hopsFrom(context.graph, name)) {
      const other = nodeOf(context, hop.direction === "up" ? hop.edge.parent : hop.edge.child);
      const column = dateColumn(context, other);
      if (column !== null) return column;
    }
  }
  return null;
}

function tableOfOutput(output: Output): string | null {
  if (output.kind === "measure") return tableOfMeasure(output.measure);
  return output.kind === "column" ? output.column.table : output.table;
}

/** A ranking, and the table it ranks when that is not the question's own (`in the stadium with the highest capacity`). */
function settleRank(
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
  const by = rankBy(context, reading, nodeOf(context, home), focus);
  if (by === null) return null;
  const rank: Rank = { by: by.by, descending: by.descending, limit: reading.limit };
  const measured = focus.outputs.some((output) => output.kind === "measure");
  const ranked = by.by.kind === "column" ? by.by.column.table : (entity?.name ?? home);
  if (focus.groups.length > 0 && by.by.kind === "column" && !measured) return { rank, nested: null, each: true };
  const differs = subject !== null && ranked !== subject;
  const nests =
    differs && by.by.kind === "column" && (measured || isReachedUpwards(context, subject, ranked) || entity !== null);
  return {
    rank,
    nested: nests ? ranked : measured && focus.groups.length === 0 && by.by.kind === "column" ? ranked : null,
    each: false,
  };
}

function tableOfGroup(group: Group): string {
  return group.kind === "entity" ? group.table : group.column.table;
}

function rankBy(
  context: Context,
  reading: RankReading,
  home: TableNode,
  focus: Focus,
): { readonly by: Rank["by"]; readonly descending: boolean } | null {
  const { by, descending } = reading;
  const measure = (found: Measure | null): { readonly by: Rank["by"]; readonly descending: boolean } | null =>
    found === null ? null : { by: { kind: "measure", measure: found }, descending };
  const column = (found: ColumnNode | null): { readonly by: Rank["by"]; readonly descending: boolean } | null =>
    found === null ? null : { by: { kind: "column", column: found }, descending };
  switch (by.kind) {
    case "adjective": {
      const own = focus.outputs.find((output) => output.kind === "measure");
      if (own?.kind === "measure" && focus.groups.length > 0) return measure(own.measure);
      const found = columnOfAdjective(by.adjective, home, context);
      return found === null ? null : { by: { kind: "column", column: found.column }, descending: found.high };
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
      return rankByTarget(context, by.target, home, measure, column);
    case "ref":
      return rankByRef(context, by.ref, home, measure, column, by.adjective !== null, focus.groups.length > 0);
  }
}

type Found<T> = (found: T | null) => { readonly by: Rank["by"]; readonly descending: boolean } | null;

function rankByTarget(
  context: Context,
  target: Target,
  home: TableNode,
  measure: Found<Measure>,
  column: Found<ColumnNode>,
): ReturnType<Found<Measure>> {
  if (target.kind === "period") return null;
  if (target.kind === "money") return measure(moneyMeasure(context, [home.name], target.function));
  if (target.kind === "count") {
    const counted = settleCount(context, target.ref, false, [home.name]);
    const same = counted.kind === "count" && counted.table === home.name;
    return measure(same ? { kind: "count", table: null } : counted);
  }
  if (target.function !== null) return measure(settleAggregate(context, target.ref, target.function, [home.name]));
  return rankByRef(context, target.ref, home, measure, column, false, false);
}

function rankByRef(
  context: Context,
  ref: Ref,
  home: TableNode,
  measure: Found<Measure>,
  column: Found<ColumnNode>,
  superlative: boolean,
  grouped: boolean,
): ReturnType<Found<Measure>> {
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
    return measure({ kind: "aggregate", function: superlative || own.kind !== "number" ? "max" : "sum", column: own });
  const table = tableOfRef(ref);
  if (table !== null) return measure({ kind: "count", table: table.name });
  const any = columnOfRef(ref, context, [home.name]);
  return any === null ? null : measure({ kind: "count", table: any.table });
}

/** What makes a row popular: how many rows point to it; for a column, how many rows share its value. */
function popularityOf(context: Context, home: TableNode, focus: Focus, shared: boolean): Measure {
  const [first] = focus.outputs;
  const isRow = first?.kind !== "column" || isNaming(home, first.column);
  if (!isRow && (shared || !context.mentioned.includes(home.name))) return { kind: "count", table: home.name };
  const children = hopsFrom(context.graph, home.name)
    .filter((hop) => hop.direction === "down")
    .map((hop) => nodeOf(context, hop.edge.child))
    .sort((a, b) => Number(a.isBridge) - Number(b.isBridge) || (b.rows ?? 0) - (a.rows ?? 0));
  return { kind: "count", table: children[0]?.name ?? home.name };
}

/** The table whose rows are counted, added up or shown. */
function rootOf(context: Context, focus: Focus, rank: Rank | null): string | null {
  for (const output of focus.outputs) {
    const table = output.kind === "measure" ? tableOfMeasure(output.measure) : null;
    if (table !== null) return table;
  }
  if (rank?.by.kind === "measure") {
    const table = tableOfMeasure(rank.by.measure);
    if (table !== null) return table;
  }
  const tables = [...new Set(focus.outputs.map(tableOfOutput).filter((table) => table !== null))];
  const lowest = tables.find((table) =>
    tables.every((other) => other === table || isReachedUpwards(context, table, other)),
  );
  return (
    lowest ??
    tables[0] ??
    (focus.groups[0] === undefined ? (context.mentioned[0] ?? null) : tableOfGroup(focus.groups[0]))
  );
}

/** Beside a figure, whatever else is shown is what the figure is grouped by; a ranking by a figure groups as well. */
function completeGroups(
  context: Context,
  focus: Focus,
  rank: Rank | null,
  hasHaving: boolean,
  root: string,
): { readonly outputs: readonly Output[]; readonly groups: readonly Group[] } {
  const measures = focus.outputs.filter((output) => output.kind === "measure");
  const plain = focus.outputs.filter((output) => output.kind !== "measure");
  const ranksFigure = rank?.by.kind === "measure";
  if (measures.length === 0 && !ranksFigure && !hasHaving && focus.groups.length === 0) return focus;
  const groups = [...focus.groups];
  if (groups.length === 0) groups.push(...groupsOfOutputs(context, plain, root));
  const outputs: Output[] = [...plain];
  for (const group of focus.groups) {
    if (group.kind === "period") continue;
    const covered = plain.some((output) =>
      output.kind === "column"
        ? group.kind === "column" && output.column === group.column
        : group.kind === "entity" && output.table === group.table,
    );
    const named =
      group.kind === "entity" &&
      plain.some((output) => output.kind === "column" && output.column.table === group.table);
    if (!covered && !named)
      outputs.push(
        group.kind === "entity" ? { kind: "entity", table: group.table } : { kind: "column", column: group.column },
      );
  }
  outputs.push(...measures);
  if (rank?.by.kind === "measure" && measures.length === 0) outputs.push({ kind: "measure", measure: rank.by.measure });
  if (groups.length > 0 && measures.length === 0 && !ranksFigure && !hasHaving)
    outputs.push({ kind: "measure", measure: { kind: "count", table: null } });
  return { outputs, groups };
}

/** Columns that name a row, and columns of one table beside them, group by that row; others by their values. */
function groupsOfOutputs(context: Context, plain: readonly Output[], root: string): readonly Group[] {
  const groups: Group[] = [];
  for (const output of plain) {
    if (output.kind === "measure") continue;
    const table = output.kind === "column" ? output.column.table : output.table;
    const node = nodeOf(context, table);
    const names = plain.some((other) =>
      other.kind === "entity" || other.kind === "all"
        ? other.table === table
        : other.kind === "column" && other.column.table === table && isNaming(node, other.column),
    );
    if (names && table !== root) groups.push({ kind: "entity", table });
    else if (names && output.kind !== "column") groups.push({ kind: "entity", table });
    else if (output.kind === "column") groups.push({ kind: "column", column: output.column });
  }
  return groups.filter(
    (group, index) => groups.findIndex((other) => JSON.stringify(other) === JSON.stringify(group)) === index,
  );
}

function isNaming(table: TableNode, column: ColumnNode): boolean {
  return (
    (table.keys.length <= 1 && labelsOfTable(table).includes(column)) ||
    (table.keys.length === 1 && table.keys[0] === column)
  );
}
