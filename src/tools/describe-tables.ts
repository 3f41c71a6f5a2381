/** `describe_tables`: columns, types, keys and sample values of named tables, in the same text form as the prompt's. */
import * as z from "zod";
import { failure, success, warning } from "../agent/observation.ts";
import { defineTool, type Tool } from "../agent/tool.ts";
import { nearestNames } from "../lib/nearest.ts";
import type { Database } from "../sql/database.ts";
import { type DatabaseSchema, renderSchema, type SchemaTable } from "../sql/schema.ts";
import { readSchema, SCHEMA_UNREACHABLE } from "./read-schema.ts";

/** Bytes of the description in one observation. */
const DESCRIPTION_BYTES_MAX = 10_000;

const DESCRIPTION = `Describes tables and views by name: columns, declared types, keys, foreign keys (->) and sample values.
Takes up to 20 names at once. Only needed for tables that the schema in the first message does not show.`;

const inputSchema = z.strictObject({ tables: z.array(z.string().min(1).max(200)).min(1).max(20) });

export function createDescribeTablesTool(database: Database): Tool {
  return defineTool({
    name: "describe_tables",
    description: DESCRIPTION,
    input: inputSchema,
    run: async ({ tables }) => {
      const schema = await readSchema(database);
      if (schema === null) return { observation: SCHEMA_UNREACHABLE, rowsRead: 0, query: null };
      const names = schema.tables.map((table) => table.name);
      const find = (wanted: string) => names.find((name) => name.toLowerCase() === wanted.toLowerCase());
      const found = tables.map(find).filter((name) => name !== undefined);
      const missing = tables.filter((wanted) => find(wanted) === undefined);
      const hints = missing.map((wanted) => `There is no table "${wanted}". ${nearText(wanted, names)}`);
      if (found.length === 0) {
        return {
          observation: failure(hints[0] ?? "No table was named.", [
            ...hints.slice(1),
            "Find the name with list_tables.",
          ]),
          rowsRead: 0,
          query: null,
        };
      }
      const options = { bytesMax: DESCRIPTION_BYTES_MAX, tables: found };
      const whole = renderSchema(schema, options);
      // A table that is too wide with its sample values is shown without them, not left out for ever.
      const rendered = whole.shown.length > 0 ? whole : renderSchema(withoutValues(schema), options);
      if (rendered.leftOut.length > 0) hints.push("Not all of them fit: ask again for the rest.");
      const summary = `${rendered.shown.length} of ${tables.length} tables described.`;
      const data = { schema: rendered.text };
      return {
        observation: hints.length > 0 ? warning(summary, hints, data) : success(summary, data),
        rowsRead: 0,
        query: null,
        described: rendered.shown,
      };
    },
  });
}

function withoutValues(schema: DatabaseSchema): DatabaseSchema {
  const bare = (table: SchemaTable) => ({ ...table, columns: table.columns.map((one) => ({ ...one, values: null })) });
  return { tables: schema.tables.map(bare) };
}

function nearText(wanted: string, names: readonly string[]): string {
  const near = nearestNames(wanted, names, 3);
  return near.length === 0 ? "Find the name with list_tables." : `Did you mean ${near.join(", ")}?`;
}
