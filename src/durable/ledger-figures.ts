/**
 * What a caller's runs took and cost: the median and the 95th percentile, by the nearest rank. Reads only.
 *
 * Bounded: whatever the ledger holds, the last `FIGURES_RUNS_MAX` finished runs are read, of all time or of a day, and
 * older ones are not in the figures. Leaves to others: sums and counts of days (ledger-views.ts), which are exact.
 */
import type { DayUsage, RecentFigures } from "./caller-contract.ts";
import { DAY_MS, type EndOutcome, type RunRow } from "./ledger.ts";

/** Settles the 95th percentile to about one per cent of the runs, and is one short read. */
export const FIGURES_RUNS_MAX = 1_000;

type Row = Pick<RunRow, "cost" | "outcome" | "admitted_at" | "settled_at">;

/** Over the last finished runs of the caller, whenever they were asked. */
export function recentFigures(sql: SqlStorage): RecentFigures {
  const query = `SELECT cost, outcome, admitted_at, settled_at FROM runs WHERE outcome IS NOT NULL
     ORDER BY number DESC LIMIT ${FIGURES_RUNS_MAX}`;
  const rows = sql.exec<Row>(query).toArray();
  const count = (outcome: EndOutcome): number => rows.filter((row) => row.outcome === outcome).length;
  return {
    runs: rows.length,
    runsMax: FIGURES_RUNS_MAX,
    outcomes: byOutcome(count),
    ...figuresOf(rows),
  };
}

/** Over the finished runs that were asked on a day (a number of days since the epoch), at most the last of them. */
export function dayFigures(sql: SqlStorage, day: number): Required<Pick<DayUsage, "runCost" | "runTime">> {
  const query = `SELECT cost, outcome, admitted_at, settled_at FROM runs
     WHERE admitted_at >= ? AND admitted_at < ? AND outcome IS NOT NULL
     ORDER BY admitted_at DESC LIMIT ${FIGURES_RUNS_MAX}`;
  return figuresOf(sql.exec<Row>(query, day * DAY_MS, (day + 1) * DAY_MS).toArray());
}

function figuresOf(rows: readonly Row[]): Required<Pick<DayUsage, "runCost" | "runTime">> {
  const costs = rows.map((row) => row.cost).toSorted((a, b) => a - b);
  const times = rows
    .flatMap((row) => (row.settled_at === null ? [] : [Math.max(0, row.settled_at - row.admitted_at)]))
    .toSorted((a, b) => a - b);
  return {
    runCost: costs.length === 0 ? null : { p50NanoUsd: rank(costs, 0.5), p95NanoUsd: rank(costs, 0.95) },
    runTime: times.length === 0 ? null : { p50Ms: rank(times, 0.5), p95Ms: rank(times, 0.95) },
  };
}

function rank(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
}

/** The number of runs that ended in each way. */
export function byOutcome(count: (outcome: EndOutcome) => number): DayUsage["outcomes"] {
  return {
    answered: count("answered"),
    stopped: count("stopped"),
    failed: count("failed"),
    cancelled: count("cancelled"),
    lost: count("lost"),
  };
}
