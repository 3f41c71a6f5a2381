import { describe, expect, it } from "vitest";
import { admitRun, migrateLedger, settleRun } from "../../src/durable/ledger.ts";
import { listDays, listRuns } from "../../src/durable/ledger-views.ts";
import { withdrawRun } from "../../src/durable/withdrawal.ts";
import { createMemoryStorage } from "../fakes/memory-storage.ts";

const NOON = Date.UTC(2026, 10, 30, 12);

function ledgerWith(...ids: readonly string[]) {
  const storage = createMemoryStorage();
  migrateLedger(storage);
  const policy = { dailyNanoUsdMax: 1_000, ratePerMinuteMax: 60, runsAtOnceMax: 2 };
  const admit = (runId: string) => admitRun(storage.sql, { runId, reserveNanoUsd: 100, question: "q", policy }, NOON);
  for (const id of ids) admit(id);
  return { sql: storage.sql, admit };
}

describe("withdrawRun", () => {
  it("frees the money and the place, and leaves no line in the list", () => {
    const { sql, admit } = ledgerWith("r1", "r2");
    expect(admit("r3").kind).toBe("refused");
    withdrawRun(sql, "r2");
    expect(listRuns(sql, null, 10)?.runs.map((run) => run.id)).toEqual(["r1"]);
    expect(listDays(sql, 1, [])[0]).toMatchObject({ runs: 1, reservedNanoUsd: 100 });
    expect(admit("r3").kind).toBe("admitted");
  });

  it("twice is the same as once, and an unknown run changes nothing", () => {
    const { sql } = ledgerWith("r1", "r2");
    for (const id of ["r2", "r2", "r9"]) withdrawRun(sql, id);
    expect(listDays(sql, 1, [])[0]).toMatchObject({ runs: 1, reservedNanoUsd: 100 });
  });

  it("a run that has settled stays as it is: what was spent is spent", () => {
    const { sql } = ledgerWith("r1");
    settleRun(sql, "r1", 40, "answered", NOON);
    withdrawRun(sql, "r1");
    expect(listRuns(sql, null, 10)?.runs).toMatchObject([{ id: "r1", costNanoUsd: 40, outcome: "answered" }]);
    expect(listDays(sql, 1, [])[0]).toMatchObject({ spentNanoUsd: 40, reservedNanoUsd: 0 });
  });
});
