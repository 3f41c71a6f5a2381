/**
 * Rows as a table: sorted by a click on a column, in pages, with the cells that the answer cites marked and the one that
 * is looked at lit. Whatever a cell holds is text.
 *
 * Written by hand since there is little to it: the API pages, `sort-rows.ts` sorts, and what is left is markup.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { type Cell, isNumericColumn, toCellNote, toCellText } from "../cells.ts";
import { countOf, formatCount } from "./format.ts";
import { useOverflow } from "./hooks.ts";
import type { Rows } from "./rows-store.ts";
import { type NumberedRow, type SortOrder, sortRows } from "./sort-rows.ts";

const PAGE_ROWS = 50;
const CELL_CHARS_MAX = 160;
/** Shorter texts stay on one line: a name broken in two is hard to read. */
const LINE_CHARS_MAX = 36;

/** A cell by row number and column name. */
export interface CellPlace {
  readonly row: number;
  readonly column: string;
}

export interface ResultTableProps {
  readonly id: string;
  readonly rows: Rows;
  /** Cells that the answer cites. */
  readonly cited: readonly CellPlace[];
  /** The cell to light. */
  readonly active: CellPlace | null;
  /** The cell that a figure was followed to: another object each time. It is scrolled to and focused once. */
  readonly followed: CellPlace | null;
  /** Gets rows that are not here yet. */
  read(wanted: number): Promise<void>;
}

export function ResultTable({ id, rows, cited, active, followed, read }: ResultTableProps) {
  const [order, setOrder] = useState<SortOrder | null>(null);
  const [page, setPage] = useState(0);
  const arrived = useRef<CellPlace | null>(null);
  const sorted = sortRows(rows.rows, order);
  const shown = sorted.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS);
  // The lit cell must be on the page that is shown.
  useEffect(() => {
    if (active === null || shown.some((row) => row.number === active.row)) return;
    void read(active.row).then(() => {
      setOrder(null);
      setPage(Math.floor((active.row - 1) / PAGE_ROWS));
    });
  }, [active]);
  useEffect(() => {
    if (followed === null || arrived.current === followed) return;
    const cell = document.getElementById(cellId(id, followed.row, rows.columns.indexOf(followed.column)));
    // Not there yet: its page is being turned to.
    if (cell === null) return;
    arrived.current = followed;
    cell.scrollIntoView({ block: "center", inline: "nearest" });
    cell.focus({ preventScroll: true });
  }, [followed, page, order]);
  const { box, overflow } = useOverflow(shown.length);
  const turn = async (to: number): Promise<void> => {
    await read((to + 1) * PAGE_ROWS);
    setPage(to);
  };
  const sortBy = async (column: number): Promise<void> => {
    await read(Number.POSITIVE_INFINITY);
    setPage(0);
    if (order?.column !== column) setOrder({ column, isDescending: false });
    else setOrder(order.isDescending ? null : { column, isDescending: true });
  };
  if (rows.columns.length === 0 || rows.storedRows === 0) return <p class="empty">The query found no rows.</p>;
  const cells = shown.map((row) => row.cells);
  const isNumeric = rows.columns.map((_name, index) => isNumericColumn(cells, index));
  // The figures are what was asked for: on a phone the last column of them stays in view.
  const pinned = isNumeric.lastIndexOf(true);
  return (
    <>
      <section class="table-scroll" tabindex={0} aria-label={`Rows of ${id}`} ref={box}>
        <table>
          <HeaderRow
            columns={rows.columns}
            isNumeric={isNumeric}
            pinned={pinned}
            order={order}
            onSort={(column) => void sortBy(column)}
          />
          <tbody>
            {shown.map((row) => (
              <BodyRow
                key={String(row.number)}
                id={id}
                row={row}
                columns={rows.columns}
                pinned={pinned}
                cited={cited}
                active={active}
              />
            ))}
          </tbody>
        </table>
      </section>
      <Pager rows={rows} page={page} hint={toScrollHint(overflow)} onTurn={(to) => void turn(to)} />
    </>
  );
}

/** The element id of a cell, so that a figure can lead to it. */
export function cellId(id: string, row: number, column: number): string {
  return `cell-${id}-${row}-${column}`;
}

interface HeaderProps {
  readonly columns: readonly string[];
  readonly isNumeric: readonly boolean[];
  /** The column that stays in view on a phone; -1: none. */
  readonly pinned: number;
  readonly order: SortOrder | null;
  readonly onSort: (column: number) => void;
}

function HeaderRow({ columns, isNumeric, pinned, order, onSort }: HeaderProps) {
  return (
    <thead>
      <tr>
        <th scope="col" class="row-number">
          <span class="sr-only">Row</span>
        </th>
        {columns.map((name, index) => {
          const direction = order?.column !== index ? "none" : order.isDescending ? "descending" : "ascending";
          return (
            <th
              scope="col"
              class={`${isNumeric[index] ? "numeric" : ""}${index === pinned ? " pinned" : ""}`}
              aria-sort={direction}
            >
              <button type="button" onClick={() => onSort(index)}>
                <bdi>{name === "" ? "(no name)" : toWordPieces(name)}</bdi>
                <span class="sort-mark" aria-hidden="true">
                  {direction === "none" ? "" : direction === "ascending" ? "↑" : "↓"}
                </span>
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** A long name may break where a word of it ends, and only there. */
function toWordPieces(name: string) {
  return name.split(/(?<=_)(?!_)|(?<=[a-z])(?=[A-Z])/).map((piece, index) => (
    <>
      {index === 0 ? null : <wbr />}
      {piece}
    </>
  ));
}

interface RowProps {
  readonly id: string;
  readonly row: NumberedRow;
  readonly columns: readonly string[];
  readonly pinned: number;
  readonly cited: readonly CellPlace[];
  readonly active: CellPlace | null;
}

function BodyRow({ id, row, columns, pinned, cited, active }: RowProps) {
  return (
    <tr>
      <th scope="row" class="row-number">
        {row.number}
      </th>
      {columns.map((name, index) => {
        const isActive = active?.row === row.number && active.column === name;
        const isCited = cited.some((place) => place.row === row.number && place.column === name);
        const cell = row.cells[index];
        const kind = typeof cell === "number" ? "numeric" : cell === null ? "null" : "";
        return (
          <td
            id={cellId(id, row.number, index)}
            tabindex={-1}
            class={`${kind}${index === pinned ? " pinned" : ""}${isCited ? " cited" : ""}${isActive ? " lit" : ""}`}
          >
            <CellText cell={cell} />
          </td>
        );
      })}
    </tr>
  );
}

function CellText({ cell }: { cell: Cell }) {
  const [isOpen, setOpen] = useState(false);
  const text = toCellText(cell);
  const note = toCellNote(cell);
  const isLong = text.length > CELL_CHARS_MAX;
  return (
    <>
      <span dir="auto" class={isOpen ? "cell-open" : text.length <= LINE_CHARS_MAX ? "cell-line" : "cell-text"}>
        {isLong && !isOpen ? `${text.slice(0, CELL_CHARS_MAX).toWellFormed()}…` : text}
      </span>
      {isLong ? (
        <button type="button" class="more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "less" : `all ${formatCount(text.length)} characters`}
        </button>
      ) : null}
      {note === null ? null : <span class="cell-note">{note}</span>}
    </>
  );
}

/** A box without a scroll bar, as on a phone, does not say by itself that it holds more. */
function toScrollHint({ down, sideways }: { readonly down: boolean; readonly sideways: boolean }): string | null {
  if (down) return sideways ? "scroll down and sideways for more" : "scroll down for more";
  return sideways ? "scroll sideways for more" : null;
}

interface PagerProps {
  readonly rows: Rows;
  readonly page: number;
  readonly hint: string | null;
  readonly onTurn: (to: number) => void;
}

function Pager({ rows, page, hint, onTurn }: PagerProps) {
  const last = Math.max(0, Math.ceil(rows.storedRows / PAGE_ROWS) - 1);
  const [from, to] = [page * PAGE_ROWS + 1, Math.min(rows.storedRows, (page + 1) * PAGE_ROWS)];
  const total = rows.totalRows ?? rows.storedRows;
  const all =
    rows.truncated && rows.totalRows === null ? `the first ${countOf(rows.storedRows, "row")}` : countOf(total, "row");
  return (
    <div class="pager">
      <span role="status">{last === 0 ? all : `${formatCount(from)} to ${formatCount(to)} of ${all}`}</span>
      {hint === null ? null : <span class="pager-hint">{hint}</span>}
      {rows.truncated ? <span class="pager-note">cut: the query has more, or larger values, than are kept</span> : null}
      {last === 0 ? null : (
        <span class="pager-buttons">
          <button type="button" class="button" disabled={page === 0} onClick={() => onTurn(page - 1)}>
            Previous
          </button>
          <button type="button" class="button" disabled={page >= last} onClick={() => onTurn(page + 1)}>
            Next
          </button>
        </span>
      )}
    </div>
  );
}
