/**
 * What can happen to a run, and what is legal when. An event is the only input of a transition (advance.ts).
 *
 * Owns: the events and the table `phase × event → phases`. Leaves to others: what each one does to the state.
 * A phase says what the run is in the middle of: `thought`, the model is to be asked or being asked; `action`, its tool
 * calls are to be run or running; `observation`, their results are in; `finish`, over (invariant A1). Pure.
 */
import type { PlanEnd } from "./again.ts";
import type { RecentCall } from "./cycles.ts";
import type { Evidence } from "./figures.ts";
import type { ModelFailure, ModelReply, ToolCall } from "./model.ts";
import type { AskedQuery } from "./run-event.ts";
import type { Approval, Attempt, Inquiry, Phase, StopReason } from "./state.ts";
import type { FinalAnswer, Memo, QueryRecord } from "./tool.ts";

/** How one tool call ended. */
export interface ToolOutcome {
  readonly callId: string;
  readonly name: string;
  /** The observation envelope as JSON text. */
  readonly content: string;
  readonly summary: string;
  readonly isError: boolean;
  /** Why the call was not run though its arguments were right, or null. */
  readonly refusedBy: "hops" | "cycle" | "breaker" | "person" | null;
  /** For the cycle detector; null for a call that was refused. */
  readonly recent: RecentCall | null;
  readonly rowsRead: number;
  readonly query: QueryRecord | null;
  readonly final: (FinalAnswer & { readonly evidence: Evidence }) | null;
  readonly durationMs: number;
  readonly memo: Memo | null;
  readonly described: readonly string[];
  readonly bookmark: string | null;
  /** The failing families after this call, if it changed them (families.ts). */
  readonly failing: readonly string[] | null;
}

export type Event =
  /** A model call is about to be made. `hops` and the like are counted here, so that they rise even if we die. */
  | { readonly kind: "call_reserved"; readonly attempt: Attempt }
  /** A driver found an attempt that nobody is working on any more. */
  | { readonly kind: "attempt_lost" }
  | {
      readonly kind: "model_replied";
      readonly reply: ModelReply;
      readonly costNanoUsd: number;
      /** Of the text, in case it is an answer. */
      readonly evidence: Evidence;
    }
  /** `retryAt` null: not tried again. */
  | {
      readonly kind: "model_failed";
      readonly failure: ModelFailure;
      readonly costNanoUsd: number;
      readonly retryAt: number | null;
      /** How the request is changed before it is tried again: rows left out, or a fresh transcript; null: not at all. */
      readonly repair:
        | { readonly kind: "omit"; readonly from: number; readonly to: number }
        | { readonly kind: "renew" }
        | null;
    }
  /** Tool calls are about to run; `hops` of them are within the limit. */
  | { readonly kind: "tools_reserved"; readonly attempt: Attempt; readonly hops: number }
  | { readonly kind: "tools_observed"; readonly outcomes: readonly ToolOutcome[]; readonly newResults: number }
  /** A person is to say whether some of the calls may run. */
  | { readonly kind: "approval_asked"; readonly queries: readonly AskedQuery[]; readonly approval: Approval }
  | {
      readonly kind: "approval_decided";
      readonly decision: NonNullable<Approval["decision"]>;
      readonly note: string | null;
      /** Who said it, in words for a reader of the journal. */
      readonly by: string;
    }
  /** The person is asked the question of the call at `index`. */
  | { readonly kind: "question_asked"; readonly index: number; readonly inquiry: Inquiry }
  | { readonly kind: "question_answered"; readonly reply: string; readonly by: string }
  /** The next calls of a stored plan, in the place of a model's reply. */
  | { readonly kind: "plan_followed"; readonly calls: readonly ToolCall[] }
  /** The results of a stored plan are in, or one of its queries failed. */
  | ({ readonly kind: "plan_ended" } & PlanEnd)
  /** No further step is allowed: what remains is the last call. */
  | { readonly kind: "ceiling_reached"; readonly reason: StopReason }
  /** The conversation goes on in a fresh transcript that opens with `text`. */
  | { readonly kind: "transcript_renewed"; readonly text: string; readonly reason: "window" | "repair" }
  /** The extra call that was due (critic, summary) does not fit what is left. */
  | { readonly kind: "extra_skipped" }
  /** The last call was not made (no money, time or calls left) or failed; `partial` is what the rows say by themselves. */
  | { readonly kind: "concluded"; readonly partial: string | null }
  | { readonly kind: "cancelled"; readonly partial: string | null }
  | { readonly kind: "expired"; readonly partial: string | null }
  /** A bug of ours, or a broken record. `message` is for the person and holds no data. */
  | { readonly kind: "broke"; readonly message: string }
  /** The bill of a call that was open when the run ended. */
  | { readonly kind: "bill_arrived"; readonly costNanoUsd: number };

export type EventKind = Event["kind"];

/** Everything that is legal. A pair that is not here throws; so does a next phase that is not listed. */
export const TRANSITIONS: { readonly [P in Phase]: { readonly [K in EventKind]?: readonly Phase[] } } = {
  thought: {
    call_reserved: ["thought"],
    attempt_lost: ["thought"],
    model_replied: ["action", "thought", "finish"],
    model_failed: ["thought", "finish"],
    transcript_renewed: ["thought"],
    extra_skipped: ["thought"],
    plan_followed: ["action"],
    ceiling_reached: ["thought"],
    concluded: ["finish"],
    cancelled: ["finish"],
    expired: ["finish"],
    broke: ["finish"],
  },
  action: {
    approval_asked: ["action"],
    approval_decided: ["action"],
    question_asked: ["action"],
    question_answered: ["action"],
    tools_reserved: ["action"],
    attempt_lost: ["action"],
    tools_observed: ["observation", "finish"],
    cancelled: ["finish"],
    expired: ["finish"],
    broke: ["finish"],
  },
  observation: {
    call_reserved: ["thought"],
    transcript_renewed: ["thought"],
    extra_skipped: ["thought"],
    plan_followed: ["action"],
    plan_ended: ["finish"],
    ceiling_reached: ["thought"],
    cancelled: ["finish"],
    expired: ["finish"],
    broke: ["finish"],
  },
  finish: {
    bill_arrived: ["finish"],
  },
};
