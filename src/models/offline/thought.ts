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
  const end = rank.descending ? "highest" : "lowest";
  const by = rank.by.kind === "column" ? rank.by.column.name : "figure";
  return rank.limit === 1 ? `the one with the ${end} ${by}` : `the ${rank.limit} with the ${end} ${by}`;
}

function describeOutput(output: Output, root: string): string {
  if (output.kind === "entity" || output.kind === "all") return `list rows of ${output.table}`;
  if (output.kind === "column") return `look up ${output.column.table}.${output.column.name}`;
  const { measure } = output;
  if (measure.kind === "count") return `count rows of ${measure.table ?? root}`;
  if (measure.kind === "count_distinct")
    return `count the different values of ${measure.column.table}.${measure.column.name}`;
  const verb = { avg: "average", sum: "add up", min: "find the minimum of", max: "find the maximum of" }[
    measure.function
  ];
  if (measure.kind === "line_total") return `${verb} ${measure.columns.map((column) => column.name).join(" × ")}`;
  return `${verb} ${measure.column.table}.${measure.column.name}`;
}
