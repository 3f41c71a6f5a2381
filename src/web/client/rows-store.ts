/**
 * The rows of one stored result as the table wants them: the first page at once, the rest when it is needed, each row
 * with its number in the result. Leaves to others: their order (sort-rows.ts).
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { api, type Failure } from "./api.ts";
import type { NumberedRow } from "./sort-rows.ts";

export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly NumberedRow[];
  readonly sql: string;
  /** Rows that are kept, here or on the server. */
  readonly storedRows: number;
  readonly totalRows: number | null;
  readonly truncated: boolean;
}

/** Enough for the first look and for most pictures; the server keeps 1,000 at most. */
const FIRST_ROWS = 200;
const MORE_ROWS = 1_000;

export function useRows(runId: string, ref: string) {
  const [rows, setRows] = useState<Rows | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const latest = useRef<Rows | null>(null);
  const pending = useRef<Promise<void>>(Promise.resolve());

  const readOnce = async (wanted: number): Promise<void> => {
    for (;;) {
      const have = latest.current;
      if (have !== null && (have.rows.length >= wanted || have.rows.length >= have.storedRows)) return;
      const from = (have?.rows.length ?? 0) + 1;
      const answered = await api.rows(runId, ref, from, have === null ? FIRST_ROWS : MORE_ROWS);
      if (!answered.ok) {
        setFailure(answered.failure);
        return;
      }
      const page = answered.value;
      const added = page.rows.map((cells, index) => ({ number: page.from + index, cells }));
      latest.current = {
        columns: page.columns,
        rows: [...(have?.rows ?? []), ...added],
        sql: page.sql,
        // An empty page ends it, whatever was promised.
        storedRows: added.length === 0 ? (have?.rows.length ?? 0) : page.stored_rows,
        totalRows: page.total_rows,
        truncated: page.truncated,
      };
      setRows(latest.current);
      setFailure(null);
    }
  };
  /** Has at least `wanted` rows, if there are that many. Calls wait for each other. */
  const read = (wanted: number): Promise<void> => {
    pending.current = pending.current.then(() => readOnce(wanted));
    return pending.current;
  };
  useEffect(() => {
    void read(1);
  }, [runId, ref]);
  return { rows, failure, read };
}
