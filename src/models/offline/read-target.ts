/**
 * Reads targets: the things a question wants shown, grouped by or ordered by (`average, minimum and maximum age`,
 * `number of distinct countries`, `customers' names`). A target still speaks in references; read-question.ts settles
 * them. Leaves to others: where in the sentence a target stands. Pure: no I/O, no clock.
 */
import type { AggregateFunction } from "./intent.ts";
import type { Item } from "./items.ts";
import type { Ref } from "./resolve.ts";
import { isTableRef } from "./resolve.ts";
import { type PeriodUnit, periodOfWord } from "./vocabulary.ts";

export type Target =
  /** `over`: the average (or other figure) of such counts, one a group. `share`: as a percentage of all rows. */
  | {
      readonly kind: "count";
      readonly ref: Ref | null;
      readonly distinct: boolean;
      readonly over?: AggregateFunction;
      readonly share?: boolean;
    }
  /** Sales, revenue: whatever the schema calls them. */
  | { readonly kind: "money"; readonly function: AggregateFunction; readonly share?: boolean }
  | {
      readonly kind: "ref";
      readonly ref: Ref;
      readonly function: AggregateFunction | null;
      readonly distinct: boolean;
      /** The table that possesses it: `customers' names`, `name of the customer`. */
      readonly owner: Ref | null;
    }
  | { readonly kind: "period"; readonly unit: PeriodUnit };

/** Targets read at one place, which items they used, and where reading goes on. */
export interface TargetReading {
  readonly targets: readonly Target[];
  readonly used: readonly number[];
  readonly end: number;
}

export function periodOf(item: Item | undefined): PeriodUnit | null {
  if (item === undefined) return null;
  if (item.kind === "word") return periodOfWord(item.lemma) ?? periodOfWord(item.lower);
  return null;
}

/** `value` and the like count as money only behind a function. */
function isValueWord(item: Item | undefined): boolean {
  if (isRevenue(item)) return true;
  const text = item !== undefined && (item.kind === "word" || item.kind === "ref") ? item.text : "";
  return (
    /^(values?|amounts?|worth)$/i.test(text) && (item?.kind !== "ref" || (item.link.columns[0]?.score ?? 0) < 0.95)
  );
}

/** A word for money taken that names no table of the schema outright. */
export function isRevenue(item: Item | undefined): boolean {
  if (item === undefined) return false;
  if (item.kind === "word") return /^(sale|revenue|turnover|income|earning|spending)$/.test(item.lemma);
  if (item.kind !== "ref" || !/^(sales|revenues?|turnover|income|earnings|spending)$/i.test(item.text)) return false;
  return (item.link.tables[0]?.score ?? 0) < 0.95 && (item.link.columns[0]?.score ?? 0) < 0.95;
}

export function isKey(item: Item | undefined, ...keys: readonly string[]): boolean {
  return item?.kind === "key" && keys.includes(item.key.key);
}

export function isClause(item: Item | undefined, ...words: readonly string[]): boolean {
  return item?.kind === "key" && item.key.key === "clause" && (words.length === 0 || words.includes(item.key.word));
}

/** A comma, `and`, `&` between two things of a list. */
export function isJoiner(item: Item | undefined): boolean {
  return isKey(item, "and") || (item?.kind === "mark" && item.text === ",");
}

/** Reads the target at `at`, or null when none stands there. */
export function readTarget(items: readonly Item[], at: number): TargetReading | null {
  const item = items[at];
  if (item === undefined) return null;
  if (isKey(item, "count")) return readCount(items, at);
  if (isKey(item, "share")) {
    const figure = isRevenue(items[at + 1]) || isKey(items[at + 1], "aggregate") ? readTarget(items, at + 1) : null;
    const inner = figure ?? readCount(items, at);
    return {
      ...inner,
      used: [at, ...inner.used],
      targets: inner.targets.map((target) =>
        target.kind === "count" || target.kind === "money" ? { ...target, share: true } : target,
      ),
    };
  }
  if (item.kind === "key" && item.key.key === "aggregate") return readAggregates(items, at);
  if (isKey(item, "distinct")) {
    const inner = readTarget(items, at + 1);
    if (inner === null) return null;
    const targets = inner.targets.map((target) =>
      target.kind === "period" || target.kind === "money" ? target : { ...target, distinct: true },
    );
    return { targets, used: [at, ...inner.used], end: inner.end };
  }
  if (isRevenue(item)) return { targets: [{ kind: "money", function: "sum" }], used: [at], end: at + 1 };
  const unit = periodOf(item);
  if (unit !== null) return { targets: [{ kind: "period", unit }], used: [at], end: at + 1 };
  return item.kind === "ref" ? readPlain(items, at, item) : null;
}

/** `number of distinct X`; values and flags between the two stay behind as conditions. */
function readCount(items: readonly Item[], at: number): TargetReading {
  const used = [at];
  let distinct = false;
  for (let next = at + 1; next < Math.min(at + 5, items.length); next += 1) {
    const item = items[next];
    if (isKey(item, "distinct")) {
      distinct = true;
      used.push(next);
    } else if (item?.kind === "ref") {
      const follower = items[next + 1];
      if (!isTableRef(item) && follower?.kind === "ref" && isTableRef(follower)) continue;
      if (isFlagRef(item) && follower?.kind === "ref") continue;
      return { targets: [{ kind: "count", ref: item, distinct }], used: [...used, next], end: next + 1 };
    } else if (item === undefined || !(item.kind === "value" || item.kind === "word" || isClause(item, "of"))) {
      break;
    }
  }
  return { targets: [{ kind: "count", ref: null, distinct }], used, end: at + 1 };
}

export function isFlagRef(item: Item): boolean {
  return item.kind === "ref" && item.link.tables.length === 0 && item.link.columns[0]?.column.kind === "flag";
}

/** `average, minimum and maximum age of X`: each function over the column that follows. */
function readAggregates(items: readonly Item[], at: number): TargetReading | null {
  const functions: AggregateFunction[] = [];
  const used: number[] = [];
  let next = at;
  for (; next < items.length; next += 1) {
    const item = items[next];
    if (item?.kind === "key" && item.key.key === "aggregate") functions.push(item.key.function);
    else if (!(isJoiner(item) || isClause(item, "of") || isKey(item, "distinct"))) break;
    used.push(next);
  }
  if (isKey(items[next], "count")) {
    const inner = readCount(items, next);
    const over = functions.find((name) => name !== "sum");
    const counts = inner.targets.map((target) =>
      target.kind === "count" && over !== undefined ? { ...target, over } : target,
    );
    return { ...inner, targets: counts, used: [...used, ...inner.used] };
  }
  const item = items[next];
  const after = items[next + 1];
  if (isTableRef(item) && items[at]?.kind === "key" && /^total amount/.test(items[at]?.text ?? "")) {
    // `the total amount of invoices` is money, `total invoices` a number of rows.
    return { targets: [{ kind: "money", function: "sum" }], used: [...used, next], end: next + 1 };
  }
  if (isTableRef(item) && !item.plural && isValueWord(after)) {
    // `total order value`
    const targets = functions.map((name): Target => ({ kind: "money", function: name }));
    return { targets, used: [...used, next, next + 1], end: next + 2 };
  }
  if (isValueWord(item)) {
    const targets = functions.map((name): Target => ({ kind: "money", function: name }));
    return { targets, used: [...used, next], end: next + 1 };
  }
  if (item?.kind !== "ref") return null;
  const plain = readPlain(items, next, item);
  const targets = plain.targets.flatMap((target): readonly Target[] =>
    target.kind === "ref" ? functions.map((name) => ({ ...target, function: name })) : [target],
  );
  return { targets, used: [...used, ...plain.used], end: plain.end };
}

/** A reference with what possesses it: `X's Y`, `Y of X`. */
function readPlain(items: readonly Item[], at: number, ref: Ref): TargetReading {
  const make = (thing: Ref, owner: Ref | null, end: number): TargetReading => ({
    // `total of orders` is one figure, `total of the order` a column of it.
    targets: [
      {
        kind: "ref",
        ref: thing,
        function: owner?.plural && thing.text === "total" ? "sum" : null,
        distinct: false,
        owner,
      },
    ],
    used: Array.from({ length: end - at }, (_unused, index) => at + index),
    end,
  });
  const second = items[at + 1];
  const third = items[at + 2];
  if (second?.kind === "possessive" && third?.kind === "ref") {
    return isTableRef(ref) ? make(third, ref, at + 3) : make(ref, third, at + 3);
  }
  if (isClause(second, "of", "for") && isTableRef(third) && !isTableRef(ref)) {
    const made = make(ref, third, at + 3);
    // `of invoice 5`: the table stays, so that the number can be read as its key.
    return items[at + 3]?.kind === "number" ? { ...made, used: [at, at + 1] } : made;
  }
  return make(ref, null, at + 1);
}

/** Reads targets joined by commas and `and`. */
export function readTargets(items: readonly Item[], at: number): TargetReading | null {
  const first = readTarget(items, at);
  if (first === null) return null;
  const targets = [...first.targets];
  const used = [...first.used];
  let end = first.end;
  for (;;) {
    let next = end;
    while (isJoiner(items[next]) || isClause(items[next], "as")) next += 1;
    const more = next === end ? null : readTarget(items, next);
    if (more === null) return { targets, used, end };
    for (let joiner = end; joiner < next; joiner += 1) used.push(joiner);
    targets.push(...more.targets);
    used.push(...more.used);
    end = more.end;
  }
}
