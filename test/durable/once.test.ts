import { describe, expect, it } from "vitest";
import { createOnce } from "../../src/durable/once.ts";

describe("one task at a time", () => {
  it("runs the first, and lets who asks meanwhile wait for the same end", async () => {
    const once = createOnce();
    const done: string[] = [];
    let finish = (): void => undefined;
    const first = once.run(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    const second = once.run(async () => void done.push("second"));
    expect(once.isRunning()).toBe(true);
    finish();
    await Promise.all([first, second]);
    expect([once.isRunning(), done]).toEqual([false, []]);
  });

  it("runs the next after the end of one, also of one that failed", async () => {
    const once = createOnce();
    await expect(once.run(() => Promise.reject(new Error("broke")))).rejects.toThrow("broke");
    const done: string[] = [];
    await once.run(async () => void done.push("next"));
    expect(done).toEqual(["next"]);
  });
});
