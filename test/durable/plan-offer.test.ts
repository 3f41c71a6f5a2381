import { expect, it, vi } from "vitest";
import { keptFrom } from "../../src/durable/plan-offer.ts";
import { storedRun } from "./stored-run.ts";

it("a run is kept from its end; while it goes on, its storage is not read for that", async () => {
  const run = storedRun();
  await run.step();
  const exec = vi.spyOn(run.storage.sql, "exec");
  expect(keptFrom(run.journal)).toBe(0);
  expect(exec).not.toHaveBeenCalled();
  await run.step();
  await run.step();
  expect(keptFrom(run.journal)).toBe(run.journal.load().ending?.at);
});
