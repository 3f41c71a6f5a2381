import { expect, test } from "vitest";
import { auditRuns } from "./audit.ts";

const RUNS = [
  { steps: 8, costUsd: 0.1 },
  { steps: 2, costUsd: 0.2 },
];
const day = { runs: 2, outcomes: { answered: 2 }, spent_usd: 0.3, reserved_usd: 0 };

test("nothing is wrong when calls, runs, outcomes and dollars agree, over days too", async () => {
  expect(await auditRuns(RUNS, 10, async () => ({ days: [day] }))).toEqual({ runs: 2, wrong: [] });
  const half = { runs: 1, outcomes: { answered: 1 }, spent_usd: 0.15, reserved_usd: 0 };
  expect(await auditRuns(RUNS, 10, async () => ({ days: [half, half] }))).toEqual({ runs: 2, wrong: [] });
});

test("a call too many is wrong, and a ledger that comes right a moment later is not", async () => {
  let asked = 0;
  const late = async () => {
    asked += 1;
    return { days: [{ ...day, runs: asked > 1 ? 2 : 1, reserved_usd: asked > 2 ? 0 : 0.5 }] };
  };
  expect((await auditRuns(RUNS, 11, late)).wrong).toEqual(["10 model calls were wanted, 11 were made"]);
  expect(asked).toBe(3);
});
