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

const SECONDS: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3_600 };

const BYTES: Readonly<Record<string, number>> = {
  kilobyte: 1e3,
  kb: 1e3,
  megabyte: 1e6,
  mb: 1e6,
  gigabyte: 1e9,
  gb: 1e9,
};

/** Minutes in a column of milliseconds, megabytes in one of bytes. */
export function convert(value: number, text: string, unit: string | null, column: ColumnNode): Literal {
  const seconds = unit === null ? undefined : SECONDS[unit];
  const bytes = unit === null ? undefined : BYTES[unit];
  if (seconds !== undefined && column.words.includes("millisecond"))
    return { kind: "number", text: String(value * seconds * 1_000) };
  if (seconds !== undefined && column.words.includes("second"))
    return { kind: "number", text: String(value * seconds) };
  if (seconds !== undefined && column.words.includes("minute"))
    return { kind: "number", text: String((value * seconds) / 60) };
  if (bytes !== undefined && column.words.includes("byte")) return { kind: "number", text: String(value * bytes) };
  return { kind: "number", text };
}
