import { afterEach, describe, expect, it, vi } from "vitest";
import type { Model, ModelOutcome } from "../../src/agent/model.ts";
import { createStepDriver } from "../../src/durable/driver.ts";
import { err, ok } from "../../src/lib/result.ts";
import { functionModel, replied } from "../fakes/function-model.ts";
import { finalAnswerTool } from "../fakes/memory-run.ts";
import { storedRun } from "./stored-run.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const TOOLS = new Map([[finalAnswerTool.name, finalAnswerTool]]);

function heldModel(): { readonly model: Model; readonly signals: AbortSignal[]; release(outcome: ModelOutcome): void } {
  const gate = Promise.withResolvers<ModelOutcome>();
  const signals: AbortSignal[] = [];
  const complete = (_request: unknown, signal: AbortSignal) => {
    signals.push(signal);
    return gate.promise;
  };
  return { model: { ...functionModel(() => replied({ text: "x" })), complete }, signals, release: gate.resolve };
}

describe("step driver", () => {
  it("O1: is busy from the call on until the step has ended", async () => {
    const { model, release } = heldModel();
    const run = storedRun({}, model);
    const driver = createStepDriver();
    expect(driver.isBusy(Date.now())).toBe(false);
    const step = driver.drive(run.journal, { model: ok(model), tools: TOOLS });
    expect(driver.isBusy(Date.now())).toBe(true);
    release(replied({ text: "Two." }));
    expect(await step).toEqual({ kind: "finished" });
    expect(driver.isBusy(Date.now())).toBe(false);
  });

  it("O1: a step that never comes back blocks nobody for ever, and settles nothing when it does", async () => {
    const stuck = heldModel();
    const run = storedRun({}, stuck.model);
    const driver = createStepDriver();
    const first = driver.drive(run.journal, { model: ok(stuck.model), tools: TOOLS });
    await vi.waitFor(() => expect(stuck.signals).toHaveLength(1));
    const abortAt = run.journal.load().attempt?.abortAt ?? 0;
    // Its call may end as late as that, and then it still has to settle.
    expect(driver.isBusy(abortAt + 10_000)).toBe(true);
    expect(driver.isBusy(abortAt + 60_000)).toBe(false);
    const reserved = run.journal.load().attempt?.reservedNanoUsd ?? 0;
    const answer = functionModel(() => replied({ text: "Three." }));
    expect(await driver.drive(run.journal, { model: ok(answer), tools: TOOLS })).toEqual({ kind: "finished" });
    const ended = run.journal.load();
    expect(ended.ending?.answer).toBe("Three.");
    expect(ended.usage.costNanoUsd).toBeGreaterThan(reserved);
    stuck.release(replied({ text: "Two." }));
    expect(await first).toEqual({ kind: "superseded" });
    expect(run.journal.load()).toEqual(ended);
  });

  it("L3: the signal of a call aborts when its time is up, and at once when the run is cancelled", async () => {
    vi.useFakeTimers();
    const timed = heldModel();
    const one = storedRun({}, timed.model);
    const driver = createStepDriver();
    const step = driver.drive(one.journal, { model: ok(timed.model), tools: TOOLS });
    await vi.advanceTimersByTimeAsync(59_000);
    expect(timed.signals[0]?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1_001);
    expect(timed.signals[0]?.aborted).toBe(true);
    timed.release(replied({ text: "Late." }));
    await step;
    expect(vi.getTimerCount()).toBe(0);

    const cancelled = heldModel();
    const two = storedRun({}, cancelled.model);
    const other = createStepDriver();
    const open = other.drive(two.journal, { model: ok(cancelled.model), tools: TOOLS });
    await vi.advanceTimersByTimeAsync(1);
    other.abort();
    expect(cancelled.signals[0]?.aborted).toBe(true);
    cancelled.release(replied({ text: "Late." }));
    await open;
  });

  it("L4: whatever a step throws ends the run as failed; what was reserved is spent", async () => {
    const write = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const model = functionModel(() => {
      throw new TypeError("a bug with the question in it");
    });
    const run = storedRun({}, model);
    const result = await createStepDriver().drive(run.journal, { model: ok(model), tools: TOOLS });
    expect(result).toEqual({ kind: "broke" });
    const state = run.reopen().load();
    expect(state.ending).toMatchObject({ outcome: "failed", stopReason: "error", answer: null });
    expect(state.attempt).toBeNull();
    expect(state.usage.costNanoUsd).toBeGreaterThan(0);
    expect(write).toHaveBeenCalledTimes(1);
  });

  it("a model that cannot be used any more ends the run with the reason", async () => {
    const run = storedRun();
    const unusable = { model: err("The model x needs KEY, which is not set."), tools: TOOLS };
    expect(await createStepDriver().drive(run.journal, unusable)).toEqual({ kind: "broke" });
    expect(run.journal.load().ending).toMatchObject({ outcome: "failed", message: unusable.model.error });
  });

  it("E3: an error of the platform is thrown on and ends nothing", async () => {
    const model = functionModel(() => replied({ text: "x" }));
    const run = storedRun({}, model);
    const reset = new Error("Durable Object reset because its code was updated.");
    const journal = { ...run.journal, save: () => Promise.reject(reset) };
    await expect(createStepDriver().drive(journal, { model: ok(model), tools: TOOLS })).rejects.toBe(reset);
    expect(run.reopen().load().ending).toBeNull();
  });
});
