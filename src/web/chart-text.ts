/**
 * A picture in words: what it shows, for a person who cannot see it, and for the file that leaves the page.
 * Pure: no I/O, no clock.
 */
import { formatNumber, type Row, toCellNumber, toCellText, toWords } from "./cells.ts";
import type { Chart, ChartKind } from "./chart-rules.ts";

export const KIND_NAMES: { readonly [kind in ChartKind]: string } = {
  number: "Number",
  line: "Line",
  bar: "Bars",
  share: "Shares",
  dots: "Dots",
};

/** Values named one by one; of more, the ends and the extremes. */
const VALUES_NAMED_MAX = 8;

/** Two or three sentences: kind, what is against what, the values or their extremes. */
export function describeChart(chart: Chart, columns: readonly string[], rows: readonly Row[]): string {
  const shown = rows.slice(0, chart.rowsShown);
  if (chart.kind === "number") {
    const values = chart.y.map((index) => `${toWords(columns[index] ?? "")} ${toCellText(shown[0]?.[index])}`);
    return `${values.join(", ")}.`;
  }
  const kind = { line: "Line chart", bar: "Bar chart", share: "Shares of a whole", dots: "Scatter plot" }[chart.kind];
  const cut = chart.rowsShown < rows.length ? ` The first ${chart.rowsShown} of ${rows.length} rows.` : "";
  return `${kind}: ${chart.title}.${cut} ${describeValues(chart, columns, shown)}`;
}

function describeValues(chart: Chart, columns: readonly string[], rows: readonly Row[]): string {
  const [y = 0] = chart.y;
  const nameOf = (row: Row): string => {
    const parts = [chart.kind === "dots" ? chart.label : chart.x, chart.series];
    return parts.flatMap((index) => (index === null ? [] : [toCellText(row[index])])).join(", ");
  };
  const points = rows.flatMap((row) => {
    const value = toCellNumber(row[y]);
    return value === null ? [] : [{ name: nameOf(row), value }];
  });
  if (points.length === 0) return "No values.";
  const tell = ({ name, value }: { name: string; value: number }): string =>
    name === "" ? formatNumber(value) : `${name} ${formatNumber(value)}`;
  if (points.length <= VALUES_NAMED_MAX) return `${points.map(tell).join("; ")}.`;
  const sorted = points.toSorted((a, b) => b.value - a.value);
  const [highest, lowest] = [sorted.at(0), sorted.at(-1)];
  if (highest === undefined || lowest === undefined) return "";
  const name = toWords(columns[y] ?? "value");
  const ends = chart.kind === "line" ? ` From ${nameOf(rows[0] ?? [])} to ${nameOf(rows.at(-1) ?? [])}.` : "";
  return `${points.length} values of ${name}.${ends} Highest: ${tell(highest)}. Lowest: ${tell(lowest)}.`;
}
