/**
 * Our words between the model's turns, when a reply or an answer could not be taken. One sentence or two: what was wrong,
 * what to do. Pure.
 */

import { type LimitChange, tellLimitChanges } from "./limit-changes.ts";
import type { Limits } from "./limits.ts";
import type { Usage } from "./state.ts";

/** Our words between the model's turns. */
export const NUDGE_EMPTY =
  "Your last reply held neither an answer nor a tool call. If the results above answer the question, call final_answer " +
  "now; otherwise make the next query.";
export const NUDGE_THINKING =
  "Your last reply used up its room while you were still thinking. Think more briefly and act now: one tool call, or the answer.";
export const NUDGE_CUT_CALL =
  "Your last reply was cut off in the middle of a tool call, which was not run. Make the call again, more briefly.";
export const NUDGE_UNGROUNDED =
  "This run accepts only answers that rest on a query. Query the database first; then answer with the result references.";

export function unsupportedText(figures: readonly string[]): string {
  return (
    `These figures of your answer stand in no result of this run: ${figures.slice(0, 10).join(", ")}. Run the query that ` +
    "gives them, or answer without them."
  );
}

export function resumeCutText(saidSoFar: string): string {
  return (
    `Your last reply was cut off. What it said so far:\n<said_so_far>\n${saidSoFar}\n</said_so_far>\n` +
    "Go on from there, more briefly: the next tool call, or the answer."
  );
}

/** To the model of a run that was stopped by a limit and goes on: what has changed, and what it has left. */
export function carriedOnText(changes: readonly LimitChange[], limits: Limits, usage: Usage): string {
  return (
    `A limit had stopped this run; it goes on with ${tellLimitChanges(changes)}. You have ` +
    `${limits.stepsMax - usage.steps} steps and ${limits.hopsMax - usage.hops} tool calls left. Go on from the results above.`
  );
}

/** A critic's words, delimited: advice, not an order. */
export function adviceText(advice: string): string {
  return (
    "You were going round in circles, so a colleague who has seen only the question and what failed was asked for " +
    `advice:\n<advice>\n${advice}\n</advice>\nUse what helps. Do not repeat the calls that failed.`
  );
}
