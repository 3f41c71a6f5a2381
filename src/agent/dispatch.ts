/**
 * The tool boundary: from a call as the model wrote it to a tool and checked input, or an error the model can mend.
 *
 * Owns: unknown and garbled names, wrong arguments, the run's tool list (enforced here, whatever the model was shown).
 * Nothing that a model writes throws. Pure.
 */

import { parseIfText } from "../lib/json.ts";
import { type LoopSettings, type RecentCall, whyRefused } from "./cycles.ts";
import type { ToolOutcome } from "./event.ts";
import type { ToolCall } from "./model.ts";
import { failure, type Observation, warning } from "./observation.ts";
import type { CheckedCall, Tool } from "./tool.ts";

export type Prepared =
  | {
      readonly kind: "ready";
      readonly call: ToolCall;
      readonly name: string;
      readonly checked: CheckedCall;
      readonly note: string | null;
    }
  | {
      readonly kind: "refused";
      readonly call: ToolCall;
      readonly observation: Observation;
      readonly refusedBy: ToolOutcome["refusedBy"];
    };

/** The tool whose call ends the run; its name is never repaired from a garbled one. */
export const FINAL_ANSWER = "final_answer";

/**
 * Checks one call against the tools of the deployment and the list of the run. `said` is the text beside the call: when
 * `final_answer` comes without an answer, that is the answer.
 */
export function prepareCall(
  call: ToolCall,
  tools: ReadonlyMap<string, Tool>,
  allowed: readonly string[],
  said: string,
): Prepared {
  const name = resolveName(
    call.name,
    allowed.filter((candidate) => tools.has(candidate)),
  );
  const tool = name === null ? undefined : tools.get(name);
  if (name === null || tool === undefined) return refuse(call, unknownTool(call.name, allowed));
  const input = parseIfText(call.input);
  const isSaid = name === FINAL_ANSWER && isAnswerMissing(input) && said.trim() !== "";
  const checked = tool.check(isSaid ? { ...input, answer: said.trim() } : input);
  if (!checked.ok) return refuse(call, wrongArguments(tool, checked.error));
  const renamed =
    name === call.name ? null : `There is no tool "${shorten(call.name)}"; ${name} was run. Use its exact name.`;
  const note = isSaid ? "The call held no answer, so the text beside it was taken." : renamed;
  return { kind: "ready", call, name, checked: checked.value, note };
}

/** The answer to a call beyond the remaining hops: it is answered, not dropped, and not counted. */
export function refuseOverHops(call: ToolCall): Prepared {
  const observation = failure(`${shorten(call.name)} was not run: no tool calls are left in this run.`, [
    "Answer with what has been found.",
  ]);
  return { kind: "refused", call, observation, refusedBy: "hops" };
}

/** The answer to a call that was cut off again and again: running it once more is what keeps the run from going on. */
export function refuseInterrupted(call: ToolCall): Prepared {
  const observation = failure(`${shorten(call.name)} was not run again: it was interrupted every time it was tried.`, [
    "Read less: filter on an indexed column, aggregate before joining, or ask for fewer rows.",
  ]);
  return refuse(call, observation);
}

function refuse(call: ToolCall, observation: Observation): Prepared {
  return { kind: "refused", call, observation, refusedBy: null };
}

/** The detector's and the breaker's say on a call whose arguments are right. */
export function refuseRepeated(
  prepared: Prepared,
  recent: readonly RecentCall[],
  rung: number,
  loop: LoopSettings,
): Prepared {
  if (prepared.kind !== "ready" || prepared.name === FINAL_ANSWER) return prepared;
  const why = whyRefused(prepared.checked.signature, recent, rung, loop);
  if (why === null) return prepared;
  const { call, name } = prepared;
  if (why.reason === "breaker") {
    const observation = failure(`${name} was not run: this very call has failed ${loop.breakerFailures} times.`, [
      "Change the approach: another query, another table, or an answer with what you have.",
    ]);
    return { kind: "refused", call, observation, refusedBy: "breaker" };
  }
  const where = why.last.ref === null ? `its result is in step ${why.last.step}` : `its rows are in ${why.last.ref}`;
  const observation = warning(`${name} was not run again: the same call has the same result every time; ${where}.`, [
    "Use that result, try something else, or call final_answer.",
  ]);
  return { kind: "refused", call, observation, refusedBy: "cycle" };
}

/** The exact name, else the longest allowed read-only name that the given one starts with (a name pasted twice). */
function resolveName(given: string, known: readonly string[]): string | null {
  if (known.includes(given)) return given;
  const prefixes = known.filter((name) => name !== FINAL_ANSWER && given.startsWith(name));
  return prefixes.sort((a, b) => b.length - a.length)[0] ?? null;
}

function isAnswerMissing(input: unknown): input is { readonly [field: string]: unknown } {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return false;
  if (!("answer" in input)) return true;
  return typeof input.answer === "string" && input.answer.trim() === "";
}

function unknownTool(name: string, allowed: readonly string[]): Observation {
  const list = allowed.length === 0 ? "none" : allowed.join(", ");
  return failure(`There is no tool "${shorten(name)}" in this run.`, [`Call one of: ${list}.`], {
    tools: [...allowed],
  });
}

function wrongArguments(tool: Tool, problems: readonly string[]): Observation {
  return failure(`The arguments of ${tool.name} are not right: ${problems.slice(0, 8).join("; ")}.`, [
    `Send ${tool.name} again with exactly the fields of its schema.`,
  ]);
}

/** Model text in an error stays short. */
function shorten(text: string): string {
  return text.length <= 64 ? text : `${text.slice(0, 64).toWellFormed()}…`;
}
