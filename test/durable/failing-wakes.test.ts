import { describe, expect, it } from "vitest";
import { countFailingWake, forgetFailingWakes } from "../../src/durable/failing-wakes.ts";
import { hasTables } from "../../src/durable/layout.ts";
import { createMemoryStorage } from "../fakes/memory-storage.ts";
import { storedRun } from "./stored-run.ts";

describe("wakes that kill the object", () => {
  it("E5, E9: are given up after six in a row, with the cost kept", async () => {
    const run = storedRun();
    await run.step();
    const { costNanoUsd } = run.journal.load().usage;
    expect(costNanoUsd).toBeGreaterThan(0);
    for (let wake = 1; wake <= 6; wake += 1) {
      await countFailingWake(run.storage);
      expect(run.reopen().load().ending).toBeNull();
    }
    await countFailingWake(run.storage);
    const ended = run.reopen().load();
    expect(ended.ending).toMatchObject({ outcome: "failed", stopReason: "error" });
    expect(ended.usage.costNanoUsd).toBe(costNanoUsd);
  });

  it("are forgotten when one has ended well", async () => {
    const run = storedRun();
    for (let wake = 1; wake <= 20; wake += 1) {
      await countFailingWake(run.storage);
      forgetFailingWakes(run.storage);
    }
    expect(run.reopen().load().ending).toBeNull();
  });

  it("leave nothing where there is no run", async () => {
    const storage = createMemoryStorage();
    await countFailingWake(storage);
    forgetFailingWakes(storage);
    expect(hasTables(storage.sql)).toBe(false);
  });
});
