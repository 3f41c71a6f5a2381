/**
 * Turns tokens into items, the units the readers work on: key phrases, references to the schema, values, numbers,
 * dates and leftover words. Longest meaning wins; a value found in the data beats a loose likeness to a name.
 * Pure: no I/O, no clock.
 */

import type { Adjective, Degree } from "./adjectives.ts";
import { adjectiveOf, oppositeOf } from "./adjectives.ts";
import { readDate } from "./dates.ts";
import type { Key } from "./keys.ts";
import { keyAt } from "./keys.ts";
import type { Link } from "./linking.ts";
import { linkScore, linkWords } from "./linking.ts";
import type { Token } from "./question-tokens.ts";
import type { SchemaGraph } from "./schema-graph.ts";
import type { ValueMatch, ValueSource } from "./values.ts";
import { lookUp, valueSpanAt } from "./values.ts";
import { EMPTY_WORDS, numberWord, scaleOf } from "./vocabulary.ts";
import { wordsOfName } from "./words.ts";

export type Item =
  | { readonly kind: "key"; readonly key: Key; readonly text: string }
  | {
      readonly kind: "adjective";
      readonly adjective: Adjective;
      readonly degree: Degree;
      readonly text: string;
      /** The same word may name a column (`Highest`). */
      readonly link: Link | null;
    }
  | { readonly kind: "ref"; readonly link: Link; readonly text: string; readonly plural: boolean }
  | {
      readonly kind: "value";
      readonly text: string;
      readonly matches: readonly ValueMatch[];
      readonly sure: boolean;
      readonly wider?: string | null;
    }
  | { readonly kind: "number"; readonly value: number; readonly text: string }
  | {
      readonly kind: "date";
      readonly from: string;
      readonly to: string;
      readonly text: string;
      readonly year: number | null;
    }
  | { readonly kind: "possessive"; readonly text: string }
  | { readonly kind: "word"; readonly text: string; readonly lower: string; readonly lemma: string }
  | { readonly kind: "mark"; readonly text: string };

/** A reader's step: the item and how many tokens it took. */
interface Taken {
  readonly item: Item | null;
  readonly length: number;
}

/** Reads all tokens into items; words without meaning are dropped. */
export function createItems(tokens: readonly Token[], graph: SchemaGraph, source: ValueSource): readonly Item[] {
  const items: Item[] = [];
  let at = 0;
  while (at < tokens.length) {
    const last = items.at(-1);
    const taken =
      (last === undefined ? null : takeText(last, tokens, at, source)) ?? takeItem(tokens, at, graph, source);
    if (taken.item !== null) {
      // `product category`: of two nouns the last is the head.
      if (isNounBefore(items.at(-1), taken.item) && taken.length > 0) items.pop();
      items.push(taken.item);
    }
    at += Math.max(1, taken.length);
  }
  return items;
}

function takeItem(tokens: readonly Token[], at: number, graph: SchemaGraph, source: ValueSource): Taken {
  const token = tokens[at];
  if (token === undefined) return { item: null, length: 1 };
  if (token.kind === "possessive") return { item: { kind: "possessive", text: "'s" }, length: 1 };
  const date = readDate(tokens, at);
  if (date !== null) return { item: { kind: "date", ...date.date, text: date.text }, length: date.length };
  const number = takeNumber(tokens, at);
  if (number !== null) return number;
  const lowers = tokens.slice(at, at + 8).map((next) => (next.kind === "quoted" ? "\u0000" : next.lower));
  const key = shortenKey(keyAt(lowers), tokens, at, graph);
  const ref = takeReference(tokens, at, graph);
  const value = valueSpanAt(tokens, at, source, ref === null ? 0 : ref.strength);
  if (value !== null && (ref === null || value.length >= ref.length || value.strong)) {
    return {
      item: { kind: "value", text: value.text, matches: value.matches, sure: value.sure, wider: value.wider ?? null },
      length: value.length,
    };
  }
  const adjective = takeAdjective(tokens, at, ref);
  if (ref !== null && (key === null || beatsKey(ref, key, tokens, at)) && (adjective === null || ref.length > 1))
    return ref;
  if (adjective !== null && (key === null || key.length < 2 || adjective.length > key.length)) return adjective;
  if (key !== null && key.key.key === "by" && followsParticiple(tokens, at)) {
    return { item: { kind: "key", key: { key: "clause", word: "by" }, text: "by" }, length: 1 };
  }
  if (key !== null)
    return { item: { kind: "key", key: key.key, text: lowers.slice(0, key.length).join(" ") }, length: key.length };
  if (ref !== null) return ref;
  if (token.kind === "mark") return { item: { kind: "mark", text: token.text }, length: 1 };
  if (/^(what|how)$/.test(token.lower) && !token.opens) {
    return { item: { kind: "key", key: { key: "clause", word: "what" }, text: "what" }, length: 1 };
  }
  if (EMPTY_WORDS.has(token.lower)) return { item: null, length: 1 };
  return { item: { kind: "word", text: token.text, lower: token.lower, lemma: token.lemma }, length: 1 };
}

/** In `maximum number of products`, `number of products` may be a column: then only `maximum` is the key. */
function shortenKey(
  key: ReturnType<typeof keyAt>,
  tokens: readonly Token[],
  at: number,
  graph: SchemaGraph,
): typeof key {
  if (key === null || key.length < 3 || tokens[at + key.length - 2]?.lower !== "number") return key;
  const ref = takeReference(tokens, at + key.length - 2, graph);
  return ref !== null && ref.length >= 3 && ref.strength >= 0.95 ? keyAt([tokens[at]?.lower ?? ""]) : key;
}

function isNounBefore(first: Item | undefined, second: Item): boolean {
  if (first?.kind !== "ref" || second.kind !== "ref" || first.plural) return false;
  const named = [first, second].every((ref) => (ref.link.tables[0]?.score ?? 0) >= 0.95);
  return named && !/(ed|ing)$/.test(second.text);
}

/** What follows `starts with` is text, be it a single letter. */
function takeText(last: Item, tokens: readonly Token[], at: number, source: ValueSource): Taken | null {
  if (
    last.kind !== "key" ||
    last.key.key !== "contains" ||
    !/with$|ending in$|letter|word|text|substring|phrase/.test(last.text)
  )
    return null;
  const token = tokens[at];
  if (token === undefined || token.kind === "mark" || /^(the|a|word|letter)$/.test(token.text)) return null;
  return { item: { kind: "value", text: token.text, matches: lookUp(token.text, source), sure: false }, length: 1 };
}

/** `owned by`, `taught by` name who did it; they do not group. */
function followsParticiple(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.lower ?? "";
  return (
    /(ed|ought|aught|tten|oken|aken|own|iven)$/.test(before) && !/^(grouped|ordered|sorted|ranked|earned)$/.test(before)
  );
}

function takeNumber(tokens: readonly Token[], at: number): Taken | null {
  const token = tokens[at];
  if (token === undefined) return null;
  const base = token.kind === "number" ? token.value : token.kind === "word" ? numberWord(token.lower) : null;
  if (base === null || Number.isNaN(base)) return null;
  const next = tokens[at + 1];
  const scale = next?.kind !== "word" ? null : scaleOf(next.lower);
  const value = scale === null ? base : base * scale;
  const text = token.kind === "number" && scale === null ? token.text : String(value);
  return { item: { kind: "number", value, text }, length: scale === null ? 1 : 2 };
}

function takeAdjective(tokens: readonly Token[], at: number, ref: Reference | null): Taken | null {
  const token = tokens[at];
  if (token?.kind !== "word") return null;
  const next = tokens[at + 1];
  const link = ref !== null && ref.length === 1 ? ref.item.link : null;
  if (next !== undefined && /^(most|least|more|less)$/.test(token.lower)) {
    const found = adjectiveOf(next.lower) ?? adjectiveOf(next.lower.replace(/ly$/, ""));
    if (found === null || found.degree !== "plain") return null;
    const adjective = /^(least|less)$/.test(token.lower) ? oppositeOf(found.adjective) : found.adjective;
    const degree = /^(most|least)$/.test(token.lower) ? "superlative" : "comparative";
    return {
      item: { kind: "adjective", adjective, degree, text: `${token.lower} ${next.lower}`, link: null },
      length: 2,
    };
  }
  const found = adjectiveOf(token.lower);
  if (found === null || found.degree === "plain") return null;
  return { item: { kind: "adjective", ...found, text: token.lower, link }, length: 1 };
}

interface Reference extends Taken {
  readonly item: Extract<Item, { readonly kind: "ref" }>;
  readonly strength: number;
}

/** The best span of up to five words at `at` that names something; `type of pet` is read as `pet type`. */
function takeReference(tokens: readonly Token[], at: number, graph: SchemaGraph): Reference | null {
  let best: Reference | null = null;
  let bestWeight = 0;
  for (let length = 5; length >= 1; length -= 1) {
    const named = literalName(tokens.slice(at, at + length), length, graph);
    if (named !== null) return named;
  }
  for (let length = 1; length <= 5; length += 1) {
    const span = tokens.slice(at, at + length);
    const words = wordsOfSpan(span, length, graph);
    if (words === null) continue;
    const link = linkWords(graph, words);
    if (link === null) continue;
    // `official languages`: the first word is a yes-or-no of the second, not part of its name.
    const [first] = link.columns;
    const last = span.at(-1);
    // `highest paid doctors`: the verb is the doctors', not part of their name.
    if (
      length === 2 &&
      first?.qualified &&
      /(ed|earn)$/.test(last?.lower ?? "") &&
      namesTable(graph, span[0]?.lemma ?? "")
    )
      continue;
    if (length === 2 && first?.qualified && last?.lower !== last?.lemma && namesTable(graph, last?.lemma ?? ""))
      continue;
    if (words.length > 1 && first !== undefined && first.qualified && first.column.kind === "flag") continue;
    const strength = linkScore(link);
    const weight = words.length * strength;
    if (weight <= bestWeight + 0.01) continue;
    bestWeight = weight;
    const text = span.map((token) => token.text).join(" ");
    const plural = last !== undefined && last.lower !== last.lemma;
    best = { item: { kind: "ref", link, text, plural }, length, strength };
  }
  return best ?? columnAsWritten(tokens[at], graph);
}

/** A column's very name, where its words were written out (`qty` is known as quantity). */
function columnAsWritten(token: Token | undefined, graph: SchemaGraph): Reference | null {
  if (token?.kind !== "word") return null;
  const columns = graph.tables.flatMap((table) =>
    table.columns
      .filter((column) => column.name.toLowerCase() === token.lower && !sameWords(column.words, [token.lemma]))
      .map((column) => ({ column, score: 1, qualified: false })),
  );
  if (columns.length === 0) return null;
  return {
    item: { kind: "ref", link: { tables: [], columns }, text: token.text, plural: false },
    length: 1,
    strength: 1,
  };
}

/** A table or column written exactly as it is called, odd characters and all. */
function literalName(span: readonly Token[], length: number, graph: SchemaGraph): Reference | null {
  const text = span.map((token) => token.text).join(" ");
  if (span.length < length || (length === 1 && span[0]?.kind !== "quoted" && !/[^a-z]/i.test(text))) return null;
  const lower = text.toLowerCase();
  const tables = graph.tables
    .filter((table) => table.name.toLowerCase() === lower)
    .map((table) => ({ table, score: 1.2 }));
  const columns = graph.tables.flatMap((table) =>
    table.columns
      .filter((column) => column.name.toLowerCase() === lower)
      .map((column) => ({ column, score: 1.2, qualified: false })),
  );
  if (tables.length + columns.length === 0) return null;
  return { item: { kind: "ref", link: { tables, columns }, text, plural: false }, length, strength: 1.2 };
}

/** Words that open a request or stand before a noun, and never begin a name of two words. */
const LEADING_WORDS =
  /^(show|list|give|find|return|get|display|tell|what|which|who|all|any|some|their|its|his|her|these|those|this|that|each|sort|order|count|name|identify|me|us)$/;

/** Lemmas of a span that may be one name, or null when its shape forbids it. */
function wordsOfSpan(span: readonly Token[], length: number, graph: SchemaGraph): readonly string[] | null {
  if (span.length < length || span[0]?.kind !== "word") return null;
  if (span.some((token) => token.kind === "number")) return isNameSpan(span, graph);
  if (span.some((token) => token.kind !== "word")) return null;
  const of = span.findIndex((token) => token.lower === "of");
  if (of < 0) {
    if (length === 1 && /^(first|last)$/.test(span[0]?.lower ?? "")) return null;
    if (length === 1 && EMPTY_WORDS.has(span[0]?.lower ?? "") && !isExactName(graph, span[0]?.lemma ?? "")) return null;
    if (
      length > 1 &&
      span.some((token) =>
        /^(the|a|an|and|or|in|by|for|to|with|from|at|on|is|are|has|have|each|per|many|most|no|not|all)$/.test(
          token.lower,
        ),
      )
    )
      return isNameSpan(span, graph);
    const [first] = span;
    if (length > 1 && /^(first|last)$/.test(first?.lower ?? "") && span[1]?.lemma !== "name")
      return isNameSpan(span, graph);
    if (
      length > 1 &&
      LEADING_WORDS.test(first?.lower ?? "") &&
      (first?.opens === true || !/^(sort|order|count|name)$/.test(first?.lower ?? ""))
    )
      return isNameSpan(span, graph);
    if (length > 1 && first !== undefined && first.lower !== first.lemma && namesTable(graph, first.lemma)) return null;
    const verb = span.at(-1);
    if (length > 1 && verb !== undefined && EMPTY_WORDS.has(verb.lower) && !isPartOfName(graph, verb.lemma))
      return null;
    const [only] = span;
    if (length === 1 && only !== undefined && /_|[a-z][A-Z]/.test(only.text)) return wordsOfName(only.text);
    return span.map((token) => token.lemma);
  }
  if (of === 0 || of === span.length - 1 || length < 3) return null;
  const words = span.filter((token) => !/^(of|the|a|an|each)$/.test(token.lower)).map((token) => token.lemma);
  if (words.length < 2 || span.some((token) => /^(and|or|each|every)$/.test(token.lower))) return null;
  const exact = graph.tables.some((table) =>
    table.columns.some(
      (column) => sameWords(withoutOf(column.words), words) && !namesTable(graph, words.slice(of).join(" ")),
    ),
  );
  const typed = graph.tables.some((table) =>
    table.columns.some((column) => sameWords(withoutOf(column.words), words) && !sameWords(column.ownWords, ["name"])),
  );
  return exact || typed ? words : null;
}

function isNameSpan(span: readonly Token[], graph: SchemaGraph): readonly string[] | null {
  const words = span.map((token) => token.lemma);
  const exact = graph.tables.some(
    (table) => sameWords(table.words, words) || table.columns.some((column) => sameWords(column.words, words)),
  );
  return exact ? words : null;
}

function isExactName(graph: SchemaGraph, word: string): boolean {
  return graph.tables.some(
    (table) => sameWords(table.words, [word]) || table.columns.some((column) => sameWords(column.ownWords, [word])),
  );
}

function isPartOfName(graph: SchemaGraph, word: string): boolean {
  return graph.tables.some(
    (table) => table.words.includes(word) || table.columns.some((column) => column.words.includes(word)),
  );
}

function namesTable(graph: SchemaGraph, word: string): boolean {
  return graph.tables.some((table) => sameWords(table.words, [word]));
}

function withoutOf(words: readonly string[]): readonly string[] {
  return words.filter((word) => word !== "of");
}

function sameWords(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word) => b.includes(word));
}

/** `total` is the column after `a`, the sum before another name; `number of products` is a column where one is called so. */
function beatsKey(
  ref: Reference,
  key: { readonly key: Key; readonly length: number },
  tokens: readonly Token[],
  at: number,
): boolean {
  // `sum of total`: the first adds up, the second is what is added up.
  if (key.key.key === "aggregate" && ref.length === 1 && isAggregateOf(tokens, at)) return ref.strength >= 0.95;
  if (key.key.key === "aggregate" && aggregatesOverAggregate(tokens, at)) return false;
  const isQualified = ref.item.link.columns[0]?.qualified === true;
  if (ref.length > key.length && ref.strength >= 0.95 && key.key.key !== "clause") {
    return key.key.key !== "aggregate" || (!isQualified && ref.strength >= 0.99);
  }
  if (key.key.key === "aggregate" && key.key.function !== "avg" && ref.length === 1 && ref.strength >= 0.95) {
    const next = tokens[at + 1];
    const nounFollows =
      next?.kind === "word" &&
      !/^(is|are|was|were|of|over|above|under|below|more|less|greater|between|exceeds?|exceeding|equal|at|and|or|in|per|by|for|from|that|higher|lower|larger|smaller|each)$/.test(
        next.lower,
      );
    const previous = tokens[at - 1]?.lower ?? "";
    return !nounFollows && !/^(in|of)$/.test(previous);
  }
  return false;
}

/** The token stands behind `sum of`, `average of the`, and nothing that it could stand before follows. */
function isAggregateOf(tokens: readonly Token[], at: number): boolean {
  const from = /^(the|all)$/.test(tokens[at - 1]?.lower ?? "") ? at - 2 : at - 1;
  const next = tokens[at + 1];
  const isLast = next?.kind !== "word" || /^(of|in|for|from|per|by|over)$/.test(next.lower);
  return isLast && tokens[from]?.lower === "of" && isAggregateWord(tokens[from - 1]);
}

/** `total of total`: an aggregate's word that has such another behind its `of`. */
function aggregatesOverAggregate(tokens: readonly Token[], at: number): boolean {
  if (tokens[at + 1]?.lower !== "of" || isAggregateOf(tokens, at)) return false;
  const to = /^(the|all)$/.test(tokens[at + 2]?.lower ?? "") ? at + 3 : at + 2;
  return isAggregateWord(tokens[to]) && isAggregateOf(tokens, to);
}

function isAggregateWord(token: Token | undefined): boolean {
  return token?.kind === "word" && keyAt([token.lower])?.key.key === "aggregate";
}
