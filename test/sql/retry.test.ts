/** Tries of one call. */
import { expect, it } from "vitest";
import { createRetry } from "../../src/sql/retry.ts";

const lost = new Error("D1_ERROR: Network connection lost.");

function world(errors: readonly Error[], signal: AbortSignal | null = null) {
  const pauses: number[] = [];
  let calls = 0;
  const retry = createRetry(signal, async (durationMs) => {
    pauses.push(durationMs);
  });
  const run = () =>
    retry(async () => {
      const error = errors[calls];
      calls += 1;
      if (error !== undefined) throw error;
      return "rows";
    });
  return { run, pauses, calls: () => calls };
}

it("C27: tries a passing fault again, a little later each time", async () => {
  const { run, pauses, calls } = world([lost, lost]);
  expect([await run(), calls(), pauses]).toEqual(["rows", 3, [50, 100]]);
});

it("gives up after three tries, with the last error", async () => {
  const { run, calls } = world([lost, lost, lost, lost]);
  await expect(run()).rejects.toBe(lost);
  expect(calls()).toBe(3);
});

it.each([
  "D1_ERROR: no such table: x: SQLITE_ERROR",
  "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
  "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
  "a bug of ours",
])("does not try again after %j", async (message) => {
  const { run, calls } = world([new Error(message)]);
  await expect(run()).rejects.toThrow(message);
  expect(calls()).toBe(1);
});

it("does not try again once the time is over", async () => {
  const { run, calls } = world([lost, lost], AbortSignal.abort());
  await expect(run()).rejects.toBe(lost);
  expect(calls()).toBe(1);
});
