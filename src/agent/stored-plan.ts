/**
 * A stored plan: the queries of an answered run, to be run again without a model (mechanisms C18, C19).
 *
 * Owns: what a plan holds, how it is taken from a journal, and which of its calls come next. A step of it is known by its
 * run, its number and its signature, so two equal steps both run, and one whose result is in does not run again, whatever
 * happened in between. Leaves to others: what the results mean (again.ts), running them (step.ts: the same gate, budgets
 * and checkpoints as every call). Pure: no I/O, no clock.
 *
 * STORED CONTRACT: part of what is pinned. Fields are only ever added, with a default.
 */
import * as z from "zod";
import { err, ok, type Result } from "../lib/result.ts";
import { chartWishSchema } from "./chart-wish.ts";
import type { Message, ToolCall } from "./model.ts";
import type { RunEvent } from "./run-event.ts";
import { signatureOf } from "./signature.ts";
import type { AgentState } from "./state.ts";
import type { StoredResult } from "./tool.ts";

/** Queries of one plan; more were a search, which is not worth repeating. */
const STEPS_MAX = 64;
/** Characters of the plan as JSON: it is kept as one row, and travels in one message. */
const PLAN_CHARS_MAX = 500_000;

const planStepSchema = z.object({
  /** Number and signature. It is also the id of the call that runs the step. */
  key: z.string().min(1),
  tool: z.string().min(1),
  args: z.unknown(),
  /** Steps of one round were called for in one reply, and run side by side. */
  round: z.int().min(0),
  /** What it brought: reference, content hash and number of rows. */
  ref: z.string(),
  sha256: z.string(),
  rows: z.int().min(0),
});

export const storedPlanSchema = z.object({
  /** The run that a model answered, and when. */
  runId: z.string().min(1),
  answeredAt: z.int().min(0),
  answer: z.string(),
  results: z.array(z.string()),
  citations: z.array(z.object({ figure: z.string(), result: z.string(), row: z.int().min(1), column: z.string() })),
  unsupported: z.array(z.string()),
  chart: chartWishSchema.nullable().default(null),
  steps: z.array(planStepSchema).min(1),
});

export type StoredPlan = z.infer<typeof storedPlanSchema>;
export type PlanStep = StoredPlan["steps"][number];

/** The parts of a journal that a plan is taken from. */
export interface PlanSource {
  load(): AgentState;
  events(): readonly RunEvent[];
  messageAt(number: number): Message | null;
  results(): readonly StoredResult[];
}

/** The plan of a finished run, or for the person who asked, why it has none. */
export function planOf(source: PlanSource): Result<StoredPlan, string> {
  const { id, ending } = source.load();
  if (ending?.outcome !== "answered" || ending.answer === null) {
    return err(`Only an answered run can be asked again; this one ended with ${ending?.stopReason ?? "nothing yet"}.`);
  }
  const steps = stepsOf(source);
  if (steps.length === 0) return err("The run was answered without a query, so there is nothing to run again.");
  const { answer, results, citations, unsupported, chart } = ending;
  const plan = { runId: id, answeredAt: ending.at, answer, results, citations, unsupported, chart, steps };
  if (steps.length <= STEPS_MAX && JSON.stringify(plan).length <= PLAN_CHARS_MAX) return ok(plan);
  return err(
    `The run's queries (${steps.length}) are too many or too long for a plan: ${STEPS_MAX} and 500 kB at the most.`,
  );
}

/** Every query that gave rows, in order. */
function stepsOf(source: PlanSource): PlanStep[] {
  const results = new Map(source.results().map((result) => [result.ref, result]));
  const steps: PlanStep[] = [];
  for (const event of source.events()) {
    if (event.type !== "tool_observed" || event.query === undefined || event.query.error !== null) continue;
    const asked = source.messageAt(event.message - 1);
    const call = asked?.role === "assistant" ? asked.calls[event.index] : undefined;
    const result = results.get(event.query.ref ?? "");
    if (call === undefined || result === undefined) continue;
    const { ref, sha256 } = result;
    const key = `${steps.length + 1}.${signatureOf(call.name, call.input)}`;
    const step = { key, tool: call.name, args: call.input, round: event.message, ref, sha256 };
    steps.push({ ...step, rows: event.query.rows });
  }
  return steps;
}

/** The calls of the first round whose results are not in the conversation; none when all are. */
export function nextCalls(plan: StoredPlan, messages: readonly Message[]): readonly ToolCall[] {
  const done = new Set(
    messages.flatMap((message) => (message.role === "tool" ? message.results.map((result) => result.callId) : [])),
  );
  const open = plan.steps.filter((step) => !done.has(step.key));
  const round = open.filter((step) => step.round === open[0]?.round);
  return round.map(({ key, tool, args }) => ({ id: key, name: tool, input: args }));
}
