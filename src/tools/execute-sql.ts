/**
 * `execute_read_only_sql`: one query, gated, run, its rows stored, a page of them shown.
 * Leaves to sql/: what may run and what every error means.
 */
import * as z from "zod";
import { failure, success, warning } from "../agent/observation.ts";
import { defineTool, type QueryRecord, type Tool, type ToolContext, type ToolOutput } from "../agent/tool.ts";
import type { Database, QueryRows } from "../sql/database.ts";
import { normalizeSql } from "../sql/gate.ts";
import { queryTables } from "./query-tables.ts";
import { readSchema } from "./read-schema.ts";
import { INSTRUCTION_LABEL, looksLikeInstruction, PAGE_ROWS_MAX, toPage } from "./rows.ts";
import { unseenTables } from "./unseen-tables.ts";

const DESCRIPTION = `Runs one read-only SQLite query and returns its first rows (at most ${PAGE_ROWS_MAX}).
Takes a single SELECT, VALUES or WITH … SELECT. The whole result is stored under a reference such as r1: read more of it
with read_result, and name the reference in final_answer. Put independent queries into one reply as several calls.`;

/** Refusals that a look at the tables can help with; the others are about the kind or the form of the statement. */
const ABOUT_TABLES: ReadonlySet<string> = new Set(["table_not_readable", "column_not_readable", "too_many_rows_read"]);

const inputSchema = z.strictObject({ sql: z.string().min(1).describe("One SQLite SELECT statement.") });

export function createExecuteSqlTool(database: Database): Tool {
  return defineTool({
    name: "execute_read_only_sql",
    description: DESCRIPTION,
    input: inputSchema,
    canonical: ({ sql }) => ({ sql: normalizeSql(sql) }),
    family: ({ sql }) => queryTables(sql),
    foresee: ({ sql }) => database.foresee(sql),
    run: ({ sql }, context) => execute(database, sql, context),
  });
}

async function execute(database: Database, sql: string, context: ToolContext): Promise<ToolOutput> {
  // A schema that cannot be read guards nothing: the query meets the same failure, and tells it.
  const schema = await readSchema(database);
  const unseen = schema === null ? [] : unseenTables(sql, schema, context.described);
  if (unseen.length > 0) return refuseUnseen(sql, unseen);
  const { rowsReadMax, signal, bookmark } = context;
  const options = bookmark === null ? { rowsReadMax, signal } : { rowsReadMax, signal, bookmark };
  const outcome = await database.query(sql, options);
  switch (outcome.kind) {
    case "rows":
      return showRows(sql, outcome, context);
    case "refused": {
      const { message, advice, code } = outcome.refusal;
      const observation = failure(message, [...advice], { code });
      return { observation, rowsRead: 0, query: failedQuery(sql, code, 0), isOwnFault: ABOUT_TABLES.has(code) };
    }
    case "failed": {
      const { message, advice, code, transient } = outcome.error;
      const observation = failure(message, [...advice], { code });
      return {
        observation,
        rowsRead: outcome.rowsRead,
        query: failedQuery(sql, code, outcome.rowsRead),
        isOwnFault: !transient,
      };
    }
    case "quarantined": {
      const observation = failure("The database changed while it was only to be read. The run stops here.", []);
      const { rowsRead } = outcome;
      return { observation, rowsRead, query: failedQuery(sql, "quarantined", rowsRead), quarantined: true };
    }
  }
}

function refuseUnseen(sql: string, unseen: readonly string[]): ToolOutput {
  const names = unseen.slice(0, 20);
  const observation = failure(`Not run: the columns of ${names.join(", ")} have not been shown to you.`, [
    `Call describe_tables with ${JSON.stringify({ tables: names })}, then send the query again.`,
  ]);
  return { observation, rowsRead: 0, query: failedQuery(sql, "not_described", 0) };
}

function failedQuery(sql: string, error: string, rowsRead: number): QueryRecord {
  return { sql, durationMs: 0, rowsRead, rows: 0, error, ref: null };
}

async function showRows(sql: string, outcome: QueryRows, context: ToolContext): Promise<ToolOutput> {
  const { stored, seenBefore } = await context.results.put(outcome.result);
  const page = toPage(stored, 1, PAGE_ROWS_MAX);
  const count = stored.rows.length;
  const query: QueryRecord = {
    sql,
    durationMs: outcome.durationMs,
    rowsRead: outcome.rowsRead,
    rows: count,
    error: null,
    ref: stored.ref,
  };
  const advice = [...outcome.warnings];
  if (page.to_row < count) advice.push(`Rows ${page.to_row + 1} to ${count} are in ${stored.ref}: use read_result.`);
  if (stored.truncated) advice.push("The result was cut: aggregate, filter or add a LIMIT to see what matters.");
  if (count === 0) advice.push("No row matched. Check the values in the conditions, for instance with a LIKE query.");
  const nullOnly =
    count > 0 ? stored.columns.filter((_, index) => stored.rows.every((row) => row[index] === null)) : [];
  if (nullOnly.length > 0) advice.push(`Only NULL in: ${nullOnly.slice(0, 5).join(", ")}.`);
  if (looksLikeInstruction(page)) advice.push(INSTRUCTION_LABEL);
  const same = seenBefore ? ` The same rows as ${stored.ref}, which you have seen.` : "";
  const rowsText = `${stored.truncated ? "more than " : ""}${count} ${count === 1 ? "row" : "rows"}`;
  const summary = `${rowsText}, stored as ${stored.ref}.${same}`;
  const artifacts = [{ kind: "result" as const, ref: stored.ref, rows: count }];
  const data = { ...page };
  const observation = advice.length > 0 ? warning(summary, advice, data, artifacts) : success(summary, data, artifacts);
  return { observation, rowsRead: outcome.rowsRead, query, bookmark: outcome.bookmark };
}
