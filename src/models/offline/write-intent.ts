/**
 * From a SELECT to the statement that is run: most are written as they are; a figure over the groups' figures, a share
 * of all rows and counts of several tables each need a SELECT around it.
 * Pure: no I/O, no clock.
 */
import type { Intent } from "./intent.ts";
import type { Select } from "./select.ts";
import { quoteName, writeSelect } from "./sql-writer.ts";
import { readableName } from "./words.ts";

export function writeIntent(select: Select, intent: Intent): string {
  return (
    writePlaces(select) ??
    writeCounts(select, intent) ??
    writeShare(select, intent) ??
    writeOver(select, intent) ??
    writeSelect(select)
  );
}

/** The average, minimum or maximum over the groups' counts. */
function writeOver(select: Select, intent: Intent): string | null {
  const output = select.outputs.find((each) => each.expression.kind === "call");
  if (intent.over === null || output === undefined || output.alias === null || select.groupBy.length === 0) return null;
  const inner = writeSelect({ ...select, outputs: [output], orderBy: [], limit: null }, "    ");
  const word = { avg: "average", sum: "total", min: "min", max: "max" }[intent.over];
  return `SELECT ${intent.over}(${output.alias}) AS ${word}_${output.alias}\nFROM (\n    ${inner}\n)`;
}

/** The first rows of each group, or of all: every row that is as good as the first. */
function writePlaces(select: Select): string | null {
  const place = select.outputs.find((each) => each.expression.kind === "place")?.expression;
  if (place?.kind !== "place") return null;
  const inner = writeSelect({ ...select, orderBy: [], limit: null }, "    ");
  const names = select.outputs.flatMap(({ expression: of, alias }) =>
    of === place ? [] : [quoteName(alias ?? (of.kind === "column" ? of.name : ""), select.quoted)],
  );
  const shown = place.within.length === 0 ? names.join(", ") : "*";
  const group = select.outputs.findIndex((each) => JSON.stringify(each.expression) === JSON.stringify(place.within[0]));
  const order = group < 0 ? "place" : `${group + 1}, place`;
  return `SELECT ${shown}\nFROM (\n    ${inner}\n)\nWHERE place <= ${select.limit ?? 1}\nORDER BY ${order}`;
}

/** What part of all rows the conditions leave, in percent. */
function writeShare(select: Select, intent: Intent): string | null {
  if (!intent.share || select.groupBy.length > 0 || select.outputs.length !== 1) return null;
  const part = writeSelect(select, "    ");
  const outputs = select.outputs.map((output) => ({ ...output, alias: null }));
  const whole = writeSelect({ ...select, outputs, sources: select.sources.slice(0, 1), where: [] }).replace("\n", " ");
  return `SELECT round(100.0 * (\n    ${part}\n  ) / (${whole}), 2) AS percentage`;
}

/** `How many artists and albums are there`: tables that have nothing to do with each other are counted apart. */
function writeCounts(select: Select, intent: Intent): string | null {
  const tables = intent.outputs.flatMap((output) =>
    output.kind === "measure" && output.measure.kind === "count" ? [output.measure.table ?? intent.root] : [],
  );
  const apart = tables.length > 1 && tables.length === intent.outputs.length && new Set(tables).size === tables.length;
  if (!apart || intent.groups.length > 0 || intent.conditions.length > 0) return null;
  const counts = tables.map((table) => {
    const alias = `${readableName(table).replace(/[^a-z0-9]+/g, "_")}_count`;
    return `(SELECT count(*) FROM ${quoteName(table, select.quoted)}) AS ${quoteName(alias)}`;
  });
  return `SELECT ${counts.join(",\n  ")}`;
}
