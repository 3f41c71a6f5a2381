/**
 * The engine's query plan, the rows of EXPLAIN QUERY PLAN, weighed with table sizes: how many rows the statement is
 * likely to read, which tables it scans whole, and whether it recurses. A running query cannot be cancelled, so the
 * estimate is the only brake; it leans low where the plan says nothing (rows per index key, sizes of subqueries), so
 * that only what is surely too much is refused. Pure: rows in, numbers out.
 */
import type { Row } from "./connection.ts";
import { foldName } from "./scopes.ts";
import { TABLE_FUNCTION_ROWS } from "./table-functions.ts";

/** What a plan calls by a name: the rows of a table, and the names of subqueries that may stand behind an alias. */
export interface PlanName {
  /** The table's own name, or null. */
  readonly table: string | null;
  /** Null when the name stands for no table. */
  readonly rows: number | null;
  readonly subqueries: readonly string[];
  /** Rows that share one value of a column; null when that is unknown. */
  readonly rowsPerValue: (column: string) => number | null;
}

export interface PlanCost {
  readonly rowsRead: number;
  /** Rows that the dearest recursive step reads, times how often its recursion starts anew; 0 without recursion. */
  readonly recursionStepRows: number;
  readonly scans: readonly TableScan[];
}

/** A table that is read from end to end. */
export interface TableScan {
  readonly table: string;
  readonly rows: number;
}

export interface PlanOptions {
  readonly resolve: (name: string) => PlanName;
  /** Rows that one recursion may make. */
  readonly recursionRows: number;
  /** Rows after which an unfiltered, unsorted statement stops by itself; null when something filters. */
  readonly stopsAfterRows: number | null;
  /** True when nothing filters or aggregates, so that a subquery's LIMIT ends its loops as soon as it is met. */
  readonly limitsHold: boolean;
}

/** Rows that an index lookup finds when nothing is known of its columns: SQLite's own guess. */
const ROWS_PER_KEY = 10;
/** Part of a table that a range on an index is taken to cover. */
const RANGE_SHARE = 0.25;
/** What the engine calls a list of values whose length it does not tell. */
const VALUES_NAME = "0-ROW VALUES CLAUSE";
/** Estimates stop growing here: past any cap, and still an exact number. */
const ROWS_CEILING = 1e15;

interface Node {
  readonly id: number;
  readonly detail: string;
  /** The engine's own cost of a loop, 10 × log2. */
  readonly engineCost: number;
  readonly children: Node[];
}

/** What a loop or a subquery gives. */
interface Given {
  readonly rows: number;
  /** Many of them are made by the statement itself, in a list or a document: the engine's guess knows nothing of that. */
  readonly isMade: boolean;
}

interface Weight {
  /** Rows read in all. */
  total: number;
  /** Rows handed on. */
  out: number;
  /** See `Given`; also where such rows are only looked at. */
  isMade: boolean;
}

interface Walk {
  readonly options: PlanOptions;
  /** Subqueries that have been weighed, by folded name. */
  readonly subqueries: Map<string, Given>;
  readonly scans: TableScan[];
  recursionStepRows: number;
  /** Times the part under the hand is started: more than once inside a correlated subquery. */
  turns: number;
}

/** Weighs the rows of `EXPLAIN QUERY PLAN <statement>`. */
export function weighPlan(rows: readonly Row[], options: PlanOptions): PlanCost {
  const walk: Walk = { options, subqueries: new Map(), scans: [], recursionStepRows: 0, turns: 1 };
  const root = toTree(rows);
  const weight = weigh(root, walk);
  const streams = root.children.every((node) => /^(SCAN|SEARCH) /.test(node.detail));
  const stop = options.stopsAfterRows;
  const early = streams && stop !== null ? stop * Math.max(1, root.children.length) : ROWS_CEILING;
  return {
    rowsRead: Math.min(Math.round(weight.total), early),
    recursionStepRows: walk.recursionStepRows,
    scans: walk.scans,
  };
}

/** The plan as a person reads it: a line a node, two spaces for each level. */
export function toPlanLines(rows: readonly Row[]): readonly string[] {
  const tell = (node: Node, indent: string): string[] =>
    node.children.flatMap((child) => [`${indent}${child.detail}`, ...tell(child, `${indent}  `)]);
  return tell(toTree(rows), "");
}

function toTree(rows: readonly Row[]): Node {
  const root: Node = { id: 0, detail: "", engineCost: 0, children: [] };
  const nodes = new Map<number, Node>([[0, root]]);
  for (const row of rows) {
    const id = typeof row.id === "number" ? row.id : -1;
    const detail = typeof row.detail === "string" ? row.detail : "";
    const engineCost = typeof row.notused === "number" ? row.notused : 0;
    const node: Node = { id, detail, engineCost, children: [] };
    nodes.set(id, node);
    (nodes.get(typeof row.parent === "number" ? row.parent : 0) ?? root).children.push(node);
  }
  return root;
}

/** Siblings in order are nested loops; subqueries stand among them. */
function weigh(parent: Node, walk: Walk): Weight {
  const weight: Weight = { total: 0, out: 1, isMade: false };
  let arms = 0;
  for (const node of parent.children) {
    const { detail } = node;
    const loop = weighLoop(node, walk);
    if (loop !== null) {
      weight.out = cap(weight.out * loop.rows);
      weight.total = cap(weight.total + weight.out);
      weight.isMade ||= loop.isMade;
      continue;
    }
    const subquery = /^(?:CO-ROUTINE|MATERIALIZE) (.+)$/s.exec(detail)?.[1];
    // All lists of values have one name.
    const rowsBefore = subquery === VALUES_NAME ? (walk.subqueries.get(foldName(subquery))?.rows ?? 0) : 0;
    // A recursive step takes one row at a time from the table that it builds.
    if (subquery !== undefined) walk.subqueries.set(foldName(subquery), { rows: 1, isMade: false });
    const turns = walk.turns;
    if (/^CORRELATED /.test(detail)) walk.turns = cap(turns * weight.out);
    const inner = weigh(node, walk);
    walk.turns = turns;
    weight.isMade ||= inner.isMade;
    if (subquery !== undefined) {
      walk.subqueries.set(foldName(subquery), { rows: Math.max(inner.out, rowsBefore), isMade: inner.isMade });
      weight.total = cap(weight.total + Math.min(inner.total, limitOf(parent, node, subquery, walk)));
    } else if (/^CORRELATED /.test(detail)) {
      weight.total = cap(weight.total + weight.out * inner.total);
    } else if (detail === "RECURSIVE STEP") {
      const step = Math.max(1, inner.total);
      walk.recursionStepRows = Math.max(walk.recursionStepRows, step * walk.turns);
      weight.total = cap(weight.total + step * walk.options.recursionRows);
      weight.out = walk.options.recursionRows;
    } else if (/SUBQUERY|FOR IN-OPERATOR/.test(detail)) {
      weight.total = cap(weight.total + inner.total);
    } else if (node.children.length > 0) {
      // Arms of a compound: their rows add up.
      weight.total = cap(weight.total + inner.total);
      weight.out = arms === 0 ? inner.out : cap(weight.out + inner.out);
      arms += 1;
    }
  }
  return weight;
}

/** Rows that a streaming subquery reads before its LIMIT ends it: the engine counts a LIMIT in its own guess. */
function limitOf(parent: Node, node: Node, subquery: string, walk: Walk): number {
  const streams = node.children.every((child) => /^(SCAN|SEARCH) /.test(child.detail));
  const reader = parent.children.find((sibling) => sibling.detail === `SCAN ${subquery}`);
  if (!walk.options.limitsHold || !streams || reader === undefined) return ROWS_CEILING;
  return Math.ceil(engineRows(reader)) * Math.max(1, node.children.length);
}

/** The engine's cost of reading a subquery is its row guess plus a constant 16, as 10 × log2. */
function engineRows(node: Node): number {
  return Math.max(1, 2 ** ((node.engineCost - 16) / 10));
}

/** What one turn of the loop gives, or null when the node is no loop. */
function weighLoop(node: Node, walk: Walk): Given | null {
  if (node.detail === "MULTI-INDEX OR") {
    const searches = node.children.flatMap((index) => index.children);
    return taken(searches.reduce((sum, search) => sum + (weighLoop(search, walk)?.rows ?? 0), 0));
  }
  const found = /^(SCAN|SEARCH) (.+)$/s.exec(node.detail);
  if (found === null) return null;
  const [, verb, rest] = found;
  if (rest === undefined || rest === "CONSTANT ROW") return taken(1);
  const values = /^(\d+)(?:-ROW VALUES CLAUSE| CONSTANT ROWS)/.exec(rest);
  if (values !== null && rest !== VALUES_NAME) return made(Number(values[1]));
  const name = rest.replace(/^main\./i, "").replace(/ (EXISTS |USING |VIRTUAL TABLE INDEX |LEFT-JOIN$).*$/s, "");
  const resolved = walk.options.resolve(name);
  const isVirtual = / VIRTUAL TABLE INDEX /.test(rest);
  const given = isVirtual ? made(resolved.rows ?? TABLE_FUNCTION_ROWS) : givenByName(name, node, walk);
  if (verb === "SEARCH") return taken(weighSearch(rest, given.rows, resolved));
  const { table } = resolved;
  const isNew = walk.scans.every((scan) => scan.table !== table);
  if (table !== null && isNew && !isVirtual) walk.scans.push({ table, rows: given.rows });
  return given;
}

/** Rows that the database holds, or finds by an index. */
function taken(rows: number): Given {
  return { rows, isMade: false };
}

/** Rows of a list of values or of a table function. */
function made(rows: number): Given {
  return { rows, isMade: rows > TABLE_FUNCTION_ROWS };
}

function givenByName(name: string, node: Node, walk: Walk): Given {
  const { rows, subqueries } = walk.options.resolve(name);
  if (rows !== null) return taken(rows);
  // A subquery or a CTE.
  const known = [name, ...subqueries].flatMap((candidate) => walk.subqueries.get(foldName(candidate)) ?? []);
  const guess = engineRows(node);
  const isMade = known.some((subquery) => subquery.isMade);
  const bound = isMade && guess > 1 ? ROWS_CEILING : guess;
  return { rows: Math.min(bound, ...known.map((subquery) => subquery.rows)), isMade };
}

/** `big USING INDEX i (a=? AND b>?)`: the rarest of its equal columns decides. */
function weighSearch(rest: string, rows: number, name: PlanName): number {
  if (!/ USING /.test(rest)) return 1;
  const terms = (/\(([^()]*)\)[^()]*$/.exec(rest)?.[1] ?? "").split(" AND ");
  const equal = terms.flatMap((term) => /^(.+)=\?$/.exec(term)?.[1] ?? []);
  if (equal.length === 0) return Math.max(1, rows * RANGE_SHARE);
  if (/ INTEGER PRIMARY KEY /.test(rest)) return 1;
  const known = equal.flatMap((column) => name.rowsPerValue(column) ?? []);
  const perKey = known.length === 0 ? ROWS_PER_KEY : Math.min(...known);
  return Math.max(1, Math.min(rows, perKey));
}

function cap(rows: number): number {
  return Math.min(rows, ROWS_CEILING);
}
