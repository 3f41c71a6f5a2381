/**
 * The shape of one statement, read from its tokens without a full grammar: brackets, which table names stand where a
 * table can stand, and the common table expressions with their bodies. Just enough to decide by grammar position, never
 * by words: `replace(` in a select list is a function, `"delete"` is a name, `pragma_x` in a string is text.
 * Where this reading is wider than SQLite's, the engine's verdict decides (verdict.ts). Pure: no I/O, no clock.
 */
import { type Token, unquote } from "./lexer.ts";

/** A name that stands where SQLite reads a table, view, table function or CTE. */
export interface TableReference {
  /** Schema before the dot, or null. */
  readonly qualifier: string | null;
  readonly name: string;
  /** Alias that follows, or null. */
  readonly alias: string | null;
  /** Index of the name's token among the significant tokens. */
  readonly index: number;
}

/** One `name (columns) AS (body)` of a WITH clause. Indexes are of significant tokens. */
export interface CommonTable {
  readonly name: string;
  readonly nameIndex: number;
  /** Brackets of the body. */
  readonly bodyOpen: number;
  readonly bodyClose: number;
}

export interface StatementShape {
  /** Tokens without blanks and comments. */
  readonly tokens: readonly Token[];
  /** For each opening bracket's index, the index of its closing one. */
  readonly closing: ReadonlyMap<number, number>;
  readonly tables: readonly TableReference[];
  readonly commonTables: readonly CommonTable[];
  /** Indexes of the first significant token of the statement and of every bracketed query or group. */
  readonly heads: readonly number[];
}

/** A frame of the walk: a query, the brackets of a join, or an expression (arguments, lists, plain brackets). */
interface Frame {
  readonly kind: "query" | "join" | "expression";
  inFrom: boolean;
  tableNext: boolean;
}

/** Clauses that end FROM. All but the set operators are reserved words, so none can be an alias. */
const FROM_ENDS = new Set(["WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "UNION", "EXCEPT", "INTERSECT", "SELECT"]);
/** Words after a table name that are no alias. */
const NOT_ALIASES = new Set(
  "ON USING JOIN INNER LEFT RIGHT FULL OUTER CROSS NATURAL INDEXED NOT SET AS WINDOW RETURNING".split(" "),
);

/** The upper-case text of a bare word, or null for any other token: quoted names are never keywords. */
export function keyword(token: Token | undefined): string | null {
  return token?.kind === "word" ? token.text.toUpperCase() : null;
}

export function isSymbol(token: Token | undefined, text: string): boolean {
  return token?.kind === "symbol" && token.text === text;
}

/** Matches round brackets. Null when they do not balance. */
export function matchBrackets(tokens: readonly Token[]): ReadonlyMap<number, number> | null {
  const closing = new Map<number, number>();
  const open: number[] = [];
  for (const [index, token] of tokens.entries()) {
    if (isSymbol(token, "(")) open.push(index);
    if (!isSymbol(token, ")")) continue;
    const start = open.pop();
    if (start === undefined) return null;
    closing.set(start, index);
  }
  return open.length === 0 ? closing : null;
}

/** Reads the shape of balanced significant tokens. Linear in their number. */
export function readShape(tokens: readonly Token[], closing: ReadonlyMap<number, number>): StatementShape {
  const tables: TableReference[] = [];
  const commonTables: CommonTable[] = [];
  const heads: number[] = [0];
  const frames: Frame[] = [{ kind: "query", inFrom: false, tableNext: false }];
  readWith(tokens, closing, 0, commonTables);
  for (let index = 0; index < tokens.length; index += 1) {
    const frame = frames.at(-1);
    if (frame === undefined) break;
    const token = tokens[index];
    if (isSymbol(token, "(")) {
      heads.push(index + 1);
      frames.push(enter(tokens, closing, index, frame, commonTables));
    } else if (isSymbol(token, ")")) {
      frames.pop();
    } else if (frame.tableNext && isName(token)) {
      const reference = readTable(tokens, closing, index, isInOperand(tokens, index));
      tables.push(reference);
      index = reference.index;
      frame.tableNext = false;
    } else {
      move(tokens, index, frame);
    }
  }
  return { tokens, closing, tables, commonTables, heads };
}

function isName(token: Token | undefined): token is Token {
  return token !== undefined && (token.kind === "word" || token.kind === "name" || token.kind === "string");
}

/** The frame inside the bracket at `index`. */
function enter(
  tokens: readonly Token[],
  closing: ReadonlyMap<number, number>,
  index: number,
  parent: Frame,
  commonTables: CommonTable[],
): Frame {
  const head = keyword(tokens[index + 1]);
  const joinNext = parent.tableNext && parent.kind !== "expression";
  parent.tableNext = false;
  if (head === "WITH") readWith(tokens, closing, index + 1, commonTables);
  if (head === "SELECT" || head === "VALUES" || head === "WITH") {
    return { kind: "query", inFrom: false, tableNext: false };
  }
  return joinNext
    ? { kind: "join", inFrom: true, tableNext: true }
    : { kind: "expression", inFrom: false, tableNext: false };
}

/** Moves the frame's clause past a token that is neither a bracket nor a table. */
function move(tokens: readonly Token[], index: number, frame: Frame): void {
  const token = tokens[index];
  const word = keyword(token);
  frame.tableNext = false;
  // `x IN name` reads a table in any expression.
  if (word === "IN") frame.tableNext = !isSymbol(tokens[index + 1], "(");
  if (frame.kind === "expression") return;
  if (word === "JOIN" || (frame.inFrom && isSymbol(token, ","))) {
    frame.inFrom = true;
    frame.tableNext = true;
  } else if (word === "FROM" && !followsDistinct(tokens, index)) {
    frame.inFrom = true;
    frame.tableNext = true;
  } else if (word !== null && FROM_ENDS.has(word)) {
    frame.inFrom = false;
  }
}

/** `a IS [NOT] DISTINCT FROM b` is a comparison, not a FROM clause. */
function followsDistinct(tokens: readonly Token[], index: number): boolean {
  if (keyword(tokens[index - 1]) !== "DISTINCT") return false;
  const before = keyword(tokens[index - 2]);
  return before === "IS" || before === "NOT";
}

/** `x IN name` takes no alias. */
function isInOperand(tokens: readonly Token[], index: number): boolean {
  return keyword(tokens[index - 1]) === "IN";
}

function readTable(
  tokens: readonly Token[],
  closing: ReadonlyMap<number, number>,
  start: number,
  isBare: boolean,
): TableReference {
  let index = start;
  let qualifier: string | null = null;
  const after = tokens[start + 2];
  if (isSymbol(tokens[start + 1], ".") && isName(after)) {
    qualifier = nameOf(tokens[start]);
    index = start + 2;
  }
  // The alias of a table function stands behind its brackets.
  const end = closing.get(index + 1) ?? index;
  return { qualifier, name: nameOf(tokens[index]), alias: isBare ? null : readAlias(tokens, end + 1), index };
}

function nameOf(token: Token | undefined): string {
  return token === undefined ? "" : unquote(token);
}

function readAlias(tokens: readonly Token[], index: number): string | null {
  const token = tokens[index];
  const word = keyword(token);
  if (word === "AS") return isName(tokens[index + 1]) ? nameOf(tokens[index + 1]) : null;
  if (!isName(token) || (word !== null && (NOT_ALIASES.has(word) || FROM_ENDS.has(word)))) return null;
  return nameOf(token);
}

/** Collects the common tables of the WITH clause at `start`; returns the index of the statement's main word. */
export function readWith(
  tokens: readonly Token[],
  closing: ReadonlyMap<number, number>,
  start: number,
  into: CommonTable[],
): number {
  if (keyword(tokens[start]) !== "WITH") return start;
  let index = keyword(tokens[start + 1]) === "RECURSIVE" ? start + 2 : start + 1;
  for (;;) {
    const nameIndex = index;
    if (!isName(tokens[index])) return index;
    index += 1;
    if (isSymbol(tokens[index], "(")) index = (closing.get(index) ?? tokens.length) + 1;
    if (keyword(tokens[index]) !== "AS") return index;
    index += 1;
    if (keyword(tokens[index]) === "NOT") index += 1;
    if (keyword(tokens[index]) === "MATERIALIZED") index += 1;
    const bodyClose = closing.get(index);
    if (bodyClose === undefined) return index;
    into.push({ name: nameOf(tokens[nameIndex]), nameIndex, bodyOpen: index, bodyClose });
    if (!isSymbol(tokens[bodyClose + 1], ",")) return bodyClose + 1;
    index = bodyClose + 2;
  }
}
