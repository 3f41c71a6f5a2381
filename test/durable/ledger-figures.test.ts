import { describe, expect, it } from "vitest";
import { admitRun, migrateLedger, settleRun } from "../../src/durable/ledger.ts";
import { dayFigures, FIGURES_RUNS_MAX, recentFigures } from "../../src/durable/ledger-figures.ts";
import { createMemoryStorage } from "../fakes/memory-storage.ts";

const NOON = Date.UTC(2026, 10, 30, 12);
const DAY = Math.floor(NOON / 86_400_000);
const POLICY = { dailyNanoUsdMax: 1e12, ratePerMinuteMax: 1e6, runsAtOnceMax: 1e6 };

function ledger() {
  const storage = createMemoryStorage();
  migrateLedger(storage);
  const { sql } = storage;
  const admit = (runId: string, at: number) =>
    admitRun(sql, { runId, reserveNanoUsd: 1_000, question: "How many?", policy: POLICY }, at);
  return { sql, storage, admit };
}

describe("figures of a caller's runs", () => {
  it("are the median and the 95th percentile of dollars and seconds, by the nearest rank", () => {
    const { sql, admit } = ledger();
    for (let run = 1; run <= 20; run += 1) {
      admit(`r${run}`, NOON);
      settleRun(sql, `r${run}`, run * 10, run > 18 ? "stopped" : "answered", NOON + run * 1_000);
    }
    admit("open", NOON);
    const figures = {
      runCost: { p50NanoUsd: 100, p95NanoUsd: 190 },
      runTime: { p50Ms: 10_000, p95Ms: 19_000 },
    };
    expect(recentFigures(sql)).toEqual({
      runs: 20,
      runsMax: FIGURES_RUNS_MAX,
      outcomes: { answered: 18, stopped: 2, failed: 0, cancelled: 0, lost: 0 },
      ...figures,
    });
    expect(dayFigures(sql, DAY)).toEqual(figures);
    expect(dayFigures(sql, DAY + 1)).toEqual({ runCost: null, runTime: null });
  });

  it("are of the last runs only, however many there are", () => {
    const { sql, admit } = ledger();
    for (let run = 1; run <= FIGURES_RUNS_MAX + 50; run += 1) {
      admit(`r${run}`, NOON + run);
      settleRun(sql, `r${run}`, run <= 50 ? 1e9 : 7, run <= 50 ? "failed" : "answered", NOON + run + 5);
    }
    const old = { runCost: { p50NanoUsd: 7, p95NanoUsd: 7 }, runTime: { p50Ms: 5, p95Ms: 5 } };
    expect(recentFigures(sql)).toMatchObject({ runs: FIGURES_RUNS_MAX, outcomes: { failed: 0 }, ...old });
    expect(dayFigures(sql, DAY)).toEqual(old);
  });

  it("keep the first end of a run whose cost is corrected later, and know no end that was only found out", () => {
    const { sql, admit } = ledger();
    admit("corrected", NOON);
    settleRun(sql, "corrected", 5, "answered", NOON + 3_000);
    settleRun(sql, "corrected", 8, "answered", NOON + 900_000);
    expect(recentFigures(sql)).toMatchObject({
      runCost: { p50NanoUsd: 8 },
      runTime: { p50Ms: 3_000, p95Ms: 3_000 },
    });
    admit("found", NOON);
    settleRun(sql, "found", 9, "lost", NOON + 600_000, true);
    settleRun(sql, "found", 9, "answered", NOON + 700_000);
    expect(recentFigures(sql)).toMatchObject({ runs: 2, runTime: { p95Ms: 3_000 }, runCost: { p95NanoUsd: 9 } });
  });

  it("of a ledger from before ends were kept are dollars without seconds", () => {
    const { sql, storage, admit } = ledger();
    sql.exec("ALTER TABLE runs DROP COLUMN settled_at");
    sql.exec("DELETE FROM versions WHERE version = 3");
    admit("old", NOON);
    sql.exec("UPDATE runs SET outcome = 'answered', cost = 4, check_at = NULL");
    migrateLedger(storage);
    expect(recentFigures(sql)).toMatchObject({ runs: 1, runCost: { p50NanoUsd: 4 }, runTime: null });
  });
});
