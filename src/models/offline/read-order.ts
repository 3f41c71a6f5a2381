/**
 * Takes the order out of a question (`sorted by age, oldest first`) and the grouping (`per genre`, `in each year`).
 * What is taken is removed from the items, so that later readers see the rest as one sentence.
 * Pure: no I/O, no clock, but for the list it is given to shorten.
 */
import type { Adjective } from "./adjectives.ts";
import type { Item } from "./items.ts";
import { isMeasure } from "./measures.ts";
import type { Target } from "./read-target.ts";
import { isClause, isJoiner, isKey, periodOf, readTargets } from "./read-target.ts";
import { isTableRef, tableOfRef } from "./resolve.ts";
import { isMoneyWord } from "./vocabulary.ts";
import { lemmaOf } from "./words.ts";

export interface OrderReading {
  /** Empty: the most telling output. */
  readonly targets: readonly Target[];
  /** Null: the natural direction of what is ordered by. */
  readonly descending: boolean | null;
  /** `newest first`: finds its column itself. */
  readonly adjective?: Adjective;
  readonly alphabetical?: boolean;
}

/** Takes the order clause, if there is one. */
export function takeOrder(items: Item[]): OrderReading | null {
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at];
    if (item?.kind === "key" && item.key.key === "order") return takeOrderClause(items, at, item.key.descending);
    if (item?.kind === "adjective" && isFirstWord(items[at + 1])) {
      const start = isJoiner(items[at - 1]) ? at - 1 : at;
      items.splice(start, at + 2 - start);
      const low = item.adjective.readings.every((reading) => !reading.high);
      return { targets: [], descending: !low && item.adjective.high, adjective: item.adjective };
    }
  }
  return takeTrailingBy(items);
}

/** `list the cities by name`: with nothing to add up, `by` orders. */
function takeTrailingBy(items: Item[]): OrderReading | null {
  const at = items.findIndex((item) => isKey(item, "by"));
  if (at < 1 || items.some(isComputing) || items.slice(0, at).some(isFigure)) return null;
  const reading = readTargets(items, at + 1);
  const [target] = reading?.targets ?? [];
  if (reading === null || target?.kind !== "ref" || isTableRef(target.ref)) return null;
  if (items.slice(reading.end).some((item) => item.kind !== "mark")) return null;
  items.splice(at, reading.end - at);
  return { targets: reading.targets, descending: null };
}

function isFirstWord(item: Item | undefined): boolean {
  return item?.kind === "word" && item.lower === "first";
}

function takeOrderClause(items: Item[], at: number, spoken: boolean | null): OrderReading {
  let start = at;
  let descending = spoken;
  const before = items[at - 1];
  const beforeThat = items[at - 2];
  let targets: readonly Target[] = [];
  // `by their age in ascending order`
  if (before?.kind === "ref" && isKey(beforeThat, "by")) {
    targets = readTargets(items, at - 1)?.targets ?? [];
    start = at - 2;
  }
  let end = at + 1;
  if (targets.length === 0) {
    while (isKey(items[end], "by") || isClause(items[end], "of")) end += 1;
    const reading = readTargets(items, end);
    if (reading !== null) {
      targets = reading.targets;
      end = reading.end;
    }
  }
  for (; end < items.length; end += 1) {
    const item = items[end];
    if (item === undefined) break;
    if (item.kind === "key" && item.key.key === "order") descending = item.key.descending ?? descending;
    else if (item.kind === "adjective") descending = descending ?? item.adjective.high;
    else if (item.kind === "word" && /^(high|most|large|big|desc|reverse|z|low|asc|least|first)/.test(item.lower)) {
      descending = descending ?? /^(high|most|large|big|desc|reverse|z)/.test(item.lower);
    } else if (!isClause(item, "from", "to", "in", "with") && !isJoiner(item)) break;
  }
  // What is listed behind a comma goes on with the sentence.
  while (end > at + 1 && isJoiner(items[end - 1])) end -= 1;
  if (isJoiner(items[start - 1]) && !isJoiner(items[end])) start -= 1;
  const order = items[at];
  const alphabetical = order?.kind === "key" && /alphabetical|lexico/.test(order.text);
  items.splice(start, end - start);
  return { targets, descending, alphabetical };
}

/** Takes `per X`, `for each X and Y`, and `by X` where something is being added up. */
export function takeGroups(items: Item[]): { readonly targets: readonly Target[]; readonly each: boolean } {
  let each = false;
  const groups: Target[] = [];
  const computes = items.some(isComputing);
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at];
    if (isKey(item, "each")) {
      const divides =
        computes || items.slice(0, at).some(isFigure) || /^per$|by$/.test(item?.kind === "key" ? item.text : "");
      const reading = divides ? readTargets(items, skipWords(items, at + 1)) : null;
      if (reading === null || reading.targets.some((target) => target.kind === "count")) {
        items.splice(at, 1);
        at -= 1;
        each = true;
        continue;
      }
      groups.push(...reading.targets);
      removeGroup(items, at, reading.end);
      at -= 1;
    } else if (
      isKey(item, "by") &&
      (periodOf(items[at + 1]) !== null ||
        (isTableRef(items[at + 1]) && isTableRef(items[at - 1]) && !items.some(isComputing)) ||
        (items.slice(0, at).some((other) => isAdding(other) || isFigure(other)) && !followsRank(items, at)))
    ) {
      const reading = readTargets(items, at + 1);
      if (reading === null || reading.targets.some((target) => target.kind === "count" || isAggregate(target)))
        continue;
      if (items[reading.end]?.kind === "value") continue;
      groups.push(...reading.targets);
      removeGroup(items, at, reading.end);
      at -= 1;
    }
  }
  return { targets: groups, each };
}

/** The clause word before `each` (`does each employee`) stays; a comma after a leading `for each X,` goes. */
function removeGroup(items: Item[], from: number, end: number): void {
  const comma = items[end];
  const extra = comma?.kind === "mark" && comma.text === "," && from === 0 ? 1 : 0;
  items.splice(from, end - from + extra);
}

function skipWords(items: readonly Item[], at: number): number {
  return isKey(items[at], "distinct") ? at + 1 : at;
}

function isAggregate(target: Target): boolean {
  return target.kind === "ref" && target.function !== null;
}

/** `top 3 genres by sales` ranks, it does not group. */
function followsRank(items: readonly Item[], at: number): boolean {
  return items.slice(0, at).some((item) => isKey(item, "top", "bottom"));
}

/** `invoice totals`: a column of figures, named as what has been added up. */
function isFigure(item: Item): boolean {
  if (item.kind !== "ref" || tableOfRef(item) !== null) return false;
  const column = item.link.columns[0]?.column;
  return column !== undefined && isMeasure(column) && /\b(totals?|amounts?)$/i.test(item.text);
}

/** Something is counted or added up, so that `by` divides it. */
function isAdding(item: Item): boolean {
  return item.kind !== "adjective" && isComputing(item);
}

function isComputing(item: Item): boolean {
  if (isKey(item, "count", "aggregate", "how_much", "most", "fewest", "top", "bottom")) return true;
  if (item.kind === "adjective") return item.degree === "superlative";
  if (item.kind === "word") return isMoneyWord(item.lemma);
  return item.kind === "ref" && isMoneyWord(lemmaOf(item.text));
}
