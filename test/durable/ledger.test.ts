import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AdmitReply, CallerPolicy } from "../../src/durable/caller-contract.ts";
import {
  admitRun,
  migrateLedger,
  nextCheckAt,
  overdueRuns,
  postponeCheck,
  settleRun,
  takeAlerts,
} from "../../src/durable/ledger.ts";
import { listDays } from "../../src/durable/ledger-views.ts";
import { createMemoryStorage } from "../fakes/memory-storage.ts";

const USD = 1_000_000_000;
/** Noon, so that minutes stay within the day. */
const NOON = Date.UTC(2026, 10, 30, 12);
const POLICY: CallerPolicy = { dailyNanoUsdMax: 10 * USD, ratePerMinuteMax: 60, runsAtOnceMax: 8 };

function ledger() {
  const storage = createMemoryStorage();
  migrateLedger(storage);
  const { sql } = storage;
  return {
    sql,
    storage,
    admit: (runId: string, policy: Partial<CallerPolicy> = {}, now = NOON, reserveNanoUsd = USD / 2): AdmitReply =>
      admitRun(sql, { runId, reserveNanoUsd, question: "How many?", policy: { ...POLICY, ...policy } }, now),
    settle: (runId: string, cost: number, now = NOON) => settleRun(sql, runId, cost, "answered", now),
    day: () => listDays(sql, 1, [50, 80])[0],
  };
}

describe("admission", () => {
  it("takes no more runs at once than allowed, and takes the next when one has ended", () => {
    const { admit, settle } = ledger();
    for (let run = 1; run <= 8; run += 1) expect(admit(`r${run}`).kind).toBe("admitted");
    expect(admit("r9")).toMatchObject({ kind: "refused", reason: "runs_at_once" });
    settle("r1", 0);
    expect(admit("r9").kind).toBe("admitted");
  });

  it("admits the same run again without counting it twice, at any limit", () => {
    const { admit, day } = ledger();
    const tight = { runsAtOnceMax: 1, ratePerMinuteMax: 1, dailyNanoUsdMax: USD / 2 };
    expect(admit("r1", tight).kind).toBe("admitted");
    expect(admit("r1", tight).kind).toBe("admitted");
    expect(day()).toMatchObject({ runs: 1, reservedNanoUsd: USD / 2 });
  });

  it("C32: says of a run that has ended that it is over, so that a request that comes again begins nothing", () => {
    const { admit, settle, day } = ledger();
    expect(admit("r1")).not.toHaveProperty("isOver");
    expect(admit("r1")).not.toHaveProperty("isOver");
    settle("r1", USD / 10);
    expect(admit("r1", { dailyNanoUsdMax: 1 })).toMatchObject({ kind: "admitted", isOver: true });
    expect(day()).toMatchObject({ runs: 1, reservedNanoUsd: 0, spentNanoUsd: USD / 10 });
  });

  it("G5: holds anew for a run that was found lost and is asked again, within the day's dollars", () => {
    const { sql, admit, settle, day } = ledger();
    admit("r1");
    settleRun(sql, "r1", 0, "lost", NOON, true);
    expect(day()).toMatchObject({ runs: 1, reservedNanoUsd: 0 });
    expect(admit("r1", { dailyNanoUsdMax: USD / 4 })).toMatchObject({ kind: "refused", reason: "daily_budget" });
    expect(admit("r1")).toEqual({ kind: "admitted", rate: expect.anything() });
    expect(day()).toMatchObject({ runs: 1, reservedNanoUsd: USD / 2 });
    settle("r1", USD / 10);
    expect(day()).toMatchObject({ runs: 1, reservedNanoUsd: 0, spentNanoUsd: USD / 10 });
  });

  it("G5: a run that was lost with its whole reservation as cost is over, and its cost stays", () => {
    const { sql, admit, day } = ledger();
    admit("r1");
    settleRun(sql, "r1", USD / 2, "lost", NOON, true);
    expect(admit("r1")).toMatchObject({ kind: "admitted", isOver: true });
    expect(day()).toMatchObject({ runs: 1, spentNanoUsd: USD / 2, reservedNanoUsd: 0 });
  });

  it("counts the questions of the last minute, whichever minute that is, and says when one leaves it", () => {
    const { admit, settle } = ledger();
    const policy = { ratePerMinuteMax: 2 };
    expect(admit("r1", policy, NOON)).toMatchObject({ rate: { remaining: 1 } });
    expect(admit("r2", policy, NOON + 20_000)).toMatchObject({ rate: { remaining: 0 } });
    settle("r1", 0);
    settle("r2", 0);
    expect(admit("r3", policy, NOON + 59_000)).toMatchObject({ kind: "refused", reason: "rate", retryAfterS: 1 });
    expect(admit("r3", policy, NOON + 60_000).kind).toBe("admitted");
    expect(admit("r4", policy, NOON + 61_000)).toMatchObject({ kind: "refused", retryAfterS: 19 });
  });

  it("refuses what the day's dollars do not cover, at the limit itself no longer", () => {
    const { admit, settle } = ledger();
    const policy = { dailyNanoUsdMax: USD };
    expect(admit("r1", policy).kind).toBe("admitted");
    expect(admit("r2", policy).kind).toBe("admitted");
    expect(admit("r3", policy, NOON, 1)).toMatchObject({ kind: "refused", reason: "daily_budget", retryAfterS: 5 });
    settle("r1", USD / 2);
    settle("r2", USD / 2);
    expect(admit("r3", policy, NOON, 1)).toMatchObject({ kind: "refused", retryAfterS: 12 * 3_600 });
    expect(admit("r3", policy, NOON + 12 * 3_600_000 - 1)).toMatchObject({ kind: "refused", retryAfterS: 1 });
    expect(admit("r3", policy, NOON + 12 * 3_600_000).kind).toBe("admitted");
  });

  it("says to come back soon while what is held may come free, and tomorrow only when the day's dollars are gone", () => {
    const { admit, settle } = ledger();
    const policy = { dailyNanoUsdMax: USD };
    admit("r1", policy, NOON, USD / 2);
    settle("r1", USD / 4);
    admit("r2", policy, NOON, USD / 2);
    // With what is spent it would just fit; what stands in the way is held.
    expect(admit("r3", policy, NOON, (USD * 3) / 4)).toMatchObject({ reason: "daily_budget", retryAfterS: 5 });
    expect(admit("r3", policy, NOON, (USD * 3) / 4 + 1)).toMatchObject({ retryAfterS: 12 * 3_600 });
  });

  it("G5: spent and held together never pass the day's dollars, in whatever order things happen", () => {
    const action = fc.record({
      kind: fc.constantFrom("admit", "settle", "again"),
      run: fc.integer({ min: 0, max: 15 }),
      usd: fc.integer({ min: 0, max: 4 }),
    });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const { admit, settle, day } = ledger();
        const reserved = new Map<number, number>();
        const cost = new Map<number, number>();
        for (const { kind, run, usd } of actions) {
          if (kind === "admit" && !reserved.has(run)) {
            const reply = admit(`r${run}`, { runsAtOnceMax: 6 }, NOON, usd * USD);
            if (reply.kind === "admitted") reserved.set(run, usd * USD);
          }
          // A run never costs more than was held for it, and a late bill never more than what was first settled, which
          // counted what was still open at its reservation.
          const most = cost.get(run) ?? reserved.get(run);
          if (kind !== "admit" && most !== undefined) {
            cost.set(run, Math.min(most, usd * USD));
            settle(`r${run}`, Math.min(most, usd * USD));
          }
          const held = [...reserved].filter(([id]) => !cost.has(id)).reduce((sum, [, nano]) => sum + nano, 0);
          const spent = [...cost.values()].reduce((sum, nano) => sum + nano, 0);
          if (reserved.size > 0) expect(day()).toMatchObject({ spentNanoUsd: spent, reservedNanoUsd: held });
          expect(spent + held).toBeLessThanOrEqual(POLICY.dailyNanoUsdMax);
        }
      }),
      { seed: 20_261_130, numRuns: 600 },
    );
  });
});

describe("settlement", () => {
  it("charges the day on which the run was admitted", () => {
    const { admit, settle, sql } = ledger();
    admit("r1");
    settle("r1", USD / 4, NOON + 86_400_000);
    expect(listDays(sql, 9, [])).toMatchObject([{ day: "2026-11-30", spentNanoUsd: USD / 4, reservedNanoUsd: 0 }]);
  });

  it("of a run that was never admitted is spent money all the same", () => {
    const { settle, day } = ledger();
    settle("stray", 7);
    settle("stray", 9);
    expect(day()).toMatchObject({ runs: 1, spentNanoUsd: 9, reservedNanoUsd: 0 });
  });
});

describe("runs that nobody hears of", () => {
  it("are looked at after two minutes, then when postponed to, and no more once settled", () => {
    const { admit, settle, sql } = ledger();
    expect(nextCheckAt(sql)).toBeNull();
    admit("r1");
    expect(nextCheckAt(sql)).toBe(NOON + 120_000);
    expect(overdueRuns(sql, NOON + 119_999)).toEqual([]);
    expect(overdueRuns(sql, NOON + 120_000)).toEqual([{ id: "r1", admittedAt: NOON, reservedNanoUsd: USD / 2 }]);
    postponeCheck(sql, "r1", NOON + 500_000);
    expect(nextCheckAt(sql)).toBe(NOON + 500_000);
    settle("r1", 0);
    postponeCheck(sql, "r1", NOON + 900_000);
    expect(nextCheckAt(sql)).toBeNull();
  });
});

describe("alerts", () => {
  it("are given once each, also when one run passes both", () => {
    const { admit, settle, sql, day } = ledger();
    const today = Math.floor(NOON / 86_400_000);
    admit("r1", { dailyNanoUsdMax: USD }, NOON, USD);
    settle("r1", USD / 2 - 1);
    expect(takeAlerts(sql, today, [50, 80])).toEqual([]);
    settle("r1", USD / 2);
    expect(takeAlerts(sql, today, [50, 80])).toEqual([50]);
    expect(takeAlerts(sql, today, [50, 80])).toEqual([]);
    settle("r1", USD);
    expect(takeAlerts(sql, today, [50, 80])).toEqual([80]);
    expect(day()?.alerts).toEqual([50, 80]);
  });

  it("are not given where nothing is known of a budget", () => {
    const { settle, sql } = ledger();
    settle("stray", USD);
    expect(takeAlerts(sql, Math.floor(NOON / 86_400_000), [50, 80])).toEqual([]);
  });
});

it("the tables are made once, and survive being made again", () => {
  const { admit, storage, day } = ledger();
  admit("r1");
  migrateLedger(storage);
  expect(day()?.runs).toBe(1);
});
