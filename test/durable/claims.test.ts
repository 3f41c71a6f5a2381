import { expect, it } from "vitest";
import { claimKey } from "../../src/durable/claims.ts";
import { migrateLedger } from "../../src/durable/ledger.ts";
import { createMemoryStorage } from "../fakes/memory-storage.ts";

const DAY_MS = 86_400_000;

function claims() {
  const storage = createMemoryStorage();
  migrateLedger(storage);
  return (key: string, body: string, runId: string, now: number, keptMs?: number) =>
    claimKey(storage.sql, key, body, runId, now, keptMs);
}

it("C32: a key keeps its first run for a day, for the same request", () => {
  const claim = claims();
  expect(claim("k", "b", "r1", 0)).toEqual({ kind: "claimed", runId: "r1", expiresAt: DAY_MS });
  expect(claim("k", "b", "r2", DAY_MS - 1)).toEqual({ kind: "same", runId: "r1", expiresAt: DAY_MS });
  expect(claim("k", "other", "r2", 1)).toEqual({ kind: "other_body" });
  expect(claim("K", "b", "r3", 1)).toMatchObject({ kind: "claimed", runId: "r3" });
  expect(claim("k", "other", "r4", DAY_MS)).toMatchObject({ kind: "claimed", runId: "r4" });
});

it("a door may keep its keys longer", () => {
  const claim = claims();
  claim("k", "b", "r1", 0, 3 * DAY_MS);
  expect(claim("k", "b", "r2", 2 * DAY_MS)).toMatchObject({ kind: "same", runId: "r1" });
});
