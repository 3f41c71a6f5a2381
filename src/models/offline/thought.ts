/**
 * One short sentence on what a query is after, for a person who watches the run. Pure: no I/O, no clock.
 */
import type { Intent, Output } from "./intent.ts";

/** One short sentence on what the query does, for the terminal; its conditions are in the SQL below it. */
export function writeThought({ outputs, groups, root }: Intent): string {
  const parts = new Set(outputs.map((output) => describeOutput(output, root)));
  const names = groups.map((group) =>
    group.kind === "entity" ? group.table : group.kind === "column" ? group.column.name : group.unit,
  );
  const by = names.length === 0 ? "" : ` for each ${[...new Set(names)].join(" and ")}`;
  return `I ${[...parts].join(" and ")}${by}.`;
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
