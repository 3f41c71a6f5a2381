import { describe, expect, it } from "vitest";
import type { DayUsage, RecentFigures } from "../../src/durable/caller-contract.ts";
import { usageSchema } from "../../src/http/usage.ts";
import { CALLERS, createHarness, KEY, readProblem } from "./harness.ts";

const key = { headers: { authorization: `Bearer ${KEY}` } };
const DAY: DayUsage = {
  day: "2026-11-30",
  spentNanoUsd: 143_200_000,
  reservedNanoUsd: 500_000_000,
  runs: 3,
  outcomes: { answered: 2, stopped: 0, failed: 0, cancelled: 0, lost: 1 },
  runCost: { p50NanoUsd: 10_000_000, p95NanoUsd: 27_000_000 },
  runTime: { p50Ms: 4_200, p95Ms: 18_750 },
  alerts: [50],
};
const RECENT: RecentFigures = {
  runs: 3,
  runsMax: 1_000,
  outcomes: { answered: 2, stopped: 0, failed: 0, cancelled: 0, lost: 1 },
  runCost: { p50NanoUsd: 11_000_000, p95NanoUsd: 12_000_000 },
  runTime: null,
};

function harness(days: readonly DayUsage[]) {
  const made = createHarness({ QUERENT_CALLERS: CALLERS });
  const asked: number[] = [];
  const { CALLERS: objects } = made.bindings;
  objects.get(objects.idFromName("alice")).usage = async (daysMax) => {
    asked.push(daysMax);
    return days;
  };
  objects.get(objects.idFromName("alice")).figures = async () => RECENT;
  return { ...made, asked };
}

describe("GET /v1/usage", () => {
  it("tells each day in dollars and seconds, with the median and the 95th percentile of a run", async () => {
    const { runCost: _cost, runTime: _time, ...young } = DAY;
    const { request } = harness([DAY, { ...young, day: "2026-11-29" }]);
    const usage = usageSchema.parse(await (await request("/v1/usage", key)).json());
    expect(usage.days[0]).toEqual({
      day: "2026-11-30",
      runs: 3,
      outcomes: { answered: 2, stopped: 0, failed: 0, cancelled: 0, lost: 1 },
      spent_usd: 0.1432,
      reserved_usd: 0.5,
      run_usd: { p50: 0.01, p95: 0.027 },
      run_seconds: { p50: 4.2, p95: 18.75 },
      alerts: [50],
    });
    expect(usage.days[1]).toMatchObject({ run_usd: null, run_seconds: null });
    expect(usage.daily_usd_max).toBeGreaterThan(0);
  });

  it("tells the same of the last finished runs over all days, and of how many", async () => {
    const usage = usageSchema.parse(await (await harness([DAY]).request("/v1/usage", key)).json());
    expect(usage.recent).toEqual({
      runs: 3,
      runs_max: 1_000,
      outcomes: RECENT.outcomes,
      run_usd: { p50: 0.011, p95: 0.012 },
      run_seconds: null,
    });
  });

  it("asks for a week unless told, for 90 days at most, and for the caller's own ledger only", async () => {
    const { request, asked } = harness([]);
    await request("/v1/usage", key);
    await request("/v1/usage?days=90", key);
    expect(asked).toEqual([7, 90]);
    const problem = await readProblem(await request("/v1/usage?days=91", key));
    expect(problem).toMatchObject({ code: "invalid_request", errors: [{ parameter: "days" }] });
    expect((await request("/v1/usage")).status).toBe(401);
  });
});
