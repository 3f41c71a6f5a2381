import { describe, expect, test } from "vitest";
import type { StepReply } from "../../src/durable/contract.ts";
import { driveRun } from "../../src/http/drive.ts";
import { createWorld, type FakeRun, NOW } from "../fakes/fake-run-object.ts";
import { createHarness } from "./harness.ts";

async function startedRun(change: (run: FakeRun) => void = () => undefined) {
  const harness = createHarness();
  const id = await harness.ask();
  const object = harness.runs.get(id)!;
  object.calls.length = 0;
  change(object);
  const run = object.run!;
  const kept: Promise<unknown>[] = [];
  const { ports } = createWorld();
  const drive = (waitMs: number, signal = new AbortController().signal) =>
    driveRun(run, object, { ports, waitMs, signal, keepAlive: (promise) => kept.push(promise) });
  return { object, drive, kept, ports };
}

describe("driveRun", () => {
  test("calls the object once a step until the run is finished", async () => {
    const { object, drive } = await startedRun((run) => {
      run.stepsToEnd = 5;
    });
    expect(await drive(60_000)).toMatchObject({ status: "finished", usage: { steps: 5 } });
    expect(object.calls).toEqual(Array.from({ length: 5 }, () => "step"));
  });

  test("gives the run as it is when the wait ends between two steps, not as it was at the start", async () => {
    const { object, drive, ports } = await startedRun((run) => {
      run.stepsToEnd = 50;
    });
    const { step } = object;
    object.step = async (...given) => {
      await ports.sleep(400);
      return step.apply(object, given);
    };
    const run = await drive(1_000);
    expect(run).toMatchObject({ status: "running" });
    expect(run.usage.steps).toBeGreaterThan(0);
    expect(object.calls.at(-1)).toBe("view");
  });

  test("waits for a retry that comes within the wait, and goes on", async () => {
    const { object, drive, ports } = await startedRun((run) => {
      run.script.push("waiting");
      run.waitingUntil = new Date(NOW + 4_000).toISOString();
    });
    expect(await drive(60_000)).toMatchObject({ status: "finished" });
    expect(object.calls).toEqual(["step", "step", "step"]);
    expect(ports.now() - NOW).toBeGreaterThanOrEqual(4_000);
  });

  test("stops when the wait is over, in the middle of a step, and keeps the step alive", async () => {
    const { object, drive, kept } = await startedRun();
    object.step = () => new Promise<StepReply>(() => undefined);
    expect(await drive(1_000)).toMatchObject({ status: "running" });
    expect(kept).toHaveLength(1);
  });

  test("a step that fails after the wait is nobody's unhandled rejection", async () => {
    const { object, drive, kept } = await startedRun();
    let fail: (error: Error) => void = () => undefined;
    object.step = () => new Promise<StepReply>((_, reject) => (fail = reject));
    await drive(1_000);
    fail(new Error("late"));
    await expect(kept[0]).resolves.toBeUndefined();
  });

  test("asks for no further step once the client is gone", async () => {
    const { object, drive } = await startedRun();
    expect(await drive(60_000, AbortSignal.abort())).toMatchObject({ status: "running" });
    expect(object.calls).toEqual([]);
  });

  test("a fault of the object reaches the caller", async () => {
    const { drive } = await startedRun((run) => run.script.push(new Error("broke")));
    await expect(drive(60_000)).rejects.toThrow("broke");
  });

  test("a run that is gone is given back as it was", async () => {
    const { drive } = await startedRun((run) => run.script.push("not_found"));
    expect(await drive(60_000)).toMatchObject({ status: "running" });
  });
});
