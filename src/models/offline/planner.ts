/**
 * From a question, a schema and what probes have found to the next thing to do: look for a value, run a query, learn
 * more of the schema, or say that the question was not understood. Pure: no I/O, no clock.
 */
import { auditSql, missingTable } from "./audit.ts";
import { buildQuery } from "./build-query.ts";
import type { Intent } from "./intent.ts";
import type { Item } from "./items.ts";
import { createItems } from "./items.ts";
import { keyAt } from "./keys.ts";
import { parseTokens } from "./question-tokens.ts";
import { readQuestion } from "./read-question.ts";
import { isClause, periodOf } from "./read-target.ts";
import { rephrase } from "./rephrase.ts";
import type { Context } from "./resolve.ts";
import { isTableRef } from "./resolve.ts";
import type { SchemaGraph } from "./schema-graph.ts";
import { mentionedTables } from "./settle-focus.ts";
import { unitOf } from "./units.ts";
import type { ValueMatch } from "./values.ts";
import { createValueSource, plainForm } from "./values.ts";
import { EMPTY_WORDS, isDemonym, isMoneyWord } from "./vocabulary.ts";
import { stemOf } from "./words.ts";
import { writeIntent } from "./write-intent.ts";

/** Values whose column must be looked up before a query can be written; more are left to chance. */
const PROBED_VALUES_MAX = 3;

export type Plan =
  | { readonly kind: "probe"; readonly values: readonly string[] }
  | { readonly kind: "query"; readonly sql: string; readonly intent: Intent }
  /** A value written as a name or in quotes is nowhere in the data. */
  | { readonly kind: "value_missing"; readonly value: string }
  /** The question is about rows whose table is not among those shown. */
  | { readonly kind: "table_missing"; readonly name: string }
  | { readonly kind: "not_understood"; readonly unread: readonly string[] };

export interface PlanInput {
  readonly question: string;
  readonly graph: SchemaGraph;
  /** Lower-case text to where it was found; an empty list means looked for and not found. */
  readonly probed: ReadonlyMap<string, readonly ValueMatch[]>;
  /** Second try after an error: the plainest form of the query. */
  readonly plain: boolean;
}

export function makePlan(input: PlanInput): Plan {
  const { graph, probed } = input;
  const tokens = parseTokens(input.question);
  const hints = new Set(
    tokens.filter((token) => token.kind === "word" && token.lower.length > 2).map((token) => stemOf(token.lower)),
  );
  const items = rephrase(createItems(tokens, graph, createValueSource(graph, probed)));
  const unknown = valuesToProbe(items, probed, graph);
  const isShort = items.length <= 3;
  if (unknown.length > 0 && (isShort || items.some((item) => item.kind === "ref" || item.kind === "key"))) {
    return { kind: "probe", values: unknown.slice(0, PROBED_VALUES_MAX) };
  }
  const missing = missingValue(items);
  const intent = readQuestion(items, graph, hints);
  if (intent === null) return { kind: "not_understood", unread: unreadWords(items) };
  const context: Context = { graph, hints, mentioned: [] };
  const select = buildQuery(intent, context, input.plain);
  if (select === null) return { kind: "not_understood", unread: intent.unread };
  if (missing !== null) return { kind: "value_missing", value: missing };
  const name = /\bids?\b/i.test(input.question) ? null : missingTable(items, intent, graph);
  if (name !== null) return { kind: "table_missing", name };
  if (isGuess(items, intent) || lacksSummand(items, intent)) return { kind: "not_understood", unread: intent.unread };
  const sql = writeIntent(select, intent);
  const { lost, isFatal } = auditSql(items, sql, intent, graph);
  if (isFatal) return { kind: "not_understood", unread: lost };
  return { kind: "query", sql, intent: { ...intent, unread: lost } };
}

/** Spans that are written like values and not found yet, then plain words that nothing else explains. */
function valuesToProbe(
  items: readonly Item[],
  probed: ReadonlyMap<string, readonly ValueMatch[]>,
  graph: SchemaGraph,
): readonly string[] {
  const mentioned = mentionedTables(items.filter((item) => item.kind === "ref"));
  const isSettled = (match: ValueMatch): boolean => !mentioned.some((name) => mayHoldToo(graph, name, match));
  const sure: string[] = [];
  const loose: string[] = [];
  items.forEach((item, index) => {
    const before = items[index - 1];
    // `titles with the word Love` is text; `playlists that contain Jazz` may be what is in them.
    const isText =
      !/^(contain|includ)/.test(before?.text ?? "") || isColumnRef(items[index - 2]) || !/^\p{Lu}/u.test(item.text);
    const holds = before?.kind === "key" && before.key.key === "contains" && isText;
    if (holds && items[index + 1]?.kind !== "ref") return;
    if (
      item.kind === "value" &&
      !item.matches.some((match) => match.whole && isSettled(match) && isSpelling(match.values.join(" "), item.text)) &&
      !probed.has(item.text.toLowerCase())
    )
      sure.push(item.text);
    if (item.kind === "value" && typeof item.wider === "string" && !probed.has(item.wider.toLowerCase()))
      sure.push(item.wider);
    if (
      item.kind === "word" &&
      isProbable(item, before, items[index + 1], endsClause(items, index)) &&
      !probed.has(item.lower)
    )
      loose.push(item.text);
  });
  return [...new Set([...sure, ...loose])];
}

/** `did Deep Purple release`: the last word of a question with `did` is its verb. */
function endsClause(items: readonly Item[], index: number): boolean {
  const next = items[index + 1];
  return (
    (next === undefined || next.kind === "mark") &&
    items.slice(0, index).some((item) => isClause(item, "do", "does", "did"))
  );
}

/** A table that the question names has the like of the column, with more values than the schema shows. */
function mayHoldToo(graph: SchemaGraph, name: string, match: ValueMatch): boolean {
  if (name === match.table) return false;
  const words = graph.tables
    .find((table) => table.name === match.table)
    ?.columns.find((column) => column.name === match.columns[0])?.ownWords;
  const named = graph.tables.find((table) => table.name === name);
  const likely = named?.columns.some(
    (column) => !column.valuesComplete && column.kind === "text" && column.ownWords.join(" ") === words?.join(" "),
  );
  return likely === true;
}

/** The very text: `English` is not settled by `England`. */
function isSpelling(stored: string, text: string): boolean {
  return !isDemonym(text) || plainForm(stored) === plainForm(text);
}

/** Could be data: not a number, not a word of the question language. */
function isProbable(
  item: Extract<Item, { readonly kind: "word" }>,
  before: Item | undefined,
  after: Item | undefined,
  isVerb: boolean,
): boolean {
  if (item.lower.length < 3 || EMPTY_WORDS.has(item.lower) || keyAt([item.lower]) !== null) return false;
  // `delivered orders`, `orders that were delivered`: a state, perhaps written in the data.
  const isState = isClause(before, "is", "are", "was", "were") || isTableRef(after);
  if (isMoneyWord(item.lemma) || unitOf(item) !== null || /-selling$/.test(item.lower)) return false;
  if (isVerb) return false;
  return !COMMON_WORDS.test(item.lower) && (isState || !/(ed|ing|ly)$/.test(item.lower));
}

const COMMON_WORDS =
  /^(year|month|quarter|day|week|monthly|yearly|annual|daily|first|last|more|less|older|than|popular|common|frequent|sold|sell|bought|money|letter|null|missing|unknown|blank|empty|unset|everything|attributes?|terms?|spend|spent|people|persons?|average|world|ordered|made|later|most|time|times|greater|long|old|big|large|high|low|small|young|new|tall|heavy|expensive|cheap|many)$/;

/** The first value that was looked for, is written as one, and was not found anywhere. */
function missingValue(items: readonly Item[]): string | null {
  for (const [index, item] of items.entries()) {
    if (item.kind !== "value" || !item.sure || item.matches.length > 0) continue;
    const before = items[index - 1];
    const earlier = items[index - 2];
    if (before?.kind === "key" && before.key.key === "contains") continue;
    // `last name is Smith`: a filter on that column finds nothing by itself, and says so.
    if (isColumnRef(before) || (isClause(before, "is", "are", "was", "were") && isColumnRef(earlier))) continue;
    return item.text;
  }
  return null;
}

function isColumnRef(item: Item | undefined): boolean {
  return item?.kind === "ref" && !isTableRef(item);
}

function unreadWords(items: readonly Item[]): readonly string[] {
  return items.flatMap((item) => (item.kind === "word" || item.kind === "value" ? [item.text] : []));
}

/** Nothing but leftovers: fewer things were understood than were not. */
function isGuess(items: readonly Item[], intent: Intent): boolean {
  // A value alone says nothing of what is asked about it.
  const named = items.some((item) => item.kind === "ref" || isMoneyWord(item.kind === "word" ? item.lemma : ""));
  const asks = intent.unread.length > 0 || items.some((item) => isClause(item, "do", "does", "did"));
  if (!named && asks) return true;
  const understood = items.filter(
    (item) =>
      /^(ref|value|number|date)$/.test(item.kind) ||
      (item.kind === "word" && (isMoneyWord(item.lemma) || periodOf(item) !== null)),
  ).length;
  const unread = intent.unread.filter((word) => !COMMON_WORDS.test(word.toLowerCase())).length;
  return understood === 0 || unread > understood + 1;
}

/** `the sum of c149` where nothing is called so: what should be added up is the one thing that cannot be left out. */
function lacksSummand(items: readonly Item[], intent: Intent): boolean {
  return items.some((item, index) => {
    if (item.kind !== "key" || item.key.key !== "aggregate") return false;
    const next = items[isClause(items[index + 1], "of") ? index + 2 : index + 1];
    return next?.kind === "word" && intent.unread.includes(next.text);
  });
}
