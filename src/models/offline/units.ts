/**
 * Units behind a number: minutes in a column of milliseconds, megabytes in one of bytes. Pure: no I/O, no clock.
 */
import type { Literal } from "./intent.ts";
import type { Item } from "./items.ts";
import type { ColumnNode } from "./schema-graph.ts";
import { lemmaOf } from "./words.ts";

export function unitOf(item: Item): string | null {
  if (item.kind !== "ref" && item.kind !== "word") return null;
  const lemma = lemmaOf(item.text);
  return /^(minute|second|hour|millisecond|kilobyte|megabyte|gigabyte|kb|mb|gb|day)$/.test(lemma) ? lemma : null;
}

/** `length in minutes`: the unit that figures are wanted in. */
export function wantedUnit(items: readonly Item[]): string | null {
  const wanted = items.find((item, at) => {
    const before = items[at - 1];
    return before?.kind === "key" && /^(in|how many|number of)$/.test(before.text) && unitOf(item) !== null;
  });
  return wanted === undefined ? null : unitOf(wanted);
}

/** Units of one kind, each by the smallest of them. */
const UNITS: readonly Readonly<Record<string, number>>[] = [
  { millisecond: 1, second: 1e3, minute: 6e4, hour: 36e5 },
  { byte: 1, kilobyte: 1e3, kb: 1e3, megabyte: 1e6, mb: 1e6, gigabyte: 1e9, gb: 1e9 },
];

/** Minutes in a column of milliseconds, megabytes in one of bytes. */
export function convert(value: number, text: string, unit: string | null, column: ColumnNode): Literal {
  for (const units of UNITS) {
    const wanted = units[unit ?? ""];
    const own = column.words.map((word) => units[word]).find((each) => each !== undefined);
    if (wanted !== undefined && own !== undefined) return { kind: "number", text: String((value * wanted) / own) };
  }
  return { kind: "number", text };
}
