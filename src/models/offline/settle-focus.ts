/**
 * Settles what a question shows, before ranking is joined to it: outputs, groups, and the table behind them.
 * Pure: no I/O, no clock.
 */
import type { Focus } from "./focus.ts";
import type { Group, Measure, Output, Rank } from "./intent.ts";
import type { Item } from "./items.ts";
import { isMeasure, moneyMeasure, soldMeasure, tableOfMeasure } from "./measures.ts";
import type { RankReading } from "./read-rank.ts";
import { isKey, type Target } from "./read-target.ts";
import type { Context, Ref } from "./resolve.ts";
import { tableOfRef } from "./resolve.ts";
import { isReachedUpwards } from "./scopes.ts";
import { settleGroup, tableOfGroup } from "./settle-group.ts";
import { isMean, settleOutput, tableOfOutput } from "./settle-output.ts";

export function tablesOfTargets(targets: readonly Target[]): readonly string[] {
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

export function settleFocus(
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
  const sells =
    items.some((item) => "text" in item && /^(sold|sell|sells)$/i.test(item.text)) &&
    !items.some((item) => isKey(item, "not"));
  for (const target of targets) {
    if (target.kind === "period") continue;
    // Beside a figure `for each concert`, plain columns are the concert's.
    const isPlain = target.kind === "ref" && target.function === null;
    const sold = target.kind === "count" && target.ref !== null && sells ? soldOf(context, target.ref) : null;
    const settled = sold ?? settleOutput(context, target, isPlain ? [...grouped, ...near] : near);
    // A figure over what cannot be added up is no figure: its rows would be another answer.
    if (target.kind === "ref" && target.function !== null && settled.length === 0) return null;
    if (target.kind === "ref" && target.distinct) distinct = true;
    for (const output of settled) if (!outputs.some((known) => sameOutput(known, output))) outputs.push(output);
  }
  const named = outputs.map(tableOfOutput).find((table) => table !== null) ?? near[0] ?? context.mentioned[0];
  // `which year had the highest revenue` names no table at all.
  const sales = rank?.by.kind === "money" ? moneyMeasure(context, [], "sum") : null;
  const base = named ?? (sales === null ? null : tableOfMeasure(sales));
  const groups = groupTargets.flatMap((target): readonly Group[] => settleGroup(context, target, base, near));
  for (const target of targets) {
    if (target.kind === "period") groups.unshift(...settleGroup(context, target, base, near));
  }
  if (outputs.length === 0) {
    const table = rank?.entity === null || rank?.entity === undefined ? null : tableOfRef(rank.entity);
    const first = table?.name ?? context.mentioned[0] ?? likelyTable(context, items);
    if (first === undefined) return groups.length > 0 ? { outputs, groups, distinct } : null;
    if (groups.length === 0) outputs.push({ kind: "entity", table: first });
  }
  if (groups.length > 0 && outputs.every((output) => output.kind !== "measure"))
    addUp(outputs, groups, rank === null && (groupTargets[0]?.kind === "period" || !context.hints.has("list")));
  const [only] = outputs;
  if (all && only?.kind === "entity") outputs[0] = { kind: "all", table: only.table };
  return { outputs, groups, distinct };
}

/** `how many tracks were sold` adds up pieces: the tracks themselves were not counted. */
function soldOf(context: Context, ref: Ref): readonly Output[] | null {
  const measure = soldMeasure(context, []);
  const table = measure === null ? null : tableOfMeasure(measure);
  const isSold = context.graph.edges.some((edge) => edge.child === table && edge.parent === tableOfRef(ref)?.name);
  return measure !== null && isSold ? [{ kind: "measure", measure }] : null;
}

/** `invoice total per month`: a number told by groups is added up or averaged, and rows of another table are counted. */
function addUp(outputs: Output[], groups: readonly Group[], counts: boolean): void {
  outputs.forEach((output, index) => {
    if (
      output.kind === "entity" &&
      counts &&
      !groups.some((group) => tableOfGroup(group) === output.table && group.kind === "entity")
    )
      outputs[index] = { kind: "measure", measure: { kind: "count", table: output.table } };
    if (output.kind !== "column" || !isMeasure(output.column)) return;
    const { column } = output;
    if (groups.some((group) => group.kind !== "entity" && group.column === column)) return;
    const measure: Measure = { kind: "aggregate", function: isMean(column) ? "avg" : "sum", column };
    outputs[index] = { kind: "measure", measure };
  });
}

/** SQLite takes plain columns beside a lone min or max from the row that holds it. */
export function withExtreme(focus: Focus, rank: Rank): Focus {
  if (rank.by.kind !== "column") return focus;
  const measure: Measure = { kind: "aggregate", function: rank.descending ? "max" : "min", column: rank.by.column };
  return { ...focus, outputs: [...focus.outputs, { kind: "measure", measure }] };
}

/** `each order's status` shows which order it is. */
export function showEach(focus: Focus): void {
  const [first] = focus.outputs;
  const tables = new Set(focus.outputs.map(tableOfOutput));
  if (first?.kind === "column" && tables.size === 1)
    focus.outputs.unshift({ kind: "entity", table: first.column.table });
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

function sameOutput(a: Output, b: Output): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
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

/** The table whose rows are counted, added up or shown. */
export function rootOf(context: Context, focus: Focus, rank: Rank | null): string | null {
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
