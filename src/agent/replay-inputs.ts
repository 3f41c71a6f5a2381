/**
 * The next input of a replay: which event the recorded one stands for, and what its effect brought.
 *
 * Owns: the way back from what was told to what happened. A reply is its message row, or the text that was told of one
 * that was not kept; an observation its row; what only the state keeps of an effect (calls for the detector, notes,
 * tables described, the database's bookmark, evidence) is read from the next recorded state. Pure.
 */
import { assert } from "../lib/assert.ts";
import { byteLength } from "../lib/bytes.ts";
import { NANO_PER_USD } from "../lib/money.ts";
import { abortAt, activeMsAt } from "./clock.ts";
import type { RecentCall } from "./cycles.ts";
import { FINAL_ANSWER } from "./dispatch.ts";
import type { Event, ToolOutcome } from "./event.ts";
import type { Evidence } from "./figures.ts";
import type { FinishReason, Message, ModelReply, ToolCall, ToolResult } from "./model.ts";
import { unsupportedText } from "./nudges.ts";
import { modelFailed } from "./replay-failures.ts";
import { personEvent } from "./replay-person.ts";
import type { RecordedRun } from "./replay-record.ts";
import { CUT_TEXT_BYTES_MAX } from "./reply.ts";
import type { PublicRunEvent } from "./run-event.ts";
import { hashObserved, signatureOf } from "./signature.ts";
import type { AgentState, Attempt, Ending } from "./state.ts";

export interface ReplayInput {
  readonly event: Event;
  readonly at: number;
}

export function nextEvent(record: RecordedRun, state: AgentState): ReplayInput {
  const told = record.events[state.events];
  const last = record.states.at(-1);
  if (told === undefined) {
    assert(last !== undefined && state.attempt !== null, "after the last event only a bill can come");
    const costNanoUsd = last.usage.costNanoUsd - state.usage.costNanoUsd;
    return { event: { kind: "bill_arrived", costNanoUsd }, at: last.touchedAt };
  }
  const event = toEvent(record, state, told);
  return { event, at: happenedAt(record, state, told, event) };
}

/** Most events tell when they happened. */
function happenedAt(record: RecordedRun, state: AgentState, told: PublicRunEvent, { kind }: Event): number {
  if (kind === "tools_reserved") return reservedAt(record, state, told);
  if (kind !== "extra_skipped") return instant(told);
  const skipped = record.states.find((one) => one.events === state.events && !isExtraDue(one));
  return skipped?.touchedAt ?? instant(told);
}

/**
 * Nothing tells when a round was reserved: for one that was lost at once, else as long before its end as it took. Only
 * after an outage does it matter to the millisecond: then what the next recorded state has counted as active tells.
 */
function reservedAt(record: RecordedRun, state: AgentState, told: PublicRunEvent): number {
  if (told.type === "attempt_lost") return state.touchedAt;
  const endedAt = instant(told);
  const calls = record.messages[state.messages - 1];
  const count = calls?.role === "assistant" ? calls.calls.length : 0;
  const round = record.events.slice(state.events).filter((event) => event.type === "tool_observed");
  const durations = round.slice(0, count).map((event) => Number(event.duration_ms));
  const guess = Math.max(state.touchedAt, endedAt - Math.max(0, ...durations));
  if (guess <= state.dueAt) return guess;
  const after = stateAfter(record, state);
  const sinceRound = after.touchedAt - endedAt;
  const duringRound = after.usage.activeMs - sinceRound - activeMsAt(state, state.dueAt);
  return Math.max(state.dueAt, Math.min(endedAt, endedAt - duringRound));
}

function toEvent(record: RecordedRun, state: AgentState, told: PublicRunEvent): Event {
  const what = String(told.what ?? "");
  // A round tells of a cycle before it tells of its calls.
  if (state.phase === "action" && ["tool_observed", "recovery"].includes(told.type)) return round(record, state);
  if (isExtraSkipped(record, state, told)) return { kind: "extra_skipped" };
  switch (told.type) {
    case "step_started":
      return { kind: "call_reserved", attempt: modelAttempt(record, state, told) };
    case "attempt_lost":
      if (state.attempt === null) return reserveTools(record, state, toNano(told.kept_usd));
      return { kind: "attempt_lost" };
    case "model_replied":
      return modelReplied(record, state, told);
    case "model_failed":
      return modelFailed(record, state, told);
    case "recovery": {
      const message = record.messages[state.messages];
      assert(what.startsWith("renewed_") && message?.role === "user", `the recovery ${what} stands alone`);
      return {
        kind: "transcript_renewed",
        text: message.text,
        reason: what === "renewed_repair" ? "repair" : "window",
      };
    }
    case "approval_asked":
    case "approval_decided":
    case "question_asked":
    case "question_answered":
      return personEvent(record, state, told);
    case "plan_followed": {
      const asked = record.messages[state.messages];
      assert(asked?.role === "assistant", "the calls of a plan stand in the conversation");
      return { kind: "plan_followed", calls: asked.calls };
    }
    case "ceiling_reached":
      return { kind: "ceiling_reached", reason: reasonOf(record, told) };
    case "run_finished":
      return ended(record, state);
    default:
      assert(false, `the event ${told.type} stands alone`);
  }
}

function ended(record: RecordedRun, state: AgentState): Event {
  const ending = record.states.at(-1)?.ending;
  assert(ending != null, "the last recorded state of a finished run has its ending");
  const partial = ending.partialAnswer;
  if (ending.stopReason === "cancelled") return { kind: "cancelled", partial };
  if (ending.stopReason === "expired") return { kind: "expired", partial };
  if (ending.stopReason === "error") return { kind: "broke", message: ending.message };
  if (state.again !== null && state.concluding === null) return planEnded(record, ending);
  assert(state.concluding !== null, `the ending ${ending.stopReason} follows from what came before`);
  return { kind: "concluded", partial };
}

function planEnded(record: RecordedRun, ending: Ending): Event {
  const { answer, partialAnswer: _partial, ...rest } = ending;
  const changed = record.states.at(-1)?.again?.changed ?? null;
  const parts = answer === null ? rest : { ...rest, answer };
  return { kind: "plan_ended", reason: ending.stopReason === "done" ? "done" : "retry_ceiling", parts, changed };
}

/** An extra call comes before all else, or is skipped; what ends the run may also come before either. */
function isExtraSkipped(record: RecordedRun, state: AgentState, told: PublicRunEvent): boolean {
  if (state.concluding !== null || state.attempt !== null || !isExtraDue(state)) return false;
  if (told.type === "step_started") return told.purpose === "step";
  if (told.type === "recovery") return true;
  const last = record.states.at(-1);
  return ["ceiling_reached", "run_finished"].includes(told.type) && last !== undefined && !isExtraDue(last);
}

function isExtraDue({ cutText, critic }: AgentState): boolean {
  return cutText !== null || critic === "due";
}

function modelAttempt(record: RecordedRun, state: AgentState, told: PublicRunEvent): Attempt {
  const at = startedAt(record, state, told);
  const purposes = ["step", "last", "critic", "summary"] as const;
  const purpose = purposes.find((name) => name === told.purpose) ?? "step";
  return {
    token: "replay",
    kind: "model",
    purpose,
    startedAt: at,
    abortAt: abortAt(state, purpose, at),
    reservedNanoUsd: toNano(told.reserved_usd),
    reservedRows: 0,
  };
}

/** A moment before it was told: its reply says how long the call took. */
function startedAt(record: RecordedRun, state: AgentState, told: PublicRunEvent): number {
  const next = record.events.slice(state.events + 1).find((event) => event.type !== "retry_scheduled");
  return next?.type === "model_replied" ? instant(next) - Number(next.duration_ms) : instant(told);
}

function reserveTools(record: RecordedRun, state: AgentState, reservedRows: number): Event {
  const asked = record.messages[state.messages - 1];
  const calls = asked?.role === "assistant" ? asked.calls.length : 0;
  const hops = state.roundHops ?? Math.min(calls, state.limits.hopsMax - state.usage.hops);
  const at = state.touchedAt;
  const attempt: Attempt = {
    token: "replay",
    kind: "tools",
    purpose: "step",
    startedAt: at,
    abortAt: abortAt(state, "step", at),
    reservedNanoUsd: reservedRows,
    reservedRows,
  };
  return { kind: "tools_reserved", attempt, hops };
}

function modelReplied(record: RecordedRun, state: AgentState, told: PublicRunEvent): Event {
  const usage = toObject(told.usage);
  const tokens = (name: string): number => Number(usage[name] ?? 0);
  const kept = state.attempt?.purpose === "step" ? record.messages[state.messages] : undefined;
  const isKept = kept?.role === "assistant";
  const finish = toFinish(String(told.finish));
  const reply: ModelReply = {
    content: isKept ? kept.content : [],
    text: isKept ? kept.text : toldText(record, String(told.text ?? "")),
    hasThinking: false,
    calls: isKept ? kept.calls : unkeptCalls(record.events[state.events + 1]),
    finish,
    rawFinish: String(told.finish),
    usage: {
      input: tokens("input"),
      cacheWrite5m: tokens("cache_write_5m"),
      cacheWrite1h: tokens("cache_write_1h"),
      cacheRead: tokens("cache_read"),
      output: tokens("output"),
    },
    priceMultiplier: 1,
    requestId: null,
  };
  const note = record.messages[state.messages + 1];
  const evidence = evidenceOf(record, note?.role === "user" ? note.text : "");
  return { kind: "model_replied", reply, costNanoUsd: toNano(told.cost_usd), evidence };
}

/** The text of a reply that was not kept is told cut; what became the run's ending goes further. */
function toldText(record: RecordedRun, text: string): string {
  // A character of four bytes that did not fit may have left three.
  if (byteLength(text) < CUT_TEXT_BYTES_MAX - 3) return text;
  const { partialAnswer, message } = record.states.at(-1)?.ending ?? {};
  const words = text.trimStart();
  const whole = [partialAnswer, message].find((said) => said?.startsWith(words));
  return whole == null ? text : text.slice(0, text.length - words.length) + whole;
}

/** Calls of a reply that was not kept matter only by being there: what was told next says whether they were. */
function unkeptCalls(next: PublicRunEvent | undefined): readonly ToolCall[] {
  const said = String(next?.message ?? "");
  const call = { id: "unkept", name: "unkept", input: {} };
  if (/gave two tool calls the same id/.test(said)) return [call, call];
  return /Cut off in the tool call/.test(said) ? [call] : [];
}

const FINISHES: { readonly [raw: string]: FinishReason } = {
  end_turn: "end_turn",
  stop: "end_turn",
  tool_use: "tool_use",
  tool_calls: "tool_use",
  max_tokens: "max_tokens",
  length: "max_tokens",
  stop_sequence: "stop_sequence",
  pause_turn: "pause_turn",
  refusal: "refusal",
  content_filter: "refusal",
  model_context_window_exceeded: "context_window",
  context_window: "context_window",
};

function toFinish(raw: string): FinishReason {
  return FINISHES[raw] ?? "other";
}

/** What the answer rests on stands in the ending; figures that were sent back stand in the note that sent them. */
function evidenceOf(record: RecordedRun, note: string): Evidence {
  const [head = "", tail = ""] = unsupportedText(["\n"]).split("\n");
  if (note.startsWith(head) && note.endsWith(tail)) {
    return { citations: [], unsupported: note.slice(head.length, note.length - tail.length).split(", ") };
  }
  const ending = record.states.at(-1)?.ending;
  return { citations: ending?.citations ?? [], unsupported: ending?.unsupported ?? [] };
}

function round(record: RecordedRun, state: AgentState): Event {
  const asked = record.messages[state.messages - 1];
  const answered = record.messages[state.messages];
  assert(asked?.role === "assistant" && answered?.role === "tool", "a round stands between its calls and its results");
  const after = stateAfter(record, state);
  const events = record.events.slice(state.events).filter((event) => event.type === "tool_observed");
  const rows = after.usage.rowsRead - state.usage.rowsRead;
  if (state.attempt === null) {
    const overrun = after.usage.rowsOverrun - state.usage.rowsOverrun;
    return reserveTools(record, state, rows - overrun);
  }
  const hops = state.roundHops ?? asked.calls.length;
  const outcomes = asked.calls.map((call, index): ToolOutcome => {
    const result = answered.results[index];
    const event = events[index];
    assert(result !== undefined && event !== undefined, "A5: each call has its result");
    return toOutcome(record, after, { call, result, event, index, hops, step: state.usage.steps, note: answered });
  });
  const told_rows = outcomes.reduce((sum, outcome) => sum + outcome.rowsRead, 0);
  const calls = after.recent.filter((call) => call.step === state.usage.steps);
  const patched = outcomes.map((outcome, index) => ({
    ...outcome,
    // Rows that no query tells of were read for a description.
    rowsRead: outcome.rowsRead + (index === 0 ? rows - told_rows : 0),
    recent: outcome.recent === null ? null : takeCall(calls, outcome.recent, outcomes.slice(index + 1)),
    memo: index === outcomes.length - 1 ? after.memo : null,
    described: index === 0 ? after.described : [],
    bookmark: index === outcomes.length - 1 ? after.bookmark : null,
    failing: index === outcomes.length - 1 ? after.failing : null,
  }));
  return { kind: "tools_observed", outcomes: patched, newResults: after.results - state.results };
}

/**
 * The recorded entry of a call: its signature is of the arguments as its tool reads them, which only the tool knows. Equal
 * results are told apart by their place, counted from the end: the window drops what is oldest.
 */
function takeCall(calls: readonly RecentCall[], made: RecentCall, later: readonly ToolOutcome[]): RecentCall {
  const found = calls.at(-1 - later.filter((outcome) => outcome.recent !== null).length);
  // Older transcripts hold the whole of a hash.
  const isSame = found?.result.startsWith(made.result) && found.tool === made.tool && found.ref === made.ref;
  return found !== undefined && isSame ? found : made;
}

interface Observed {
  readonly call: ToolCall;
  readonly result: ToolResult;
  readonly event: PublicRunEvent;
  readonly index: number;
  readonly hops: number;
  readonly step: number;
  readonly note: Extract<Message, { role: "tool" }>;
}

function toOutcome(record: RecordedRun, after: AgentState, observed: Observed): ToolOutcome {
  const { call, result, event, index, hops, step, note } = observed;
  const observation = toObject(JSON.parse(result.content));
  const summary = String(observation.summary);
  const query = event.query === null ? null : toObject(event.query);
  const refusedBy = refusalOf(summary, index >= hops);
  const ref = typeof query?.ref === "string" ? query.ref : null;
  const tool = call.name.slice(0, 64);
  const recent = {
    signature: signatureOf(call.name, call.input),
    result: hashObserved(observation),
    tool,
    step,
    isError: result.isError,
    ref,
  };
  const ending = after.ending ?? record.states.at(-1)?.ending ?? null;
  const isFinal = call.name === FINAL_ANSWER && !result.isError && refusedBy === null;
  return {
    callId: call.id,
    name: call.name,
    content: result.content,
    summary,
    isError: result.isError,
    refusedBy,
    recent: refusedBy === null ? recent : null,
    rowsRead: Number(query?.rows_read ?? 0),
    query:
      query === null
        ? null
        : {
            sql: String(query.sql ?? ""),
            durationMs: Number(query.duration_ms),
            rowsRead: Number(query.rows_read),
            rows: Number(query.rows),
            error: typeof query.error === "string" ? query.error : null,
            ref,
          },
    final: isFinal
      ? {
          answer: ending?.answer ?? "",
          results: ending?.results ?? [],
          citations: [],
          chart: ending?.chart ?? null,
          evidence: evidenceOf(record, note.note ?? ""),
        }
      : null,
    durationMs: Number(event.duration_ms),
    memo: null,
    described: [],
    bookmark: null,
    failing: null,
  };
}

function refusalOf(summary: string, isOverHops: boolean): ToolOutcome["refusedBy"] {
  if (isOverHops) return "hops";
  if (/ was not run again: the same call /.test(summary)) return "cycle";
  if (/ was not run: a person was shown this query /.test(summary)) return "person";
  return / was not run: this very call has failed /.test(summary) ? "breaker" : null;
}

/** The first recorded state that holds what the round under way has brought. */
function stateAfter(record: RecordedRun, state: AgentState): AgentState {
  const found = record.states.find((one) => one.messages > state.messages) ?? record.states.at(-1);
  assert(found !== undefined, "a record has states");
  return found;
}

function reasonOf(record: RecordedRun, told: PublicRunEvent) {
  const known = [...record.states].reverse().find((state) => (state.ending?.stopReason ?? null) === told.reason);
  const reason =
    known?.ending?.stopReason ?? record.states.find((state) => state.concluding === told.reason)?.concluding;
  assert(reason != null, `the ceiling ${String(told.reason)} is how the run ended`);
  return reason;
}

function instant(event: PublicRunEvent): number {
  return Date.parse(String(event.at));
}

function toNano(dollars: unknown): number {
  return Math.round(Number(dollars ?? 0) * NANO_PER_USD);
}

function toObject(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
