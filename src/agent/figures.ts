/**
 * Does an answer's every figure stand in the results? A mechanical check, no model.
 *
 * Owns: what counts as a figure in a text, and when a cell supports it: rounding, thousands separators, percentages,
 * currency signs, units and dates are allowed for; so is the number of rows of a result, and a figure of the question.
 * Leaves to others: what follows from it (observe.ts, reply.ts). Pure: no I/O, no clock.
 */
import type { Cell, Citation, StoredResult } from "./tool.ts";

export interface Evidence {
  /** The cell behind each figure that was found. */
  readonly citations: readonly Citation[];
  /** Figures, as the answer writes them, that no result shows. */
  readonly unsupported: readonly string[];
}

interface Figure {
  readonly text: string;
  readonly value: number;
  /** Decimals written: a figure supports rounding to them. */
  readonly decimals: number;
  readonly isPercent: boolean;
  /** 1,000 for "thousand" and k, and so on; a scaled figure is rounded at its scale. */
  readonly scale: number;
}

/** Figures checked in one answer; a longer list of numbers is a table that the result itself shows better. */
const FIGURES_MAX = 100;
/** Cells looked through for one answer. */
const CELLS_MAX = 50_000;

// A number that is no part of a word, a reference (r1), a version or an identifier: 1,234.5 · 12 % · 3.2k · -7 · 1e6.
const NUMBER =
  /(?<![\p{L}\p{N}_.,#-])([-−]?\d{1,3}(?:[,'’  ]\d{3})+(?:\.\d+)?|[-−]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(\s?%| percent)?(\s?(?:k|thousand|m|million|bn|billion))?(?![\p{L}\p{N}_]|[.,]\d)/giu;

const SCALES: { readonly [word: string]: number } = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  million: 1e6,
  bn: 1e9,
  billion: 1e9,
};

/** The figures of a text, each once, dates left out (they are checked as text by the cells they stand in). */
export function readFigures(text: string): Figure[] {
  const withoutDates = text.replace(/\b\d{4}-\d{2}(-\d{2})?\b([ T]\d{2}:\d{2}(:\d{2})?)?/g, " ");
  const figures = new Map<string, Figure>();
  for (const match of withoutDates.matchAll(NUMBER)) {
    const [whole, digits = "", percent, unit] = match;
    const plain = digits.replace(/[,'’  ]/g, "").replace("−", "-");
    const scale = SCALES[unit?.trim().toLowerCase() ?? ""] ?? 1;
    const decimals = /\.(\d+)/.exec(plain)?.[1]?.length ?? 0;
    const figure = {
      text: whole.trim(),
      value: Number(plain) * scale,
      decimals,
      isPercent: percent !== undefined,
      scale,
    };
    if (Number.isFinite(figure.value)) figures.set(figure.text, figure);
    if (figures.size >= FIGURES_MAX) break;
  }
  return [...figures.values()];
}

/** Looks for every figure of `answer` in `results`, in one pass. Figures of the question need no evidence. */
export function checkFigures(answer: string, question: string, results: readonly StoredResult[]): Evidence {
  const figures = readFigures(answer);
  const found = figures.length === 0 ? new Map<Figure, Citation>() : findCells(figures, results);
  const asked = new Set(readFigures(question).map((figure) => figure.value));
  const unsupported = figures.filter(
    (figure) =>
      !found.has(figure) && !asked.has(figure.value) && !isRowCount(figure, results) && !isListNumber(figure, answer),
  );
  return {
    citations: figures.flatMap((figure) => found.get(figure) ?? []),
    unsupported: unsupported.map((figure) => figure.text),
  };
}

/** The first cell that supports each figure. */
function findCells(figures: readonly Figure[], results: readonly StoredResult[]): Map<Figure, Citation> {
  const found = new Map<Figure, Citation>();
  const pending = new Set(figures);
  let cells = 0;
  for (const result of results) {
    for (const [index, row] of result.rows.entries()) {
      for (const [position, cell] of row.entries()) {
        cells += 1;
        if (cells > CELLS_MAX || pending.size === 0) return found;
        const inner = numbersOf(cell);
        for (const figure of pending) {
          if (!inner.some((value) => isRounded(value, figure)) && !includesNumber(cell, figure)) continue;
          const column = result.columns[position] ?? "";
          found.set(figure, { figure: figure.text, result: result.ref, row: index + 1, column });
          pending.delete(figure);
        }
      }
    }
  }
  return found;
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

function isRowCount(figure: Figure, results: readonly StoredResult[]): boolean {
  return results.some((result) => (result.totalRows ?? result.rows.length) === figure.value);
}

/** "1. Rock  2. Latin": the numbers of a list are no figures. */
function isListNumber(figure: Figure, answer: string): boolean {
  return new RegExp(`(^|\\n)\\s*${figure.text.replace(/[^\d]/g, "")}[.)]\\s`).test(answer);
}
