/** `list_tables`: finds tables and views by name when the schema did not fit the prompt. Searches columns too. */
import * as z from "zod";
import { success, warning } from "../agent/observation.ts";
import { defineTool, type Tool } from "../agent/tool.ts";
import type { Database } from "../sql/database.ts";
import type { SchemaTable } from "../sql/schema.ts";
import { readSchema, SCHEMA_UNREACHABLE } from "./read-schema.ts";

const PAGE_TABLES_MAX = 50;

const DESCRIPTION = `Lists tables and views with their row counts, ${PAGE_TABLES_MAX} a page.
search keeps those whose name, or one of whose column names, contains the text (case is ignored).
Use it when the schema says that more tables exist than it shows; then describe_tables for their columns.`;

const inputSchema = z.strictObject({ search: z.string().max(100).optional(), page: z.int().min(1).optional() });

export function createListTablesTool(database: Database): Tool {
  return defineTool({
    name: "list_tables",
    description: DESCRIPTION,
    input: inputSchema,
    run: async ({ search, page }) => {
      const schema = await readSchema(database);
      if (schema === null) return { observation: SCHEMA_UNREACHABLE, rowsRead: 0, query: null };
      const found = schema.tables.filter((table) => matches(table, search ?? ""));
      const first = ((page ?? 1) - 1) * PAGE_TABLES_MAX;
      const shown = found.slice(first, first + PAGE_TABLES_MAX);
      const pages = Math.max(1, Math.ceil(found.length / PAGE_TABLES_MAX));
      const data = { tables: shown.map(toEntry), page: page ?? 1, pages, total_tables: found.length };
      const about = search === undefined ? "" : ` for "${search}"`;
      const summary = `${found.length} of ${schema.tables.length} tables and views${about}, page ${page ?? 1} of ${pages}.`;
      const observation =
        shown.length > 0
          ? success(summary, data)
          : warning(summary, [nothingFound(schema.tables.length, search)], data);
      return { observation, rowsRead: 0, query: null };
    },
  });
}

function matches(table: SchemaTable, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  if (table.name.toLowerCase().includes(wanted)) return true;
  return table.columns.some((column) => column.name.toLowerCase().includes(wanted));
}

function toEntry(table: SchemaTable) {
  return { name: table.name, kind: table.kind, rows: table.rows ?? null, columns: table.columns.length };
}

function nothingFound(tables: number, search: string | undefined): string {
  if (tables === 0) return "The database has no tables: say so in final_answer.";
  return search === undefined ? "Ask for an earlier page." : "Try a shorter or another word, or no search at all.";
}
