/**
 * What the caller object offers: to the doors of http/ (admit, claim, list, usage) and to run objects (settle).
 * Types only; plain JSON-able values, because they cross an RPC boundary.
 *
 * WIRE CONTRACT, like contract.ts: fields are only ever added, optional. Every method may be called twice: `admit` for the
 * same run answers the same, `claim` for the same key too, and a second `settle` only corrects the first.
 */
import type { Outcome } from "../agent/state.ts";

/** What the caller may do, from its settings at the moment of asking. */
export interface CallerPolicy {
  readonly dailyNanoUsdMax: number;
  readonly ratePerMinuteMax: number;
  readonly runsAtOnceMax: number;
}

export interface AdmitRequest {
  readonly runId: string;
  /** The run's whole dollar limit; held until the run settles. */
  readonly reserveNanoUsd: number;
  /** A cut of it is kept for the list of runs. */
  readonly question: string;
  readonly policy: CallerPolicy;
}

/** For the RateLimit fields. */
export interface RateState {
  readonly remaining: number;
  readonly resetS: number;
}

export type AdmitReply =
  | {
      readonly kind: "admitted";
      readonly rate: RateState;
      /** The run was admitted before and has ended, so it must not begin: it may have been deleted since. */
      readonly isOver?: boolean;
    }
  | {
      readonly kind: "refused";
      readonly reason: "rate" | "runs_at_once" | "daily_budget";
      readonly retryAfterS: number;
      readonly rate: RateState;
    };

export interface Settlement {
  readonly runId: string;
  /** What the run spent itself: not what it inherited from the run it carries on from. */
  readonly costNanoUsd: number;
  readonly outcome: Outcome;
}

export type ClaimReply =
  /** The first request with this key; `runId` is the one given. */
  | { readonly kind: "claimed"; readonly runId: string; readonly expiresAt: number }
  /** The same request before: go on with its run. */
  | { readonly kind: "same"; readonly runId: string; readonly expiresAt: number }
  | { readonly kind: "other_body" }
  | { readonly kind: "in_flight" };

/** A question whose door must answer at once: everything that it takes to begin its run, in one call. */
export interface TakeRequest {
  readonly admit: AdmitRequest;
  /** Names the request over its repetitions, which are one run; null: every request is a new one. */
  readonly key: { readonly name: string; readonly keptMs: number } | null;
  /** JSON of the `StartRun`; its id is that of `admit`. */
  readonly start: string;
}

export type TakeReply =
  /** Kept durably; the run begins by itself. `runId` is that of the first request with the key. */
  | { readonly kind: "taken"; readonly runId: string; readonly isRepeat: boolean }
  | Extract<AdmitReply, { readonly kind: "refused" }>;

export interface LedgerEntry {
  readonly id: string;
  /** The first 200 characters. */
  readonly question: string;
  readonly admittedAt: number;
  readonly reservedNanoUsd: number;
  readonly costNanoUsd: number;
  /** Null while the run goes on; `lost` when it never started or nobody can say how it ended. */
  readonly outcome: Outcome | "lost" | null;
}

export interface LedgerPage {
  /** Newest first. */
  readonly runs: readonly LedgerEntry[];
  /** To ask with for the next page, or null. */
  readonly next: string | null;
}

/** One UTC day of a caller. */
export interface DayUsage {
  /** `2026-11-30`. */
  readonly day: string;
  readonly spentNanoUsd: number;
  readonly reservedNanoUsd: number;
  readonly runs: number;
  readonly outcomes: { readonly [O in Outcome | "lost"]: number };
  /** What settled runs cost: the median and the 95th percentile; absent or null: none has settled. */
  readonly runCost?: { readonly p50NanoUsd: number; readonly p95NanoUsd: number } | null;
  /** From its admission until it settled; absent or null: of none is it known. */
  readonly runTime?: { readonly p50Ms: number; readonly p95Ms: number } | null;
  /** Per cent of the daily budget at which an alert was given. */
  readonly alerts: readonly number[];
}

/** Of the last finished runs, at most `runsMax` of them. */
export interface RecentFigures extends Required<Pick<DayUsage, "runCost" | "runTime">> {
  readonly runs: number;
  readonly runsMax: number;
  readonly outcomes: DayUsage["outcomes"];
}

export interface CallerApi {
  /** Takes the run in and holds its money, or says why not and when to come back. */
  admit(request: AdmitRequest): Promise<AdmitReply>;
  /** Takes an admission back: the run never began. */
  withdraw(runId: string): Promise<void>;
  /** Records what a run cost and frees its place; a second call corrects the first. */
  settle(settlement: Settlement): Promise<void>;
  /** Binds an idempotency key to a request and the run it makes, for `keptMs`; absent: a day. */
  claim(key: string, bodyHash: string, runId: string, keptMs?: number): Promise<ClaimReply>;
  /** Claims, admits and keeps a question; the run is begun afterwards, by the caller object's alarm. */
  take(request: TakeRequest): Promise<TakeReply>;
  /** Begins a run that was taken, now. False when none with this id is waiting. */
  beginTaken(runId: string): Promise<boolean>;
  /** The caller's runs. Null: the cursor is not one of ours. */
  list(cursor: string | null, limit: number): Promise<LedgerPage | null>;
  /** The last days with any run, newest first. */
  usage(daysMax: number): Promise<readonly DayUsage[]>;
  /** What the last finished runs took and cost, over all days. */
  figures(): Promise<RecentFigures>;
}
