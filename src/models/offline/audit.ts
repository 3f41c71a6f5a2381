/**
 * Never silently wrong: holds the finished SQL against the words of the question. Every word that carries meaning (a
 * table, a value, a number, a date, a period, a figure, an order, a `per` or a `not`) must be seen again in the SQL.
 * What is not is told with the answer; without a figure, its groups, its order or its `not` there is no answer at all.
 * Leaves to others: the wording (answer.ts, decline.ts). Pure: no I/O, no clock.
 */
import type { Group, Intent, Output } from "./intent.ts";
import type { Item } from "./items.ts";
import { holdsSales } from "./measures.ts";
import { isClause, isKey, isRevenue, periodOf } from "./read-target.ts";
import { isTableRef, tableOfRef } from "./resolve.ts";
import type { ColumnNode, SchemaGraph } from "./schema-graph.ts";
import { edgeOf, tableNamed } from "./schema-graph.ts";
import { tableOfOutput } from "./settle-output.ts";
import { unitOf } from "./units.ts";
import { isMoneyWord } from "./vocabulary.ts";
import { lemmaOf } from "./words.ts";

export interface Audit {
  /** Left out of the SQL, as the question has it. */
  readonly lost: readonly string[];
  /** Without what was left out the rows answer another question. */
  readonly isFatal: boolean;
}

/** What a key must have left in the SQL; a key that is not here leaves no trace of its own. */
const TRACES: Readonly<Record<string, RegExp>> = {
  avg: /\bavg\(/,
  sum: /\b(sum|count)\(/,
  min: /\bmin\(|\border by/,
  max: /\bmax\(|\border by/,
  count: /\b(count|sum)\(/,
  how_much: /\b(sum|avg|count)\(|\border by|^select [^*(]*\bfrom/,
  share: /\b100\.0|percent|share|proportion/,
  most: /\border by|\bmax\(/,
  fewest: /\border by|\bmin\(/,
  top: /\border by/,
  bottom: /\border by/,
  order: /\border by/,
  not: /\bnot\b|<>|\bnull\b|!=|[<>]|= 0\b/,
};

/** Words that ask for nothing by themselves, and are not told when they find no use. */
const IDLE_WORDS = /^(people|persons?|much|money|names?|times?|world|ids?)$|ed$|(?<!spr)ing$/i;

/** What the SQL says, in small letters: its text and its names. */
interface Seen {
  readonly text: string;
  readonly names: ReadonlySet<string>;
  readonly graph: SchemaGraph;
  readonly intent: Intent;
}

export function auditSql(items: readonly Item[], sql: string, intent: Intent, graph: SchemaGraph): Audit {
  const text = sql.toLowerCase();
  const names = new Set(text.match(/"[^"]+"|[a-z_]\w*/g)?.map((name) => name.replaceAll('"', "")));
  const lost: string[] = [];
  let isFatal = false;
  items.forEach((item, at) => {
    if (!isLost(items, at, item, { text, names, graph, intent })) return;
    isFatal ||=
      /key|adjective/.test(item.kind) || isAsked(items, at) || ("text" in item && isMoneyWord(lemmaOf(item.text)));
    lost.push(phraseOf(item, items[at + 1]));
  });
  const isPart = (one: string): boolean => lost.some((other) => other !== one && other.split(" ").includes(one));
  return { lost: [...new Set(lost)].filter((one) => !isPart(one)), isFatal };
}

/** `the email of …`, `Ada's email`: what is to be shown, which nothing else can stand for. */
function isAsked(items: readonly Item[], at: number): boolean {
  const before = items[at - 1];
  const item = items[at];
  if (before?.kind === "possessive") return true;
  // `how many types of customers`
  if (isKey(before, "count") && item?.kind === "word" && item.lemma === "type") return false;
  return !isTableRef(items[at + 1]) && !items.slice(0, at).some((item) => /ref|word|value/.test(item.kind));
}

/** Rows were to be shown, counted or told apart, and all there is of their table is a key that points to it. */
export function missingTable(items: readonly Item[], intent: Intent, graph: SchemaGraph): string | null {
  const shown = new Set([...intent.outputs, ...intent.groups].map((each) => columnOf(each)));
  const lent = items.find(
    (item) =>
      item.kind === "ref" &&
      tableOfRef(item) === null &&
      item.link.columns.some(({ column, score }) => score < 0.95 && shown.has(column) && pointsNowhere(graph, column)),
  );
  return lent?.kind === "ref" ? lent.text : null;
}

function columnOf(of: Output | Group): ColumnNode | null {
  const part = of.kind === "measure" ? of.measure : of;
  return "column" in part ? part.column : null;
}

function pointsNowhere(graph: SchemaGraph, column: ColumnNode): boolean {
  const keys = tableNamed(graph, column.table)?.keys;
  const isOwn = keys?.length === 1 && keys[0] === column && column.references === null;
  return (column.references !== null || /id$/i.test(column.name)) && !isOwn && edgeOf(graph, column) === undefined;
}

/** `per month`: a key with what it stands before. */
function phraseOf(item: Item, next: Item | undefined): string {
  const goesOn = isKey(item, "each", "by", "share", "most", "fewest", "top", "bottom");
  return goesOn && (next?.kind === "word" || next?.kind === "ref") ? `${item.text} ${next.text}` : item.text;
}

function isLost(items: readonly Item[], at: number, item: Item, seen: Seen): boolean {
  const { text } = seen;
  const before = items[at - 1];
  switch (item.kind) {
    case "key":
      return isKeyLost(items, at, item, seen);
    case "adjective":
      return !(item.degree === "superlative" ? /\border by|\bmax\(|\bmin\(/ : /[<>]|\border by/).test(text);
    case "value":
      return ![item.text, ...item.matches.flatMap((match) => match.values)].some((value) => holds(text, value));
    case "number": {
      const next = items[at + 1];
      return item.value !== 1 && !holds(text, item.text) && (next === undefined || unitOf(next) === null);
    }
    case "date":
      return ![item.from, item.to, String(item.year)].some((part) => holds(text, part));
    case "ref":
    case "word": {
      const unit = unitOf(item);
      // `the second longest`
      if (unit === "second" && /adjective|key/.test(items[at + 1]?.kind ?? "")) return true;
      if (unit !== null) return before?.kind === "key" && /^in$|many/.test(before.text) && !text.includes(unit);
      if (isRevenue(item) || isMoneyWord(lemmaOf(item.text)))
        return isMoneyLost(seen) && !(item.kind === "ref" && isNamed(item, seen));
      if (item.kind === "ref") return !IDLE_WORDS.test(item.text) && !isNamed(item, seen);
      if (/^(more|less|fewer)$/.test(item.lower)) return !/[<>]/.test(text);
      if (periodOf(item) !== null) return !/strftime|year/.test(text) && !isDated(items, at);
      const isState = /(ed|ing)$/.test(item.lower) && isTableRef(items[at + 1]);
      return seen.intent.unread.includes(item.text) && (isState || !IDLE_WORDS.test(item.text));
    }
    default:
      return false;
  }
}

/** Sales were asked for, and nothing is added up, nor is there a table of sales. */
function isMoneyLost({ text, names, graph }: Seen): boolean {
  const sales = graph.tables.filter(holdsSales);
  return !/\b(sum|avg)\(/.test(text) && !sales.some((table) => names.has(table.name.toLowerCase()));
}

function isKeyLost(
  items: readonly Item[],
  at: number,
  item: Extract<Item, { readonly kind: "key" }>,
  seen: Seen,
): boolean {
  const { key } = item;
  const { text } = seen;
  // `more office workers than store workers`
  if (isClause(item, "than")) return !/[<>]/.test(text);
  // `who spent the least` is no invoice.
  const named = seen.graph.tables.filter((table) => table.labels.some((label) => label.words.includes("name")));
  if (at === 0 && isClause(item, "who")) return !named.some((table) => seen.names.has(table.name.toLowerCase()));
  const isGrouped = /\bgroup by|\bpartition by/.test(text);
  if (key.key === "each") {
    // `the name of each singer` lists singers; with a figure, or behind `per`, it divides.
    const dividing = /per|by$/.test(item.text) || /\b(sum|avg|count|min|max)\(/.test(text);
    return !isGrouped && (dividing || !isShown(items[at + 1], seen.intent));
  }
  const [next, after] = items.slice(at + 1);
  const divides =
    periodOf(next) !== null ||
    (next?.kind === "ref" &&
      next.link.tables[0]?.table.name !== seen.intent.root &&
      after?.kind !== "value" &&
      !isClause(after));
  if (key.key === "by") return !isGrouped && !/\border by/.test(text) && (divides || !/\bwhere\b/.test(text));
  const counted =
    isKey(item, "distinct") && isTableRef(next) ? next.link.tables[0]?.table.name.toLowerCase() : undefined;
  if (counted !== undefined) return !/\bdistinct\b/.test(text) && !seen.names.has(counted);
  if (isKey(item, "count")) {
    const asked = items.slice(0, at + 1).filter((other) => isKey(other, "count") && other.text === item.text).length;
    return (text.match(/\b(count|sum)\(|\border by/g) ?? []).length < (/^how many/.test(item.text) ? asked : 1);
  }
  const trace = TRACES[key.key === "aggregate" ? key.function : key.key];
  return trace !== undefined && !trace.test(text);
}

/** Rows of the table, or columns of it, are what is listed. */
function isShown(item: Item | undefined, { root, outputs }: Intent): boolean {
  const table = item?.kind === "ref" ? tableOfRef(item)?.name : undefined;
  return table === undefined || table === root || outputs.some((output) => tableOfOutput(output) === table);
}

/** Named itself, or pointed to by a table that is: the lines of an invoice stand for what was bought. */
function isNamed({ link }: Extract<Item, { readonly kind: "ref" }>, { names, graph, text }: Seen): boolean {
  const least = (link.tables[0]?.score ?? 0) < 0.95 ? 0 : 0.6;
  return (
    link.columns.some(({ column, score }) => score >= least && names.has(column.name.toLowerCase())) ||
    link.tables.some(
      ({ table }) =>
        names.has(table.name.toLowerCase()) ||
        (/\b(where|join|group)\b/.test(text) &&
          graph.edges.some((edge) => edge.parent === table.name && names.has(edge.child.toLowerCase()))),
    )
  );
}

function holds(text: string, part: string): boolean {
  return text.includes(part.toLowerCase().replaceAll("'", "''"));
}

/** `in the year 2014`. */
function isDated(items: readonly Item[], at: number): boolean {
  const { text } = items[at] ?? { text: "" };
  return (
    /^years?$/i.test(text) &&
    items.slice(Math.max(0, at - 2), at + 3).some((item) => item.kind === "date" || isClause(item, "when"))
  );
}
