/**
 * Links words of a question to tables and columns, by name and by synonym. Every candidate that scores is kept: which
 * one is meant depends on the tables around it, and `chooseColumn` decides that later.
 * Leaves to others: values (values.ts), sentence structure (read-*.ts). Pure: no I/O, no clock.
 */

import type { ColumnNode, SchemaGraph, TableNode } from "./schema-graph.ts";
import { findPath, tableNamed } from "./schema-graph.ts";
import { likeness } from "./words.ts";

export interface TableLink {
  readonly table: TableNode;
  readonly score: number;
}

export interface ColumnLink {
  readonly column: ColumnNode;
  readonly score: number;
  /** The words named the table too (`invoice total`). */
  readonly qualified: boolean;
}

export interface Link {
  readonly tables: readonly TableLink[];
  readonly columns: readonly ColumnLink[];
}

/** A view repeats what tables hold: it is meant only when its name says so. */
const VIEW_PENALTY = 0.25;

function isView(graph: SchemaGraph, link: ColumnLink): boolean {
  return tableNamed(graph, link.column.table)?.kind === "view";
}

/** Everything that `words` (lemmas, no fillers) may name, best first; null when nothing. */
export function linkWords(graph: SchemaGraph, words: readonly string[]): Link | null {
  const tables = graph.tables
    .map((table) => ({ table, score: scoreTable(table, words) - (table.kind === "view" ? VIEW_PENALTY : 0) }))
    .filter((link) => link.score >= 0.45)
    .sort((a, b) => b.score - a.score);
  const columns = graph.tables
    .flatMap((table) => table.columns.map((column) => scoreColumn(column, table, words)))
    .map((link) => (isView(graph, link) ? { ...link, score: link.score - VIEW_PENALTY } : link))
    .filter((link) => link.score >= 0.3)
    .sort((a, b) => b.score - a.score);
  const best = Math.max(tables[0]?.score ?? 0, columns[0]?.score ?? 0);
  if (best === 0) return null;
  const top = tables[0]?.score ?? 0;
  return {
    tables: tables.filter((link) => link.score >= top - 0.12),
    columns: columns.filter((link) => link.score >= (columns[0]?.score ?? 0) * 0.45),
  };
}

export function linkScore(link: Link): number {
  return Math.max(link.tables[0]?.score ?? 0, link.columns[0]?.score ?? 0);
}

function scoreTable(table: TableNode, words: readonly string[]): number {
  let sum = 0;
  for (const word of words) {
    const best = bestLikeness(word, table.words);
    if (best === 0) return 0;
    sum += best;
  }
  const coverage = Math.min(sum / Math.max(table.words.length, words.length), 1);
  const head = table.words.at(-1);
  const namesHead = head !== undefined && words.some((word) => likeness(word, head) >= 0.9);
  return coverage === 1 || namesHead ? coverage : coverage * 0.9;
}

const GENERIC_WORDS = /^(number|address|code|name)$/;

function scoreColumn(column: ColumnNode, table: TableNode, words: readonly string[]): ColumnLink {
  let qualified = false;
  let penalty = 0;
  const matched = new Map<string, number>();
  for (const word of words) {
    const free = (candidate: string): boolean => !matched.has(candidate);
    const own = bestMatch(word, column.ownWords.filter(free));
    const any = own.score > 0 ? own : bestMatch(word, column.words.filter(free));
    if (any.score > 0) {
      matched.set(any.word, any.score);
    } else if (words.length > 1 && bestLikeness(word, table.words) >= 0.9) {
      qualified = true;
    } else if (matched.size > 0 && GENERIC_WORDS.test(word)) {
      // `phone number`, `email address`: the second word only says what kind of thing the first is.
      penalty += 0.05;
    } else {
      return { column, score: 0, qualified: false };
    }
  }
  if (qualified && table.kind === "view") return { column, score: 0, qualified: false };
  const own = coverageOf(column.ownWords, matched);
  const all = coverageOf(column.words, matched);
  const score = Math.max(own - (column.ownWords.length < column.words.length ? 0.02 : 0), all);
  return { column, score: score === 0 ? 0 : score + (qualified ? 0.15 : 0) - penalty, qualified };
}

/** `id` and its like weigh half: `support rep` is most of `SupportRepId`. */
function coverageOf(words: readonly string[], matched: ReadonlyMap<string, number>): number {
  let weight = 0;
  let sum = 0;
  for (const word of words) {
    if (word === "of") continue;
    const part = /^(id|code|number|no)$/.test(word) && words.length > 1 ? 0.5 : 1;
    weight += part;
    sum += part * (matched.get(word) ?? 0);
  }
  return weight === 0 ? 0 : sum / weight;
}

function bestLikeness(word: string, words: readonly string[]): number {
  return bestMatch(word, words).score;
}

function bestMatch(word: string, words: readonly string[]): { readonly word: string; readonly score: number } {
  let best = { word: "", score: 0 };
  for (const candidate of words) {
    const score = likeness(word, candidate);
    if (score > best.score) best = { word: candidate, score };
  }
  return best;
}

/** What surrounds a column word: tables that it most likely belongs to, nearest first. */
export interface Surroundings {
  readonly graph: SchemaGraph;
  readonly tables: readonly string[];
  readonly hints: ReadonlySet<string>;
  /** Restricts the choice, for instance to columns that can be summed. */
  readonly accepts?: (column: ColumnNode) => boolean;
}

/** The column meant, given what surrounds it; null when none fits. */
export function chooseColumn(links: readonly ColumnLink[], around: Surroundings): ColumnNode | null {
  let best: { readonly column: ColumnNode; readonly score: number } | null = null;
  for (const link of links) {
    if (around.accepts !== undefined && !around.accepts(link.column)) continue;
    const score =
      link.score +
      nearness(link.column.table, around) +
      (link.qualified ? 0.3 : 0) +
      (link.column.keyPosition > 0 && link.column.references === null ? 0.05 : 0);
    if (best === null || score > best.score + 1e-9) best = { column: link.column, score };
  }
  return best?.column ?? null;
}

function nearness(table: string, around: Surroundings): number {
  const index = around.tables.indexOf(table);
  if (index >= 0) return 0.6 - 0.08 * index;
  const home = around.tables[0];
  if (home === undefined) return sizePrior(table, around.graph);
  const path = findPath(around.graph, home, table, around.hints);
  return path === null ? -0.6 : -0.12 * path.length + sizePrior(table, around.graph);
}

/** Without context a table of things is likelier than a bridge or a view. */
function sizePrior(table: string, graph: SchemaGraph): number {
  const node = tableNamed(graph, table);
  return node === undefined || node.kind === "view" || node.isBridge ? -0.2 : 0;
}
