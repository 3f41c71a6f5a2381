/**
 * What the run object offers to the doors of http/: types only, so that they can be read, and faked, without the
 * platform. Arguments and results are plain JSON-able values, because they cross an RPC boundary.
 *
 * WIRE CONTRACT. For minutes after a deploy, old and new code talk to each other: fields are only ever added, optional.
 * Every method may be called twice and at any moment; none throws for anything that a caller can do wrong.
 */
import type { Limits } from "../agent/limits.ts";
import type { Message } from "../agent/model.ts";
import type { Pinned } from "../agent/ports.ts";
import type { PublicRunEvent } from "../agent/run-event.ts";
import type { AgentState, Outcome } from "../agent/state.ts";
import type { StoredPlan } from "../agent/stored-plan.ts";
import type { Cell } from "../agent/tool.ts";
import type { PublicRun } from "../agent/view.ts";
import type { Env } from "../config.ts";
import type { Scopes } from "../sql/scopes.ts";
import type { CallerApi } from "./caller-contract.ts";
import type { SlackOrigin, SlackPress, SlackPressReply } from "./slack-origin.ts";

/** A run as its door has checked it: limits resolved, model priced, tools named. Fixed for the run's whole life. */
export interface StartRun {
  readonly id: string;
  readonly question: string;
  readonly caller: string;
  readonly mode: "auto" | "manual";
  readonly grounding: "off" | "report" | "require";
  readonly model: string;
  readonly tools: readonly string[];
  readonly limits: Limits;
  readonly scopes: Scopes;
  readonly callbackUrl: string | null;
  /** Where in Slack the answer goes; absent or null: nowhere. */
  readonly slack?: SlackOrigin | null;
  /** What the run does instead of asking a model. */
  readonly plan?: StoredPlan;
  /** How long a vendor that takes cache marks keeps tools, system text and schema; absent: five minutes. */
  readonly promptCache?: "5m" | "1h";
  /** Queries whose plans expect to read more rows wait for a person; absent: none does. */
  readonly approveAboveRows?: number;
}

/**
 * Who drives an `auto` run. `caller`: a waiting request calls `step` again and again, and the alarm is only a watchdog
 * that takes over when the calls stop. `alarm`: nobody waits.
 */
export type Driver = "alarm" | "caller";

export type StepReply =
  /** This call ran a step (or what was left of one); `run` may be finished by it. */
  | { readonly kind: "ran"; readonly run: PublicRun }
  /** Nothing to do before `run.waiting.until`. */
  | { readonly kind: "waiting"; readonly run: PublicRun }
  /** This call ran a step, the run goes on, and who asked wanted to know no more. */
  | { readonly kind: "went_on" }
  /** Another driver is in the middle of a step. */
  | { readonly kind: "busy"; readonly run: PublicRun }
  /** The run was over before this call. */
  | { readonly kind: "finished"; readonly run: PublicRun }
  | { readonly kind: "not_found" };

export type CancelReply =
  | { readonly kind: "cancelled"; readonly run: PublicRun }
  /** The run was over before, by a cancel or otherwise: `run.outcome` says which. */
  | { readonly kind: "finished"; readonly run: PublicRun }
  | { readonly kind: "not_found" };

/** A person's word on an approval. */
export interface Decision {
  /** The id that the run showed. */
  readonly approval: string;
  readonly decision: "approved" | "declined";
  /** For the model; null: nothing. */
  readonly note: string | null;
  /** Who decides, in words for a reader of the journal. */
  readonly by: string;
}

/** A person's answer to a question of the run's. */
export interface Answer {
  readonly inquiry: string;
  readonly reply: string;
  readonly by: string;
}

export type DecideReply =
  /** By this call, or in the same way before. */
  | { readonly kind: "decided"; readonly run: PublicRun }
  /** It asks nothing, or something else by now. */
  | { readonly kind: "not_waiting"; readonly run: PublicRun }
  | { readonly kind: "finished"; readonly run: PublicRun }
  | { readonly kind: "not_found" };

export interface NumberedEvent {
  /** From 1, without gaps. */
  readonly seq: number;
  readonly event: PublicRunEvent;
}

export interface EventPage {
  readonly events: readonly NumberedEvent[];
  /** True when the run is over and `events` reaches its last event. */
  readonly finished: boolean;
  /** The number to ask after next time. */
  readonly last: number;
}

export interface ResultPage {
  readonly ref: string;
  readonly sha256: string;
  readonly sql: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Number of the first row of `rows`, from 1. */
  readonly fromRow: number;
  /** Rows kept under the reference. */
  readonly storedRows: number;
  /** Rows the query has in all; null when nobody counted. */
  readonly totalRows: number | null;
  readonly truncated: boolean;
  /** Where the next page starts, or null. */
  readonly nextRow: number | null;
}

export type TranscriptEntry =
  | { readonly kind: "run"; readonly run: PublicRun }
  | { readonly kind: "pinned"; readonly pinned: Pinned }
  | { readonly kind: "message"; readonly number: number; readonly message: Message }
  | { readonly kind: "event"; readonly seq: number; readonly event: PublicRunEvent }
  | { readonly kind: "result"; readonly result: Omit<ResultPage, "rows" | "fromRow" | "nextRow"> }
  /** The state at rest after each step, and at the end the state as it is. */
  | { readonly kind: "state"; readonly step: number; readonly state: AgentState };

export interface TranscriptPage {
  readonly entries: readonly TranscriptEntry[];
  /** What to ask with for the next page, or null. */
  readonly next: number | null;
}

/** What a run cost, for the caller's ledger. */
export interface Account {
  /** Spent by this run itself, not by the one it carries on from. */
  readonly costNanoUsd: number;
  /** Null while the run goes on, or while the bill of its last call is awaited. */
  readonly outcome: Outcome | null;
}

export interface RunApi {
  /** Starts the run, or returns it as it is when the id is taken. A database that cannot be read is an ending. */
  start(input: StartRun, driver?: Driver): Promise<PublicRun>;
  view(): Promise<PublicRun | null>;
  /** `isBrief`: without the run while it goes on; it grows with every step, and a driver does not look at it. */
  step(driver?: Driver, isBrief?: boolean): Promise<StepReply>;
  cancel(): Promise<CancelReply>;
  /** Answers what the run asks a person. */
  decide(said: Decision | Answer): Promise<DecideReply>;
  /** Events after number `seq`; waits up to `waitMs` for the first when there is none yet. Null: no such run. */
  eventsAfter(seq: number, waitMs: number): Promise<EventPage | null>;
  /** Rows of a stored result, `fromRow` and `toRow` from 1 and inclusive; a negative `fromRow` counts from the end. */
  result(ref: string, fromRow?: number, toRow?: number): Promise<ResultPage | null>;
  /** The journal in pages of bounded size; the first page starts with the run and what was pinned. */
  transcript(from?: number): Promise<TranscriptPage | null>;
  /** About what the run sends out: a press of a button in Slack, a word to who pressed it, the callback once more. */
  outgoing(call: OutgoingCall): Promise<OutgoingReply>;
  /** Starts a new run that carries on from this finished one. Twice with the same id is one run. */
  carryOn(request: CarryOn, driver?: Driver): Promise<CarryOnReply>;
  /** What this finished run can be asked again with, for a new run; it is kept the longer for it. */
  offerPlan(): Promise<PlanReply>;
}

export type OutgoingCall =
  | { readonly kind: "press"; readonly press: SlackPress }
  /** Tells who pressed a button why nothing came of it. */
  | { readonly kind: "notice"; readonly press: SlackPress; readonly text: string }
  | { readonly kind: "resend" };

export type OutgoingReply =
  | SlackPressReply
  /** The callback is due at once. */
  | { readonly kind: "resent"; readonly run: PublicRun }
  /** There is no callback, or the run is not over. */
  | { readonly kind: "nothing_to_send"; readonly run: PublicRun };

/** What a caller may see and read unasked at this moment: it may be less than when a run of theirs began. */
export interface CallerTerms {
  readonly scopes: Scopes;
  /** Null: no query waits for a person. */
  readonly approveAboveRows: number | null;
}

/** Carry a finished run on in a new one, whose id and limits the door has checked and had admitted. */
export interface CarryOn {
  /** Of the new run. */
  readonly id: string;
  readonly kind: "continue" | "fork";
  /** The step to start after (0: from the start); null: the last one. */
  readonly step: number | null;
  readonly limits: Limits;
  readonly terms: CallerTerms;
  /** Where in Slack the new run's answer goes; absent: nowhere. */
  readonly slack?: SlackOrigin;
}

export interface CarryOnRefusal {
  readonly reason: "not_finished" | "no_such_step" | "not_continuable" | "limit_not_raised";
  readonly message: string;
}

export type CarryOnReply =
  | { readonly kind: "started"; readonly run: PublicRun }
  | ({ readonly kind: "refused" } & CarryOnRefusal)
  | { readonly kind: "not_found" };

export type PlanReply =
  /** `tools`: those of the run, by which the plan's calls are understood. */
  | { readonly kind: "plan"; readonly plan: StoredPlan; readonly tools: readonly string[]; readonly run: PublicRun }
  | { readonly kind: "refused"; readonly reason: "not_finished" | "not_repeatable"; readonly message: string }
  | { readonly kind: "not_found" };

/** The beginning of a run that carries on from another, in stored forms; its rows are fetched in pages. */
export interface Seed {
  readonly parentId: string;
  readonly settings: string;
  readonly state: string;
  readonly event: string;
  /** What the model is told before it goes on; absent from a release that told it nothing. */
  readonly note?: string | null;
  readonly pinned: string;
  /** Rows of steps to copy. */
  readonly steps: number;
}

/** The row of a step in stored form. */
export interface KinRow {
  readonly state: string;
  readonly body: string;
}

/** What one run object offers to another. */
export interface RunKinApi {
  /** Begins this run from `seed`, or returns it as it is. */
  adopt(seed: Seed, driver: Driver): Promise<PublicRun>;
  /** Rows of this run in stored form, from number `from`, before `upTo`; at least one if there is one. */
  kinRows(from: number, upTo: number): Promise<readonly KinRow[]>;
}

/** What the run object offers to the caller object, which looks after runs that never settled. */
export interface RunLedgerApi {
  account(): Promise<Account | null>;
}

/** The part of a Durable Object namespace that is used; the binding satisfies it, and so does a fake. */
export interface ObjectNamespace<Api> {
  idFromName(name: string): DurableObjectId;
  get(id: DurableObjectId): Api;
}

/** The bindings as the objects use them: the namespaces typed by what their objects offer. */
export interface DurableBindings extends Omit<Env, "RUNS" | "CALLERS"> {
  readonly RUNS: ObjectNamespace<RunApi & RunLedgerApi & RunKinApi>;
  readonly CALLERS: ObjectNamespace<CallerApi>;
}
