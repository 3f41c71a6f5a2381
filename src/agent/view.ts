/**
 * The public form of a run: the HTTP resource, the body of callbacks, the source of every text that a person reads.
 * snake_case, dollars, seconds, ISO times. Owns: the shape and its schema (which also makes the OpenAPI document).
 * Pure: no I/O, no clock; `now` is epoch milliseconds.
 */
import * as z from "zod";
import { usdFromNano } from "../lib/money.ts";
import { warnOfTime } from "./again.ts";
import { chartWishSchema } from "./chart-wish.ts";
import { activeMsAt } from "./clock.ts";
import { CONTINUABLE } from "./ending.ts";
import { toPublicLimits } from "./limits.ts";
import { costByPhaseSchema, type Examined, postmortemSchema } from "./postmortem.ts";
import { type AgentState, OUTCOMES, PHASES, STOP_REASONS } from "./state.ts";

const amount = z.number().min(0);

export const publicRunSchema = z.strictObject({
  id: z.string(),
  status: z.enum(["running", "waiting", "finished"]),
  outcome: z.enum(OUTCOMES).nullable(),
  /** True for every ending but `answered`. */
  failed: z.boolean(),
  stop_reason: z.enum(STOP_REASONS).nullable(),
  /** One plain sentence on how the run ended; null while it goes on. */
  message: z.string().nullable(),
  answer: z.string().nullable(),
  partial_answer: z.string().nullable(),
  grounded: z.boolean(),
  n_queries: z.int().min(0),
  question: z.string(),
  phase: z.enum(PHASES),
  waiting: z
    .strictObject({
      /** `retry`: a model call is tried again at `until`. `approval`, `reply`: a person answers, or the run ends. */
      kind: z.enum(["retry", "approval", "reply"]),
      since: z.string(),
      until: z.string(),
      /** What a person decides on; null: nothing. */
      approval: z
        .strictObject({
          id: z.string(),
          queries: z.array(
            z.strictObject({
              /** Place among the calls of the model's reply, from 0. */
              index: z.int().min(0),
              sql: z.string(),
              tables: z.array(z.string()),
              /** By the query's plan. */
              rows_read: amount,
              cost_usd: amount,
              /** The engine's plan, a line each, inner ones indented. */
              plan: z.array(z.string()),
            }),
          ),
        })
        .nullable(),
      /** What the model asks the person; null: nothing. Any words are an answer. */
      inquiry: z.strictObject({ id: z.string(), question: z.string(), options: z.array(z.string()) }).nullable(),
    })
    .nullable(),
  /** Queries whose plan expects to read more rows wait for a person; null: none does. */
  approve_above_rows: z.int().min(0).nullable(),
  mode: z.enum(["auto", "manual"]),
  model: z.string(),
  grounding: z.enum(["off", "report", "require"]),
  limits: z.record(z.string(), z.number()),
  usage: z.strictObject({
    steps: amount,
    hops: amount,
    errors: amount,
    model_calls: amount,
    active_ms: amount,
    rows_read: amount,
    cost_usd: amount,
    /** Of `cost_usd`, what was counted for calls whose bill never came: they cost at most that. */
    unbilled_usd: amount,
    reserved_usd: amount,
  }),
  receipt: z.strictObject({
    queries: z.array(
      z.strictObject({
        sql: z.string(),
        result: z.string().nullable(),
        rows: z.int().min(0),
        rows_read: z.int().min(0),
        duration_ms: amount,
        error: z.string().nullable(),
      }),
    ),
    results: z.array(z.string()),
    citations: z.array(z.strictObject({ figure: z.string(), result: z.string(), row: z.int(), column: z.string() })),
    /** The picture that the model asked for; null: none, and the shape of the rows decides. */
    chart: chartWishSchema.nullable(),
    rows_read: amount,
    cost_usd: amount,
    /** Null while the run goes on. */
    cost_by_phase: costByPhaseSchema.nullable(),
    seconds: amount,
    steps: amount,
  }),
  /** What the run was like, step by step; null while it goes on. */
  postmortem: postmortemSchema.nullable(),
  warnings: z.array(z.string()),
  links: z.record(z.string(), z.string()),
  /** Where the outcome is sent, and how that stands. */
  deliveries: z.array(
    z.strictObject({
      kind: z.enum(["webhook", "slack"]),
      state: z.enum(["pending", "delivered", "failed", "disabled"]),
      attempts: z.int().min(0),
      next_at: z.string().nullable(),
      /** HTTP status of the last try; null when there was no answer. */
      last_status: z.int().nullable(),
    }),
  ),
  parent: z.strictObject({ id: z.string(), step: z.int(), kind: z.string() }).nullable(),
  /** Of a run that ran the queries of an earlier one again, with no model. */
  again: z
    .strictObject({
      /** The run that a model answered, and when. */
      id: z.string(),
      answered_at: z.string(),
      /** Whether every query gave the same rows as then; null: not known, or not yet. */
      unchanged: z.boolean().nullable(),
      /** References of the results that changed. */
      changed: z.array(z.string()),
    })
    .nullable(),
  /** Runs that carry on from this one. */
  children: z.array(z.strictObject({ id: z.string(), step: z.int(), kind: z.string() })),
  created_at: z.string(),
  finished_at: z.string().nullable(),
});

export type PublicRun = z.infer<typeof publicRunSchema>;
export type PublicQuery = PublicRun["receipt"]["queries"][number];
export type PublicApproval = NonNullable<NonNullable<PublicRun["waiting"]>["approval"]>;
export type PublicInquiry = NonNullable<NonNullable<PublicRun["waiting"]>["inquiry"]>;
export type PublicDelivery = PublicRun["deliveries"][number];

/** What the head of a run does not hold. */
export interface RunRows {
  /** Every SQL text that was run, in order. */
  readonly queries: readonly PublicQuery[];
  readonly children?: PublicRun["children"];
  readonly deliveries?: readonly PublicDelivery[];
  /** Of a run that waits for one. */
  readonly approval?: PublicApproval | null;
  readonly inquiry?: PublicInquiry | null;
  /** Of a finished run. */
  readonly examined?: Examined | null;
}

export function toPublicRun(state: AgentState, rows: RunRows, now: number): PublicRun {
  const { usage, ending } = state;
  const activeMs = activeMsAt(state, now);
  const waiting = state.waiting;
  return {
    id: state.id,
    status: ending !== null ? "finished" : waiting !== null ? "waiting" : "running",
    outcome: ending?.outcome ?? null,
    failed: ending?.failed ?? false,
    stop_reason: ending?.stopReason ?? null,
    message: ending?.message ?? null,
    answer: ending?.answer ?? null,
    partial_answer: ending?.partialAnswer ?? null,
    grounded: ending?.grounded ?? false,
    n_queries: state.queries,
    question: state.question,
    phase: state.phase,
    waiting: waiting && {
      kind: waiting.kind,
      // Nothing touches a run that waits.
      since: new Date(state.touchedAt).toISOString(),
      until: new Date(waiting.until).toISOString(),
      approval: waiting.kind === "approval" ? (rows.approval ?? null) : null,
      inquiry: waiting.kind === "reply" ? (rows.inquiry ?? null) : null,
    },
    approve_above_rows: state.approveAboveRows,
    mode: state.mode,
    model: state.model,
    grounding: state.grounding,
    limits: { ...toPublicLimits(state.limits) },
    usage: {
      steps: usage.steps,
      hops: usage.hops,
      errors: usage.errors,
      model_calls: usage.modelCalls,
      active_ms: activeMs,
      rows_read: usage.rowsRead,
      cost_usd: usdFromNano(usage.costNanoUsd),
      unbilled_usd: usdFromNano(state.unbilledNanoUsd),
      reserved_usd: usdFromNano(state.attempt?.reservedNanoUsd ?? 0),
    },
    receipt: {
      queries: [...rows.queries],
      results: ending?.results ?? [],
      citations: ending?.citations ?? [],
      chart: ending?.chart ?? null,
      rows_read: usage.rowsRead,
      cost_usd: usdFromNano(usage.costNanoUsd),
      cost_by_phase: rows.examined?.costByPhase ?? null,
      seconds: activeMs / 1000,
      steps: usage.steps,
    },
    postmortem: rows.examined?.postmortem ?? null,
    warnings: warningsOf(state),
    links: linksOf(state),
    parent: state.parent && { id: state.parent.runId, step: state.parent.step, kind: state.parent.kind },
    again: state.again && {
      id: state.again.runId,
      answered_at: new Date(state.again.answeredAt).toISOString(),
      unchanged: state.again.changed && state.again.changed.length === 0,
      changed: state.again.changed ?? [],
    },
    deliveries: [...(rows.deliveries ?? [])],
    children: [...(rows.children ?? [])],
    created_at: new Date(state.createdAt).toISOString(),
    finished_at: ending === null ? null : new Date(ending.at).toISOString(),
  };
}

/** What a reader should know before trusting the answer, in plain words. */
function warningsOf(state: AgentState): string[] {
  const warnings: string[] = [];
  const { ending, usage } = state;
  if (ending?.outcome === "answered" && state.grounding !== "off" && !ending.grounded) {
    warnings.push("Answered without querying the database.");
  }
  if (ending !== null && ending.unsupported.length > 0) {
    warnings.push(`No result shows these figures of the answer: ${ending.unsupported.join(", ")}.`);
  }
  if (ending?.partialAnswer) warnings.push("The partial answer was written when the run had to stop: check it.");
  const moved = state.again && ending?.answer && warnOfTime(state.question, state.again.answeredAt);
  if (moved) warnings.push(moved);
  if (usage.rowsRead > state.limits.rowsReadMax) {
    warnings.push(`The database read ${usage.rowsRead} rows: more than the limit, and more than its plan let expect.`);
  }
  return warnings;
}

function linksOf(state: AgentState): { [name: string]: string } {
  const self = `/v1/runs/${state.id}`;
  const links: { [name: string]: string } = { self, events: `${self}/events`, transcript: `${self}/transcript` };
  if (state.results > 0) links.results = `${self}/results/r1`;
  if (state.ending === null) links.cancel = `${self}/cancel`;
  if (state.waiting?.kind === "approval") links.approve = `${self}/approve`;
  if (state.waiting?.kind === "reply") links.reply = `${self}/reply`;
  if (state.ending === null && state.mode === "manual") links.steps = `${self}/steps`;
  if (state.ending !== null && state.again === null && CONTINUABLE.has(state.ending.stopReason)) {
    links.continue = `${self}/continue`;
  }
  if (state.ending?.outcome === "answered" && state.queriesAnswered > 0) links.again = `${self}/again`;
  if (state.parent !== null) links.parent = `/v1/runs/${state.parent.runId}`;
  return links;
}
