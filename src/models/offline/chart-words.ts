/**
 * "… as a line chart": the words of a question that ask for a picture, apart from what it asks for. Only where they name
 * a kind together with "chart" or the like, and are the end of the question or its beginning; all else may be the name of
 * a column or a value. Pure: no I/O, no clock.
 */
import type { ChartWish } from "../../agent/chart-wish.ts";

export interface ChartWords {
  /** The question without them. */
  readonly question: string;
  readonly kind: ChartWish["kind"] | null;
}

const KIND_OF: { readonly [word: string]: ChartWish["kind"] } = {
  line: "line",
  bar: "bar",
  column: "bar",
  pie: "share",
  scatter: "dots",
};

const PICTURE = "an?\\s+(line|bar|column|pie|scatter)\\s+(?:chart|graph|plot|diagram)";
const AT_END = new RegExp(
  `[\\s,;(]+(?:(?:shown|drawn|plotted|displayed)\\s+)?(?:as|in|on|with)\\s+${PICTURE}(?:\\s*,?\\s*please)?[\\s?.!)]*$`,
  "i",
);
const AT_START = new RegExp(
  `^\\s*(?:please\\s+)?(?:draw|show|plot|make|give|create)\\s+(?:me\\s+)?${PICTURE}\\s+(?:of|for|with|showing)\\s+`,
  "i",
);

export function readChartWords(question: string): ChartWords {
  const [end, start] = [AT_END.exec(question), AT_START.exec(question)];
  const kind = KIND_OF[(end?.[1] ?? start?.[1] ?? "").toLowerCase()] ?? null;
  if (end !== null) {
    const mark = /\?[\s.!)]*$/.test(end[0]) ? "?" : "";
    return { question: `${question.slice(0, end.index).trimEnd()}${mark}`, kind };
  }
  if (start !== null) return { question: `Show ${question.slice(start[0].length)}`, kind };
  return { question, kind };
}
