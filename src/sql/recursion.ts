/**
 * Bounds for recursive common tables: a running query cannot be cancelled, and an endless one takes the database down.
 * A body with a literal LIMIT within the bound is left alone. A body without one, or with a larger one, gets ours, and a
 * tripwire behind it: the (N+1)th row raises an error instead of quietly cutting the result, so a query that stays
 * within the bound keeps its exact rows, and one that takes a few rows of an endless series gets them.
 *
 *   c(x) AS (BODY)  becomes  c(x) AS (WITH RECURSIVE c(x) AS (⏎BODY⏎LIMIT N+1)
 *      SELECT * FROM c UNION ALL SELECT * FROM (SELECT * FROM (SELECT * FROM c LIMIT -1 OFFSET N) WHERE <error> LIMIT 1))
 *
 * Whether a table is recursive is read from its name in its own body; the engine's plan says so again (verdict.ts).
 * Pure: no I/O, no clock.
 */
import { err, ok, type Result } from "../lib/result.ts";
import type { Token } from "./lexer.ts";
import type { SqlRefusal } from "./refusal.ts";
import { type CommonTable, isSymbol, keyword, type StatementShape } from "./statement.ts";

/** Rows that one recursion may make: 136 years of days. The rows of a runaway stay within memory. */
export const RECURSION_ROWS_MAX = 50_000;

/** Text of the engine's error when a guarded recursion passes its bound. */
export const RECURSION_MARK = "recursion passed its limit of";

/** Where a guard goes into the statement's text. */
export interface RecursionGuard {
  /** Name and column list as written: `c`, `c(x, y)`. */
  readonly header: string;
  /** The name alone, as written. */
  readonly name: string;
  /** Offset just inside the body's opening bracket, within the statement's own text. */
  readonly from: number;
  /** Where the body ends, before a LIMIT of its own that is dropped, and where the closing bracket stands. */
  readonly to: number;
  readonly close: number;
}

export interface Recursion {
  /** The recursive tables without a LIMIT of their own that is within the bound. */
  readonly guards: readonly RecursionGuard[];
  /** How deep guarded bodies stand inside each other. */
  readonly depth: number;
  /** Places outside their own bodies that read a guarded table: read twice, it may be joined with itself. */
  readonly uses: number;
  /** The largest LIMIT that a recursive table carries itself; 0 when none does. */
  readonly ownLimitMax: number;
  /** Recursive tables found in all. */
  readonly count: number;
}

/** Finds the recursive tables of a statement whose text starts at offset `origin`. */
export function findRecursion(shape: StatementShape, origin: number): Result<Recursion, SqlRefusal> {
  const guards: RecursionGuard[] = [];
  const positions = referencePositions(shape);
  let ownLimitMax = 0;
  let uses = 0;
  let count = 0;
  for (const table of shape.commonTables) {
    if (!readsItself(positions, table)) continue;
    count += 1;
    const limit = ownLimit(shape, table);
    if (limit.rows === "unknown") return err(refuseLimit(shape, table));
    if (limit.rows > RECURSION_ROWS_MAX) {
      guards.push(toGuard(shape, table, limit.index, origin));
      const places = positions.get(table.name.toLowerCase()) ?? [];
      uses += places.filter((index) => index < table.bodyOpen || index > table.bodyClose).length;
    } else ownLimitMax = Math.max(ownLimitMax, limit.rows);
  }
  return ok({ guards, depth: nestingDepth(guards), uses, ownLimitMax, count });
}

/** The statement's text with every guard in place, each recursion bounded to `rowsMax` rows. */
export function guardRecursion(sql: string, guards: readonly RecursionGuard[], rowsMax: number): string {
  const inserts = guards.flatMap((guard) => [
    { at: guard.from, text: `WITH RECURSIVE ${guard.header} AS (\n`, resume: guard.from },
    { at: guard.to, text: closeGuard(guard, rowsMax), resume: guard.close },
  ]);
  // Bodies nest or stand apart, so no two inserts share an offset and their order is that of their offsets.
  inserts.sort((a, b) => a.at - b.at);
  let text = "";
  let done = 0;
  for (const insert of inserts) {
    text += sql.slice(done, insert.at) + insert.text;
    done = insert.resume;
  }
  return text + sql.slice(done);
}

/**
 * `random()` keeps SQLite from evaluating the failing call once before the first row, and `LIMIT 1` from merging its
 * subquery into a join, where the call would be evaluated for the other table's rows.
 */
function closeGuard(guard: RecursionGuard, rowsMax: number): string {
  const fail = `json_extract('{}', '${RECURSION_MARK} ${rowsMax} rows ' || random())`;
  return (
    `\nLIMIT ${rowsMax + 1}) SELECT * FROM ${guard.name} UNION ALL ` +
    `SELECT * FROM (SELECT * FROM (SELECT * FROM ${guard.name} LIMIT -1 OFFSET ${rowsMax}) WHERE ${fail} LIMIT 1)`
  );
}

/** Where each bare name stands in table position, in order, so that looking one up costs no walk over the statement. */
function referencePositions(shape: StatementShape): ReadonlyMap<string, readonly number[]> {
  const positions = new Map<string, number[]>();
  for (const reference of shape.tables) {
    if (reference.qualifier !== null) continue;
    const name = reference.name.toLowerCase();
    const known = positions.get(name);
    if (known === undefined) positions.set(name, [reference.index]);
    else known.push(reference.index);
  }
  return positions;
}

function readsItself(positions: ReadonlyMap<string, readonly number[]>, table: CommonTable): boolean {
  const found = positions.get(table.name.toLowerCase()) ?? [];
  let low = 0;
  let high = found.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((found[middle] ?? 0) > table.bodyOpen) high = middle;
    else low = middle + 1;
  }
  return (found[low] ?? Number.POSITIVE_INFINITY) < table.bodyClose;
}

function nestingDepth(guards: readonly RecursionGuard[]): number {
  const edges = guards.flatMap(({ from, to }) => [
    { at: from, step: 1 },
    { at: to, step: -1 },
  ]);
  edges.sort((a, b) => a.at - b.at || a.step - b.step);
  let depth = 0;
  let deepest = 0;
  for (const { step } of edges) {
    depth += step;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

interface OwnLimit {
  /** Rows that the body lets itself make, LIMIT and OFFSET together; infinite without a LIMIT. */
  readonly rows: number | "unknown";
  /** Index of the LIMIT, or of the closing bracket. */
  readonly index: number;
}

function ownLimit(shape: StatementShape, table: CommonTable): OwnLimit {
  let index = table.bodyOpen + 1;
  while (index < table.bodyClose && keyword(shape.tokens[index]) !== "LIMIT") {
    // Step over brackets: a LIMIT in a subquery bounds only that.
    index = (shape.closing.get(index) ?? index) + 1;
  }
  if (index >= table.bodyClose) return { rows: Number.POSITIVE_INFINITY, index: table.bodyClose };
  const rest = shape.tokens.slice(index + 1, table.bodyClose);
  const [first, joiner, second] = rest;
  if (rest.length === 1) return { rows: toCount(first), index };
  // A negative LIMIT is none.
  if (rest.length === 2 && isSymbol(first, "-") && toCount(joiner) !== "unknown") {
    return { rows: Number.POSITIVE_INFINITY, index };
  }
  const [limit, offset] = [toCount(first), toCount(second)];
  const isPair = rest.length === 3 && (isSymbol(joiner, ",") || keyword(joiner) === "OFFSET");
  if (!isPair || limit === "unknown" || offset === "unknown" || limit + offset > RECURSION_ROWS_MAX) {
    return { rows: "unknown", index };
  }
  return { rows: limit + offset, index };
}

function toCount(token: Token | undefined): number | "unknown" {
  const count = token?.kind === "number" ? Number(token.text.replaceAll("_", "")) : Number.NaN;
  return Number.isInteger(count) ? count : "unknown";
}

function toGuard(shape: StatementShape, table: CommonTable, end: number, origin: number): RecursionGuard {
  const headerTokens = shape.tokens.slice(table.nameIndex, headerEnd(shape, table));
  const startOf = (index: number): number => (shape.tokens[index]?.start ?? 0) - origin;
  return {
    header: headerTokens.map((token) => token.text).join(" "),
    name: shape.tokens[table.nameIndex]?.text ?? "",
    from: startOf(table.bodyOpen) + 1,
    to: startOf(end),
    close: startOf(table.bodyClose),
  };
}

/** Index just behind the name and its column list. */
function headerEnd(shape: StatementShape, table: CommonTable): number {
  return (shape.closing.get(table.nameIndex + 1) ?? table.nameIndex) + 1;
}

function refuseLimit(shape: StatementShape, table: CommonTable): SqlRefusal {
  return {
    code: "recursion_limit",
    message: `The recursive table ${table.name} needs a LIMIT that is a plain number of at most ${RECURSION_ROWS_MAX}.`,
    advice: [`End its body with LIMIT ${RECURSION_ROWS_MAX} or less, without an expression.`],
    offset: shape.tokens[table.nameIndex]?.start ?? 0,
  };
}
