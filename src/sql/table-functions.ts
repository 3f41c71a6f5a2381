/**
 * How many rows json_each() and json_tree() may give, by what stands in their brackets: the plan says nothing of it, and two
 * long documents side by side are a query that never ends.
 *
 * What a literal holds is counted. A column of a table is taken to hold a document of common length. What a statement
 * writes by itself is as long as its functions can make it, also where it comes by way of a subquery. Pure.
 */
import type { Catalog } from "./catalog.ts";
import { type Token, unquote } from "./lexer.ts";
import { MAKERS } from "./made-text.ts";
import { foldName } from "./scopes.ts";
import { isSymbol, keyword, type StatementShape, type TableReference } from "./statement.ts";

/** Rows that a table function gives: json_each() on one document, pragma_table_info() on one table. */
export const TABLE_FUNCTION_ROWS = 25;
/** Elements of the longest text that D1 can make (2 MB). */
const GROWN_ROWS = 1_000_000;
/** Elements of a text that is gathered from rows: those rows were read, and count by themselves. */
const GATHERED_ROWS = 3_000;

/** A text that is joined to itself more often than this may have grown from a few letters. */
const JOINS_MAX = 16;

const JSON_FUNCTIONS = new Set(["json_each", "json_tree", "jsonb_each", "jsonb_tree"]);
const GATHERERS = new Set(["group_concat", "string_agg", "json_group_array", "json_group_object"]);

/** Rows by the folded name that a plan calls a table function of the statement by; the most where two share one. */
export function tableFunctionRows(shape: StatementShape, catalog: Catalog): ReadonlyMap<string, number> {
  const rows = new Map<string, number>();
  for (const reference of shape.tables) {
    const close = shape.closing.get(reference.index + 1);
    if (close === undefined || !JSON_FUNCTIONS.has(foldName(reference.name))) continue;
    const name = foldName(reference.alias ?? reference.name);
    rows.set(name, Math.max(rows.get(name) ?? 0, rowsOf(shape, catalog, reference.index, close)));
  }
  return rows;
}

function rowsOf(shape: StatementShape, catalog: Catalog, index: number, close: number): number {
  const given = shape.tokens.slice(index + 2, close);
  const own = elementsOf(given);
  const { isWritten, isDerived } = originOf(given, shape, catalog);
  if (isWritten) return own;
  const derived = isDerived ? elementsOf(subqueriesBeside(shape, index)) : 0;
  return Math.max(own, derived, TABLE_FUNCTION_ROWS);
}

/** Whether the text stands there as it is, and whether any of it may come from a subquery of the statement. */
function originOf(given: readonly Token[], shape: StatementShape, catalog: Catalog) {
  const read = shape.tables.flatMap((table) => {
    const relation = catalog.relations.find(({ name }) => foldName(name) === foldName(table.name));
    return relation === undefined || isCommonTable(table, shape) ? [] : [{ table, relation }];
  });
  const isDerived = given.some((token, at) => {
    const isName = token.kind === "word" || token.kind === "name";
    if (!isName || isSymbol(given[at + 1], "(") || isSymbol(given[at + 1], ".")) return false;
    const qualifier = isSymbol(given[at - 1], ".") ? given[at - 2] : undefined;
    return !read.some(({ table, relation }) => {
      const isMeant = qualifier === undefined || foldName(table.alias ?? table.name) === foldName(unquote(qualifier));
      return isMeant && relation.columns.some(({ name }) => foldName(name) === foldName(unquote(token)));
    });
  });
  return { isWritten: given.every(isLiteral), isDerived };
}

function isLiteral(token: Token): boolean {
  return token.kind === "string" || token.kind === "number" || isSymbol(token, ",");
}

function isCommonTable({ name, qualifier }: TableReference, { commonTables }: StatementShape): boolean {
  return qualifier === null && commonTables.some((common) => foldName(common.name) === foldName(name));
}

/** Tokens of all bracketed queries that the token at `index` does not stand in. */
function subqueriesBeside({ tokens, closing }: StatementShape, index: number): readonly Token[] {
  const isBeside = ([open, close]: readonly [number, number]): boolean =>
    (index < open || index > close) && ["SELECT", "VALUES", "WITH"].includes(keyword(tokens[open + 1]) ?? "");
  const beside = [...closing].filter(isBeside);
  const isOuter = ([open, close]: readonly [number, number]): boolean =>
    !beside.some(([otherOpen, otherClose]) => otherOpen < open && close < otherClose);
  return beside.filter(isOuter).flatMap(([open, close]) => tokens.slice(open + 1, close));
}

/** Elements of the longest document that an expression can make of its own literals and functions. */
function elementsOf(tokens: readonly Token[]): number {
  const called = tokens.flatMap((token, at) =>
    token.kind === "word" && isSymbol(tokens[at + 1], "(") ? [token.text.toLowerCase()] : [],
  );
  const joins = tokens.filter((token) => isSymbol(token, "||")).length;
  if (joins > JOINS_MAX || called.some((name) => MAKERS.has(name))) return GROWN_ROWS;
  const gathered = called.some((name) => GATHERERS.has(name)) ? GATHERED_ROWS : 0;
  const literals = tokens.filter(({ kind }) => kind === "string").map(unquote);
  const counted = literals.reduce((sum, text) => sum + 1 + text.length - text.replaceAll(/[,[{]/g, "").length, 0);
  const length = literals.reduce((sum, text) => sum + text.length, 0);
  // The worst that replacing can do: each letter of one literal becomes another literal, again and again.
  const times = called.filter((name) => name === "replace").length + 1;
  const replaced = times === 1 ? 0 : (length / times) ** times;
  return Math.min(GROWN_ROWS, Math.max(gathered, counted, Math.ceil(replaced)));
}
