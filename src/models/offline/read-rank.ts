/**
 * Takes the ranking out of a question: `top 3 genres by number of tracks`, `five longest tracks`, `the most albums`,
 * `with the highest capacity`. A superlative that heads the question over a column is no ranking but an extreme value
 * (`cheapest track price`), and is turned into an aggregate for the output reader.
 * Pure: no I/O, no clock, but for the list it is given to shorten.
 */

import type { Adjective } from "./adjectives.ts";
import { adjectiveOf } from "./adjectives.ts";
import type { Item } from "./items.ts";
import type { Target } from "./read-target.ts";
import { isClause, isJoiner, isKey, isRevenue, readTarget } from "./read-target.ts";
import type { Ref } from "./resolve.ts";
import { isTableRef } from "./resolve.ts";
import { isMoneyWord } from "./vocabulary.ts";
import { likeness } from "./words.ts";

export type RankBy =
  | { readonly kind: "adjective"; readonly adjective: Adjective }
  | { readonly kind: "ref"; readonly ref: Ref; readonly adjective: Adjective | null }
  | { readonly kind: "target"; readonly target: Target }
  | { readonly kind: "money" }
  /** How many pieces were sold. */
  | { readonly kind: "sold" }
  /** `shared`: how many rows have the value (`most common`); else how many rows point to it. */
  | { readonly kind: "popularity"; readonly shared: boolean }
  | { readonly kind: "usual" };

export interface RankReading {
  readonly by: RankBy;
  readonly descending: boolean;
  readonly limit: number;
  /** The table the superlative stands before, or the nearest one named before `with the highest …`. */
  readonly entity: Ref | null;
}

/** Takes the ranking, if there is one. `Which 5 countries have the largest area` puts the number at the head. */
export function takeRank(items: Item[]): RankReading | null {
  const reading = takeRanking(items);
  if (reading === null || reading.limit !== 1) return reading;
  const at = items.findIndex((item) => item.kind === "number");
  const number = items[at];
  const ref = items[at + 1];
  const heads = items
    .slice(0, Math.max(0, at))
    .every((item) => item.kind !== "value" && !isKey(item, "compare", "between"));
  if (number?.kind !== "number" || ref?.kind !== "ref" || !ref.plural || !heads) return reading;
  items.splice(at, 1);
  return { ...reading, limit: number.value };
}

function takeRanking(items: Item[]): RankReading | null {
  const top = takeTop(items);
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at];
    if (item === undefined) break;
    const limit = top?.limit ?? 1;
    if (item.kind === "adjective" && item.degree === "superlative") {
      const reading = takeSuperlative(items, at, item.adjective, limit);
      if (reading !== null) return reading;
    }
    if (item.kind === "word" && /^(best|top|worst)-?selling$/.test(item.lower)) {
      items.splice(at, 1);
      return { by: { kind: "sold" }, descending: !item.lower.startsWith("worst"), limit, entity: null };
    }
    if (isKey(item, "most", "fewest")) return takeMost(items, at, isKey(item, "most"), limit);
    if (item.kind === "word" && /^(first|last)$/.test(item.lower)) {
      const reading = takeFirst(items, at, item.lower);
      if (reading !== null) return reading;
    }
  }
  if (top === null) return null;
  const by = items.findIndex((item) => isKey(item, "by") || (item.kind === "word" && item.lower === "terms"));
  const reading = by < 0 ? null : readTarget(items, isClause(items[by + 1], "of") ? by + 2 : by + 1);
  if (reading === null) return { by: { kind: "usual" }, descending: top.descending, limit: top.limit, entity: null };
  const [target] = reading.targets;
  items.splice(by, reading.end - by);
  return {
    by: target === undefined ? { kind: "usual" } : { kind: "target", target },
    descending: top.descending,
    limit: top.limit,
    entity: null,
  };
}

/** `top 5`, `bottom 3`, `top` alone (ten rows if what follows is plural). */
function takeTop(items: Item[]): { readonly descending: boolean; readonly limit: number } | null {
  const at = items.findIndex((item) => isKey(item, "top", "bottom"));
  if (at < 0) return null;
  const descending = isKey(items[at], "top");
  const number = items[at + 1];
  const counted = number?.kind === "number";
  const noun = items[at + (counted ? 2 : 1)];
  const plural = noun?.kind === "ref" && noun.plural;
  const limit = counted ? number.value : plural ? 10 : 1;
  items.splice(at, counted ? 2 : 1);
  return { descending, limit };
}

function takeSuperlative(items: Item[], at: number, adjective: Adjective, limit: number): RankReading | null {
  let from = at;
  let count = limit;
  const before = items[at - 1];
  const after = items[at + 1];
  let next = at + 1;
  if (before?.kind === "number" && Number.isInteger(before.value)) {
    count = before.value;
    from -= 1;
  } else if (after?.kind === "number" && Number.isInteger(after.value)) {
    count = after.value;
    next += 1;
  }
  if (takeSales(items, at, adjective))
    return { by: { kind: "money" }, descending: adjective.high, limit: count, entity: null };
  const ref = items[next];
  const done = (by: RankBy, entity: Ref | null, low: boolean): RankReading => ({
    by,
    descending: !low,
    limit: count,
    entity,
  });
  if (isRevenue(ref) && !isHead(items, from)) {
    const start = clauseStart(items, from);
    items.splice(start, next + 1 - start);
    return done({ kind: "money" }, null, !adjective.high);
  }
  const word = ref?.kind === "ref" ? ref.text : "";
  if (ref?.kind === "ref" && !isTableRef(ref)) {
    const high = endOf(adjective, ref);
    const owner = items[next + 1];
    // `best rated product`, `highest paid doctor`: the row is wanted, not the figure.
    if (/ed$|paid$/.test(word) && isTableRef(owner)) {
      items.splice(from, next + 1 - from);
      return done({ kind: "ref", ref, adjective }, owner, !high);
    }
    if (isHead(items, from) && limit === 1 && count === 1) return turnIntoAggregate(items, at, high);
    const start = clauseStart(items, from);
    const entity = tableBefore(items, start);
    items.splice(start, next + 1 - start);
    return done({ kind: "ref", ref, adjective }, entity, !high);
  }
  if (isKey(ref, "aggregate") && !isHead(items, from)) {
    const reading = readTarget(items, next);
    const target = reading?.targets[0];
    if (reading !== null && target !== undefined) {
      const start = clauseStart(items, from);
      const entity = tableBefore(items, start);
      items.splice(start, reading.end - start);
      return done({ kind: "target", target }, entity, !adjective.high);
    }
  }
  if (isJoinedExtremes(items, at)) return turnIntoAggregate(items, at, adjective.high);
  const subject = subjectBefore(items, from);
  if (subject !== null) {
    const high = endOf(adjective, subject.ref);
    const entity = tableBefore(items, subject.start);
    items.splice(subject.start, next - subject.start);
    return done({ kind: "ref", ref: subject.ref, adjective }, entity, !high);
  }
  items.splice(from, next - from);
  const entity = isTableRef(ref) ? ref : null;
  const by = isTableRef(ref) && isKey(items[from + 1], "by") ? items[from + 2] : undefined;
  if (by?.kind === "ref" && !isTableRef(by)) {
    items.splice(from + 1, 2);
    return done({ kind: "ref", ref: by, adjective }, entity, !endOf(adjective, by));
  }
  return done({ kind: "adjective", adjective }, entity, !adjective.high);
}

/** `the best genres by sales`: takes both, if that is what stands there. */
function takeSales(items: Item[], at: number, adjective: Adjective): boolean {
  const sales = items.findIndex((item, index) => index > at && isRevenue(item));
  if (sales < 0 || !/^(best|worst)$/.test(adjective.word)) return false;
  items.splice(sales - (isClause(items[sales - 1]) || isKey(items[sales - 1], "by") ? 1 : 0), 2);
  items.splice(at, 1);
  return true;
}

/** `highest and lowest price`. */
function isJoinedExtremes(items: readonly Item[], at: number): boolean {
  const next = items[at + 1];
  const other = items[at + 2];
  return isJoiner(next) && other !== undefined && (other.kind === "adjective" || isKey(other, "aggregate"));
}

/** Null, so that the reader goes on: the item now says min or max. */
function turnIntoAggregate(items: Item[], at: number, high: boolean): null {
  items[at] = {
    kind: "key",
    key: { key: "aggregate", function: high ? "max" : "min" },
    text: high ? "maximum" : "minimum",
  };
  return null;
}

/** Which end of the column the adjective means: the youngest birth date is the latest. */
function endOf(adjective: Adjective, ref: Ref): boolean {
  const words = ref.link.columns[0]?.column.words ?? [];
  const reading = adjective.readings.find((entry) => words.some((word) => likeness(word, entry.attribute) >= 0.75));
  return reading?.high ?? adjective.high;
}

/** Nothing but question words stands before. */
function isHead(items: readonly Item[], at: number): boolean {
  const what = items.findLastIndex((item, index) => index < at && isClause(item, "what"));
  return items
    .slice(what + 1, at)
    .every(
      (item) =>
        isClause(item, "which", "is", "are", "was", "were", "of", "in", "for") ||
        item.kind === "mark" ||
        isKey(item, "aggregate", "and"),
    );
}

/** `whose weight is the largest`: the column before the superlative. */
function subjectBefore(items: readonly Item[], from: number): { readonly ref: Ref; readonly start: number } | null {
  if (!isClause(items[from - 1], "is", "are", "was", "were")) return null;
  const ref = items[from - 2];
  if (ref?.kind !== "ref" || isTableRef(ref)) return null;
  const clause = items[from - 3];
  if (!isClause(clause, "whose", "where", "with", "that", "which", "of") || from - 3 === 0) return null;
  return { ref, start: from - 3 };
}

/** Where `with the`, `that has the`, `who have the` began. */
function clauseStart(items: readonly Item[], from: number): number {
  let start = from;
  while (
    start > 0 &&
    isClause(
      items[start - 1],
      "with",
      "having",
      "has",
      "have",
      "had",
      "that",
      "who",
      "which",
      "whose",
      "do",
      "does",
      "did",
    )
  )
    start -= 1;
  return start === 0 ? from : start;
}

function tableBefore(items: readonly Item[], start: number): Ref | null {
  const before = items[start - 1];
  return isTableRef(before) ? before : null;
}

function isSold(item: Item | undefined): boolean {
  return item?.kind === "word" && /^(sold|sell|selling|bought|purchased)$/.test(item.lower);
}

function takeMost(items: Item[], at: number, descending: boolean, limit: number): RankReading {
  let from = at;
  let count = limit;
  const number = items[at - 1];
  if (number?.kind === "number") {
    count = number.value;
    from -= 1;
  }
  const next = items[at + 1];
  const before = items[from - 1];
  const done = (by: RankBy, start: number, end: number): RankReading => {
    const entity = tableBefore(items, start);
    items.splice(start, end - start);
    return { by, descending, limit: count, entity };
  };
  const start = clauseStart(items, from);
  if (isSold(next)) return done({ kind: "sold" }, start, at + 2);
  if (isSold(before) && (isTableRef(next) || isKey(next, "count") || next === undefined)) {
    return done({ kind: "sold" }, clauseStart(items, from - 1), isTableRef(next) ? at + 2 : at + 1);
  }
  if (next?.kind === "ref") {
    const reading = readTarget(items, at + 1);
    const target = reading?.targets[0];
    const end = reading?.end ?? at + 2;
    if (target?.kind === "ref" && isTableRef(target.ref))
      return done(
        { kind: "target", target: { kind: "count", ref: target.ref, distinct: target.distinct } },
        start,
        end,
      );
    return done({ kind: "ref", ref: next, adjective: null }, start, at + 2);
  }
  if (isKey(next, "distinct", "count")) {
    const reading = readTarget(items, at + 1);
    const target = reading?.targets[0];
    if (reading !== null && target !== undefined)
      return done(
        { kind: "target", target: target.kind === "ref" ? { kind: "count", ref: target.ref, distinct: true } : target },
        start,
        reading.end,
      );
  }
  if (next?.kind === "word" && isMoneyWord(next.lemma)) return done({ kind: "money" }, start, at + 2);
  if (next?.kind === "word") {
    return done({ kind: "popularity", shared: /^(common|frequent)/.test(next.lower) }, from, at + 2);
  }
  if (before?.kind === "word" && isMoneyWord(before.lemma))
    return done({ kind: "money" }, clauseStart(items, from - 1), at + 1);
  if (before?.kind === "ref" && !isTableRef(before))
    return done({ kind: "ref", ref: before, adjective: null }, clauseStart(items, from - 1), at + 1);
  if (before !== undefined && isTableRef(before) && from - 1 > 0 && !isClause(items[from - 2], "which")) {
    return done(
      { kind: "target", target: { kind: "count", ref: before, distinct: false } },
      clauseStart(items, from - 1),
      at + 1,
    );
  }
  return done({ kind: "popularity", shared: false }, from, at + 1);
}

/** `first 5 customers` is the start of the list; `the first student` and `the last invoice` look at dates. */
function takeFirst(items: Item[], at: number, word: string): RankReading | null {
  const next = items[at + 1];
  const counted = next?.kind === "number";
  const ref = items[at + (counted ? 2 : 1)];
  const before = items[at - 1];
  const adjective = adjectiveOf(word === "first" ? "earliest" : "latest");
  if (adjective === null) return null;
  if (before?.kind === "ref" && !isTableRef(before) && ref?.kind !== "ref") {
    const start = isClause(items[at - 2], "is", "are", "was", "were") ? at - 2 : at - 1;
    items.splice(start, at + 1 - start);
    const by = { kind: "ref", ref: before, adjective: adjective.adjective } as const;
    return { by, descending: word === "last", limit: 1, entity: null };
  }
  if (ref?.kind !== "ref") return null;
  items.splice(at, counted ? 2 : 1);
  const entity = isTableRef(ref) ? ref : null;
  return {
    by: { kind: "adjective", adjective: adjective.adjective },
    descending: word === "last",
    limit: counted ? next.value : 1,
    entity,
  };
}
