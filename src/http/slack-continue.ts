/**
 * "Continue for $0.10 more": a new run that goes on from one that a ceiling stopped, and answers where the button is.
 *
 * Owns: by how much each limit is raised. The dollars are what the button says; what counts calls and time is raised by
 * half, since any of them may be what stopped the run, and all stay within the caller's maxima. One run is continued once,
 * however often the button is pressed. Leaves to others: what the new run takes over (agent/fork.ts).
 */
import type { FullLimits } from "../agent/limits.ts";
import type { PublicRun } from "../agent/view.ts";
import type { SlackDoor } from "../config/doors.ts";
import type { SlackOrigin, SlackPress } from "../durable/slack-origin.ts";
import { nanoFromUsd, usdFromNano } from "../lib/money.ts";
import { err, ok, type Result } from "../lib/result.ts";
import { checkLimits } from "./ask.ts";
import { refuseModel, toFullLimits } from "./carry-on.ts";
import { type HttpBindings, type HttpPorts, runObject } from "./context.ts";
import { enterRun, type OpenedRun, termsOf } from "./open-run.ts";
import type { Refusal } from "./problems.ts";
import { toWorkingMessage } from "./slack-reply.ts";

const MORE_NANO_USD = nanoFromUsd(0.1);
const RAISE = 1.5;
/** As long as the run itself is kept. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

export interface Continuation {
  readonly bindings: HttpBindings;
  readonly ports: HttpPorts;
  readonly door: SlackDoor;
  readonly press: SlackPress;
  /** Of the run that is continued. */
  readonly origin: SlackOrigin;
  readonly parent: PublicRun;
}

export async function continueRun(continuation: Continuation): Promise<Result<OpenedRun, Refusal>> {
  const { bindings, ports, door, press, parent } = continuation;
  const { caller } = door;
  const barred = refuseModel(parent, caller);
  if (barred !== null) return err(barred);
  const limits = raiseLimits(parent, caller.limits.max);
  const checked = checkLimits(undefined, { default: limits, max: caller.limits.max });
  if (!checked.ok) return checked;
  const { responseUrl, receivedAt } = press;
  const spent = nanoFromUsd(parent.usage.cost_usd);
  return enterRun(
    {
      reserveNanoUsd: Math.max(0, checked.value.costNanoUsdMax - spent),
      question: parent.question,
      async begin(runId, driver) {
        const working = toWorkingMessage(parent.question, runId);
        const slack = { ...continuation.origin, responseUrl, receivedAt, working };
        const terms = termsOf(caller);
        const request = { id: runId, kind: "continue", step: null, limits: checked.value, terms, slack } as const;
        const reply = await runObject(bindings, parent.id).carryOn(request, driver);
        if (reply.kind === "started") return ok(reply.run);
        if (reply.kind === "not_found") return err({ code: "run_not_found", detail: "This run is not kept any more." });
        return err({ code: REFUSALS[reply.reason], detail: reply.message });
      },
    },
    {
      bindings,
      ports,
      caller,
      driver: "alarm",
      key: { name: `slack:continue:${parent.id}`, fingerprint: "", keptMs: KEPT_MS },
    },
  );
}

const REFUSALS = {
  not_finished: "run_not_finished",
  no_such_step: "run_not_continuable",
  not_continuable: "run_not_continuable",
  limit_not_raised: "limit_not_raised",
} as const;

/** The limits of `parent`, raised, none above `max`. */
export function raiseLimits(parent: PublicRun, max: FullLimits): FullLimits {
  const old = toFullLimits(parent);
  const raise = (name: keyof FullLimits): number => Math.min(max[name], Math.ceil(old[name] * RAISE));
  const spent = nanoFromUsd(parent.usage.cost_usd);
  // A run that ran out of dollars had some left, but not enough for one call: that rest comes on top.
  const base = parent.stop_reason === "budget" ? Math.max(spent, nanoFromUsd(old.budget_usd)) : spent;
  return {
    max_steps: raise("max_steps"),
    max_hops: raise("max_hops"),
    max_consecutive_errors: raise("max_consecutive_errors"),
    max_errors: raise("max_errors"),
    max_model_calls: raise("max_model_calls"),
    wall_clock_s: raise("wall_clock_s"),
    step_timeout_s: old.step_timeout_s,
    budget_usd: Math.min(max.budget_usd, usdFromNano(base + MORE_NANO_USD)),
    max_rows_read: raise("max_rows_read"),
  };
}
