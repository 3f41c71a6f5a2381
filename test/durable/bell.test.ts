import { expect, it, vi } from "vitest";
import { createBell } from "../../src/durable/bell.ts";

it("wakes everybody who waits, once, and nobody who comes later", async () => {
  vi.useFakeTimers();
  const bell = createBell();
  const woken: string[] = [];
  const first = bell.wait(1_000).then(() => woken.push("first"));
  const second = bell.wait(1_000).then(() => woken.push("second"));
  bell.ring();
  await Promise.all([first, second]);
  expect(woken).toEqual(["first", "second"]);
  const late = bell.wait(1_000).then(() => woken.push("late"));
  await vi.advanceTimersByTimeAsync(999);
  expect(woken).not.toContain("late");
  await vi.advanceTimersByTimeAsync(1);
  await late;
  expect(woken.at(-1)).toBe("late");
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});
