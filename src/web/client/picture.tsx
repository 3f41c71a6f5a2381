/**
 * A result as a picture, with the other kinds that suit it to switch to. The drawing library is a module of its own,
 * fetched when the first picture is shown; until then, and without it, the table says the same.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { formatNumber, type Row, toCellNumber, toCellText, toWords } from "../cells.ts";
import type { ChartColors } from "../chart-frame.ts";
import type { Chart, ChartKind } from "../chart-rules.ts";
import { describeChart, KIND_NAMES } from "../chart-text.ts";

const SERIES_COLORS = 9;
const COLORS: ChartColors = {
  ink: "var(--ink)",
  muted: "var(--muted)",
  grid: "var(--line)",
  surface: "var(--surface)",
  series: Array.from({ length: SERIES_COLORS }, (_, index) => `var(--series-${index + 1})`),
};

export interface PictureProps {
  readonly id: string;
  readonly charts: readonly Chart[];
  /** What is shown first: one of `charts`, or the table alone. */
  readonly first: ChartKind | "table" | null;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly onSave: (kind: string) => void;
}

export function Picture({ id, charts, first, columns, rows, onSave }: PictureProps) {
  const [kind, setKind] = useState<string>(first ?? "table");
  const chart = charts.find((one) => one.kind === kind);
  const [best] = charts;
  if (best === undefined) return null;
  return (
    <div class="picture">
      {best.kind === "number" ? null : (
        <fieldset class="switch">
          <legend class="sr-only">Show as</legend>
          {[...charts.map((one) => one.kind), "table"].map((option) => (
            <label>
              <input
                type="radio"
                name={`kind-${id}`}
                value={option}
                checked={option === kind}
                onChange={() => setKind(option)}
              />
              <span>
                {option === "table"
                  ? "Table only"
                  : KIND_NAMES[charts.find((one) => one.kind === option)?.kind ?? "bar"]}
              </span>
            </label>
          ))}
          {chart === undefined ? null : (
            <button type="button" class="button button-quiet" onClick={() => onSave(kind)}>
              Save as SVG
            </button>
          )}
        </fieldset>
      )}
      {chart === undefined ? null : chart.kind === "number" ? (
        <Numbers chart={chart} columns={columns} rows={rows} />
      ) : (
        <Drawing key={chart.kind} id={id} chart={chart} columns={columns} rows={rows} />
      )}
    </div>
  );
}

interface DrawingProps {
  readonly id: string;
  readonly chart: Chart;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

function Drawing({ id, chart, columns, rows }: DrawingProps) {
  const host = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    setWidth(Math.floor(element.clientWidth));
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (width === 0) return;
    const turn = { isOver: false };
    const draw = async (): Promise<void> => {
      const { drawChart } = await import("../chart-draw.ts");
      if (turn.isOver || host.current === null) return;
      const drawn = drawChart(chart, columns, rows, { width, fontPx: textPx(), colors: COLORS, interactive: true });
      // Plot labels its groups ("bar", "rule"), which mean nothing inside an image.
      for (const group of drawn.querySelectorAll("g[aria-label]")) group.removeAttribute("aria-label");
      drawn.setAttribute("role", "img");
      drawn.setAttribute("aria-label", chart.title);
      drawn.setAttribute("aria-describedby", `described-${id}`);
      host.current.replaceChildren(drawn);
    };
    draw().catch(() => setMissing(true));
    return () => {
      turn.isOver = true;
    };
  }, [width, chart.kind, rows]);
  return (
    <figure>
      <figcaption>{chart.title}</figcaption>
      <div class="drawing" ref={host} />
      {isMissing ? <p class="muted">The picture could not be loaded. The table below holds the same values.</p> : null}
      <p id={`described-${id}`} class="sr-only">
        {describeChart(chart, columns, rows)}
      </p>
      {chart.rowsShown < rows.length ? (
        <p class="muted">
          The first {chart.rowsShown} of {rows.length} rows.
        </p>
      ) : null}
    </figure>
  );
}

/** A little smaller than the page's own text. */
function textPx(): number {
  const root = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return Math.round((Number.isFinite(root) ? root : 16) * 0.82);
}

function Numbers({ chart, columns, rows }: Omit<DrawingProps, "id">) {
  return (
    <dl class="numbers">
      {chart.y.map((index) => {
        const cell = rows[0]?.[index];
        const value = toCellNumber(cell);
        return (
          <div>
            <dt>{toWords(columns[index] ?? "")}</dt>
            <dd>{value === null ? toCellText(cell) : formatNumber(value)}</dd>
          </div>
        );
      })}
    </dl>
  );
}
