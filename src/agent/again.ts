/**
 * How a run of a stored plan ends: what its results, laid beside the earlier ones, say without a model.
 *
 * Owns: the comparison (by content hash, query by query) and the words. Equal rows: the earlier answer, with its
 * citations, and since when it stands. Other rows: never the earlier sentence, but the rows themselves and which of them
 * changed. A query that fails: the end, for nobody here can mend it. Leaves to others: the plan (stored-plan.ts), running
 * it (step.ts). Pure: no I/O, no clock.
 */
import { cutToBytes } from "../lib/bytes.ts";
import { toSentence } from "../lib/sentence.ts";
import type { EndingParts } from "./ending.ts";
import { ROWS_TOLD_MAX, tellCell, tellResult } from "./findings.ts";
import type { Message, ToolResult } from "./model.ts";
import { observationSchema } from "./observation.ts";
import type { Ending } from "./state.ts";
import type { PlanStep, StoredPlan } from "./stored-plan.ts";
import type { StoredResult } from "./tool.ts";

/** How the run ends. `retry_ceiling`: a query failed, and a plan has no second try. */
export interface PlanEnd {
  readonly reason: "done" | "retry_ceiling";
  readonly parts: EndingParts;
  /** References of the results that are not what they were; null when that cannot be said. */
  readonly changed: readonly string[] | null;
}

const RESULTS_TOLD_MAX = 4;
const ROWS_BYTES_MAX = 6_000;

/** Words whose meaning moves with the day; what another language has for them is not known here. */
const MOVING_TIME =
  /\b(?:today|yesterday|tomorrow|now|currently|recently|ago|(?:this|last|next|past|current|previous) (?:\w+ ){0,2}(?:hour|day|week|month|quarter|year)s?)\b/i;

/** What a reader should know when a question that speaks of "this month" is repeated, or null. */
export function warnOfTime(question: string, answeredAt: number): string | null {
  const said = MOVING_TIME.exec(question)?.[0];
  if (said === undefined) return null;
  return `The queries were written on ${toDay(answeredAt)}: dates in them are what "${said}" meant then.`;
}

/** A step of the plan with what it has brought now. */
interface Repeated {
  readonly step: PlanStep;
  readonly result: StoredResult;
}

/** The end of the run as far as its results go; null while some are missing and none has failed. */
export function judgePlan(
  plan: StoredPlan,
  messages: readonly Message[],
  results: readonly StoredResult[],
): PlanEnd | null {
  const answered = new Map<string, ToolResult>(
    messages.flatMap((message) => (message.role === "tool" ? message.results : [])).map((one) => [one.callId, one]),
  );
  const repeated: Repeated[] = [];
  for (const [index, step] of plan.steps.entries()) {
    const one = answered.get(step.key);
    if (one === undefined) continue;
    const { summary, artifacts } = observationSchema.parse(JSON.parse(one.content));
    const result = results.find(({ ref }) => ref === artifacts[0]?.ref);
    if (one.isError || result === undefined) return endFailed(plan, index, summary);
    repeated.push({ step, result });
  }
  if (repeated.length < plan.steps.length) return null;
  const others = repeated.filter(({ step, result }) => step.sha256 !== result.sha256);
  return others.length === 0 ? endUnchanged(plan, repeated) : endChanged(plan, repeated, others);
}

function endFailed(plan: StoredPlan, index: number, summary: string): PlanEnd {
  const which = plan.steps.length === 1 ? "The query" : `Query ${index + 1} of ${plan.steps.length}`;
  const message =
    `${which} of the stored plan could not be run: ${toSentence(summary)} ` +
    "No model was asked, so nobody mended it: ask the question anew.";
  return { reason: "retry_ceiling", parts: { message }, changed: null };
}

/** Equal rows, in the same order of first appearance, have the same references: the citations hold as they are. */
function endUnchanged(plan: StoredPlan, repeated: readonly Repeated[]): PlanEnd {
  const { answer, results, citations, unsupported, chart } = plan;
  const since = `Unchanged since ${dayOf(plan)}: the same queries give the same rows${tellLimit(repeated)}.`;
  const parts = { grounded: true, results, citations, unsupported, chart };
  return {
    reason: "done",
    parts: { ...parts, answer: `${since}\n\n${answer}`, message: `${since} No model was asked.` },
    changed: [],
  };
}

/** Rows beyond those that are kept were not compared. */
function tellLimit(repeated: readonly Repeated[]): string {
  const cut = new Map(
    repeated.filter(({ result }) => result.truncated).map(({ result }) => [result.ref, result.rows.length]),
  );
  if (cut.size === 0) return "";
  return ` (compared as far as they are kept: ${[...cut].map(([ref, rows]) => `${rows} of ${ref}`).join(", ")})`;
}

function endChanged(plan: StoredPlan, repeated: readonly Repeated[], others: readonly Repeated[]): PlanEnd {
  const restedOn = repeated.filter(({ step }) => plan.results.includes(step.ref));
  // Without references of its own an answer rests, most likely, on what was asked last.
  const main = restedOn.length > 0 ? restedOn : repeated.slice(-1);
  const told = [...new Set([...main, ...others].map(({ result }) => result))];
  const changed = [...new Set(others.map(({ result }) => result.ref))];
  const shown = told.slice(0, RESULTS_TOLD_MAX);
  const rows = cutToBytes(shown.map(tellResult).join("\n\n"), ROWS_BYTES_MAX);
  const answer = [
    `The rows have changed since ${dayOf(plan)}, so the answer of that day is not repeated.`,
    `Changed: ${tellChanges(others)}. ${tellSame(repeated, changed)}These are the rows now:`,
    "",
    rows,
    "",
    "No model has read them. Ask the question anew for an answer in words.",
  ].join("\n");
  const results = told.map(({ ref }) => ref);
  const message = `The rows have changed since ${dayOf(plan)}. No model was asked: the answer shows them as they are.`;
  return {
    reason: "done",
    parts: { grounded: true, answer, results, citations: shown.flatMap(citeTold), message },
    changed,
  };
}

function tellChanges(others: readonly Repeated[]): string {
  const texts = others.map(({ step, result }) => {
    const now = result.rows.length;
    return step.rows === now ? result.ref : `${result.ref} (${now} rows, then ${step.rows})`;
  });
  return [...new Set(texts)].join(", ");
}

function tellSame(repeated: readonly Repeated[], changed: readonly string[]): string {
  const same = [...new Set(repeated.map(({ result }) => result.ref))].filter((ref) => !changed.includes(ref));
  return same.length === 0 ? "" : `Unchanged: ${same.join(", ")}. `;
}

/** The cell behind every figure that `tellResult` shows. */
function citeTold(result: StoredResult): Ending["citations"] {
  return result.rows.slice(0, ROWS_TOLD_MAX).flatMap((row, index) =>
    result.columns.flatMap((column, position) => {
      const cell = row[position];
      if (typeof cell !== "number") return [];
      return [{ figure: tellCell(cell), result: result.ref, row: index + 1, column }];
    }),
  );
}

function dayOf(plan: StoredPlan): string {
  return toDay(plan.answeredAt);
}

function toDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
