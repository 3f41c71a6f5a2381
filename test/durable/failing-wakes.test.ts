import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createWakeGuard, type Wake } from "../../src/durable/failing-wakes.ts";
import { hasTables } from "../../src/durable/layout.ts";
import { WATCHDOG_MS } from "../../src/durable/schedule.ts";
import { createMemoryStorage } from "../fakes/memory-storage.ts";
import { type StoredRun, storedRun } from "./stored-run.ts";

const NOW = 1_800_000_000_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function wakeOf(run: Pick<StoredRun, "storage" | "journal">, isFresh: boolean, act: () => Promise<void>): Wake {
  return {
    act,
    setAlarm: (at) => run.storage.setAlarm(at),
    journal: () => (isFresh ? null : run.journal),
  };
}

const die = (): Promise<never> => Promise.reject(new RangeError("a bug"));

describe("wakes that kill the object", () => {
  /** A crash: the count is on disk, and the wake never comes back. */
  async function crash(run: StoredRun): Promise<void> {
    const died = new Error("Application called abort");
    await createWakeGuard(run.storage)
      .run(wakeOf(run, true, () => Promise.reject(died)))
      .catch(() => undefined);
  }

  it("E5, E9: are given up after six in a row, with the cost kept", async () => {
    const run = storedRun();
    await run.step();
    const { costNanoUsd } = run.journal.load().usage;
    expect(costNanoUsd).toBeGreaterThan(0);
    for (let wake = 1; wake <= 6; wake += 1) {
      await crash(run);
      expect(run.reopen().load().ending).toBeNull();
    }
    await crash(run);
    const ended = run.reopen().load();
    expect(ended.ending).toMatchObject({ outcome: "failed", stopReason: "error" });
    expect(ended.usage.costNanoUsd).toBe(costNanoUsd);
  });

  it("are forgotten when one has ended well", async () => {
    const run = storedRun();
    for (let round = 1; round <= 5; round += 1) {
      await crash(run);
      await crash(run);
      await createWakeGuard(run.storage).run(wakeOf(run, true, async () => undefined));
    }
    expect(run.reopen().load().ending).toBeNull();
  });

  it("leave nothing where there is no run", async () => {
    const storage = createMemoryStorage();
    const wake = { act: async () => undefined, setAlarm: (at: number) => storage.setAlarm(at), journal: () => null };
    await createWakeGuard(storage).run(wake);
    expect(hasTables(storage.sql)).toBe(false);
  });
});

describe("wakes that throw", () => {
  it("O4: are logged, the watchdog stands, and after six the run ends; then there is no hurry", async () => {
    const run = storedRun();
    const guard = createWakeGuard(run.storage);
    for (let wake = 1; wake <= 5; wake += 1) {
      await guard.run(wakeOf(run, false, die));
      expect(await run.storage.getAlarm()).toBe(NOW + WATCHDOG_MS);
      expect(run.journal.load().ending).toBeNull();
    }
    await guard.run(wakeOf(run, false, die));
    expect(run.journal.load().ending).toMatchObject({ outcome: "failed", stopReason: "error" });
    for (let wake = 7; wake <= 40; wake += 1) await guard.run(wakeOf(run, false, die));
    expect(await run.storage.getAlarm()).toBe(NOW + 3_600_000);
    expect(run.reopen().load()).toEqual(run.journal.load());
  });

  it("E3: with an error of the platform are not counted but thrown on, also from the first write", async () => {
    const run = storedRun();
    const guard = createWakeGuard(run.storage);
    const reset = new Error("Durable Object reset because its code was updated.");
    const wake = { ...wakeOf(run, false, die), setAlarm: () => Promise.reject(reset) };
    for (let times = 1; times <= 9; times += 1) await expect(guard.run(wake)).rejects.toBe(reset);
    expect(run.journal.load().ending).toBeNull();
    expect(console.error).not.toHaveBeenCalled();
  });
});
