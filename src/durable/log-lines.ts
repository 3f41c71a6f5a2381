/**
 * One line of the log for each step and for each run, in the names that OpenTelemetry gives to calls of models (gen_ai.*),
 * so that any collector of Workers' logs can count dollars, tokens and seconds.
 *
 * Owns: what stands in a line. STORED CONTRACT towards those who query their logs: fields are only ever added. Nothing in
 * it comes from a question, a row, an answer or a key: numbers, ids of ours, and words of closed lists.
 * Leaves to others: writing it (faults.ts). Pure: no I/O, no clock.
 */
import type { RunEvent } from "../agent/run-event.ts";
import type { AgentState } from "../agent/state.ts";
import type { StepResult } from "../agent/step.ts";
import { usdFromNano } from "../lib/money.ts";

export interface LogLine {
  readonly event: string;
  readonly [field: string]: unknown;
}

type Replied = Extract<RunEvent, { type: "model_replied" }>;

/** `events`: those that the step told, `result`: how it ended. */
export function toStepLine(
  state: AgentState,
  events: readonly RunEvent[],
  result: StepResult["kind"] | "broke",
  durationMs: number,
): LogLine {
  const replies = events.filter((event) => event.type === "model_replied");
  const tools = events.filter((event) => event.type === "tool_observed");
  const failures = events.flatMap((event) => (event.type === "model_failed" ? [event.code] : []));
  return {
    event: "step",
    run: state.id,
    caller: state.caller,
    step: state.usage.steps,
    phase: state.phase,
    result,
    duration_ms: durationMs,
    model_ms: replies.reduce((sum, reply) => sum + reply.durationMs, 0),
    tool_calls: tools.length,
    tool_ms: tools.reduce((sum, tool) => sum + tool.durationMs, 0),
    queries_failed: tools.filter((tool) => (tool.query?.error ?? null) !== null).length,
    rows_read: tools.reduce((sum, tool) => sum + (tool.query?.rowsRead ?? 0), 0),
    recoveries: events.flatMap((event) => (event.type === "recovery" ? [event.what] : [])),
    attempts_lost: events.filter((event) => event.type === "attempt_lost").length,
    ...(failures.length > 0 ? { "error.type": failures.at(-1) } : {}),
    cost_usd: usdFromNano(replies.reduce((sum, reply) => sum + reply.costNanoUsd, 0)),
    ...toGenAi(state, replies),
  };
}

/**
 * `spentNanoUsd`: by this run itself, not by one that it carries on from. Its tokens are its own as well, or a sum over runs
 * would count them twice; the meters (steps, hops, calls) go on from the old run's, as the limits see them.
 */
export function toRunLine(state: AgentState, events: readonly RunEvent[], spentNanoUsd: number): LogLine {
  const { ending, usage } = state;
  const own = events.slice(events.findLastIndex((event) => event.type === "run_forked") + 1);
  return {
    event: "run",
    run: state.id,
    caller: state.caller,
    outcome: ending?.outcome ?? null,
    stop_reason: ending?.stopReason ?? null,
    grounded: ending?.grounded ?? false,
    steps: usage.steps,
    hops: usage.hops,
    errors: usage.errors,
    model_calls: usage.modelCalls,
    queries: state.queries,
    rows_read: usage.rowsRead,
    active_ms: usage.activeMs,
    duration_ms: ending === null ? null : ending.at - state.createdAt,
    cost_usd: usdFromNano(spentNanoUsd),
    parent: state.parent?.runId ?? null,
    ...toGenAi(
      state,
      own.filter((event) => event.type === "model_replied"),
    ),
  };
}

/** Input tokens are all of the prompt, cached or not, as the convention has it. */
function toGenAi(state: AgentState, replies: readonly Replied[]): { readonly [name: string]: unknown } {
  const sum = (pick: (tokens: Replied["tokens"]) => number): number =>
    replies.reduce((total, reply) => total + pick(reply.tokens), 0);
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.conversation.id": state.id,
    "gen_ai.request.model": state.model,
    "gen_ai.response.finish_reasons": [...new Set(replies.map((reply) => reply.finish))],
    "gen_ai.usage.input_tokens": sum(([input, write5m, write1h, read]) => input + write5m + write1h + read),
    "gen_ai.usage.cache_read.input_tokens": sum(([, , , read]) => read),
    "gen_ai.usage.cache_creation.input_tokens": sum(([, write5m, write1h]) => write5m + write1h),
    "gen_ai.usage.output_tokens": sum(([, , , , output]) => output),
  };
}
