import { describe, expect, it } from "vitest";
import { ceilingReached } from "../../src/agent/budget.ts";
import { forkState } from "../../src/agent/fork.ts";
import type { Limits } from "../../src/agent/limits.ts";
import { type AgentState, EXPIRY_MS, type StopReason, stateSchema } from "../../src/agent/state.ts";
import { AGAIN, endingWith, limitsWith, START, type StateParts, stateWith } from "./states.ts";

const NOW = START + 3_600_000;

/** A run that ended after five steps, and its checkpoint after step `step`. */
function finished(reason: StopReason, parts: StateParts = {}, step = 5): [AgentState, AgentState] {
  const usage = { steps: 5, hops: 5, errors: 1, modelCalls: 7, activeMs: 9_000, rowsRead: 50, costNanoUsd: 8_000_000 };
  const ending = endingWith({ outcome: "stopped", stopReason: reason, failed: true, answer: null });
  const parent = stateWith({ usage, phase: "finish", messages: 11, events: 40, results: 5, ending, ...parts });
  const then = { steps: step, hops: step, errors: 0, modelCalls: step, activeMs: 1_000 * step, costNanoUsd: 1_000_000 };
  const checkpoint = stateWith({
    ...parts,
    usage: then,
    phase: "observation",
    messages: 1 + 2 * step,
    events: 5 * step,
    results: step,
    memo: { notes: [`note ${step}`], plan: [], brainstormed: true },
    ending: null,
  });
  return [checkpoint, parent];
}

function fork(
  pair: [AgentState, AgentState],
  kind: "continue" | "fork",
  limits: Partial<Limits> = {},
  approveAboveRows: number | null = null,
) {
  return forkState(pair[0], pair[1], { id: "run_2", kind, limits: limitsWith(limits), approveAboveRows }, NOW);
}

describe("continue", () => {
  it("starts with all that the old run used, and leaves nothing of its ending", () => {
    const pair = finished("max_steps", { limits: { stepsMax: 5 } });
    const made = fork(pair, "continue", { stepsMax: 10 });
    if (!made.ok) throw new Error(made.error.message);
    expect(made.value.usage).toEqual(pair[1].usage);
    expect(made.value).toMatchObject({
      id: "run_2",
      phase: "observation",
      ending: null,
      attempt: null,
      messages: 11,
      results: 5,
      parent: { runId: "run_1", step: 5, kind: "continue" },
      createdAt: NOW,
      expiresAt: NOW + EXPIRY_MS,
    });
    expect(stateSchema.parse(made.value)).toEqual(made.value);
    expect(ceilingReached(made.value, NOW)).toBeNull();
  });

  it.each([
    ["max_steps", { stepsMax: 5 }, { stepsMax: 6 }],
    ["max_hops", { hopsMax: 5 }, { hopsMax: 6 }],
    ["error_budget", { errorsMax: 1 }, { errorsMax: 2 }],
    ["budget", { costNanoUsdMax: 8_000_000 }, { costNanoUsdMax: 8_000_001 }],
    ["timeout", { wallClockMs: 9_000 }, { wallClockMs: 60_000 }],
  ] as const)("after %s is refused until that limit is raised, and names it", (reason, old, raised) => {
    const pair = finished(reason, { limits: old });
    const same = fork(pair, "continue", old);
    expect(same).toMatchObject({ ok: false, error: { reason: "limit_not_raised" } });
    if (!same.ok) expect(same.error.message).toMatch(/max_steps|max_hops|max_errors|budget_usd|wall_clock_s/);
    expect(fork(pair, "continue", raised).ok).toBe(true);
  });

  it.each(["done", "cancelled", "refusal", "error"] as const)("is refused after %s", (reason) => {
    const made = fork(finished(reason), "continue", { stepsMax: 100 });
    expect(made).toMatchObject({ ok: false, error: { reason: "not_continuable" } });
  });

  it.each(["continue", "fork"] as const)("C18: of a run that followed a stored plan is refused: %s", (kind) => {
    const [checkpoint, last] = finished("max_steps");
    const made = fork([checkpoint, { ...last, again: AGAIN }], kind, { stepsMax: 100 });
    expect(made).toMatchObject({
      ok: false,
      error: { reason: "not_continuable", message: expect.stringContaining("stored plan") },
    });
  });

  it("after a cycle begins with an empty detector, so that it does not stop at once", () => {
    const recent = [{ signature: "s", result: "h", step: 1 }];
    const pair = finished("cycle");
    const made = fork([{ ...pair[0], recent: recent as never, rung: 3, badReplies: 2 }, pair[1]], "continue");
    expect(made).toMatchObject({ ok: true, value: { recent: [], rung: 0, badReplies: 0 } });
  });

  it("is refused while another meter stands at its limit", () => {
    const made = fork(finished("max_steps", { limits: { stepsMax: 5 } }), "continue", { stepsMax: 9, hopsMax: 5 });
    expect(made).toMatchObject({ ok: false, error: { reason: "limit_not_raised" } });
    if (!made.ok) expect(made.error.message).toContain("max_hops");
  });
});

describe("fork", () => {
  it("B26: holds what step k held, while money, calls, rows and time stay spent", () => {
    const pair = finished("done", {}, 2);
    const made = fork(pair, "fork");
    if (!made.ok) throw new Error(made.error.message);
    const { usage, messages, results, memo, recent, rung } = made.value;
    expect({ messages, results, memo, recent, rung }).toEqual({
      messages: pair[0].messages,
      results: pair[0].results,
      memo: pair[0].memo,
      recent: pair[0].recent,
      rung: pair[0].rung,
    });
    expect(usage).toEqual({ ...pair[1].usage, steps: 2, hops: 2, errors: 0 });
    expect(made.value.parent).toEqual({ runId: "run_1", step: 2, kind: "fork" });
  });

  it.each([
    [null, null, null],
    [500, null, 500],
    [null, 0, 0],
    [500, 20, 20],
    [20, 500, 20],
  ])(
    "C47: of a run that asked above %s rows, when its caller is now asked above %s, asks above %s",
    (then, now, both) => {
      for (const kind of ["continue", "fork"] as const) {
        const pair = finished("max_hops", { approveAboveRows: then, limits: { hopsMax: 5 } });
        expect(fork(pair, kind, { hopsMax: 9 }, now)).toMatchObject({ ok: true, value: { approveAboveRows: both } });
      }
    },
  );

  it("never spends the same dollar twice: a fork of a run without money left is refused", () => {
    const pair = finished("budget", { limits: { costNanoUsdMax: 8_000_000 } }, 1);
    const made = fork(pair, "fork", { costNanoUsdMax: 8_000_000 });
    expect(made).toMatchObject({ ok: false, error: { reason: "limit_not_raised" } });
  });

  it("leaves the states it is made from as they were", () => {
    const pair = finished("done", {}, 3);
    const before = structuredClone(pair);
    fork(pair, "fork");
    expect(pair).toEqual(before);
  });
});
