/** B25 on a fixture journal: counts, longest period, most repetitions, by model. */
import { describe, expect, it } from "vitest";
import { renderScan, scanByModel, scanRun } from "../../../src/cli/evals/scan.ts";
import type { Transcript } from "../../../src/cli/evals/transcript-file.ts";

/** Events of a run that makes these calls, one a step, each answered with the text itself. */
function transcript(id: string, model: string, calls: readonly string[], outcome = "answered"): Transcript {
  const events = calls.flatMap((sql, index) => {
    const step = index + 1;
    const call = { id: `${id}-${step}`, name: "execute_read_only_sql", input: { sql } };
    const observation = { status: sql.startsWith("bad") ? "error" : "success", summary: "", data: { sql } };
    return [
      { type: "step_started", step, purpose: "step" },
      { type: "model_replied", step, text: "", calls: [call], cost_usd: 0.01 },
      {
        type: "tool_observed",
        step,
        call_id: call.id,
        name: call.name,
        observation,
        query: { rows_read: 0, ref: null },
      },
    ];
  });
  const run = { id, model, outcome, stop_reason: "done", receipt: { cost_usd: 0.01 * calls.length } };
  return { run, events, entries: [] };
}

const runs = [
  transcript("a", "haiku", ["1", "2", "3"]),
  transcript("b", "haiku", ["1", "1", "1", "1"], "stopped"),
  transcript("c", "opus", ["1", "2", "1", "2", "1", "2", "bad", "4"]),
].map(scanRun);

describe("a scan of runs", () => {
  it("B25: gives counts, the longest period and the most repetitions by model", () => {
    expect(scanByModel(runs)).toMatchObject([
      {
        model: "haiku",
        runs: 2,
        answered: 1,
        runs_with_cycles: 1,
        cycles: 1,
        cycle_period_max: 1,
        cycle_repetitions_max: 4,
      },
      {
        model: "opus",
        runs: 1,
        answered: 1,
        runs_with_cycles: 1,
        cycles: 1,
        cycle_period_max: 2,
        cycle_repetitions_max: 3,
      },
    ]);
  });

  it("adds up steps, dollars and waste", () => {
    const [haiku, opus] = scanByModel(runs);
    expect(haiku?.steps).toEqual({ productive: 4, neutral: 0, wasteful: 0, harmful: 0, spinning: 3 });
    expect(haiku?.waste).toBeCloseTo((0 + 0.75) / 2);
    expect(opus?.steps).toMatchObject({ productive: 3, wasteful: 1, spinning: 4 });
    expect(haiku?.usd).toBeCloseTo(0.07);
    expect(Object.values(opus?.cost_by_phase ?? {}).reduce((sum, part) => sum + part, 0)).toBeCloseTo(0.08);
  });

  it("names the runs that deserve a look, and no others", () => {
    const text = renderScan(runs);
    expect(text).toMatch(/b \(haiku, done\): 1 cycles, period 1, repetitions 4, waste 75 %/);
    expect(text).not.toMatch(/ {2}a \(haiku/);
    expect(renderScan([])).toBe("");
  });
});
