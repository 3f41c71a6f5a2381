/** A fake database and a fake shelf of results for tests of the tools: what a test does not set, it may not use. */
import type { Memo, StoredResult, Tool, ToolContext, ToolOutput } from "../../src/agent/tool.ts";
import type { Database, QueryOutcome, QueryRows } from "../../src/sql/database.ts";
import type { SchemaColumn, SchemaTable } from "../../src/sql/schema.ts";

export function databaseWith(parts: Partial<Database>): Database {
  const unset = () => Promise.reject(new Error("this test does not ask the database for that"));
  return { schema: unset, query: unset, foresee: unset, ...parts };
}

/** A database that answers every query with `outcome` and writes down what it was asked. */
export function answeringWith(outcome: QueryOutcome): { readonly database: Database; readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const query: Database["query"] = async (sql, options) => {
    asked.push({ sql, ...options });
    return outcome;
  };
  return { database: databaseWith({ query, schema: async () => ({ tables: [] }) }), asked };
}

export function rowsOf(
  columns: readonly string[],
  rows: QueryRows["result"]["rows"],
  parts: Partial<QueryRows> = {},
): QueryRows {
  return {
    kind: "rows",
    result: { sql: "SELECT 1", columns, rows, totalRows: rows.length, truncated: false },
    columnKinds: [],
    tables: [],
    rowsRead: 42,
    rowsReadEstimate: 40,
    warnings: [],
    durationMs: 7,
    bookmark: null,
    ...parts,
  };
}

export function resultOf(count: number, parts: Partial<StoredResult> = {}): StoredResult {
  return {
    ref: "r1",
    sha256: "0",
    sql: "SELECT n FROM t",
    columns: ["n"],
    rows: Array.from({ length: count }, (_, index) => [index + 1]),
    totalRows: count,
    truncated: false,
    ...parts,
  };
}

export function contextWith(
  parts: {
    readonly stored?: readonly StoredResult[];
    readonly seenBefore?: boolean;
    readonly memo?: Memo;
    readonly described?: readonly string[];
    readonly bookmark?: string | null;
    readonly reply?: string | null;
  } = {},
): ToolContext {
  const stored = parts.stored ?? [];
  return {
    reply: parts.reply ?? null,
    signal: new AbortController().signal,
    rowsReadMax: 500,
    memo: parts.memo ?? { notes: [], plan: [], brainstormed: false },
    described: parts.described ?? [],
    bookmark: parts.bookmark ?? null,
    results: {
      get: (ref) => stored.find((result) => result.ref === ref) ?? null,
      put: async (result) => ({
        stored: { ...result, ref: `r${stored.length + 1}`, sha256: "0" },
        seenBefore: parts.seenBefore ?? false,
      }),
    },
  };
}

/** Checks `input` and runs the tool; input that is wrong fails the test. */
export async function runTool(tool: Tool, input: unknown, context = contextWith()): Promise<ToolOutput> {
  const checked = tool.check(input);
  if (!checked.ok) throw new Error(`wrong input: ${checked.error.join("; ")}`);
  return checked.value.run(context);
}

export function columnOf(name: string, parts: Partial<SchemaColumn> = {}): SchemaColumn {
  return {
    name,
    type: "INTEGER",
    keyPosition: 0,
    notNull: false,
    generated: false,
    masked: false,
    references: null,
    values: null,
    hasMoreValues: false,
    ...parts,
  };
}

export function tableOf(
  name: string,
  columns: readonly SchemaColumn[] = [columnOf("id")],
  parts: Partial<SchemaTable> = {},
): SchemaTable {
  return { name, kind: "table", rows: 3, hasMoreRows: false, tags: [], columns, ...parts };
}
