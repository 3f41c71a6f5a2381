/**
 * What a reader of a run is told, in order and numbered: the rows behind `GET /v1/runs/:id/events`.
 *
 * Owns: the stored form, which refers to message rows instead of repeating them, and its public form, which is whole.
 * STORED CONTRACT: types and fields are only ever added. Pure: no I/O, no clock.
 */
import * as z from "zod";
import { parseIfText } from "../lib/json.ts";
import { usdFromNano as usd } from "../lib/money.ts";
import { NANO_USD_PER_ROW } from "./cost.ts";
import { type LimitChange, tellLimitChanges } from "./limit-changes.ts";
import type { Message } from "./model.ts";
import type { Approval, Attempt, Phase } from "./state.ts";

/** Stored form. `message` is the number of a message row; `index` a position within it. */
export type RunEvent = { readonly at: number; readonly step: number; readonly phase: Phase } & (
  | { readonly type: "run_started" }
  /** The events before this one are those of the run it carries on from. */
  | {
      readonly type: "run_forked";
      readonly from: string;
      readonly fromStep: number;
      readonly kind: "continue" | "fork";
      /** Limits that differ from those of the old run. */
      readonly limits?: readonly LimitChange[];
    }
  | { readonly type: "step_started"; readonly purpose: Attempt["purpose"]; readonly reservedNanoUsd: number }
  | { readonly type: "attempt_lost"; readonly keptNanoUsd: number }
  | {
      readonly type: "model_replied";
      /** Null when the reply was not kept in the history; `text` then holds its text. */
      readonly message: number | null;
      readonly text?: string;
      readonly finish: string;
      readonly tokens: readonly [input: number, write5m: number, write1h: number, read: number, output: number];
      readonly costNanoUsd: number;
      readonly totalNanoUsd: number;
      readonly durationMs: number;
    }
  /** The calls of a stored plan; no model was asked for them. */
  | { readonly type: "plan_followed"; readonly message: number }
  | { readonly type: "model_failed"; readonly code: string; readonly status: number | null; readonly text: string }
  | { readonly type: "retry_scheduled"; readonly code: string; readonly until: number; readonly attempt: number }
  | {
      readonly type: "tool_observed";
      /** Of the row with the results; the row before it holds the calls. */
      readonly message: number;
      readonly index: number;
      readonly durationMs: number;
      readonly query?: {
        readonly rows: number;
        readonly rowsRead: number;
        readonly durationMs: number;
        readonly error: string | null;
        readonly ref: string | null;
      };
    }
  /** A person is asked whether calls of row `message` may run; without an answer by `until` the run ends. */
  | {
      readonly type: "approval_asked";
      readonly approval: string;
      readonly message: number;
      readonly queries: readonly AskedQuery[];
      readonly until: number;
    }
  | {
      readonly type: "approval_decided";
      readonly approval: string;
      readonly decision: NonNullable<Approval["decision"]>;
      readonly by: string;
      readonly note: string | null;
    }
  /** The person is asked what the call at `index` of row `message` asks. */
  | {
      readonly type: "question_asked";
      readonly inquiry: string;
      readonly message: number;
      readonly index: number;
      readonly until: number;
    }
  | { readonly type: "question_answered"; readonly inquiry: string; readonly reply: string; readonly by: string }
  | { readonly type: "step_finished" }
  | {
      readonly type: "recovery";
      readonly what: string;
      readonly text: string;
      /** Only of a repair: what was refused, and what came back, by reference. */
      readonly refused?: RefusedRequest;
    }
  | { readonly type: "ceiling_reached"; readonly reason: string }
  | { readonly type: "run_finished"; readonly outcome: string; readonly stopReason: string; readonly text: string }
);

/** A call that a person is asked about: its place among the calls of the reply, and what it would do. */
export interface AskedQuery {
  readonly index: number;
  readonly rowsRead: number;
  readonly tables: readonly string[];
  /** EXPLAIN QUERY PLAN, a line each, inner ones indented. */
  readonly plan: readonly string[];
}

/**
 * A request that a provider would not take, by reference: the message rows it was made of, beside the pinned texts, and
 * the number of the `model_failed` event that holds the answer. Neither ever holds a key.
 */
export interface RefusedRequest {
  readonly messages: { readonly from: number; readonly to: number };
  /** Rows within them that were left out. */
  readonly omitted: readonly { readonly from: number; readonly to: number }[];
  readonly reply: number;
}

/** Public form: snake_case, dollars, ISO times. */
export type PublicRunEvent = { readonly type: string; readonly [field: string]: unknown };

/** Makes the public form; `messageAt` gives a message row by number, or null when there is none. */
export function toPublicRunEvent(event: RunEvent, messageAt: (index: number) => Message | null): PublicRunEvent {
  const head = { type: event.type, at: new Date(event.at).toISOString(), step: event.step, phase: event.phase };
  switch (event.type) {
    case "run_started":
    case "step_finished":
      return head;
    case "run_forked":
      return {
        ...head,
        from_run: event.from,
        from_step: event.fromStep,
        kind: event.kind,
        limits: event.limits ?? [],
        message: tellForked(event),
      };
    case "step_started":
      return { ...head, purpose: event.purpose, reserved_usd: usd(event.reservedNanoUsd) };
    case "attempt_lost":
      return { ...head, kept_usd: usd(event.keptNanoUsd) };
    case "model_replied": {
      const message = event.message === null ? null : messageAt(event.message);
      const said = message?.role === "assistant" ? message : null;
      const [input, write5m, write1h, read, output] = event.tokens;
      return {
        ...head,
        text: said?.text ?? event.text ?? "",
        calls: said?.calls ?? [],
        finish: event.finish,
        usage: { input, cache_write_5m: write5m, cache_write_1h: write1h, cache_read: read, output },
        cost_usd: usd(event.costNanoUsd),
        cost_total_usd: usd(event.totalNanoUsd),
        duration_ms: event.durationMs,
      };
    }
    case "plan_followed": {
      const message = messageAt(event.message);
      return { ...head, calls: message?.role === "assistant" ? message.calls : [] };
    }
    case "model_failed":
      return { ...head, code: event.code, status: event.status, message: event.text };
    case "retry_scheduled":
      return { ...head, code: event.code, until: new Date(event.until).toISOString(), attempt: event.attempt };
    case "tool_observed":
      return { ...head, ...toPublicObservation(event, messageAt) };
    case "approval_asked":
      return { ...head, ...toPublicApproval(event, messageAt), until: new Date(event.until).toISOString() };
    case "approval_decided":
      return { ...head, approval: event.approval, decision: event.decision, by: event.by, note: event.note };
    case "question_asked":
      return { ...head, ...toPublicInquiry(event, messageAt), until: new Date(event.until).toISOString() };
    case "question_answered":
      return { ...head, inquiry: event.inquiry, reply: event.reply, by: event.by };
    case "recovery":
      return {
        ...head,
        what: event.what,
        message: event.text,
        ...(event.refused === undefined ? {} : { refused: { ...event.refused } }),
      };
    case "ceiling_reached":
      return { ...head, reason: event.reason };
    case "run_finished":
      return { ...head, outcome: event.outcome, stop_reason: event.stopReason, message: event.text };
  }
}

function tellForked({ from, fromStep, limits = [] }: Extract<RunEvent, { type: "run_forked" }>): string {
  const changed = limits.length === 0 ? "under the same limits" : `with ${tellLimitChanges(limits)}`;
  return `Goes on from ${from} after step ${fromStep}, with what was spent there, ${changed}.`;
}

/** What the person is asked, as the model wrote it: its tool has accepted these arguments. */
export function toPublicInquiry(
  event: Extract<RunEvent, { type: "question_asked" }>,
  messageAt: (index: number) => Message | null,
) {
  const asked = messageAt(event.message);
  const call = asked?.role === "assistant" ? asked.calls[event.index] : undefined;
  const { question = "", options = [] } = inquirySchema.safeParse(parseIfText(call?.input)).data ?? {};
  return { inquiry: event.inquiry, index: event.index, question, options };
}

const inquirySchema = z.looseObject({ question: z.string(), options: z.array(z.string()) });

/** What a person decides on: the effect, not the name of a tool. */
export function toPublicApproval(
  event: Extract<RunEvent, { type: "approval_asked" }>,
  messageAt: (index: number) => Message | null,
) {
  const asked = messageAt(event.message);
  const calls = asked?.role === "assistant" ? asked.calls : [];
  const queries = event.queries.map(({ index, rowsRead, tables, plan }) => ({
    index,
    sql: sqlOf(calls[index]?.input) ?? JSON.stringify(calls[index]?.input ?? null),
    tables: [...tables],
    rows_read: rowsRead,
    cost_usd: usd(rowsRead * NANO_USD_PER_ROW),
    plan: [...plan],
  }));
  return { approval: event.approval, queries };
}

function toPublicObservation(
  event: Extract<RunEvent, { type: "tool_observed" }>,
  messageAt: (index: number) => Message | null,
): { readonly [field: string]: unknown } {
  const answered = messageAt(event.message);
  const result = answered?.role === "tool" ? answered.results[event.index] : undefined;
  const asked = messageAt(event.message - 1);
  const call = asked?.role === "assistant" ? asked.calls[event.index] : undefined;
  const query = event.query;
  return {
    call_id: result?.callId ?? null,
    name: call?.name ?? null,
    observation: result === undefined ? null : JSON.parse(result.content),
    duration_ms: event.durationMs,
    query:
      query === undefined
        ? null
        : {
            sql: sqlOf(call?.input),
            rows: query.rows,
            rows_read: query.rowsRead,
            duration_ms: query.durationMs,
            error: query.error,
            ref: query.ref,
          },
  };
}

/** The SQL text of a call, also of one whose arguments came as JSON text. */
export function sqlOf(input: unknown): string | null {
  const read = parseIfText(input);
  if (typeof read !== "object" || read === null || !("sql" in read)) return null;
  return typeof read.sql === "string" ? read.sql : null;
}
