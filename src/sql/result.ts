/**
 * Decoded rows to a result within its caps: rows, and bytes of the whole, so that one stored result stays far below the
 * platform's limit for a stored value. Every cut is said. Pure: no I/O, no clock.
 */
import type { Cell, NewResult } from "../agent/tool.ts";
import { byteLength } from "../lib/bytes.ts";
import type { CellKind, DecodedCell } from "./values.ts";

/** Rows of a result that are kept. The model pages through them; people get them as CSV. */
export const RESULT_ROWS_MAX = 1_000;
/** Bytes of a result's JSON. A stored value may have 2 MB; ours stays under one with room for its envelope. */
export const RESULT_BYTES_MAX = 900_000;

export interface BuiltResult {
  readonly result: NewResult;
  /** A column's one kind of value, `mixed`, or `null` when it holds nothing. */
  readonly columnKinds: readonly (CellKind | "mixed")[];
  readonly warnings: readonly string[];
}

/** Builds a result of at most `rowsMax` rows from up to one row more. */
export function toResult(
  sql: string,
  columns: readonly string[],
  decoded: readonly (readonly DecodedCell[])[],
  rowsMax: number,
): BuiltResult {
  const rows: (readonly Cell[])[] = [];
  const warnings: string[] = [];
  let bytes = byteLength(JSON.stringify([sql, columns]));
  let cutCells = 0;
  let isBytesCut = false;
  for (const cells of decoded.slice(0, rowsMax)) {
    const row = cells.map((cell) => cell.cell);
    const size = byteLength(JSON.stringify(row)) + 1;
    if (bytes + size > RESULT_BYTES_MAX) {
      isBytesCut = true;
      break;
    }
    bytes += size;
    cutCells += cells.filter((cell) => cell.isCut).length;
    rows.push(row);
  }
  const isRowsCut = decoded.length > rowsMax;
  if (isBytesCut)
    warnings.push(`The result is cut after ${rows.length} rows: more would pass ${RESULT_BYTES_MAX} bytes.`);
  else if (isRowsCut) warnings.push(`The result is cut after ${rows.length} rows; the query has more.`);
  if (cutCells > 0) warnings.push(`${cutCells} cells are cut: long texts and BLOBs are kept in part only.`);
  const truncated = isRowsCut || isBytesCut || cutCells > 0;
  const totalRows = isRowsCut ? null : decoded.length;
  return {
    result: { sql, columns, rows, totalRows, truncated },
    columnKinds: columns.map((_, index) => kindOf(decoded, index)),
    warnings,
  };
}

function kindOf(decoded: readonly (readonly DecodedCell[])[], index: number): CellKind | "mixed" {
  const kinds = new Set(decoded.map((cells) => cells[index]?.kind ?? "null"));
  kinds.delete("null");
  const [first, second] = [...kinds];
  return second !== undefined ? "mixed" : (first ?? "null");
}
