/**
 * Literal values in a question: which spans of words are data rather than grammar, and in which columns they occur.
 * Sources are the samples in the schema text and what earlier probes found; a span that neither knows is reported as
 * unknown, so that the planner can probe for it. Pure: no I/O, no clock.
 */
import { isDegree } from "./adjectives.ts";
import { keyAt } from "./keys.ts";
import type { Token } from "./question-tokens.ts";
import { isCapitalised } from "./question-tokens.ts";
import type { SchemaGraph } from "./schema-graph.ts";
import { EMPTY_WORDS, isDemonym, isMoneyWord, monthOf, periodOfWord, spellingsOf } from "./vocabulary.ts";
import { lemmaOf } from "./words.ts";

/** One place where a value occurs. Two columns for a person's first and last name. */
export interface ValueMatch {
  readonly table: string;
  readonly columns: readonly string[];
  /** As stored, one text a column. */
  readonly values: readonly string[];
  /** The whole cell, or a part of it. */
  readonly whole: boolean;
}

/** What is known about values: samples, and probed texts in lower case with what was found. */
export interface ValueSource {
  readonly graph: SchemaGraph;
  readonly samples: ReadonlyMap<string, readonly ValueMatch[]>;
  readonly probed: ReadonlyMap<string, readonly ValueMatch[]>;
}

export interface ValueSpan {
  readonly text: string;
  readonly length: number;
  readonly matches: readonly ValueMatch[];
  /** Written like a value (quotes, capitals): not finding it is worth saying. */
  readonly sure: boolean;
  /** Certain enough to win over a likeness to a name. */
  readonly strong: boolean;
  /** The same with more small words and capitals behind it (`Balls to the Wall`), worth looking for as a whole. */
  readonly wider?: string | null;
}

/** Indexes the samples of a schema by their plain form. */
export function createValueSource(graph: SchemaGraph, probed: ReadonlyMap<string, readonly ValueMatch[]>): ValueSource {
  const samples = new Map<string, ValueMatch[]>();
  for (const table of graph.tables) {
    for (const column of table.columns) {
      for (const value of column.values) {
        const key = plainForm(value);
        const match: ValueMatch = { table: table.name, columns: [column.name], values: [value], whole: true };
        samples.set(key, [...(samples.get(key) ?? []), match]);
      }
    }
  }
  return { graph, samples, probed };
}

/** Lower case, last word singular, single spaces: the form in which values are compared. */
export function plainForm(text: string): string {
  const words = text.toLowerCase().trim().split(/\s+/);
  const last = words.pop() ?? "";
  return [...words, lemmaOf(last)].join(" ");
}

/** The value that starts at token `at`; `rival` is the strength of a schema name there (1 = exact). */
export function valueSpanAt(
  tokens: readonly Token[],
  at: number,
  source: ValueSource,
  rival: number,
): ValueSpan | null {
  const token = tokens[at];
  if (token === undefined) return null;
  if (token.kind === "quoted") {
    const matches = lookUp(token.text, source);
    return { text: token.text, length: 1, matches, sure: true, strong: true };
  }
  if (token.kind !== "word") return null;
  if (token.text.includes("@"))
    return { text: token.text, length: 1, matches: lookUp(token.text, source), sure: true, strong: true };
  if (/^(MB|GB|KB|USD|EUR)$/.test(token.text)) return null;
  if (/^(named|called|titled)$/.test(tokens[at - 1]?.lower ?? "")) return namedSpan(tokens, at, source);
  return capitalSpan(tokens, at, source, rival) ?? knownSpan(tokens, at, source, rival);
}

/** What follows `named` is a name, whatever it looks like. */
function namedSpan(tokens: readonly Token[], at: number, source: ValueSource): ValueSpan {
  const end = capitalEnd(tokens, at);
  const text = joinTokens(tokens.slice(at, end));
  return { text, length: end - at, matches: lookUp(text, source), sure: true, strong: true };
}

/** A run of capitalised words, with small words between them: `Iron Maiden`, `Joao of Cordoba`, `AC/DC`. */
function capitalSpan(tokens: readonly Token[], at: number, source: ValueSource, rival: number): ValueSpan | null {
  const token = tokens[at];
  if (token === undefined || !isCapitalised(token)) return null;
  if (rival >= 0.95 && (token.opens || tokens[at + 1] === undefined || !isCapitalised(tokens[at + 1] ?? token))) {
    return exactOnly(tokens, at, source);
  }
  // `Latest 10 invoices`, `Yearly sales`: the capital is the sentence's.
  if (
    token.opens &&
    (isDegree(token.lower) ||
      periodOfWord(token.lower) !== null ||
      /selling$/.test(token.lower) ||
      isMoneyWord(token.lemma) ||
      EMPTY_WORDS.has(token.lower) ||
      keyAt(tokens.slice(at, at + 5).map((next) => next.lower)) !== null)
  )
    return null;
  const end = capitalEnd(tokens, at);
  const wideEnd = wideCapitalEnd(tokens, end);
  const wider = wideEnd > end ? joinTokens(tokens.slice(at, wideEnd)) : null;
  for (let stop = wideEnd; stop > at; stop -= 1) {
    const text = joinTokens(tokens.slice(at, stop));
    const matches = lookUp(text, source);
    const known = matches.some((match) => match.whole);
    if (known) return { text, length: stop - at, matches, sure: true, strong: true, wider: null };
  }
  const whole = joinTokens(tokens.slice(at, end));
  // `Inactive users`: a first word that is nowhere in the data has its capital from the sentence.
  if (
    token.opens &&
    end - at === 1 &&
    source.probed.get(token.lower)?.length === 0 &&
    lookUp(whole, source).length === 0
  )
    return null;
  // `Queen's Albums` may be no name at all: once it is known not to be, the part before the mark is.
  const mark = tokens.slice(at, end).findIndex((next) => next.kind === "possessive");
  if (mark > 0 && source.probed.has(whole.toLowerCase())) {
    const part = joinTokens(tokens.slice(at, at + mark));
    return { text: part, length: mark, matches: lookUp(part, source), sure: true, strong: true };
  }
  const text = whole;
  if (rival >= 0.9 && end - at === 1) return null;
  if (token.opens && end - at === 1 && rival > 0) return null;
  if (monthOf(text) !== null || (end - at === 1 && /^(I|A)$/.test(text))) return null;
  return {
    text,
    length: end - at,
    matches: lookUp(text, source),
    sure: !(token.opens && end - at === 1),
    strong: rival < 0.9 || end - at > 1,
    wider,
  };
}

/** A word that is also a schema name counts as a value only if the data has exactly it and capitals set it apart. */
function exactOnly(tokens: readonly Token[], at: number, source: ValueSource): ValueSpan | null {
  const token = tokens[at];
  if (token === undefined || token.opens || token.lower !== token.lemma) return null;
  const matches = lookUp(token.text, source).filter((match) => match.whole && match.values[0] === token.text);
  return matches.length === 0 ? null : { text: token.text, length: 1, matches, sure: false, strong: true };
}

/** Goes on over up to two small words of any kind, as titles do. */
function wideCapitalEnd(tokens: readonly Token[], from: number): number {
  let end = from;
  for (;;) {
    const gap = [1, 2, 3].find((length) => {
      const words = tokens.slice(end, end + length);
      const after = tokens[end + length];
      const isGap =
        words.length === length &&
        words.every(
          (word) =>
            word.kind === "word" &&
            /^(a|an|and|at|by|for|from|i|in|is|my|no|not|of|on|or|the|to|with|you|your)$/.test(word.lower),
        );
      return isGap && after !== undefined && isCapitalised(after);
    });
    if (gap === undefined) return end;
    end = capitalEnd(tokens, end + gap);
  }
}

function capitalEnd(tokens: readonly Token[], at: number): number {
  let end = at + 1;
  while (end < tokens.length) {
    const next = tokens[end];
    const after = tokens[end + 1];
    if (next === undefined) break;
    if (next.kind === "possessive" && after !== undefined && isCapitalised(after)) end += 2;
    else if (isCapitalised(next) || (next.kind === "number" && end > at && !/^(1[5-9]|20)\d\d$/.test(next.text)))
      end += 1;
    else if (/^(of|the|de|da|do|du|la|le|von|van|&)$/.test(next.lower) && after !== undefined && isCapitalised(after))
      end += 2;
    else break;
  }
  return end;
}

/** Words in small letters count as a value when samples or probes know exactly them. */
function knownSpan(tokens: readonly Token[], at: number, source: ValueSource, rival: number): ValueSpan | null {
  for (let length = 4; length >= 1; length -= 1) {
    const span = tokens.slice(at, at + length);
    if (span.length < length || span.some((token) => token.kind !== "word" && token.kind !== "number")) continue;
    const text = joinTokens(span);
    const [first] = span;
    if (length === 1 && (text.length < 3 || rival >= 0.95 || first === undefined)) continue;
    if (length === 1 && first !== undefined && keyAt([first.lower]) !== null) continue;
    if (length === 1 && EMPTY_WORDS.has(text.toLowerCase()) && !isBeforeTable(tokens[at + 1], source)) continue;
    const matches = lookUp(text, source).filter((match) => match.whole);
    if (matches.length > 0) return { text, length, matches, sure: false, strong: rival < 0.9 || length > 1 };
  }
  const token = tokens[at];
  if (token !== undefined && isDemonym(token.lower)) {
    return { text: token.text, length: 1, matches: lookUp(token.text, source), sure: true, strong: true };
  }
  return null;
}

/** `done appointments`: an empty word before a table's name may be a state. */
function isBeforeTable(next: Token | undefined, source: ValueSource): boolean {
  return (
    next !== undefined &&
    (/^(and|or)$/.test(next.lower) ||
      source.graph.tables.some((table) => table.words.length === 1 && table.words[0] === next.lemma))
  );
}

/** Every known place of `text` or another spelling of it, the spellings as written first. */
export function lookUp(text: string, source: ValueSource): readonly ValueMatch[] {
  const found: ValueMatch[] = [];
  for (const spelling of spellingsOf(text)) {
    const sampled =
      source.samples.get(plainForm(spelling)) ?? source.samples.get(plainForm(spelling).replace(/s$/, "")) ?? [];
    for (const match of [...sampled, ...(source.probed.get(spelling.toLowerCase()) ?? [])]) {
      const twice = found.some((other) => other.table === match.table && other.columns.join() === match.columns.join());
      if (!twice) found.push(match);
    }
  }
  const squeezed = text.toLowerCase().replace(/\s+/g, "");
  if (found.length === 0 && /\s/.test(text)) found.push(...(source.samples.get(squeezed) ?? []));
  return found;
}

function joinTokens(tokens: readonly Token[]): string {
  return tokens
    .map((token) => token.text)
    .join(" ")
    .replaceAll(" 's", "'s");
}
