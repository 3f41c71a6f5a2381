/**
 * Does an answer's every figure stand in the results? A mechanical check, no model.
 *
 * Owns: what a figure needs to be supported: a cell, or being the number of rows of a result, a figure of the question, the
 * number of a list; and which figures are given a cell in the receipt. A figure that is such a thing and meets a cell by
 * chance is not: the reader would be led to a cell that has nothing to do with it.
 * Leaves to others: reading figures (figure-text.ts), finding cells (figure-cells.ts), what follows from it (observe.ts,
 * reply.ts). Pure: no I/O, no clock.
 */
import { type FoundCell, findCells } from "./figure-cells.ts";
import { type Figure, readFigures } from "./figure-text.ts";
import type { Citation, StoredResult } from "./tool.ts";

export interface Evidence {
  /** The cell behind each figure that was found. */
  readonly citations: readonly Citation[];
  /** Figures, as the answer writes them, that no result shows. */
  readonly unsupported: readonly string[];
}

const NONE_NAMED: ReadonlySet<string> = new Set();

/** Looks for every figure of `answer` in `results`, in one pass. `named`: references that the answer rests on, if any. */
export function checkFigures(
  answer: string,
  question: string,
  results: readonly StoredResult[],
  named: ReadonlySet<string> = NONE_NAMED,
): Evidence {
  const figures = readFigures(answer);
  const found = figures.length === 0 ? new Map<Figure, FoundCell>() : findCells(figures, answer, results, named);
  const asked = new Set(readFigures(question).map((figure) => figure.value));
  // What holds without any cell. A list's number holds only where every place of it is one.
  const isOther = (figure: Figure): boolean =>
    asked.has(figure.value) || isRowCount(figure, results) || figure.role === "mark";
  return {
    citations: figures.flatMap((figure) => {
      const cell = found.get(figure);
      const isChance = cell !== undefined && isOther(figure) && (figure.role !== "value" || cell.isKey);
      return cell === undefined || isChance ? [] : [cell.citation];
    }),
    unsupported: figures
      .filter((figure) => !found.has(figure) && !isOther(figure) && !isListNumber(figure, answer))
      .map((figure) => figure.text),
  };
}

function isRowCount(figure: Figure, results: readonly StoredResult[]): boolean {
  return results.some((result) => (result.totalRows ?? result.rows.length) === figure.value);
}

/** "1. Rock  2. Latin": the numbers of a list are no figures. */
function isListNumber(figure: Figure, answer: string): boolean {
  return new RegExp(`(^|\\n)\\s*${figure.text.replace(/[^\d]/g, "")}[.)]\\s`).test(answer);
}
