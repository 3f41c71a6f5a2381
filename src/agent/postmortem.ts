/**
 * What a finished run was like, from its events alone: which steps brought something, what went round in circles, where
 * the money went (mechanism B25). The same function serves the run's own view and the scan over exported transcripts.
 *
 * Owns: the score of a step (productive, neutral, wasteful, harmful, spinning), the waste ratio, cycles over the whole
 * run, dollars by phase. Leaves to others: stopping a run that goes round (cycles.ts), grouping many runs (cli/).
 * Reads the public form of events, so an old export is as good as a new one. Pure: no I/O, no clock.
 */
import * as z from "zod";
import { canonicalJson } from "../lib/json.ts";
import { NANO_PER_USD, usdFromNano } from "../lib/money.ts";
import { DEFAULT_LOOP, findCycle, type RecentCall } from "./cycles.ts";
import { FINAL_ANSWER } from "./dispatch.ts";
import type { PublicRunEvent } from "./run-event.ts";

export const SCORES = ["productive", "neutral", "wasteful", "harmful", "spinning"] as const;
export type Score = (typeof SCORES)[number];

const count = z.int().min(0);

export const postmortemSchema = z.strictObject({
  /** Steps by what they brought. */
  steps: z.strictObject({ productive: count, neutral: count, wasteful: count, harmful: count, spinning: count }),
  /** Share of steps that brought nothing: wasteful, harmful and spinning ones. */
  waste: z.number().min(0).max(1),
  cycles: count,
  /** Of the longest and of the most stubborn cycle; 0 when there was none. */
  cycle_period_max: count,
  cycle_repetitions_max: count,
  /** Times that something had to be mended: retries, nudges, repairs, fresh transcripts, a critic. */
  recoveries: count,
});

export type Postmortem = z.infer<typeof postmortemSchema>;

const usd = z.number().min(0);

/** Adds up to what the run cost. */
export const costByPhaseSchema = z.strictObject({
  /** The first call, which carries the schema into the cache. */
  schema_usd: usd,
  reasoning_usd: usd,
  /** Calls after an error, extra calls, and attempts that failed or were lost. */
  recovery_usd: usd,
  answer_usd: usd,
  /** Rows that the database read. */
  queries_usd: usd,
});

export type CostByPhase = z.infer<typeof costByPhaseSchema>;

const eventSchema = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("step_started"), step: count, purpose: z.string() }),
  z.looseObject({
    type: z.literal("model_replied"),
    step: count,
    calls: z.array(z.looseObject({ id: z.string(), name: z.string(), input: z.unknown() })),
    text: z.string(),
    cost_usd: usd,
  }),
  z.looseObject({
    type: z.literal("tool_observed"),
    step: count,
    call_id: z.string().nullable(),
    name: z.string().nullable(),
    observation: z.looseObject({ status: z.string(), data: z.unknown() }).nullable(),
    query: z.looseObject({ rows_read: count, ref: z.string().nullable() }).nullable(),
  }),
  z.looseObject({ type: z.literal("attempt_lost"), step: count }),
  z.looseObject({ type: z.literal("model_failed"), step: count }),
  z.looseObject({ type: z.literal("recovery"), step: count }),
]);

type Known = z.infer<typeof eventSchema>;

/** Longer periods than a run stops for: a scan has time. */
const SCAN = { ...DEFAULT_LOOP, cycleWindow: 64, cyclePeriodMax: 8 };
/** A call that the loop keeps for itself or the answer: it asks the database nothing. */
const OWN_TOOLS: ReadonlySet<string> = new Set(["notes", "plan"]);

export interface Examined {
  readonly postmortem: Postmortem;
  readonly costByPhase: CostByPhase;
}

/** Looks at the events of a run, oldest first; `costUsd`: what the run cost in all. */
export function examineRun(events: readonly PublicRunEvent[], costUsd: number): Examined {
  const known = events.flatMap((event): Known[] => {
    const parsed = eventSchema.safeParse(event);
    return parsed.success ? [parsed.data] : [];
  });
  const calls = toCalls(known);
  const scores = scoreSteps(known, calls);
  const steps = { productive: 0, neutral: 0, wasteful: 0, harmful: 0, spinning: 0 };
  for (const score of scores.values()) steps[score] += 1;
  const wasted = steps.wasteful + steps.harmful + steps.spinning;
  const cycles = findCycles(calls);
  return {
    postmortem: {
      steps,
      waste: scores.size === 0 ? 0 : wasted / scores.size,
      cycles: cycles.length,
      cycle_period_max: Math.max(0, ...cycles.map((cycle) => cycle.period)),
      cycle_repetitions_max: Math.max(0, ...cycles.map((cycle) => cycle.repetitions)),
      recoveries: known.filter((event) => event.type === "recovery" || event.type === "model_failed").length,
    },
    costByPhase: splitCost(known, costUsd),
  };
}

/** Every call of the run with what came back, in the form of the cycle detector. */
function toCalls(events: readonly Known[]): RecentCall[] {
  const asked = new Map<string, unknown>();
  const calls: RecentCall[] = [];
  for (const event of events) {
    if (event.type === "model_replied") for (const call of event.calls) asked.set(call.id, call.input);
    if (event.type !== "tool_observed" || event.observation === null) continue;
    const tool = event.name ?? "";
    calls.push({
      signature: `${tool}|${canonicalJson(asked.get(event.call_id ?? "") ?? null)}`,
      result: JSON.stringify([event.observation.status, event.observation.data]),
      tool,
      step: event.step,
      isError: event.observation.status === "error",
      ref: event.query?.ref ?? null,
    });
  }
  return calls;
}

function scoreSteps(events: readonly Known[], calls: readonly RecentCall[]): ReadonlyMap<number, Score> {
  const replies = new Map<number, Extract<Known, { type: "model_replied" }>>();
  const lost = new Set<number>();
  for (const event of events) {
    if (event.type === "model_replied") replies.set(event.step, event);
    if (event.type === "attempt_lost" || event.type === "model_failed") lost.add(event.step);
  }
  const seen = new Set<string>();
  const scores = new Map<number, Score>();
  for (const step of [...new Set([...replies.keys(), ...lost])].sort((a, b) => a - b)) {
    const own = calls.filter((call) => call.step === step);
    scores.set(step, scoreStep(own, replies.get(step)?.text.trim() !== "", lost.has(step), seen));
    for (const call of own) seen.add(call.signature + call.result);
  }
  return scores;
}

function scoreStep(calls: readonly RecentCall[], hasText: boolean, isLost: boolean, seen: ReadonlySet<string>): Score {
  const isNews = (call: RecentCall): boolean => !call.isError && !seen.has(call.signature + call.result);
  if (calls.some((call) => isNews(call) && !OWN_TOOLS.has(call.tool))) return "productive";
  if (calls.length > 0 && calls.every((call) => seen.has(call.signature + call.result))) return "spinning";
  if (calls.some((call) => call.isError)) return "wasteful";
  // Paid for and gone: nothing of it is left in the conversation.
  if (isLost && calls.length === 0) return "harmful";
  return calls.length > 0 || hasText ? "neutral" : "harmful";
}

interface PastCycle {
  readonly period: number;
  readonly repetitions: number;
}

/** Cycles over the whole run, each once, at its longest. */
function findCycles(calls: readonly RecentCall[]): readonly PastCycle[] {
  const cycles: PastCycle[] = [];
  let end = 0;
  let isOpen = false;
  while (end < calls.length) {
    end += 1;
    const cycle = findCycle(calls.slice(Math.max(0, end - SCAN.cycleWindow), end), SCAN);
    const previous = cycles.at(-1);
    if (cycle !== null && isOpen && previous?.period === cycle.period) cycles.pop();
    if (cycle !== null) cycles.push({ period: cycle.period, repetitions: cycle.repetitions });
    isOpen = cycle !== null;
  }
  return cycles;
}

/** What no reply and no row accounts for went into attempts that failed or were lost. */
function splitCost(events: readonly Known[], costUsd: number): CostByPhase {
  const nano = { schema: 0, reasoning: 0, recovery: 0, answer: 0, queries: 0 };
  let purpose = "step";
  let isMending = false;
  let isFirst = true;
  for (const event of events) {
    switch (event.type) {
      case "step_started":
        purpose = event.purpose;
        break;
      case "attempt_lost":
      case "model_failed":
      case "recovery":
        isMending = true;
        break;
      case "tool_observed":
        nano.queries += event.query?.rows_read ?? 0;
        isMending = isMending || event.observation?.status === "error";
        break;
      case "model_replied": {
        nano[phaseOf(event, purpose, isFirst, isMending)] += toNano(event.cost_usd);
        isFirst = false;
        isMending = false;
        break;
      }
    }
  }
  const told = nano.schema + nano.reasoning + nano.recovery + nano.answer + nano.queries;
  const recovery = nano.recovery + Math.max(0, toNano(costUsd) - told);
  return {
    schema_usd: usdFromNano(nano.schema),
    reasoning_usd: usdFromNano(nano.reasoning),
    recovery_usd: usdFromNano(recovery),
    answer_usd: usdFromNano(nano.answer),
    queries_usd: usdFromNano(nano.queries),
  };
}

function phaseOf(
  reply: Extract<Known, { type: "model_replied" }>,
  purpose: string,
  isFirst: boolean,
  isMending: boolean,
): "schema" | "reasoning" | "recovery" | "answer" {
  if (purpose === "critic" || purpose === "summary") return "recovery";
  if (isFirst) return "schema";
  if (purpose === "last") return "answer";
  if (isMending) return "recovery";
  const isAnswer = reply.calls.length === 0 || reply.calls.some((call) => call.name === FINAL_ANSWER);
  return isAnswer ? "answer" : "reasoning";
}

function toNano(dollars: number): number {
  return Math.round(dollars * NANO_PER_USD);
}
