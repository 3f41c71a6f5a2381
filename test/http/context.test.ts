import { describe, expect, test, vi } from "vitest";
import { callerObject, PRODUCTION_PORTS, runObject } from "../../src/http/context.ts";
import { createWorld } from "../fakes/fake-run-object.ts";

describe("objects", () => {
  test("are named by the run's id and the caller's name", () => {
    const { bindings, runs, callers } = createWorld();
    expect(runObject(bindings, "run_x")).toBe(runs.get("run_x"));
    expect(callerObject(bindings, "alice")).toBe(callers.get("alice"));
  });
});

describe("the ports of production", () => {
  test("a clock runs out once, unless it is stopped before", () => {
    vi.useFakeTimers();
    const told: string[] = [];
    PRODUCTION_PORTS.after(1_000, () => told.push("late"));
    const stop = PRODUCTION_PORTS.after(1_000, () => told.push("stopped"));
    stop();
    vi.advanceTimersByTime(5_000);
    vi.useRealTimers();
    expect(told).toEqual(["late"]);
  });

  test("give random bytes, other ids each time, and one JSON line a log entry", () => {
    expect(PRODUCTION_PORTS.randomBytes(16)).toHaveLength(16);
    expect(PRODUCTION_PORTS.randomBytes(16)).not.toEqual(PRODUCTION_PORTS.randomBytes(16));
    expect(PRODUCTION_PORTS.newId()).not.toBe(PRODUCTION_PORTS.newId());
    const write = vi.spyOn(console, "log").mockImplementation(() => undefined);
    PRODUCTION_PORTS.log({ level: "info", event: "run_opened", run: "run_x" });
    expect(write.mock.calls).toEqual([['{"level":"info","event":"run_opened","run":"run_x"}']]);
    write.mockRestore();
  });
});
