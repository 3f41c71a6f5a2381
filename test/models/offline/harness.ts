/**
 * Drives the offline model over a SQLite file in Node: renders the schema as every model is shown it, runs the model's
 * queries with node:sqlite, and hands back observations in the envelope of the real tools.
 */
import { readFileSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { Message, ModelReply, ModelRequest, ToolCall, ToolResult, ToolSpec } from "../../../src/agent/model.ts";
import { createOfflineModel } from "../../../src/models/offline/model.ts";
import type { DatabaseConnection } from "../../../src/sql/connection.ts";
import { readSchema, renderSchema } from "../../../src/sql/schema.ts";

export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

export interface Asked {
  readonly text: string;
  /** The last query that gave rows and looked for no value. */
  readonly sql: string | null;
  readonly rows: Rows | null;
  readonly final: {
    readonly answer: string;
    readonly citations: readonly { figure: string; row: number; column: string }[];
  } | null;
  readonly replies: readonly ModelReply[];
  readonly errors: readonly string[];
}

const TOOLS: readonly ToolSpec[] = [
  "list_tables",
  "describe_tables",
  "execute_read_only_sql",
  "read_result",
  "final_answer",
].map((name) => ({
  name,
  description: "",
  inputSchema: { type: "object" },
}));

export function openFile(path: string): DatabaseSync {
  return new DatabaseSync(path, { readOnly: true, enableDoubleQuotedStringLiterals: true });
}

export function openScript(sql: string): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  database.exec(sql);
  return database;
}

export function openDump(path: string): DatabaseSync {
  return openScript(readFileSync(path, "utf8"));
}

/** Rows as arrays, so that two columns of one name both stay. */
export function runSql(database: DatabaseSync, sql: string): Rows {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  const columns = statement.columns().map((column) => column.name);
  return { columns, rows: statement.all() as unknown as unknown[][] };
}

/** Enough of a D1 binding for the schema reader. */
function connect(database: DatabaseSync): DatabaseConnection {
  const prepare = (sql: string) => ({ sql, values: [] as SQLInputValue[] });
  const batch = async (statements: { sql: string }[]) =>
    statements.map(({ sql }) => ({ success: true, meta: {}, results: database.prepare(sql).all() }));
  return { prepare, batch } as unknown as DatabaseConnection;
}

export async function schemaTextOf(database: DatabaseSync, bytesMax = 16_000): Promise<string> {
  const schema = await readSchema(connect(database), {});
  return renderSchema(schema, { bytesMax }).text;
}

export function requestFor(
  schema: string,
  messages: readonly Message[],
  tools: readonly ToolSpec[] = TOOLS,
  toolChoice: "auto" | "none" = "auto",
): ModelRequest {
  return {
    system: `You answer.\n<schema>\n${schema}\n</schema>`,
    tools,
    messages,
    maxTokens: 8_000,
    toolChoice,
    timeoutMs: 60_000,
  };
}

export async function replyTo(request: ModelRequest): Promise<ModelReply> {
  const outcome = await createOfflineModel().complete(request, new AbortController().signal);
  if (outcome.kind !== "reply") throw new Error(`the offline model failed: ${outcome.message}`);
  return outcome.reply;
}

/** Asks to the end, at most eight steps. */
export async function ask(database: DatabaseSync, schema: string, question: string): Promise<Asked> {
  const messages: Message[] = [
    {
      role: "user",
      text: `${question}\n\n(You have 12 steps and 8 tool calls; 3 failing calls in a row end the run.)`,
    },
  ];
  const replies: ModelReply[] = [];
  const errors: string[] = [];
  let sql: string | null = null;
  let rows: Rows | null = null;
  let refs = 0;
  for (let step = 0; step < 8; step += 1) {
    const reply = await replyTo(requestFor(schema, messages));
    replies.push(reply);
    const final = reply.calls.find((call) => call.name === "final_answer");
    if (reply.calls.length === 0 || final !== undefined) {
      const answer = (final?.input ?? null) as Asked["final"];
      return { text: answer?.answer ?? reply.text, sql, rows, final: answer, replies, errors };
    }
    messages.push({ role: "assistant", content: reply.content, text: reply.text, calls: reply.calls });
    const results: ToolResult[] = [];
    for (const call of reply.calls) {
      if (call.name !== "execute_read_only_sql") {
        results.push({ callId: call.id, content: JSON.stringify(await lookAtSchema(database, call)), isError: false });
        continue;
      }
      const outcome = execute(database, call, refs + 1);
      if (outcome.rows !== null) {
        refs += 1;
        if (!outcome.sql.includes(" AS looked_for,")) [sql, rows] = [outcome.sql, outcome.rows];
      } else {
        errors.push(`${outcome.error}\n${outcome.sql}`);
      }
      results.push({ callId: call.id, content: JSON.stringify(outcome.envelope), isError: outcome.rows === null });
    }
    messages.push({ role: "tool", results });
  }
  return { text: "", sql, rows, final: null, replies, errors };
}

/** What the schema tools answer, from the same schema that the prompt was made of. */
async function lookAtSchema(database: DatabaseSync, call: ToolCall) {
  const schema = await readSchema(connect(database), {});
  const { search = "", tables = [] } = call.input as { search?: string; tables?: string[] };
  const found = schema.tables.filter((table) => table.name.toLowerCase().includes(search.toLowerCase()));
  const data =
    call.name === "list_tables"
      ? { tables: found.map((table) => ({ name: table.name })) }
      : { schema: renderSchema(schema, { bytesMax: 10_000, tables }).text };
  return { status: "success", summary: "found", data, next_actions: [], artifacts: [] };
}

function execute(database: DatabaseSync, call: ToolCall, number: number) {
  const sql = String((call.input as { sql?: unknown }).sql ?? "");
  try {
    const rows = runSql(database, sql);
    const data = {
      columns: rows.columns,
      rows: rows.rows.slice(0, 50),
      total_rows: rows.rows.length,
      truncated: false,
    };
    const envelope = {
      status: "success",
      summary: `${rows.rows.length} rows`,
      data,
      next_actions: [],
      artifacts: [{ kind: "result", ref: `r${number}`, rows: rows.rows.length }],
    };
    return { sql, rows, envelope, error: "" };
  } catch (cause) {
    const error = cause instanceof Error ? cause.message : String(cause);
    return {
      sql,
      rows: null,
      error,
      envelope: { status: "error", summary: error, data: {}, next_actions: [], artifacts: [] },
    };
  }
}

/** Execution match: every gold column is one of ours, and the rows agree as a multiset (as a list when ordered). */
export function sameRows(gold: Rows, ours: Rows, ordered: boolean): boolean {
  if (gold.rows.length !== ours.rows.length) return false;
  if (gold.rows.length === 0) return true;
  const column = (rows: Rows, index: number): readonly string[] => rows.rows.map((row) => canonical(row[index]));
  const sorted = (values: readonly string[]): string => [...values].sort().join("\u0001");
  const ourColumns = ours.columns.map((_name, index) => column(ours, index));
  const candidates = gold.columns.map((_name, index) => {
    const values = column(gold, index);
    const wanted = sorted(values);
    return ourColumns.flatMap((other, at) => (sorted(other) === wanted ? [at] : []));
  });
  const goldRows = gold.rows.map((row) => row.map(canonical).join("\u0002"));
  const fits = (chosen: readonly number[]): boolean => {
    const rows = ours.rows.map((row) => chosen.map((at) => canonical(row[at])).join("\u0002"));
    return ordered ? rows.join("\u0001") === goldRows.join("\u0001") : sorted(rows) === sorted(goldRows);
  };
  const search = (chosen: readonly number[]): boolean => {
    if (chosen.length === candidates.length) return fits(chosen);
    return (candidates[chosen.length] ?? []).some((at) => search([...chosen, at]));
  };
  return search([]);
}

function canonical(value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint") return `n${Number(Number(value).toPrecision(9))}`;
  return value === null ? "null" : `t${String(value)}`;
}

export function isOrdered(sql: string): boolean {
  return /\border\s+by\b(?![^(]*\))/i.test(sql) && !/limit\s+1\s*$/i.test(sql.trim());
}
