/**
 * Which kinds of query keep failing: a family is the queries over the same tables, however they are spelt.
 *
 * Owns: when the model is told (mechanism B29): at the second failure of one family without a success of that family in
 * between, and only then. Going back is the model's own way here: rewinding and forking a run are for people.
 * Leaves to others: what the tables of a query are (the tool's `family`), equal calls (cycles.ts). Pure.
 */
import { sha256Hex } from "../lib/hash.ts";
import { canonicalJson } from "../lib/json.ts";
import type { Prepared } from "./dispatch.ts";
import type { ToolOutput } from "./tool.ts";

/** Failures remembered, oldest out: more than a run may make unless its limit of errors was raised high. */
const FAILING_MAX = 32;
/** Tables that a hint names; names have no length of their own. */
const TABLES_MAX = 5;
const NAME_CHARS_MAX = 64;

/** The tool that shows the columns of a table, if the run has it. */
const DESCRIBE = "describe_tables";

/** A query of one family, as it ended. */
export interface FamilyTurn {
  /** Names of its tables, as written; none: it belongs to no family. */
  readonly tables: readonly string[];
  readonly failed: boolean;
}

/**
 * A call as a turn of its family. Only a query says something of one that failed by its own fault, or that worked while
 * any family is failing: while all goes well no query is read a second time.
 */
export function toTurn(prepared: Prepared, output: ToolOutput, failing: readonly string[]): FamilyTurn {
  const failed = output.observation.status === "error";
  const tells = failed ? output.isOwnFault === true : output.query !== null && failing.length > 0;
  return { tables: tells && prepared.kind === "ready" ? prepared.checked.family() : [], failed };
}

/** The failures to remember after `turn`: one entry each, none of a family that has just worked. */
export function noteTurn(failing: readonly string[], turn: FamilyTurn): readonly string[] {
  if (turn.tables.length === 0) return failing;
  const family = familyOf(turn.tables);
  if (turn.failed) return [...failing, family].slice(-FAILING_MAX);
  return failing.includes(family) ? failing.filter((other) => other !== family) : failing;
}

/** What to tell the model beside the failure of a query over `tables`, or null. `failing`: before this one. */
export function familyHint(
  failing: readonly string[],
  tables: readonly string[],
  allowed: readonly string[],
): string | null {
  const family = familyOf(tables);
  if (failing.filter((other) => other === family).length !== 1) return null;
  const names = tables.slice(0, TABLES_MAX).map((name) => name.slice(0, NAME_CHARS_MAX).toWellFormed());
  const describe = allowed.includes(DESCRIBE)
    ? `call ${DESCRIBE} with ${JSON.stringify({ tables: names })} and check every name against it, or `
    : "";
  return (
    `This is the second failure of a query over ${names.join(", ")}: ${describe}go back to the last query that worked, ` +
    "or to one table, and add one thing at a time."
  );
}

/** Equal for the same tables in any order and case. */
function familyOf(tables: readonly string[]): string {
  return sha256Hex(canonicalJson([...new Set(tables.map((name) => name.toLowerCase()))].sort()));
}
