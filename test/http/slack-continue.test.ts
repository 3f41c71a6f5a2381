import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, DEFAULT_LIMITS_MAX } from "../../src/agent/limits.ts";
import { raiseLimits } from "../../src/http/slack-continue.ts";
import { publicRun } from "../deliver/public-run.ts";

const usage = (cost_usd: number) => ({ ...publicRun().usage, cost_usd });

describe("the limits of a continued run", () => {
  it("allow $0.10 more than was spent", () => {
    const run = publicRun({ stop_reason: "max_hops", usage: usage(0.2) });
    expect(raiseLimits(run, DEFAULT_LIMITS_MAX).budget_usd).toBeCloseTo(0.3, 9);
  });

  it("allow $0.10 more than the budget when that is what ran out", () => {
    const run = publicRun({ stop_reason: "budget", usage: usage(0.2) });
    expect(raiseLimits(run, DEFAULT_LIMITS_MAX).budget_usd).toBeCloseTo(DEFAULT_LIMITS.budget_usd + 0.1, 9);
  });

  it("raise every count by half, so that whatever stopped it does not stop it again at once", () => {
    const raised = raiseLimits(publicRun({ usage: usage(0) }), DEFAULT_LIMITS_MAX);
    expect(raised).toMatchObject({ max_steps: 18, max_hops: 12, max_consecutive_errors: 5, max_model_calls: 30 });
    expect(raised.step_timeout_s).toBe(DEFAULT_LIMITS.step_timeout_s);
  });

  it("are never above the caller's maxima", () => {
    const max = { ...DEFAULT_LIMITS, budget_usd: 0.05 };
    expect(raiseLimits(publicRun({ usage: usage(0.04) }), max)).toEqual(max);
  });
});
