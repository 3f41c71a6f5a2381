/**
 * The cell behind a figure: of all cells that support it, the one that it most likely came from.
 *
 * Owns: when a cell supports a figure (rounding, thousands separators, percentages, units and dates are allowed for), and
 * which of several is the best: a measure before a key, since small numbers meet some key by chance; the results that
 * the answer names before others; a whole cell before a number within a text; a row that the answer names. What is best
 * never decides whether a figure is supported: any cell does. Pure: no I/O, no clock.
 */
import { type Figure, readFigures } from "./figure-text.ts";
import type { Cell, Citation, StoredResult } from "./tool.ts";

export interface FoundCell {
  readonly citation: Citation;
  /** It stands in a column of keys: likely there by chance. */
  readonly isKey: boolean;
}

/** Cells looked through for one answer. */
const CELLS_MAX = 50_000;
/** Shorter texts stand in any answer. */
const NAME_CHARS_MIN = 2;

const KEY_NAME = /(?:^|[_\s])(?:id|key|uuid|guid|rowid|row_?number|rownum)$|^pk$/i;
/** `AlbumId`, `albumID`; but not `paid`. */
const KEY_CAMEL = /\p{Ll}I[dD]$/u;

/** Best first: the classes in which a cell may support a figure, times two for a row that the answer does not name. */
const RANKS = { namedCell: 0, namedText: 2, otherCell: 4, otherText: 6, namedKey: 8, otherKey: 10 } as const;
const UNNAMED_ROW = 1;

interface Candidate extends FoundCell {
  readonly rank: number;
}

/** The best cell for each figure that has any. `named`: references that the answer rests on; none named, all are. */
export function findCells(
  figures: readonly Figure[],
  answer: string,
  results: readonly StoredResult[],
  named: ReadonlySet<string>,
): Map<Figure, FoundCell> {
  const best = new Map<Figure, Candidate>();
  const pending = new Set(figures);
  const text = answer.toLowerCase();
  let cells = 0;
  for (const result of results) {
    const isNamed = named.size === 0 || named.has(result.ref);
    const keys = result.columns.map((name) => KEY_NAME.test(name) || KEY_CAMEL.test(name));
    for (const [index, row] of result.rows.entries()) {
      let unnamedRow: number | null = null;
      for (const [position, cell] of row.entries()) {
        cells += 1;
        if (cells > CELLS_MAX || pending.size === 0) return best;
        const inner = numbersOf(cell);
        for (const figure of pending) {
          if (!inner.some((value) => isRounded(value, figure)) && !includesNumber(cell, figure)) continue;
          const isKey = keys[position] ?? false;
          unnamedRow ??= isRowNamed(row, text) ? 0 : UNNAMED_ROW;
          const rank = rankOf(isNamed, isKey, typeof cell === "string") + unnamedRow;
          if (rank >= (best.get(figure)?.rank ?? Number.POSITIVE_INFINITY)) continue;
          const column = result.columns[position] ?? "";
          best.set(figure, {
            rank,
            isKey,
            citation: { figure: figure.text, result: result.ref, row: index + 1, column },
          });
          if (rank === RANKS.namedCell) pending.delete(figure);
        }
      }
    }
  }
  return best;
}

function rankOf(isNamed: boolean, isKey: boolean, isText: boolean): number {
  if (isKey) return isNamed ? RANKS.namedKey : RANKS.otherKey;
  if (isText) return isNamed ? RANKS.namedText : RANKS.otherText;
  return isNamed ? RANKS.namedCell : RANKS.otherCell;
}

/** Whether the answer says what the row is about; a row without any text is as good. */
function isRowNamed(row: readonly Cell[], answer: string): boolean {
  const names = row.filter((cell) => typeof cell === "string").filter((name) => name.trim().length >= NAME_CHARS_MIN);
  return names.length === 0 || names.some((name) => answer.includes(name.trim().toLowerCase()));
}

/** The numbers that a cell holds: itself, those within a text, the exact text of a tagged one. */
function numbersOf(cell: Cell): readonly number[] {
  if (typeof cell === "number") return [cell];
  if (typeof cell === "string") return readFigures(cell).map((figure) => figure.value);
  if (cell === null || typeof cell !== "object" || !("text" in cell)) return [];
  return typeof cell.text === "string" ? numbersOf(cell.text) : [];
}

/** A whole number inside a text: a year within a date, a house number within an address. */
function includesNumber(cell: Cell, figure: Figure): boolean {
  if (typeof cell !== "string" || figure.decimals > 0 || figure.scale !== 1) return false;
  const digits = String(Math.abs(figure.value));
  const at = cell.indexOf(digits);
  return at >= 0 && !/\d/.test(`${cell[at - 1] ?? ""}${cell[at + digits.length] ?? ""}`);
}

/** Whether `value`, rounded as the figure is written, is the figure; a share may be written as a percentage. */
function isRounded(value: number, figure: Figure): boolean {
  const unit = figure.scale / 10 ** figure.decimals;
  // Half a unit, and a hair for binary fractions.
  const tolerance = unit / 2 + Math.abs(value) * 1e-12 + Number.EPSILON;
  const near = (candidate: number): boolean => Math.abs(candidate - figure.value) <= tolerance;
  const isExactNeeded = figure.decimals === 0 && figure.scale === 1 && Number.isInteger(value);
  if (isExactNeeded && !figure.isPercent) return value === figure.value || -value === figure.value;
  return near(value) || near(-value) || (figure.isPercent && near(value * 100));
}
