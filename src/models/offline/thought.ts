/**
 * One short sentence on what a query is after, for a person who watches the run: whose rows, and told by what. The rest
 * is in the SQL beneath it. Pure: no I/O, no clock.
 */
import type { Intent } from "./intent.ts";
import { tableOfOutput } from "./settle-output.ts";

export function writeThought({ outputs, groups, root }: Intent): string {
  const tables = new Set(outputs.map((output) => tableOfOutput(output) ?? root));
  const names = groups.map((group) =>
    group.kind === "entity" ? group.table : group.kind === "column" ? group.column.name : group.unit,
  );
  const by = names.length === 0 ? "" : ` for each ${[...new Set(names)].join(" and ")}`;
  return `I read ${[...tables].join(" and ")}${by}.`;
}
