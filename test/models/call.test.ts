/** One call under a deadline and a signal. */
import { describe, expect, test, vi } from "vitest";
import { callOnce, toCallFailure, wholeMs } from "../../src/models/call.ts";

const never = () => new Promise<never>(() => undefined);

describe("callOnce", () => {
  test("gives the answer, and leaves neither timer nor listener behind", async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const remove = vi.spyOn(controller.signal, "removeEventListener");
    expect(await callOnce(1_000, controller.signal, async () => 7)).toEqual({ kind: "answer", answer: 7 });
    expect(vi.getTimerCount()).toBe(0);
    expect(remove).toHaveBeenCalledTimes(1);
    vi.useRealTimers();
  });

  test("gives what the call threw, synchronously or not", async () => {
    const error = new Error("no");
    const throwing = () => {
      throw error;
    };
    expect(await callOnce(1_000, new AbortController().signal, throwing)).toEqual({ kind: "thrown", error });
    expect(await callOnce(1_000, new AbortController().signal, () => Promise.reject(error))).toEqual({
      kind: "thrown",
      error,
    });
  });

  test("ends at the deadline although the call does not, and tells the call to stop", async () => {
    vi.useFakeTimers();
    let inner: AbortSignal | undefined;
    const end = callOnce(5_000, new AbortController().signal, (signal) => {
      inner = signal;
      return never();
    });
    await vi.advanceTimersByTimeAsync(4_999);
    expect(inner?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await end).toEqual({ kind: "timeout", sent: true });
    expect(inner?.aborted).toBe(true);
    vi.useRealTimers();
  });

  test("ends with our signal although the call does not", async () => {
    const controller = new AbortController();
    const end = callOnce(60_000, controller.signal, never);
    controller.abort();
    expect(await end).toEqual({ kind: "aborted", sent: true });
  });

  test("does not start when the signal has fired", async () => {
    const call = vi.fn(never);
    expect(await callOnce(1_000, AbortSignal.abort(), call)).toEqual({ kind: "aborted", sent: false });
    expect(call).not.toHaveBeenCalled();
  });

  test.each([0, -1, Number.NaN])("does not start when %d ms are left", async (timeoutMs) => {
    const call = vi.fn(never);
    expect(await callOnce(timeoutMs, new AbortController().signal, call)).toEqual({ kind: "timeout", sent: false });
    expect(call).not.toHaveBeenCalled();
  });

  test("a call that fails after its end bothers nobody", async () => {
    const controller = new AbortController();
    let reject: (error: Error) => void = () => undefined;
    const end = callOnce(60_000, controller.signal, () => new Promise<never>((_, fail) => (reject = fail)));
    controller.abort();
    expect(await end).toEqual({ kind: "aborted", sent: true });
    reject(new Error("too late"));
    await Promise.resolve();
  });
});

test.each([
  [1_000.9, 1_000],
  [0, 1],
  [-5, 1],
  [0.3, 1],
  [1e12, 2 ** 31 - 1],
])("wholeMs(%d) is %d", (ms, expected) => expect(wholeMs(ms)).toBe(expected));

describe("toCallFailure", () => {
  const caused = (code: string) =>
    new Error("Connection error.", {
      cause: new TypeError("fetch failed", { cause: Object.assign(new Error("secret"), { code }) }),
    });
  test.each([
    ["ECONNREFUSED", true],
    ["ENOTFOUND", true],
    ["EAI_AGAIN", true],
    ["ECONNRESET", false],
    ["UND_ERR_SOCKET", false],
  ])("%s: unbilled %s, and no text of the error is repeated", (code, unbilled) => {
    const failure = toCallFailure({ kind: "connection", error: caused(code) }, "Acme", 1_000);
    expect(failure).toMatchObject({ kind: "retryable", code: "connection", unbilled });
    expect(failure.message).toContain(code);
    expect(failure.message).not.toContain("secret");
  });

  test.each(["timeout", "aborted"] as const)(
    "%s: billed for all we know once it was sent, and never before",
    (kind) => {
      expect(toCallFailure({ kind, sent: true }, "Acme", 1_500)).toMatchObject({
        code: kind,
        unbilled: false,
        status: null,
      });
      expect(toCallFailure({ kind, sent: false }, "Acme", 1_500)).toMatchObject({ code: kind, unbilled: true });
    },
  );

  test("an error of no known kind is a broken connection", () => {
    expect(toCallFailure({ kind: "connection", error: "boom" }, "Acme", 1_000)).toMatchObject({
      kind: "retryable",
      unbilled: false,
    });
    expect(toCallFailure({ kind: "connection", error: { code: "ECONNREFUSED" } }, "Acme", 1_000)).toMatchObject({
      unbilled: false,
    });
  });
});
