import { describe, expect, test } from "vitest";
import type { StepView } from "../../../src/web/client/run-view.ts";
import { toTimeline } from "../../../src/web/client/timeline.ts";

const step = (number: number, rest: Partial<StepView>): StepView => ({
  number,
  thought: "",
  calls: [],
  notices: [],
  startedAt: 1_000,
  finishedAt: 2_000,
  modelMs: 0,
  databaseMs: 0,
  costUsd: 0,
  ...rest,
});

describe("the timeline", () => {
  test("model, database and waiting make up each step, and the steps the whole", () => {
    const { rows, totalMs } = toTimeline(
      [step(1, { modelMs: 600, databaseMs: 300 }), step(2, { startedAt: 2_500, finishedAt: null, modelMs: 100 })],
      4_500,
    );
    expect(rows).toEqual([
      { step: 1, modelMs: 600, databaseMs: 300, waitingMs: 100, offsetMs: 0 },
      { step: 2, modelMs: 100, databaseMs: 0, waitingMs: 1_900, offsetMs: 1_500 },
    ]);
    expect(totalMs).toBe(3_500);
  });

  test("queries that ran side by side are not longer than their step", () => {
    const [row] = toTimeline([step(1, { modelMs: 400, databaseMs: 5_000 })], 0).rows;
    expect(row).toMatchObject({ modelMs: 400, databaseMs: 600, waitingMs: 0 });
  });

  test("a run of no time has a length to divide by", () => {
    expect(toTimeline([step(1, { finishedAt: 1_000 })], 0).totalMs).toBe(1);
  });
});
