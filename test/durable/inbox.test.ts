import { beforeEach, describe, expect, it } from "vitest";
import { dropStart, dueStarts, keepStart, keptStart, nextStartAt, postponeStart } from "../../src/durable/inbox.ts";
import { migrateLedger } from "../../src/durable/ledger.ts";
import { createMemoryStorage, type MemoryStorage } from "../fakes/memory-storage.ts";
import { startInput } from "./stored-run.ts";

const NOW = 1_700_000_000_000;
let storage: MemoryStorage;

beforeEach(() => {
  storage = createMemoryStorage();
  migrateLedger(storage);
});

const keep = (id: string, at = NOW): void => keepStart(storage.sql, id, JSON.stringify(startInput({ id })), at);
const dueIds = (at: number, max = 100): string[] => dueStarts(storage.sql, at, max).map(({ start }) => start.id);

describe("a question that was taken in", () => {
  it("begins a moment later when it is alone", () => {
    expect(nextStartAt(storage.sql)).toBeNull();
    keep("run_1");
    expect(nextStartAt(storage.sql)).toBe(NOW + 25);
    expect([dueIds(NOW + 24), dueIds(NOW + 25)]).toEqual([[], ["run_1"]]);
  });

  it("waits for the end of a burst, but not for long", () => {
    for (let index = 0; index < 300; index += 1) keep(`run_${index}`, NOW + index);
    expect(nextStartAt(storage.sql)).toBe(NOW + 299 + 500);
    keep("run_late", NOW + 2_400);
    expect(nextStartAt(storage.sql)).toBe(NOW + 2_500);
    expect(dueIds(NOW + 2_500, 3)).toEqual(["run_0", "run_1", "run_2"]);
  });

  it("comes back as it was given, under the id it was taken in with", () => {
    const start = startInput({ id: "run_other", question: "How many \u00fc?", callbackUrl: "https://example.com/" });
    keepStart(storage.sql, "run_1", JSON.stringify(start), NOW);
    expect(keptStart(storage.sql, "run_1")?.start).toEqual({ ...start, id: "run_1", slack: null, inheritedNanoUsd: 0 });
    expect(keptStart(storage.sql, "run_other")).toBeNull();
  });

  it("is kept once, and gone when it has begun", () => {
    keep("run_1");
    keep("run_1", NOW + 1_000);
    expect(dueIds(NOW + 25)).toEqual(["run_1"]);
    dropStart(storage.sql, "run_1");
    expect([nextStartAt(storage.sql), dueIds(NOW + 60_000)]).toEqual([null, []]);
  });

  it("is tried again later and later after a failure, for half an hour", () => {
    keep("run_1");
    const pauses: number[] = [];
    let now = NOW + 100;
    for (;;) {
      const kept = keptStart(storage.sql, "run_1");
      if (kept === null || !postponeStart(storage.sql, kept, now)) break;
      const next = nextStartAt(storage.sql) ?? 0;
      pauses.push(next - now);
      now = next;
    }
    expect(pauses.slice(0, 8)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(now - NOW).toBeGreaterThan(29 * 60_000);
    expect(keptStart(storage.sql, "run_1")).toBeNull();
  });

  it("that cannot be read is dropped, and holds up nobody", () => {
    keepStart(storage.sql, "run_bad", "{", NOW - 1);
    keep("run_1");
    expect(dueIds(NOW + 1_000)).toEqual(["run_1"]);
    expect(keptStart(storage.sql, "run_bad")).toBeNull();
  });
});
