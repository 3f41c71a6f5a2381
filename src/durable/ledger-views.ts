/**
 * What a caller is shown of its ledger: its runs in pages, and its days with sums and outcomes. Reads only.
 */
import type { DayUsage, LedgerEntry, LedgerPage } from "./caller-contract.ts";
import { DAY_MS, type DayRow, type EndOutcome, type RunRow } from "./ledger.ts";
import { byOutcome, dayFigures } from "./ledger-figures.ts";

/** Runs newest first. `cursor` is what the page before gave as `next`. Null: it is not one of ours. */
export function listRuns(sql: SqlStorage, cursor: string | null, limit: number): LedgerPage | null {
  if (cursor !== null && !/^[1-9]\d{0,14}$/.test(cursor)) return null;
  const before = cursor === null ? Number.MAX_SAFE_INTEGER : Number(cursor);
  const query = "SELECT * FROM runs WHERE number < ? ORDER BY number DESC LIMIT ?";
  const rows = sql.exec<RunRow>(query, before, limit + 1).toArray();
  const shown = rows.slice(0, limit);
  return { runs: shown.map(toEntry), next: rows.length > limit ? String(shown.at(-1)?.number ?? "") : null };
}

/** The last days with any run, newest first. */
export function listDays(sql: SqlStorage, daysMax: number, percents: readonly number[]): readonly DayUsage[] {
  const days = sql.exec<DayRow>("SELECT * FROM days ORDER BY day DESC LIMIT ?", daysMax).toArray();
  return days.map((row) => {
    const query =
      "SELECT outcome, count(*) AS runs FROM runs WHERE admitted_at >= ? AND admitted_at < ? GROUP BY outcome";
    const bounds = [row.day * DAY_MS, (row.day + 1) * DAY_MS];
    const counts = sql.exec<{ outcome: string | null; runs: number }>(query, ...bounds).toArray();
    const count = (outcome: EndOutcome): number => counts.find((entry) => entry.outcome === outcome)?.runs ?? 0;
    return {
      day: new Date(row.day * DAY_MS).toISOString().slice(0, 10),
      spentNanoUsd: row.spent,
      reservedNanoUsd: row.held,
      runs: counts.reduce((sum, entry) => sum + entry.runs, 0),
      outcomes: byOutcome(count),
      ...dayFigures(sql, row.day),
      alerts: percents.filter((percent) => percent <= row.alerted),
    };
  });
}

function toEntry(row: RunRow): LedgerEntry {
  return {
    id: row.id,
    question: row.question,
    admittedAt: row.admitted_at,
    reservedNanoUsd: row.reserved,
    costNanoUsd: row.cost,
    outcome: row.outcome,
  };
}
