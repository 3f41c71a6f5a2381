/**
 * The order of a result's rows: the API pages rows, the page sorts them. Pure: no I/O, no clock.
 */
import { type Cell, compareCells } from "../cells.ts";

export interface NumberedRow {
  /** In the result, from 1: what a citation names. */
  readonly number: number;
  readonly cells: readonly Cell[];
}

export interface SortOrder {
  readonly column: number;
  readonly isDescending: boolean;
}

/** The rows in the wanted order; equal cells keep the order of the result, NULL comes last either way. */
export function sortRows(rows: readonly NumberedRow[], order: SortOrder | null): readonly NumberedRow[] {
  if (order === null) return rows;
  const { column, isDescending } = order;
  return rows.toSorted((a, b) => {
    const [left, right] = [a.cells[column], b.cells[column]];
    const [noLeft, noRight] = [left === null || left === undefined, right === null || right === undefined];
    if (noLeft || noRight) return Number(noLeft) - Number(noRight) || a.number - b.number;
    const compared = compareCells(left, right);
    return (isDescending ? -compared : compared) || a.number - b.number;
  });
}
