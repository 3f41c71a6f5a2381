/** The verdict on every finish reason, and when a failed call is tried again (C14, C26, C27, F). */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FinishReason } from "../../src/agent/model.ts";
import { judgeReply, retryAt, TRIES_MAX, type Verdict } from "../../src/agent/recovery.ts";
import { callOf, failureWith, replyWith, stateWith } from "./states.ts";

const NOW = 5_000_000;
const LATER = NOW + 1_000_000;

type Shape = "calls" | "text" | "both" | "nothing" | "spaces";
const SHAPES: { readonly [S in Shape]: Parameters<typeof replyWith>[0] } = {
  calls: { calls: [callOf("c1")] },
  text: { text: "347." },
  both: { text: "Let me see.", calls: [callOf("c1"), callOf("c2")] },
  nothing: {},
  spaces: { text: " \n\t" },
};

const tools: Verdict = { kind: "tools" };
const answer: Verdict = { kind: "answer" };
const refusal: Verdict = { kind: "refusal" };
const empty = (why: string): Verdict => ({ kind: "empty", why });
const cut = (what: "thinking" | "tool_call" | "text", full = false): Verdict => ({ kind: "cut", what, full });
const paused = empty("paused");
const silent = empty("ended without a word");
const announced = empty("announced a tool call and made none");

/** Every finish reason times every shape of a reply. */
const VERDICTS: { readonly [F in FinishReason]: { readonly [S in Shape]: Verdict } } = {
  end_turn: { calls: tools, text: answer, both: tools, nothing: silent, spaces: silent },
  stop_sequence: { calls: tools, text: answer, both: tools, nothing: silent, spaces: silent },
  tool_use: { calls: tools, text: announced, both: tools, nothing: announced, spaces: announced },
  pause_turn: { calls: tools, text: paused, both: tools, nothing: paused, spaces: paused },
  refusal: { calls: refusal, text: refusal, both: refusal, nothing: refusal, spaces: refusal },
  max_tokens: {
    calls: cut("tool_call"),
    text: cut("text"),
    both: cut("tool_call"),
    nothing: cut("thinking"),
    spaces: cut("thinking"),
  },
  other: {
    calls: cut("tool_call"),
    text: cut("text"),
    both: cut("tool_call"),
    nothing: cut("thinking"),
    spaces: cut("thinking"),
  },
  context_window: {
    calls: cut("tool_call", true),
    text: cut("text", true),
    both: cut("tool_call", true),
    nothing: cut("thinking", true),
    spaces: cut("thinking", true),
  },
};

const CASES = (Object.keys(VERDICTS) as FinishReason[]).flatMap((finish) =>
  (Object.keys(SHAPES) as Shape[]).map((shape) => [finish, shape, VERDICTS[finish][shape]] as const),
);

describe("judgeReply", () => {
  it.each(CASES)("C14: a reply that ended with %s and holds %s is %o", (finish, shape, verdict) => {
    expect(judgeReply(replyWith({ ...SHAPES[shape], finish }))).toEqual(verdict);
  });

  it("two calls with one id are nothing to act on, whatever the finish reason", () => {
    for (const finish of Object.keys(VERDICTS) as FinishReason[]) {
      const reply = replyWith({ calls: [callOf("same"), callOf("same")], finish });
      expect(judgeReply(reply)).toEqual(empty("gave two tool calls the same id"));
    }
  });
});

describe("arguments that no JSON writer takes", () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
  it.each(Object.keys(VERDICTS) as FinishReason[])(
    "F17: are nothing to act on when the reply ended with %s",
    (finish) => {
      const deep = replyWith({ calls: [{ ...callOf("c1"), input: nested(101) }], finish });
      expect(judgeReply(deep)).toEqual(empty("nested the arguments of a tool call too deeply"));
      const deepest = replyWith({ calls: [{ ...callOf("c1"), input: nested(100) }], finish });
      expect(judgeReply(deepest)).not.toEqual(judgeReply(deep));
    },
  );
});

describe("retryAt", () => {
  const at = (parts: Parameters<typeof failureWith>[0], failedTries = 0, random = 0, deadline = LATER) =>
    retryAt(failureWith(parts), stateWith({ failedTries }), deadline, NOW, random);

  it.each([
    [0, 0, 500],
    [1, 0, 1_000],
    [2, 0, 2_000],
    [0, 0.999, 999],
    [1, 0.999, 1_499],
    [2, 0.5, 2_250],
  ])("C27: after %s failed tries and a jitter of %s the wait is %s ms", (failedTries, random, waitMs) => {
    expect(at({}, failedTries, random)).toBe(NOW + waitMs);
  });

  it("C27: four tries in all, the first included", () => {
    expect(TRIES_MAX).toBe(4);
    expect(at({}, 2)).not.toBeNull();
    expect(at({}, 3)).toBeNull();
    expect(at({}, 4)).toBeNull();
  });

  it.each([
    ["a timeout", { code: "timeout" }],
    ["an abort of ours", { kind: "aborted" as const, code: "aborted" }],
  ])("C11: %s is tried once more and no oftener", (_what, parts) => {
    expect(at(parts, 0)).toBe(NOW + 500);
    expect(at(parts, 1)).toBeNull();
  });

  it("C26: what is fatal is never tried again", () => {
    expect(at({ kind: "fatal", code: "authentication" })).toBeNull();
  });

  it.each([
    [100, 500],
    [500, 500],
    [501, 501],
    [20_000, 20_000],
  ])("a retry-after of %s ms waits %s ms: the longer of it and the backoff", (retryAfterMs, waitMs) => {
    expect(at({ retryAfterMs })).toBe(NOW + waitMs);
  });

  it("a wait that would end at the deadline or later is not begun", () => {
    expect(at({}, 0, 0, NOW + 501)).toBe(NOW + 500);
    expect(at({}, 0, 0, NOW + 500)).toBeNull();
    expect(at({}, 0, 0, NOW + 499)).toBeNull();
  });

  it("is always after now and before the deadline, or null", () => {
    const parts = fc.record({
      tries: fc.nat(5),
      random: fc.double({ min: 0, max: 0.9999, noNaN: true }),
      leftMs: fc.nat(5_000),
      retryAfterMs: fc.option(fc.nat(10_000)),
    });
    fc.assert(
      fc.property(parts, ({ tries, random, leftMs, retryAfterMs }) => {
        const when = at({ retryAfterMs }, tries, random, NOW + leftMs);
        if (when === null) return;
        expect(when).toBeGreaterThan(NOW);
        expect(when).toBeLessThan(NOW + leftMs);
        expect(when - NOW).toBeGreaterThanOrEqual(retryAfterMs ?? 500);
      }),
    );
  });
});
