/**
 * The figures of a text, and what each of them is there for: a value, a count of rows, or the number of a list.
 *
 * Owns: what counts as a figure, and its precision as written. Leaves to others: which cell supports it
 * (figure-cells.ts). Pure: no I/O, no clock.
 */

export interface Figure {
  readonly text: string;
  readonly value: number;
  /** Decimals written: a figure supports rounding to them. */
  readonly decimals: number;
  readonly isPercent: boolean;
  /** 1,000 for "thousand" and k, and so on; a scaled figure is rounded at its scale. */
  readonly scale: number;
  /**
   * What it is where it says most: `value` in any place, else `count` ("25 rows", "the top 5"), else `mark` ("1. Rock"). Only
   * values are looked for in the first place: a count or a mark that equals some cell does so by chance.
   */
  readonly role: "value" | "count" | "mark";
}

/** Figures checked in one answer; a longer list of numbers is a table that the result itself shows better. */
const FIGURES_MAX = 100;

// A number that is no part of a word, a reference (r1), a version or an identifier: 1,234.5 · 12 % · 3.2k · -7 · 1e6.
const NUMBER =
  /(?<![\p{L}\p{N}_.,#-])([-−]?\d{1,3}(?:[,'’ \u00a0\u202f]\d{3})+(?:\.\d+)?|[-−]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(\s?%| percent)?(\s?(?:k|thousand|m|million|bn|billion))?(?![\p{L}\p{N}_]|[.,]\d)/giu;

const SCALES: { readonly [word: string]: number } = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  million: 1e6,
  bn: 1e9,
  billion: 1e9,
};

/** What follows a count of rows, and what stands before a count of a list's head or tail. */
const COUNTED = /^\s+(?:rows?|results?|records?|entries|entry|matches|match|zeilen?|lignes?|filas?)(?![\p{L}\p{N}_])/iu;
const HEAD = /(?<![\p{L}\p{N}_])(?:top|first|last|bottom)\s+$/iu;
/** `1. Rock`, `- 2) Jazz`, `(3) Blues` at the beginning of a line. */
const MARK_START = /(?:^|\n)\s*(?:[-*•]\s+)?\(?$/;
const MARK_END = /^[.)]\s/;
/** Characters on either side that are looked at. */
const AROUND = 24;

/** The figures of a text, each once, dates left out (they are checked as text by the cells they stand in). */
export function readFigures(text: string): Figure[] {
  const withoutDates = text.replace(/\b\d{4}-\d{2}(-\d{2})?\b([ T]\d{2}:\d{2}(:\d{2})?)?/g, " ");
  const figures = new Map<string, Figure>();
  for (const match of withoutDates.matchAll(NUMBER)) {
    const [whole, digits = "", percent, unit] = match;
    const plain = digits.replace(/[,'’ \u00a0\u202f]/g, "").replace("−", "-");
    const scale = SCALES[unit?.trim().toLowerCase() ?? ""] ?? 1;
    const decimals = /\.(\d+)/.exec(plain)?.[1]?.length ?? 0;
    const role = roleOf(withoutDates, match.index, match.index + whole.length);
    const figure = {
      text: whole.trim(),
      value: Number(plain) * scale,
      decimals,
      isPercent: percent !== undefined,
      scale,
      role,
    };
    const known = figures.get(figure.text);
    if (known !== undefined && (known.role === "value" || role === "mark")) continue;
    if (Number.isFinite(figure.value)) figures.set(figure.text, figure);
    if (figures.size >= FIGURES_MAX) break;
  }
  return [...figures.values()];
}

function roleOf(text: string, from: number, to: number): Figure["role"] {
  const before = text.slice(Math.max(0, from - AROUND), from);
  const after = text.slice(to, to + AROUND);
  if (MARK_END.test(after) && MARK_START.test(from <= AROUND ? before : `.${before}`)) return "mark";
  return COUNTED.test(after) || HEAD.test(before) ? "count" : "value";
}
