/**
 * Says the short forms of figures at length, so that the readers meet one form only: `monthly revenue` is revenue per
 * month, `track counts` the count of tracks, `order totals` revenue.
 * Leaves to others: what the words mean (items.ts, read-*.ts). Pure: no I/O, no clock.
 */
import type { Item } from "./items.ts";
import { isClause, isKey, periodOf } from "./read-target.ts";
import { isTableRef } from "./resolve.ts";
import { lemmaOf } from "./words.ts";

const wordItem = (text: string): Item => ({ kind: "word", text, lower: text, lemma: text });

export function rephrase(source: readonly Item[]): readonly Item[] {
  const items = [...source];
  for (let at = 0; at < items.length; at += 1) {
    const word = items[at];
    const unit = word?.kind === "word" && /ly$|^annual/.test(word.lower) ? periodOf(word) : null;
    // `the average monthly revenue` is an average of sums, which `per month` would not say.
    if (unit !== null && !isKey(items[at - 1], "aggregate")) {
      const end = items.findIndex((other, index) => index > at && other.kind === "mark" && /[.?!;]/.test(other.text));
      items.splice(end < 0 ? items.length : end, 0, { kind: "key", key: { key: "each" }, text: "per" }, wordItem(unit));
      items.splice(at, 1);
    }
    const item = items[at];
    const next = items[at + 1];
    if (!isTableRef(item) || next === undefined || !("text" in next) || opens(items[at + 2])) continue;
    const figure = lemmaOf(next.text);
    if (figure === "count" && (next.kind === "word" || isKey(next, "count")))
      items.splice(at, 2, { kind: "key", key: { key: "count" }, text: "number of" }, item);
    if (figure === "total" && (next.kind === "word" || isKey(next, "aggregate")))
      items.splice(at, 2, wordItem("revenue"));
  }
  return items;
}

/** What follows belongs to the word before it: `count of`, `total price`. */
function opens(item: Item | undefined): boolean {
  return isClause(item, "of") || item?.kind === "ref";
}
