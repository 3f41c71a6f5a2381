/**
 * The engine's own account of a statement: the rows of EXPLAIN, read for what a read-only, scoped database must know.
 * Facts measured on D1: every write shows a Transaction with p2 = 1, every read p2 = 0 or none; a recursive read shows
 * Insert and Delete on its scratch tables, so those mean nothing; tables and indexes are opened by root page; virtual
 * tables by an address, without a name. Pure: rows in, facts out.
 */
import type { Row } from "./connection.ts";

/** A cursor on a table or an index of the database file. Scratch tables do not appear. */
export interface OpenedCursor {
  readonly cursor: number;
  readonly rootPage: number;
  /** 0 is main; anything else is another database. */
  readonly database: number;
}

export interface Program {
  readonly writes: boolean;
  /** Schema cookie that the program was compiled for; 0 when it touches no table. */
  readonly cookie: number;
  /** Columns of a result row. */
  readonly columns: number;
  readonly opened: readonly OpenedCursor[];
  readonly opensVirtualTables: boolean;
  /** True when rows are gathered before any is given: aggregates, sorts. */
  readonly gathers: boolean;
  /** Per cursor, the stored positions whose values it reads; -1 is the row id. */
  readonly reads: ReadonlyMap<number, ReadonlySet<number>>;
  /** Cursors that read whole records, so that no position can be ruled out. */
  readonly readsWhole: ReadonlySet<number>;
  /** String constants. */
  readonly strings: ReadonlySet<string>;
}

const WRITE_OPCODES = new Set([
  "OpenWrite",
  "Destroy",
  "Clear",
  "CreateBtree",
  "ParseSchema",
  "DropTable",
  "DropIndex",
]);
/** Compare a cursor's first p4 columns with registers. */
const SEEK_OPCODES = new Set(
  "SeekLT SeekLE SeekGE SeekGT IdxLT IdxLE IdxGE IdxGT Found NotFound NoConflict IfNoHope".split(" "),
);
const GATHER_OPCODES = new Set(["AggStep", "AggStep1", "AggValue", "Count", "SorterOpen", "SorterInsert"]);
const ROWID_OPCODES = new Set(["Rowid", "IdxRowid", "SeekRowid", "NotExists", "DeferredSeek", "FinishSeek"]);

/** Reads the rows of `EXPLAIN <statement>`. */
export function readProgram(rows: readonly Row[]): Program {
  const opened: OpenedCursor[] = [];
  const reads = new Map<number, Set<number>>();
  const readsWhole = new Set<number>();
  const strings = new Set<string>();
  let writes = false;
  let opensVirtualTables = false;
  let gathers = false;
  let cookie = 0;
  let columns = 0;
  for (const row of rows) {
    const opcode = typeof row.opcode === "string" ? row.opcode : "";
    const [p1, p2, p3] = [toNumber(row.p1), toNumber(row.p2), toNumber(row.p3)];
    if (WRITE_OPCODES.has(opcode) || (opcode === "Transaction" && p2 !== 0)) writes = true;
    else if (opcode === "Transaction" && p1 === 0) cookie = p3;
    else if (opcode === "ResultRow") columns = Math.max(columns, p2);
    else if (opcode === "OpenRead" || opcode === "ReopenIdx") opened.push({ cursor: p1, rootPage: p2, database: p3 });
    else if (opcode === "VOpen") opensVirtualTables = true;
    else if (opcode === "String8" && typeof row.p4 === "string") strings.add(row.p4);
    else if (opcode === "Column" || opcode === "Offset") addRead(reads, p1, [p2]);
    else if (opcode === "RowData") readsWhole.add(p1);
    else if (SEEK_OPCODES.has(opcode)) addRead(reads, p1, firstPositions(row.p4));
    if (GATHER_OPCODES.has(opcode)) gathers = true;
    if (ROWID_OPCODES.has(opcode)) addRead(reads, p1, [-1]);
  }
  return { writes, cookie, columns, opened, opensVirtualTables, gathers, reads, readsWhole, strings };
}

function addRead(reads: Map<number, Set<number>>, cursor: number, positions: readonly number[]): void {
  const known = reads.get(cursor) ?? new Set();
  for (const position of positions) known.add(position);
  reads.set(cursor, known);
}

/** p4 of a seek is a count of key columns, as text. Without one, the key may be any: take the widest index. */
function firstPositions(p4: unknown): readonly number[] {
  const count = typeof p4 === "string" && /^\d+$/.test(p4) && p4 !== "0" ? Number(p4) : 100;
  return Array.from({ length: count }, (_, position) => position);
}

function toNumber(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
