import { describe, expect, it } from "vitest";
import { admitRun, migrateLedger, settleRun } from "../../src/durable/ledger.ts";
import { listDays, listRuns } from "../../src/durable/ledger-views.ts";
import { createMemoryStorage } from "../fakes/memory-storage.ts";

const NOON = Date.UTC(2026, 10, 30, 12);
const POLICY = { dailyNanoUsdMax: 1e12, ratePerMinuteMax: 1_000, runsAtOnceMax: 1_000 };

function filled(runs: number, question = "How many?") {
  const storage = createMemoryStorage();
  migrateLedger(storage);
  const { sql } = storage;
  for (let run = 1; run <= runs; run += 1) {
    admitRun(sql, { runId: `r${run}`, reserveNanoUsd: 100, question, policy: POLICY }, NOON + run);
  }
  return sql;
}

describe("the list of runs", () => {
  it("gives every run once over its pages, newest first, whatever is admitted meanwhile", () => {
    const sql = filled(7);
    const seen: string[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < 9; page += 1) {
      const list = listRuns(sql, cursor, 3);
      seen.push(...(list?.runs.map((run) => run.id) ?? []));
      cursor = list?.next ?? null;
      admitRun(sql, { runId: `new${page}`, reserveNanoUsd: 0, question: "?", policy: POLICY }, NOON + 100 + page);
      if (cursor === null) break;
    }
    expect(seen).toEqual(["r7", "r6", "r5", "r4", "r3", "r2", "r1"]);
  });

  it("says of each what it asked, held and cost, and how it ended", () => {
    const sql = filled(1, `${"a".repeat(199)}😀 and more`);
    expect(listRuns(sql, null, 5)?.runs[0]).toMatchObject({ outcome: null, costNanoUsd: 0, admittedAt: NOON + 1 });
    settleRun(sql, "r1", 42, "stopped", NOON);
    const entry = listRuns(sql, null, 5)?.runs[0];
    expect(entry).toMatchObject({ id: "r1", reservedNanoUsd: 100, costNanoUsd: 42, outcome: "stopped" });
    expect(entry?.question.isWellFormed()).toBe(true);
    expect(entry?.question.length).toBe(200);
  });

  it.each(["", "0", "-1", "1e9", "r1", "9".repeat(40), "1; DROP TABLE runs"])("refuses the cursor %j", (cursor) => {
    expect(listRuns(filled(1), cursor, 5)).toBeNull();
  });

  it("is empty, and ends, where there is nothing", () => {
    expect(listRuns(filled(0), null, 5)).toEqual({ runs: [], next: null });
    expect(listRuns(filled(3), null, 3)?.next).toBeNull();
  });
});

describe("the days", () => {
  it("count each day's own runs by outcome, newest day first", () => {
    const sql = filled(3);
    const tomorrow = NOON + 86_400_000;
    admitRun(sql, { runId: "late", reserveNanoUsd: 5, question: "?", policy: POLICY }, tomorrow);
    settleRun(sql, "r1", 10, "answered", NOON);
    settleRun(sql, "r2", 20, "failed", tomorrow);
    expect(listDays(sql, 9, [50])).toEqual([
      {
        day: "2026-12-01",
        spentNanoUsd: 0,
        reservedNanoUsd: 5,
        runs: 1,
        outcomes: { answered: 0, stopped: 0, failed: 0, cancelled: 0, lost: 0 },
        runCost: null,
        runTime: null,
        alerts: [],
      },
      {
        day: "2026-11-30",
        spentNanoUsd: 30,
        reservedNanoUsd: 100,
        runs: 3,
        outcomes: { answered: 1, stopped: 0, failed: 1, cancelled: 0, lost: 0 },
        runCost: { p50NanoUsd: 10, p95NanoUsd: 20 },
        runTime: { p50Ms: 0, p95Ms: 86_400_000 - 2 },
        alerts: [],
      },
    ]);
    expect(listDays(sql, 1, [])).toHaveLength(1);
  });
});
