import { PassThrough } from "node:stream";
import type { WriteStream } from "node:tty";
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openProgressScreen } from "../../src/cli/progress-screen.ts";

/** A terminal of 40 columns that remembers what was written to it. */
function fakeTerminal() {
  const written: string[] = [];
  const through = new PassThrough();
  through.on("data", (chunk) => written.push(String(chunk)));
  const stream = Object.assign(through, { columns: 40, isTTY: true, getColorDepth: () => 4, hasColors: () => true });
  Object.setPrototypeOf(stream, Object.create(PassThrough.prototype));
  return { stream, text: () => written.join("") };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const isTerminal = (stream: unknown): stream is WriteStream => stream !== null && typeof stream === "object";

describe("progress on a screen", () => {
  it("draws the lines of an event, and ticks with what goes on while nothing happens", () => {
    const terminal = fakeTerminal();
    if (!isTerminal(terminal.stream)) throw new Error("no terminal");
    const screen = openProgressScreen(terminal.stream);
    screen.draw({ type: "run_started", at: "2026-11-30T12:00:00.000Z" });
    screen.draw({ type: "step_started", at: "2026-11-30T12:00:00.100Z", step: 1 });
    vi.advanceTimersByTime(150);
    expect(terminal.text()).toContain("… step 1: the model is thinking, ");
    screen.draw({
      type: "model_replied",
      at: "2026-11-30T12:00:02.500Z",
      step: 1,
      text: "word ".repeat(20),
      calls: [],
    });
    expect(terminal.text()).toContain("Step 1 · $0 so far · 2.5 s");
    // Each redrawn line is within the 40 columns of the terminal.
    for (const line of stripVTControlCharacters(terminal.text()).split(/[\r\n]/)) {
      expect(line.length).toBeLessThanOrEqual(40);
    }
    screen.close();
    const before = terminal.text();
    vi.advanceTimersByTime(1000);
    expect(terminal.text()).toBe(before);
  });

  it("draws nothing where there is no terminal", () => {
    const screen = openProgressScreen(null);
    screen.draw({ type: "model_replied", at: "2026-11-30T12:00:00.000Z", step: 1, text: "a thought" });
    vi.advanceTimersByTime(1000);
    screen.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
