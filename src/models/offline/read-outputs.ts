/**
 * Takes what a question wants shown from the head of its items (`names and ages of all singers`, `how many tracks`,
 * `when was X hired`), and from a second sentence (`… Show both the name and the id.`).
 * Pure, but for the list it is given to shorten.
 */
import type { Item } from "./items.ts";
import type { Target } from "./read-target.ts";
import { isClause, isFlagRef, isJoiner, isKey, readTarget } from "./read-target.ts";
import { isTableRef, tableOfRef } from "./resolve.ts";
import { isMoneyWord } from "./vocabulary.ts";
import { lemmaOf } from "./words.ts";

export interface OutputReading {
  readonly targets: readonly Target[];
  /** Everything about the rows was asked for. */
  readonly all: boolean;
  /** Words of a second sentence that found no use. */
  readonly unread: readonly string[];
  /** `how much money`, `how much did … spend`: sales, whatever the schema calls them. */
  readonly money: boolean;
}

export function takeOutputs(items: Item[], ranked: boolean): OutputReading {
  const money = takeMoney(items, ranked);
  const all = items.some(
    (item) => item.kind === "word" && /^(everything|information|info|attribute|attributes)$/.test(item.lower),
  );
  const unread: string[] = [];
  const second = takeRest(items, endOfSentence(items), unread);
  const more = takeRest(items, startOfMore(items), unread).filter(
    (target) => target.kind !== "ref" || !isTableRef(target.ref) || target.function !== null,
  );
  const head = [...takeHead(items), ...more];
  const columns = second.filter(
    (target) => target.kind !== "ref" || target.function !== null || !isTableRef(target.ref) || target.owner !== null,
  );
  if (columns.length === 0) return { targets: money ? [] : head, all, money, unread };
  const kept = head.filter((target) => target.kind !== "ref" || target.function !== null);
  return {
    targets: [...columns, ...kept.filter((target) => !columns.some((other) => other.kind === target.kind))],
    all,
    money,
    unread,
  };
}

/** Takes `how much` with the words for money that go with it; `how much bonus` becomes the sum of bonuses. */
function takeMoney(items: Item[], ranked: boolean): boolean {
  const at = items.findIndex((item) => isKey(item, "how_much"));
  if (at < 0) return false;
  const next = items[at + 1];
  const word = items.findIndex((item, index) => index > at && isMoneyItem(item));
  const quantity = next?.kind === "ref" && !isTableRef(next) && !isMoneyItem(next);
  if (quantity && !ranked) items[at] = { kind: "key", key: { key: "aggregate", function: "sum" }, text: "total" };
  if (!quantity && word < 0) {
    // `how much did we invoice`: a verb that is a table, and no column to ask for.
    if (isClause(next, "do", "does", "did") && !items.some((item) => item.kind === "ref" && !isTableRef(item))) {
      items.splice(at, 1);
      return true;
    }
    moveLastColumn(items, at);
  }
  if (quantity || word < 0) return false;
  for (let index = items.length - 1; index > at; index -= 1) {
    const item = items[index];
    if (item !== undefined && isMoneyItem(item)) items.splice(index, 1);
  }
  items.splice(at, 1);
  return true;
}

/** `How much does the track X cost` asks for the column it ends with. */
function moveLastColumn(items: Item[], to: number): void {
  const last = items.findLastIndex((item) => item.kind === "ref" && !isTableRef(item));
  const [column] = last > to + 1 ? items.splice(last, 1) : [];
  if (column === undefined) return;
  items[to] = column;
}

function isMoneyItem(item: Item): boolean {
  if (item.kind === "word") return isMoneyWord(item.lemma);
  return item.kind === "ref" && isMoneyWord(lemmaOf(item.text));
}

/** Items after the first sentence's end, or after `and what is`, all about what to show. */
function takeRest(items: Item[], stop: number, unread: string[]): readonly Target[] {
  if (stop < 0) return [];
  const targets: Target[] = [];
  let at = stop + 1;
  while (at < items.length) {
    const reading = readTarget(items, at);
    if (reading === null) {
      const item = items[at];
      if (item?.kind === "word") unread.push(item.text);
      at += 1;
      continue;
    }
    targets.push(...reading.targets);
    at = reading.end;
  }
  items.splice(stop, items.length - stop);
  return targets;
}

function endOfSentence(items: readonly Item[]): number {
  return items.findIndex(
    (item, index) => item.kind === "mark" && /[.?;]/.test(item.text) && index < items.length - 1 && index > 0,
  );
}

function startOfMore(items: readonly Item[]): number {
  return items.findIndex((item, index) => index > 0 && isJoiner(item) && isClause(items[index + 1], "what"));
}

function takeHead(items: Item[]): readonly Target[] {
  const targets: Target[] = [];
  const used = new Set<number>();
  let at = 0;
  let joined = true;
  while (at < items.length) {
    const item = items[at];
    if (item === undefined) break;
    if (isKey(item, "how_much")) {
      used.add(at);
      at += 1;
      continue;
    }
    if (targets.length === 0 && isClause(items[0], "who") && isDateRef(item)) break;
    if (targets.length === 0 && isClause(items[at - 1], "who") && at === 1 && isClause(items[2], "to")) break;
    const flagged = isFlagRef(item) && items[at + 1]?.kind === "ref";
    const reading = flagged ? null : readTarget(items, at);
    if (reading !== null && joined) {
      targets.push(...reading.targets);
      for (const index of reading.used) used.add(index);
      at = reading.end;
      joined = false;
      const unit = unitAfter(items, at);
      if (unit) {
        used.add(at);
        used.add(at + 1);
        at += 2;
      }
      continue;
    }
    if (isJoiner(item) || isKey(item, "both")) {
      joined = true;
      at += 1;
      continue;
    }
    if (targets.length === 0 && (flagged || isHeadWord(item) || /^(value|word|number|date)$/.test(item.kind))) {
      at += 1;
      continue;
    }
    if (joined && targets.length > 0 && item.kind === "value") {
      at += 1;
      continue;
    }
    break;
  }
  removeUsed(items, used);
  shareCounts(targets, items);
  shareOwners(targets);
  return targets;
}

/** `Who was born …` asks for people, not for dates. */
function isDateRef(item: Item): boolean {
  if (item.kind !== "ref" || tableOfRef(item) !== null) return false;
  const column = item.link.columns[0]?.column;
  return column !== undefined && !column.isKey && column.kind !== "text" && column.kind !== "blob";
}

function isHeadWord(item: Item): boolean {
  return (
    isClause(item) ||
    item.kind === "mark" ||
    item.kind === "possessive" ||
    item.kind === "adjective" ||
    isKey(item, "each", "by", "distinct")
  );
}

/** `how many artists and albums` counts both; `how many tracks per album on average` averages the counts. */
function shareCounts(targets: Target[], items: Item[]): void {
  for (let at = 1; at < targets.length; at += 1) {
    const target = targets[at];
    if (targets[at - 1]?.kind !== "count" || target?.kind !== "ref" || target.function !== null) continue;
    if (target.owner === null && isTableRef(target.ref))
      targets[at] = { kind: "count", ref: target.ref, distinct: false };
  }
  const average = items.findIndex((item) => item.kind === "key" && item.text === "on average");
  const [first] = targets;
  if (average < 0 || first?.kind !== "count") return;
  items.splice(average, 1);
  targets[0] = { ...first, over: "avg" };
}

/** In `name, country and age of singers` all three are of singers. */
function shareOwners(targets: Target[]): void {
  for (let at = targets.length - 2; at >= 0; at -= 1) {
    const target = targets[at];
    const next = targets[at + 1];
    if (target?.kind !== "ref" || next?.kind !== "ref" || target.owner !== null || isTableRef(target.ref)) continue;
    targets[at] = { ...target, owner: next.owner };
  }
}

/** `length in milliseconds`. */
function unitAfter(items: readonly Item[], at: number): boolean {
  const ref = items[at + 1];
  return (
    isClause(items[at], "in") &&
    ref?.kind === "ref" &&
    /^(milliseconds?|seconds?|minutes?|hours?|bytes|dollars|euros|years|kg|km)$/i.test(ref.text)
  );
}

function removeUsed(items: Item[], used: ReadonlySet<number>): void {
  for (let at = items.length - 1; at >= 0; at -= 1) if (used.has(at)) items.splice(at, 1);
}
