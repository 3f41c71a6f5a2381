/**
 * Reads conditions made of words alone: text within a value (`contains 'love'`), nothing at all (`is missing`), and
 * what was never sold. Pure, but for the reader's state.
 */
import { moneyMeasure, tableOfMeasure } from "./measures.ts";
import { isClause, isKey } from "./read-target.ts";
import type { Reader } from "./reader.ts";
import { addHere, tablesAround } from "./reader.ts";
import { columnOfRef, labelsOfTable, nodeOf, tableOfRef } from "./resolve.ts";
import type { ColumnNode } from "./schema-graph.ts";
import { createScope } from "./scopes.ts";
import { isMoneyWord } from "./vocabulary.ts";

/** `contains 'love'`, `starting with A`; the column may follow (`the word 'Hey' in its title`). */
export function onContains(reader: Reader, where: "any" | "start" | "end"): void {
  let next = reader.at;
  while (isClause(reader.items[next]) || isKey(reader.items[next], "contains")) next += 1;
  const item = reader.items[next];
  if (item === undefined || (item.kind !== "value" && item.kind !== "word" && item.kind !== "number")) return;
  const noun = reader.items[next + 1];
  // `playlists that contain Jazz`: no text of theirs, but what is in them.
  const known = item.kind === "value" && reader.pending === null ? item.matches.filter((match) => match.whole) : [];
  if (known.length > 0 && known.every((match) => match.table !== reader.scope.table)) return;
  if (item.kind === "value" && noun?.kind === "ref" && tableOfRef(noun) !== null) return;
  const text = item.text;
  const follower = reader.items[next + 2];
  let ref = reader.pending?.ref ?? null;
  let end = next + 1;
  if (isClause(reader.items[next + 1], "in") && follower?.kind === "ref") {
    const isGeneric = /^(name|title|text|description)s?$/i.test(follower.text);
    ref = isGeneric && ref !== null ? ref : follower;
    end = next + 3;
  }
  const isText = (column: ColumnNode): boolean => column.kind === "text";
  const found = ref === null ? null : columnOfRef(ref, reader.context, tablesAround(reader), isText);
  const column = found ?? labelsOfTable(nodeOf(reader.context, reader.scope.table))[0] ?? null;
  reader.pending = null;
  reader.at = end;
  if (column === null) return;
  addHere(reader, column, { kind: "contains", column, text, at: where, negated: false });
  reader.negated = false;
}

/** `never sold`: the rows that say what was sold. */
function onSold(reader: Reader): boolean {
  const { scope } = reader;
  if (!reader.negated && scope.negated && scope.parent !== null && scope.conditions.length === 0) {
    // `artists who never had a track sold`: what is missing is the sale, not the track.
    scope.parent.children.splice(scope.parent.children.indexOf(scope), 1);
    reader.scope = scope.parent;
    reader.negated = true;
  }
  const measure = reader.negated ? moneyMeasure(reader.context, [reader.scope.table], "sum") : null;
  const table = measure === null ? null : tableOfMeasure(measure);
  if (table === null || table === reader.scope.table) return false;
  createScope(table, reader.scope, true).negated = true;
  reader.negated = false;
  return true;
}

export function onWord(reader: Reader, text: string, lemma: string): void {
  if (/^(sold|sell|bought|buy|purchased)$/.test(lemma) && onSold(reader)) return;
  if (isMoneyWord(lemma)) {
    // `users who spent more than 50`: compared when the number comes.
    reader.pendingMeasure = moneyMeasure(reader.context, [reader.scope.table], "sum");
    return;
  }
  if (/^(null|missing|unknown|blank|empty|unset)$/.test(lemma) && reader.pending !== null) {
    const column = columnOfRef(reader.pending.ref, reader.context, tablesAround(reader));
    reader.pending = null;
    if (column === null) return;
    addHere(reader, column, { kind: "empty", column, negated: reader.negated }, false);
    reader.negated = false;
    return;
  }
  const next = reader.items[reader.at];
  const isVerb =
    (next === undefined || next.kind === "mark") && reader.items.some((item) => isClause(item, "do", "does", "did"));
  if (!isVerb && !/^(more|less|than|later|first|last|time|letter|alphabetical)$/.test(lemma)) reader.unread.push(text);
}
