/**
 * The tool boundary: from a call as the model wrote it to a tool and checked input, or an error the model can mend.
 *
 * Owns: unknown and garbled names, wrong arguments, the run's tool list (enforced here, whatever the model was shown).
 * Nothing that a model writes throws. Pure.
 */
import type { ToolCall } from "./model.ts";
import { failure, type Observation } from "./observation.ts";
import type { CheckedCall, Tool } from "./tool.ts";

export type Prepared =
  | {
      readonly kind: "ready";
      readonly call: ToolCall;
      readonly name: string;
      readonly checked: CheckedCall;
      readonly note: string | null;
    }
  | { readonly kind: "refused"; readonly call: ToolCall; readonly observation: Observation; readonly counted: boolean };

/** The tool whose call ends the run; its name is never repaired from a garbled one. */
export const FINAL_ANSWER = "final_answer";

/** Checks one call against the tools of the deployment and the list of the run. */
export function prepareCall(call: ToolCall, tools: ReadonlyMap<string, Tool>, allowed: readonly string[]): Prepared {
  const name = resolveName(
    call.name,
    allowed.filter((candidate) => tools.has(candidate)),
  );
  const tool = name === null ? undefined : tools.get(name);
  if (name === null || tool === undefined) return refuse(call, unknownTool(call.name, allowed));
  const checked = tool.check(parseInput(call.input));
  if (!checked.ok) return refuse(call, wrongArguments(tool, checked.error));
  const note =
    name === call.name ? null : `There is no tool "${shorten(call.name)}"; ${name} was run. Use its exact name.`;
  return { kind: "ready", call, name, checked: checked.value, note };
}

/** The answer to a call beyond the remaining hops: it is answered, not dropped, and not counted. */
export function refuseOverHops(call: ToolCall): Prepared {
  const observation = failure(`${shorten(call.name)} was not run: no tool calls are left in this run.`, [
    "Answer with what has been found.",
  ]);
  return { kind: "refused", call, observation, counted: false };
}

function refuse(call: ToolCall, observation: Observation): Prepared {
  return { kind: "refused", call, observation, counted: true };
}

/** The exact name, else the longest allowed read-only name that the given one starts with (a name pasted twice). */
function resolveName(given: string, known: readonly string[]): string | null {
  if (known.includes(given)) return given;
  const prefixes = known.filter((name) => name !== FINAL_ANSWER && given.startsWith(name));
  return prefixes.sort((a, b) => b.length - a.length)[0] ?? null;
}

/** Some models send the arguments as JSON text. */
function parseInput(input: unknown): unknown {
  if (typeof input !== "string") return input;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
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
