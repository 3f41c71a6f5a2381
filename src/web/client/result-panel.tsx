/**
 * One stored result: its picture, its rows, its SQL, and ways to take it along.
 */
import { useMemo, useState } from "preact/hooks";
import { type ChartWish, chooseKind } from "../chart-choice.ts";
import { suggestCharts } from "../chart-rules.ts";
import { download, type Failure, runPath } from "./api.ts";
import { CopyButton, FailureNotice, Sql, Waiting } from "./parts.tsx";
import { Picture } from "./picture.tsx";
import { type CellPlace, ResultTable } from "./result-table.tsx";
import { useRows } from "./rows-store.ts";

export interface ResultPanelProps {
  readonly runId: string;
  readonly resultRef: string;
  /** The picture that the model asked for. */
  readonly wish: ChartWish | null;
  /** Other rows than the earlier run of the same queries had. */
  readonly isChanged: boolean;
  readonly cited: readonly CellPlace[];
  readonly active: CellPlace | null;
  readonly followed: CellPlace | null;
}

export function ResultPanel({ runId, resultRef, wish, isChanged, cited, active, followed }: ResultPanelProps) {
  const { rows, failure, read } = useRows(runId, resultRef);
  const [saving, setSaving] = useState<Failure | null>(null);
  const cells = useMemo(() => (rows === null ? [] : rows.rows.map((row) => row.cells)), [rows]);
  const charts = useMemo(() => (rows === null ? [] : suggestCharts(rows.columns, cells)), [cells]);
  const save = async (path: string, ending: string): Promise<void> => {
    const saved = await download(path, `${runId}-${resultRef}.${ending}`);
    setSaving(saved.ok ? null : saved.failure);
  };
  const base = runPath(runId);
  return (
    <section class="card result" aria-labelledby={`result-${resultRef}`}>
      <div class="result-head">
        <h2 id={`result-${resultRef}`}>
          Result <span class="reference">{resultRef}</span> {isChanged ? <span class="tag">changed</span> : null}
        </h2>
        <div class="result-tools">
          {rows === null ? null : <CopyButton text={rows.sql} label="Copy SQL" />}
          <button
            type="button"
            class="button button-quiet"
            onClick={() => void save(`${base}/results/${resultRef}?format=csv`, "csv")}
          >
            Download CSV
          </button>
        </div>
      </div>
      {failure !== null && rows === null ? <FailureNotice failure={failure} onAgain={() => void read(1)} /> : null}
      {saving === null ? null : <FailureNotice failure={saving} />}
      {rows === null && failure === null ? <Waiting what="Loading rows" /> : null}
      {rows === null ? null : (
        <div class="result-body">
          <Picture
            id={resultRef}
            charts={charts}
            first={chooseKind(charts, wish, resultRef)}
            columns={rows.columns}
            rows={cells}
            onSave={(kind) => void save(`${base}/chart.svg?result=${resultRef}&kind=${kind}`, "svg")}
          />
          <div class="result-rows">
            <ResultTable id={resultRef} rows={rows} cited={cited} active={active} followed={followed} read={read} />
          </div>
          <details class="result-sql">
            <summary>SQL</summary>
            <Sql text={rows.sql} />
          </details>
        </div>
      )}
    </section>
  );
}
