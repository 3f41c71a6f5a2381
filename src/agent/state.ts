/**
 * `AgentState`: the stored record of a run. A checkpoint is also the instruction for what comes next.
 *
 * Owns: the schema, its version, and how a record is read back (old versions are carried forward, an unknown or corrupt
 * one is a reason, never a silent fresh start). Leaves to others: how it changes (advance.ts), where it is kept
 * (durable/journal.ts). It is the small head of a run: messages, events and results are rows of their own.
 *
 * STORED CONTRACT. Fields are only ever added, with a default; a change of meaning raises `STATE_VERSION` and adds a
 * step to `MIGRATIONS`. Fixtures of every version live in test/fixtures/state and are never edited.
 * Pure: no I/O, no clock.
 */
import * as z from "zod";
import { chartWishSchema } from "./chart-wish.ts";
import { DEFAULT_LOOP, loopSchema, recentCallSchema } from "./cycles.ts";
import { limitsSchema } from "./limits.ts";

export const STATE_VERSION = 1;

export const PHASES = ["thought", "action", "observation", "finish"] as const;
export const OUTCOMES = ["answered", "stopped", "failed", "cancelled"] as const;
export const STOP_REASONS = [
  "done",
  "max_steps",
  "max_hops",
  "retry_ceiling",
  "error_budget",
  "cycle",
  "budget",
  "timeout",
  "truncated",
  "refusal",
  "context_window",
  "ungrounded",
  "provider_error",
  "malformed_reply",
  "rejected",
  "expired",
  "cancelled",
  "error",
] as const;

const counter = z.int().min(0);
const instant = z.int().min(0);

/** Spent so far. No field ever falls or is reset (invariant A3). */
const usageSchema = z.strictObject({
  steps: counter,
  hops: counter,
  errors: counter,
  modelCalls: counter,
  activeMs: counter,
  rowsRead: counter,
  costNanoUsd: counter,
  /** Rows that the engine read beyond what was reserved for them: an estimate that was too low, told, never hidden. */
  rowsOverrun: counter,
});

/**
 * One try of one effect. It is stored before the effect starts and cleared when the effect is settled; one that is
 * found open by a new driver is lost, and what it reserved counts as spent.
 */
const attemptSchema = z.strictObject({
  /** Names the try; a driver may settle only the attempt it reserved (the lease). */
  token: z.string().min(1),
  kind: z.enum(["model", "tools"]),
  /**
   * `step`: a round of the loop. `last`: the tool-less call kept back for the end. `critic`: a fresh perspective.
   * `summary`: what a cut-off reply said.
   */
  purpose: z.enum(["step", "last", "critic", "summary"]),
  startedAt: instant,
  /** The effect's abort signal fires here; never later than the run's deadline (invariant L3). */
  abortAt: instant,
  reservedNanoUsd: counter,
  reservedRows: counter,
});

/** Why the run is not moving though it is not finished. */
const waitingSchema = z.discriminatedUnion("kind", [
  /** A failed model call is tried again at `until`. */
  z.strictObject({ kind: z.literal("retry"), until: instant, code: z.string() }),
  /** A person is asked whether the queries of `approval` may run; nobody's answer by `until` ends the run. */
  z.strictObject({ kind: z.literal("approval"), until: instant }),
  /** The same for the answer to `inquiry`. */
  z.strictObject({ kind: z.literal("reply"), until: instant }),
]);

/** A question of the model's to the person, which the call `callId` waits for; it serves one round. */
const inquirySchema = z.strictObject({
  id: z.string().min(1),
  callId: z.string(),
  /** What the person said; null: nothing yet. */
  reply: z.string().nullable(),
});

/** What a person was asked in the round under way, and what they said; it serves that round alone. */
const approvalSchema = z.strictObject({
  /** Bound to the exact calls: another question has another id. */
  id: z.string().min(1),
  calls: z.array(z.strictObject({ callId: z.string(), signature: z.string(), rowsRead: counter })),
  decision: z.enum(["approved", "declined"]).nullable(),
  /** What the person wants the model to know. */
  note: z.string().nullable(),
});

/** How a run ended. Written once (invariant A1). */
const endingSchema = z
  .strictObject({
    at: instant,
    outcome: z.enum(OUTCOMES),
    stopReason: z.enum(STOP_REASONS),
    /** Stored, so that nobody decides anything from a message text. */
    failed: z.boolean(),
    answer: z.string().nullable(),
    partialAnswer: z.string().nullable(),
    grounded: z.boolean(),
    /** One plain sentence for a person. */
    message: z.string(),
    /** References of the results that the answer rests on. */
    results: z.array(z.string()),
    citations: z.array(
      z.strictObject({ figure: z.string(), result: z.string(), row: z.int().min(1), column: z.string() }),
    ),
    /** Figures of the answer that no result shows. */
    unsupported: z.array(z.string()),
    /** The picture that the model asked for. */
    chart: chartWishSchema.nullable().default(null),
  })
  .refine((ending) => ending.outcome === "answered" || ending.answer === null, "A7: only `answered` has an answer");

export const stateSchema = z
  .strictObject({
    version: z.literal(STATE_VERSION),
    id: z.string().min(1),
    question: z.string().min(1),
    caller: z.string().min(1),
    mode: z.enum(["auto", "manual"]),
    grounding: z.enum(["off", "report", "require"]),
    model: z.string().min(1),
    /** Names of the tools of this run, enforced at dispatch. An empty list means none. */
    tools: z.array(z.string()),
    /** The run this one carries on from, with its spend, or null. */
    parent: z.strictObject({ runId: z.string(), step: counter, kind: z.enum(["continue", "fork"]) }).nullable(),
    /**
     * Of a run that follows a stored plan instead of asking a model: whose plan, when that run was answered, and at the
     * end which results are not what they were (null: that cannot be said).
     */
    again: z
      .strictObject({ runId: z.string(), answeredAt: instant, changed: z.array(z.string()).nullable() })
      .nullable()
      .default(null),
    createdAt: instant,
    /** Whatever happens, the run is over by then. */
    expiresAt: instant,
    limits: limitsSchema,
    loop: loopSchema,
    usage: usageSchema,
    /** Of what was spent, what was counted for calls whose bill nobody has seen: at their reservation, so at most that. */
    unbilledNanoUsd: counter.default(0),
    consecutiveErrors: counter,
    phase: z.enum(PHASES),
    waiting: waitingSchema.nullable(),
    /** A query whose plan expects to read more rows than this waits for a person; null: none does. */
    approveAboveRows: counter.nullable().default(null),
    approval: approvalSchema.nullable().default(null),
    inquiry: inquirySchema.nullable().default(null),
    attempt: attemptSchema.nullable(),
    /** When the record last changed, and by when a driver should touch it next: active time runs between the two. */
    touchedAt: instant,
    dueAt: instant,
    /** What the last call of the model that failed said of it, for the person who asks why the run ended. */
    lastFailure: z.string().nullable().default(null),
    /** Tries of the model call of the current step that failed or were lost. */
    failedTries: counter,
    /** Hops counted for the round of tool calls under way, so that running it again after a crash counts none twice. */
    roundHops: counter.nullable(),
    /** Output tokens that the next model call asks for; doubled after a cut-off reply, up to the model's maximum. */
    maxTokens: z.int().min(1),
    maxTokensMax: z.int().min(1),
    /** Replies in a row that could not be used (empty, cut off). */
    badReplies: counter,
    /** The last calls, for the cycle detector, and how far up its ladder the run is. */
    recent: z.array(recentCallSchema),
    rung: counter,
    critic: z.enum(["kept", "due", "used"]),
    /** Text of a cut-off reply that is to be summarised, and whether that has been done for this step. */
    cutText: z.string().nullable(),
    cutSummarised: z.boolean(),
    /** Tokens of the last request and its reply: how full the model's window is. */
    windowTokens: counter,
    /** First message row of the present transcript; rows before it are history that is no longer sent. */
    transcriptStart: counter,
    /** Rows `from` up to but not including `to` are not sent: a pair that the provider would not take. */
    omitted: z.array(z.strictObject({ from: counter, to: counter })),
    renewals: counter,
    /** The conversation is to continue in a fresh transcript before the next call, and why. */
    renewalDue: z.enum(["window", "repair"]).nullable(),
    /** What the model noted for itself; it outlives a fresh transcript. */
    memo: z.strictObject({ notes: z.array(z.string()), plan: z.array(z.string()), brainstormed: z.boolean() }),
    /** Tables shown by describe_tables, and the bookmark of the last query: its steps see one database that moves forward. */
    described: z.array(z.string()).default([]),
    bookmark: z.string().nullable().default(null),
    /** Families of queries that have failed and not worked since, one entry a failure (families.ts). */
    failing: z.array(z.string()).default([]),
    /** How far provider repair has gone for the present request. */
    repairTier: counter,
    /** Set when a ceiling is hit: what remains is the last call. */
    concluding: z.enum(STOP_REASONS).nullable(),
    /** Corrective turns already sent under `grounding: require`. */
    groundingTurns: counter,
    /** Rows of each kind stored so far; the next row's number. */
    messages: counter,
    events: counter,
    results: counter,
    /** SQL texts run, and those that gave rows. */
    queries: counter,
    queriesAnswered: counter,
    ending: endingSchema.nullable(),
  })
  .refine(isConsistent, { path: ["phase"] });

/** What every transition keeps: a record that breaks it was not written by one, and no event would be legal in it. */
function isConsistent(state: { phase: string; attempt: { kind: string } | null; ending: object | null }): boolean {
  if ((state.phase === "finish") !== (state.ending !== null)) return false;
  const { attempt } = state;
  return attempt === null || state.phase === "finish" || (attempt.kind === "tools") === (state.phase === "action");
}

export type AgentState = z.infer<typeof stateSchema>;
export type Usage = AgentState["usage"];
export type Attempt = NonNullable<AgentState["attempt"]>;
export type Inquiry = NonNullable<AgentState["inquiry"]>;
export type Approval = NonNullable<AgentState["approval"]>;
export type Ending = NonNullable<AgentState["ending"]>;
export type Phase = AgentState["phase"];
export type StopReason = (typeof STOP_REASONS)[number];
export type Outcome = (typeof OUTCOMES)[number];

/** A run that nobody finishes is over after a day, also while it waits. */
export const EXPIRY_MS = 24 * 60 * 60 * 1000;
/** A driver that has not touched a run for this long is gone; only so much idle time counts as active. */
export const IDLE_MS_MAX = 2_000;

export type NewRun = Pick<
  AgentState,
  "id" | "question" | "caller" | "mode" | "grounding" | "model" | "tools" | "limits"
> &
  Partial<Pick<AgentState, "loop" | "maxTokensMax" | "again" | "described" | "approveAboveRows">>;

/** Where nobody said how much a model can write. */
const MAX_TOKENS_MAX = 128_000;

/** The first checkpoint of a run, before any effect. `now` is epoch milliseconds. */
export function createState(run: NewRun, now: number): AgentState {
  return {
    version: STATE_VERSION,
    loop: DEFAULT_LOOP,
    maxTokensMax: MAX_TOKENS_MAX,
    again: null,
    described: [],
    approveAboveRows: null,
    ...run,
    parent: null,
    createdAt: now,
    expiresAt: now + EXPIRY_MS,
    usage: { steps: 0, hops: 0, errors: 0, modelCalls: 0, activeMs: 0, rowsRead: 0, costNanoUsd: 0, rowsOverrun: 0 },
    unbilledNanoUsd: 0,
    consecutiveErrors: 0,
    phase: "thought",
    waiting: null,
    approval: null,
    inquiry: null,
    attempt: null,
    touchedAt: now,
    dueAt: run.mode === "manual" ? now + run.limits.wallClockMs : now + IDLE_MS_MAX,
    lastFailure: null,
    failedTries: 0,
    roundHops: null,
    maxTokens: run.loop?.maxTokens ?? DEFAULT_LOOP.maxTokens,
    badReplies: 0,
    recent: [],
    rung: 0,
    critic: "kept",
    cutText: null,
    cutSummarised: false,
    windowTokens: 0,
    transcriptStart: 0,
    omitted: [],
    renewals: 0,
    renewalDue: null,
    memo: { notes: [], plan: [], brainstormed: false },
    bookmark: null,
    failing: [],
    repairTier: 0,
    concluding: null,
    groundingTurns: 0,
    messages: 0,
    events: 0,
    results: 0,
    queries: 0,
    queriesAnswered: 0,
    ending: null,
  };
}
