/**
 * Where the time of a run went: for each step the model's, the database's and what was waiting, as parts of the whole.
 * Pure: no I/O, no clock.
 */
import type { StepView } from "./run-view.ts";

export interface TimelineRow {
  readonly step: number;
  readonly modelMs: number;
  readonly databaseMs: number;
  readonly waitingMs: number;
  /** Start of the step, from the start of the first. */
  readonly offsetMs: number;
}

export interface Timeline {
  readonly rows: readonly TimelineRow[];
  /** From the first start to the last end; at least 1. */
  readonly totalMs: number;
}

/** `now` ends a step that is not finished. */
export function toTimeline(steps: readonly StepView[], now: number): Timeline {
  const start = Math.min(...steps.map((step) => step.startedAt));
  const rows = steps.map((step): TimelineRow => {
    const duration = Math.max(0, (step.finishedAt ?? now) - step.startedAt);
    // Queries of one step run side by side, so their sum can be longer than the step.
    const modelMs = Math.min(step.modelMs, duration);
    const databaseMs = Math.min(step.databaseMs, duration - modelMs);
    return {
      step: step.number,
      modelMs,
      databaseMs,
      waitingMs: duration - modelMs - databaseMs,
      offsetMs: step.startedAt - start,
    };
  });
  const ends = rows.map((row) => row.offsetMs + row.modelMs + row.databaseMs + row.waitingMs);
  return { rows, totalMs: Math.max(1, ...ends) };
}
