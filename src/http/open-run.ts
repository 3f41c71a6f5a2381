/**
 * The one way into a run, for every door: claim the idempotency key, ask the caller object for admission, start.
 *
 * Each of the three is safe to repeat for the same run id, so a door that dies between two of them loses nothing: the
 * same request sent again goes on where the first one stopped, and twenty at once make one run.
 * Leaves to others: what a question must be (ask.ts), what happens afterwards (drive.ts, the run object).
 */
import { rowsNanoUsdMax } from "../agent/limits.ts";
import type { PublicRun } from "../agent/view.ts";
import type { Caller } from "../config/callers.ts";
import { OFFLINE_MODEL } from "../config.ts";
import type { AdmitReply, CallerPolicy, RateState } from "../durable/caller-contract.ts";
import type { CallerTerms, Driver, StartRun } from "../durable/contract.ts";
import { err, ok, type Result } from "../lib/result.ts";
import type { CheckedAsk } from "./ask.ts";
import { callerObject, type HttpBindings, type HttpPorts, runObject } from "./context.ts";
import type { Refusal } from "./problems.ts";
import { createRunId, RUN_ID_BYTES } from "./run-id.ts";

export interface Opening {
  readonly bindings: HttpBindings;
  readonly ports: HttpPorts;
  readonly caller: Caller;
  readonly driver: Driver;
  /** Names the request over its repetitions; null: every request is a new one. */
  readonly key: RequestKey | null;
}

export interface RequestKey {
  readonly name: string;
  /** Equal for equal requests; another one with the same name is refused. */
  readonly fingerprint: string;
  /** How long the key is remembered; absent: a day. */
  readonly keptMs?: number;
}

export interface OpenedRun {
  readonly run: PublicRun;
  readonly rate: RateState;
  /** When the key is forgotten, epoch milliseconds; null without a key. */
  readonly keyExpiresAt: number | null;
  /** True when an earlier request with the same key had opened the run. */
  readonly isRepeat: boolean;
}

/** What is admitted, and how it begins once it is. */
export interface NewRun {
  /** The most it can cost from here on. */
  readonly reserveNanoUsd: number;
  readonly question: string;
  /** May be called again with the same id, and then begins nothing twice. */
  begin(runId: string, driver: Driver): Promise<Result<PublicRun, Refusal>>;
}

/** Opens the run of a question. */
export function openRun(ask: CheckedAsk, opening: Opening): Promise<Result<OpenedRun, Refusal>> {
  const { bindings, caller } = opening;
  return enterRun(
    {
      reserveNanoUsd: mostOf(ask),
      question: ask.question,
      async begin(runId, driver) {
        const start = { ...ask, id: runId, ...pinnedOf(caller) };
        return ok(await runObject(bindings, runId).start(start, driver));
      },
    },
    opening,
  );
}

/** What of the caller is fixed in a run. The default is not sent: an object of an older release would not know it. */
export function pinnedOf({ name, scopes, promptCache }: Caller): Pick<StartRun, "caller" | "scopes" | "promptCache"> {
  return { caller: name, scopes, ...(promptCache === "1h" && { promptCache }) };
}

/** What of the caller holds for a run that goes on from an older one: what is set for them now. */
export function termsOf({ scopes, approveAboveRows }: Caller): CallerTerms {
  return { scopes, approveAboveRows };
}

/** The offline model costs nothing: only the rows that it reads do, and the day is not held up for more. */
export function mostOf({ model, limits }: CheckedAsk): number {
  return model === OFFLINE_MODEL ? rowsNanoUsdMax(limits) : limits.costNanoUsdMax;
}

/** Claims, has admitted and begins a run, wherever it comes from. */
export async function enterRun(newRun: NewRun, opening: Opening): Promise<Result<OpenedRun, Refusal>> {
  const { bindings, ports, caller, driver } = opening;
  const claimed = await claimId(opening);
  if (!claimed.ok) return claimed;
  const { runId, expiresAt, isRepeat } = claimed.value;
  const ledger = callerObject(bindings, caller.name);
  const admission = await ledger.admit({
    runId,
    reserveNanoUsd: newRun.reserveNanoUsd,
    question: newRun.question,
    policy: policyOf(caller),
  });
  if (admission.kind === "refused") return err(toRefusal(admission, caller));
  if (admission.isOver === true) {
    // Keys may be kept for longer than runs. To begin it anew would spend what nobody has admitted.
    const run = await runObject(bindings, runId).view();
    if (run === null) return err({ code: "run_not_found", detail: "The run of this request is not kept any more." });
    return ok({ run, rate: admission.rate, keyExpiresAt: expiresAt, isRepeat });
  }
  const begun = await newRun.begin(runId, driver);
  if (!begun.ok) {
    // Nothing began: what was held for it is free again.
    await ledger.withdraw(runId);
    return begun;
  }
  ports.log({ level: "info", event: isRepeat ? "run_repeated" : "run_opened", run: runId, caller: caller.name });
  return ok({ run: begun.value, rate: admission.rate, keyExpiresAt: expiresAt, isRepeat });
}

/** What the caller may do, as its object wants to know it. */
export function policyOf(caller: Caller): CallerPolicy {
  const { dailyNanoUsdMax, ratePerMinuteMax, runsAtOnceMax } = caller;
  return { dailyNanoUsdMax, ratePerMinuteMax, runsAtOnceMax };
}

/** The RateLimit fields (draft-ietf-httpapi-ratelimit-headers) of a caller. */
export function rateHeaders(caller: Caller, rate: RateState): Record<string, string> {
  return {
    "ratelimit-policy": `"questions";q=${caller.ratePerMinuteMax};w=60`,
    ratelimit: `"questions";r=${rate.remaining};t=${rate.resetS}`,
  };
}

interface ClaimedId {
  readonly runId: string;
  readonly expiresAt: number | null;
  readonly isRepeat: boolean;
}

async function claimId(opening: Opening): Promise<Result<ClaimedId, Refusal>> {
  const { bindings, ports, caller, key } = opening;
  const fresh = createRunId(caller.name, ports.randomBytes(RUN_ID_BYTES));
  if (key === null) return ok({ runId: fresh, expiresAt: null, isRepeat: false });
  const claim = await callerObject(bindings, caller.name).claim(key.name, key.fingerprint, fresh, key.keptMs);
  switch (claim.kind) {
    case "claimed":
    case "same":
      return ok({ runId: claim.runId, expiresAt: claim.expiresAt, isRepeat: claim.kind === "same" });
    case "other_body":
      return err({
        code: "idempotency_key_reused",
        detail: "This key came with another request before. Use a new key for a new request.",
      });
    case "in_flight":
      return err({
        code: "idempotency_in_flight",
        detail: "The first request with this key is not answered yet. Try again in a second.",
        options: { headers: { "retry-after": "1" } },
      });
  }
}

const REFUSALS = {
  rate: { code: "rate_limited", policy: "questions", text: "You have asked too many questions within a minute." },
  runs_at_once: { code: "too_many_runs", policy: "runs_at_once", text: "Too many of your runs are not finished yet." },
  daily_budget: {
    code: "daily_budget_spent",
    policy: "daily_usd",
    text: "What is left of your dollars for today does not cover this run's limit. Ask with a lower budget_usd, or wait.",
  },
} as const;

function toRefusal(admission: Extract<AdmitReply, { kind: "refused" }>, caller: Caller): Refusal {
  const { code, policy, text } = REFUSALS[admission.reason];
  const headers = { "retry-after": String(admission.retryAfterS), ...rateHeaders(caller, admission.rate) };
  return { code, detail: text, options: { headers, more: { "violated-policies": [policy] } } };
}
