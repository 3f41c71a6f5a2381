import { afterEach, describe, expect, it, vi } from "vitest";
import { advance } from "../../src/agent/advance.ts";
import { createAftermath, retentionMsOf, toAccount } from "../../src/durable/aftermath.ts";
import type { CallerApi, Settlement } from "../../src/durable/caller-contract.ts";
import type { ObjectNamespace } from "../../src/durable/contract.ts";
import { writeFact } from "../../src/durable/facts.ts";
import { hasTables } from "../../src/durable/layout.ts";
import { lateBillAt } from "../../src/durable/schedule.ts";
import { modelAttempt } from "../agent/states.ts";
import { storedRun } from "./stored-run.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Not the default: what is set is what counts. */
const RETENTION_MS = 7 * DAY_MS;

afterEach(() => {
  vi.restoreAllMocks();
});

/** The caller's ledger: it fails as often as it is told to, and remembers what it heard. */
function fakeCallers(failures = 0) {
  const heard: Settlement[] = [];
  let left = failures;
  const settle = async (settlement: Settlement): Promise<void> => {
    left -= 1;
    if (left >= 0) throw new Error("unreachable");
    heard.push(settlement);
  };
  const names: string[] = [];
  const callers = {
    idFromName: (name: string) => {
      names.push(name);
      return name;
    },
    get: () => ({ settle }),
  } as unknown as ObjectNamespace<CallerApi>;
  return { heard, names, callers };
}

async function finished() {
  const run = storedRun();
  await run.step();
  await run.step();
  await run.step();
  const ending = run.journal.load().ending;
  if (ending === null) throw new Error("the run is over");
  return { ...run, journal: run.journal, endedAt: ending.at };
}

describe("the caller's ledger", () => {
  it("is told once what the run cost", async () => {
    const { storage, journal, endedAt } = await finished();
    const { heard, names, callers } = fakeCallers();
    const aftermath = createAftermath(storage, callers, () => RETENTION_MS);
    expect(aftermath.settleAt(journal, endedAt)).toBe(endedAt);
    await aftermath.run(journal, false, endedAt);
    await aftermath.run(journal, false, endedAt + 1);
    expect(heard).toEqual([{ runId: "run_1", costNanoUsd: journal.load().usage.costNanoUsd, outcome: "answered" }]);
    expect(names).toEqual(["anna"]);
    expect(aftermath.settleAt(journal, endedAt)).toBeNull();
    expect(createAftermath(storage, callers, () => RETENTION_MS).settleAt(journal, endedAt)).toBeNull();
  });

  it("is told again after a failure, later and later", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { storage, journal, endedAt } = await finished();
    const { heard, callers } = fakeCallers(3);
    const aftermath = createAftermath(storage, callers, () => RETENTION_MS);
    const pauses: number[] = [];
    while (heard.length === 0) {
      const triedAt = Date.now();
      await aftermath.run(journal, false, aftermath.settleAt(journal, triedAt) ?? 0);
      const next = aftermath.settleAt(journal, triedAt);
      if (next !== null) pauses.push(Math.round((next - triedAt) / 1_000));
    }
    expect(pauses).toEqual([1, 2, 4]);
    expect(endedAt).toBeGreaterThan(0);
  });

  it("is not told while the bill of the last call is awaited, and is told the reservation when none comes", async () => {
    const run = storedRun();
    const attempt = modelAttempt({ startedAt: 1, abortAt: Date.now() + 1_000, reservedNanoUsd: 30_000_000 });
    run.journal.save(advance(run.journal.load(), { kind: "call_reserved", attempt }, Date.now()), []);
    run.journal.save(advance(run.journal.load(), { kind: "cancelled", partial: null }, Date.now()), []);
    const { heard, callers } = fakeCallers();
    const aftermath = createAftermath(run.storage, callers, () => RETENTION_MS);
    const dueAt = lateBillAt(attempt.abortAt);
    expect(aftermath.settleAt(run.journal, dueAt)).toBeNull();
    await aftermath.run(run.journal, false, dueAt - 1);
    await aftermath.run(run.journal, true, dueAt);
    expect(heard).toEqual([]);
    await aftermath.run(run.journal, false, dueAt);
    expect(heard).toEqual([{ runId: "run_1", costNanoUsd: 30_000_000, outcome: "cancelled" }]);
  });

  it("is told a correction when a bill changes what was told", async () => {
    const { storage, journal, endedAt } = await finished();
    const { heard, callers } = fakeCallers();
    const aftermath = createAftermath(storage, callers, () => RETENTION_MS);
    await aftermath.run(journal, false, endedAt);
    const state = journal.load();
    const dearer = { ...state, usage: { ...state.usage, costNanoUsd: state.usage.costNanoUsd + 1 } };
    await aftermath.run({ ...journal, load: () => dearer }, false, endedAt);
    expect(heard.map((entry) => entry.costNanoUsd)).toEqual([state.usage.costNanoUsd, dearer.usage.costNanoUsd]);
  });
});

describe("the account", () => {
  it("is open while the run goes on, and leaves out what was inherited", async () => {
    const run = storedRun();
    expect(toAccount(run.journal)).toEqual({ costNanoUsd: 0, outcome: null });
    const { journal } = await finished();
    const { costNanoUsd } = journal.load().usage;
    const child = { ...journal, settings: { ...journal.settings, inheritedNanoUsd: costNanoUsd - 5 } };
    expect(toAccount(child)).toEqual({ costNanoUsd: 5, outcome: "answered" });
  });
});

describe("retention", () => {
  it("deletes a run when its time is up, but not before the ledger has heard of it", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { storage, journal, endedAt } = await finished();
    const late = endedAt + RETENTION_MS;
    expect(await createAftermath(storage, fakeCallers(1).callers, () => RETENTION_MS).run(journal, false, late)).toBe(
      true,
    );
    const aftermath = createAftermath(storage, fakeCallers().callers, () => RETENTION_MS);
    expect(await aftermath.run(journal, false, late - 1)).toBe(true);
    expect(await aftermath.run(journal, false, late)).toBe(false);
    expect(hasTables(storage.sql)).toBe(false);
  });

  it("counts from the end where the note of a later wish is no instant", async () => {
    const { storage, journal, endedAt } = await finished();
    writeFact(storage.sql, "asked_again_at", "{");
    const aftermath = createAftermath(storage, fakeCallers().callers, () => RETENTION_MS);
    expect(await aftermath.run(journal, false, endedAt)).toBe(true);
    expect(await aftermath.run(journal, false, endedAt + RETENTION_MS)).toBe(false);
  });

  it("the time is the operator's setting; while the settings cannot be read, nothing is deleted early", () => {
    expect(retentionMsOf({})).toBe(30 * DAY_MS);
    expect(retentionMsOf({ QUERENT_RETENTION_DAYS: "7" })).toBe(7 * DAY_MS);
    expect(retentionMsOf({ QUERENT_RETENTION_DAYS: "7", QUERENT_CALLERS: "{" })).toBe(365 * DAY_MS);
    expect(retentionMsOf({ QUERENT_RETENTION_DAYS: "0" })).toBe(365 * DAY_MS);
  });
});
