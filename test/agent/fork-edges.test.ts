/** Carrying a run on: which limit must be raised, by how much, and what a fresh try forgets. */
import { describe, expect, it } from "vitest";
import { forkState } from "../../src/agent/fork.ts";
import type { Limits } from "../../src/agent/limits.ts";
import type { AgentState, StopReason } from "../../src/agent/state.ts";
import { endingWith, limitsWith, START, type StateParts, stateWith } from "./states.ts";

const NOW = START + 1_000;
const RECENT = { signature: "s", result: "r", tool: "t", step: 1, isError: false, ref: null };

function carry(reason: StopReason | null, kind: "continue" | "fork", limits: Partial<Limits>, parts: StateParts = {}) {
  const ending = reason && endingWith({ outcome: "stopped", stopReason: reason, answer: null, failed: true });
  const parent = stateWith({ ...parts, ...(ending === null ? {} : { phase: "finish" as const, ending }) });
  const checkpoint = stateWith({
    phase: "observation",
    badReplies: 2,
    repairTier: 1,
    recent: [RECENT],
    rung: 1,
    ...parts,
  });
  return forkState(checkpoint, parent, { id: "run_2", kind, limits: limitsWith(limits), approveAboveRows: null }, NOW);
}

const messageOf = (made: ReturnType<typeof carry>) => (made.ok ? null : made.error.message);
const stateOf = (made: ReturnType<typeof carry>): AgentState => {
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
};

describe("continue asks for the limit that stopped the run", () => {
  it.each<[StopReason, keyof Limits, string]>([
    ["max_steps", "stepsMax", "max_steps"],
    ["max_hops", "hopsMax", "max_hops"],
    ["retry_ceiling", "consecutiveErrorsMax", "max_consecutive_errors"],
    ["error_budget", "errorsMax", "max_errors"],
    ["timeout", "wallClockMs", "wall_clock_s"],
    ["budget", "costNanoUsdMax", "budget_usd"],
    ["budget", "rowsReadMax", "max_rows_read"],
    ["budget", "modelCallsMax", "max_model_calls"],
  ])("%s: %s as it was is refused by the name of the wire, one more is taken", (reason, field, name) => {
    const was = limitsWith({})[field];
    expect(carry(reason, "continue", { [field]: was + 1 }).ok).toBe(true);
    for (const same of [was, was - 1]) {
      const refused = carry(reason, "continue", { [field]: same });
      expect(refused).toMatchObject({ ok: false, error: { reason: "limit_not_raised" } });
      expect(messageOf(refused)).toContain(name);
    }
  });

  it("raising another limit is no help", () => {
    expect(carry("max_steps", "continue", { hopsMax: 200 }).ok).toBe(false);
  });

  it.each(["cycle", "truncated", "provider_error", "expired"] as const)("%s needs none raised", (reason) => {
    expect(carry(reason, "continue", {}).ok).toBe(true);
  });

  it.each([
    ["done", "This run ended with done;"],
    ["refusal", "This run ended with refusal;"],
    [null, "This run ended with nothing yet;"],
  ] as const)("%s cannot be continued", (reason, message) => {
    const refused = carry(reason, "continue", { stepsMax: 100 });
    expect(refused).toMatchObject({ ok: false, error: { reason: "not_continuable" } });
    expect(messageOf(refused)).toContain(message);
  });
});

describe("what a fresh try forgets", () => {
  const kept = { badReplies: 2, repairTier: 1, recent: [RECENT], rung: 1, critic: "used" };
  const fresh = { badReplies: 0, repairTier: 0, recent: [], rung: 0, critic: "kept" };
  it.each([
    ["cycle", "continue", fresh],
    ["truncated", "continue", fresh],
    ["provider_error", "continue", fresh],
    ["max_steps", "continue", kept],
    ["cycle", "fork", kept],
    [null, "fork", kept],
  ] as const)("after %s, to %s", (reason, kind, expected) => {
    expect(stateOf(carry(reason, kind, { stepsMax: 100 }, { critic: "used" }))).toMatchObject(expected);
  });
});

describe("the new run", () => {
  it("is due at once, or when its time is over if a person drives it", () => {
    expect(stateOf(carry("cycle", "continue", {})).dueAt).toBe(NOW + 2_000);
    const manual = stateOf(carry("cycle", "continue", {}, { mode: "manual", usage: { activeMs: 50_000 } }));
    expect(manual.dueAt).toBe(NOW + 250_000);
  });

  it("is refused if it would stop at once, with the limit to raise", () => {
    const refused = carry("cycle", "fork", { stepsMax: 3 }, { usage: { steps: 3 } });
    expect(messageOf(refused)).toBe(
      "With what was spent before, the new run would stop at once (max_steps). The run was stopped by its limit: max_steps (3). Raise it to go on.",
    );
  });

  it("is refused if it would only go round again, with another way out", () => {
    const refused = carry("cycle", "fork", {}, { rung: 3, critic: "used" });
    expect(messageOf(refused)).toBe(
      "With what was spent before, the new run would stop at once (cycle). Start from an earlier step.",
    );
  });
});
