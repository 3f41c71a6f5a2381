/**
 * One short sentence on what a query is after, for a person who watches the run. Pure: no I/O, no clock.
 */
import type { Intent, Output, Rank } from "./intent.ts";

/** One short sentence on what the query does, for the terminal. */
export function writeThought(intent: Intent): string {
  const parts = intent.outputs.map((output) => describeOutput(output, intent.root));
  const groups = intent.groups.map((group) =>
    group.kind === "entity" ? group.table : group.kind === "column" ? group.column.name : group.unit,
  );
  const by = groups.length === 0 ? "" : ` for each ${[...new Set(groups)].join(" and ")}`;
  const under =
    intent.conditions.length === 0
      ? ""
      : ` under ${intent.conditions.length} ${intent.conditions.length === 1 ? "condition" : "conditions"}`;
  const rank = intent.rank === null ? "" : `, ${describeRank(intent.rank)}`;
  return `I ${[...new Set(parts)].join(" and ")}${by}${under}${rank}.`;
}

function describeRank(rank: Rank): string {
  const by = rank.by.kind === "column" ? rank.by.column.name : "figure";
  return `the ${rank.limit === 1 ? "one" : rank.limit} with the ${rank.descending ? "highest" : "lowest"} ${by}`;
}

const VERBS = { avg: "average", sum: "add up", min: "find the minimum of", max: "find the maximum of" };

function describeOutput(output: Output, root: string): string {
  if (output.kind === "column") return `look up ${output.column.table}.${output.column.name}`;
  if (output.kind !== "measure") return `list rows of ${output.table}`;
  const { measure } = output;
  if (measure.kind === "count") return `count rows of ${measure.table ?? root}`;
  const columns = "columns" in measure ? measure.columns : [measure.column];
  const verb = measure.kind === "count_distinct" ? "count the different values of" : VERBS[measure.function];
  return `${verb} ${columns.map((column) => `${column.table}.${column.name}`).join(" × ")}`;
}
