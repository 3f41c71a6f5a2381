import { afterEach, describe, expect, it, vi } from "vitest";
import { isPlatformError, logBug } from "../../src/durable/faults.ts";
import { AssertionError } from "../../src/lib/assert.ts";
import { stateWith } from "../agent/states.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("errors of the platform", () => {
  it.each([
    new Error("Durable Object reset because its code was updated."),
    new Error("Durable Object storage operation exceeded timeout which caused object to be reset."),
    new Error("Application called abortAllDurableObjects()"),
    new Error("Network connection lost."),
    new Error("Durable Object is overloaded. Requests queued for too long."),
    Object.assign(new Error("anything"), { durableObjectReset: true }),
    Object.assign(new Error("anything"), { retryable: true }),
  ])("%s", (error) => {
    expect(isPlatformError(error)).toBe(true);
  });

  it.each([new TypeError("x is not a function"), new AssertionError("A4: over the limit"), "a text", null, undefined])(
    "%s is not one",
    (error) => {
      expect(isPlatformError(error)).toBe(false);
    },
  );
});

describe("the log line of a bug", () => {
  function lineOf(error: unknown): string {
    const write = vi.spyOn(console, "error").mockImplementation(() => undefined);
    logBug("step", stateWith(), error);
    return String(write.mock.lastCall?.[0]);
  }

  it("names the run, the place and the error, on one line", () => {
    const line = lineOf(new RangeError("row 4711 of Anna"));
    expect(JSON.parse(line)).toMatchObject({
      level: "error",
      event: "bug",
      where: "step",
      run: "run_1",
      phase: "thought",
      error: "RangeError",
      rule: null,
    });
    expect(JSON.parse(line).stack[0]).toMatch(/^at /);
    expect(line).not.toContain("\n");
  });

  it("tells the message only of a broken rule of ours, never of anything that may hold data", () => {
    expect(lineOf(new SyntaxError('Unexpected token in "secret question"'))).not.toContain("secret");
    expect(lineOf(new Error("one line\n    at Rows.of (secret:1:2)\n    at it (secret:3:4)"))).not.toContain("secret");
    expect(JSON.parse(lineOf(new AssertionError("L2: one attempt in flight"))).rule).toBe("L2: one attempt in flight");
    expect(lineOf("a thrown text with data")).not.toContain("with data");
  });
});
