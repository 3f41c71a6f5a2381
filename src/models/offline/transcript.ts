/**
 * Reads a request as the offline model needs it: the question, the schema seen so far, and what every call gave back.
 * Everything is read anew from the transcript each time, so that the same request always gives the same reply.
 * Pure: no I/O, no clock.
 */
import type { ModelRequest } from "../../agent/model.ts";
import { type ChartWords, readChartWords } from "./chart-words.ts";
import { readProbe } from "./probe.ts";
import type { SchemaGraph } from "./schema-graph.ts";
import { createSchemaGraph } from "./schema-graph.ts";
import type { SchemaText, Table } from "./schema-text.ts";
import { parseSchemaText } from "./schema-text.ts";
import type { ValueMatch } from "./values.ts";

/** A call that was answered. */
export interface PastCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly status: "success" | "warning" | "error";
  readonly summary: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly ref: string | null;
}

/** Rows as an observation shows them. */
export interface ShownRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly totalRows: number | null;
  readonly truncated: boolean;
}

export interface Transcript {
  readonly question: string;
  /** The picture that the question asks for, whose words it is without. */
  readonly chart: ChartWords["kind"];
  readonly graph: SchemaGraph;
  readonly probed: ReadonlyMap<string, readonly ValueMatch[]>;
  readonly calls: readonly PastCall[];
  /** Steps taken: replies of ours in the transcript. */
  readonly steps: number;
  readonly tools: ReadonlySet<string>;
}

export function readTranscript(request: ModelRequest): Transcript {
  const calls = readCalls(request);
  const graph = createSchemaGraph(readSchemas(request, calls));
  const probed = new Map<string, readonly ValueMatch[]>();
  for (const call of calls) {
    const rows = shownRows(call);
    const probe = rows === null ? null : readProbe(graph, rows.columns, rows.rows[0]);
    if (probe !== null) probed.set(probe.value.toLowerCase(), probe.matches);
  }
  const { question, kind } = readChartWords(readQuestionText(request));
  return {
    question,
    chart: kind,
    graph,
    probed,
    calls,
    steps: request.messages.filter((message) => message.role === "assistant").length,
    tools: new Set(request.tools.map((tool) => tool.name)),
  };
}

/** The opening message without the line about limits that follows the question. */
function readQuestionText(request: ModelRequest): string {
  const opening = request.messages.find((message) => message.role === "user");
  const text = opening?.role === "user" ? opening.text : "";
  const wrapped = /^Question: ([\s\S]*?)\n\n<results>/.exec(text);
  return (wrapped?.[1] ?? text).replace(/\n\n\(You have [^\n]*\)\s*$/, "").trim();
}

function readCalls(request: ModelRequest): readonly PastCall[] {
  const calls: PastCall[] = [];
  const inputs = new Map<string, { readonly name: string; readonly input: unknown }>();
  for (const message of request.messages) {
    if (message.role === "assistant") for (const call of message.calls) inputs.set(call.id, call);
    if (message.role !== "tool") continue;
    for (const result of message.results) {
      const call = inputs.get(result.callId);
      if (call !== undefined) calls.push(toPastCall(call.name, call.input, result.content, result.isError));
    }
  }
  return calls;
}

function toPastCall(tool: string, input: unknown, content: string, isError: boolean): PastCall {
  const envelope = toRecord(parseJson(content));
  const status = envelope.status;
  const artifacts = Array.isArray(envelope.artifacts) ? envelope.artifacts : [];
  const ref = toRecord(artifacts[0]).ref;
  return {
    tool,
    input: toRecord(input),
    status: isError || status === "error" ? "error" : status === "warning" ? "warning" : "success",
    summary: typeof envelope.summary === "string" ? envelope.summary : "",
    data: toRecord(envelope.data),
    ref: typeof ref === "string" ? ref : null,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The prompt's schema and every description since; a table described later replaces its earlier form. */
function readSchemas(request: ModelRequest, calls: readonly PastCall[]): SchemaText {
  const prompt = /<schema>\n?([\s\S]*?)\n?<\/schema>/.exec(request.system)?.[1] ?? "";
  const texts = [prompt, ...calls.map((call) => call.data.schema).filter((text) => typeof text === "string")];
  const tables = new Map<string, Table>();
  const quoted = new Set<string>();
  let total = 0;
  texts.forEach((text, index) => {
    const schema = parseSchemaText(text);
    if (index === 0) total = schema.tables.length + schema.omitted;
    for (const name of schema.quoted) quoted.add(name);
    for (const table of schema.tables) tables.set(table.name, table);
  });
  // What has been described since is no longer left out.
  return { tables: [...tables.values()], quoted, omitted: Math.max(0, total - tables.size) };
}

/** The rows of a query's observation, or null when it has none. */
export function shownRows(call: PastCall): ShownRows | null {
  const { columns, rows, total_rows: total, truncated } = call.data;
  if (call.tool !== "execute_read_only_sql" || call.status === "error") return null;
  if (!Array.isArray(columns) || !Array.isArray(rows)) return null;
  return {
    columns: columns.map(String),
    rows: rows.filter((row) => Array.isArray(row)),
    totalRows: typeof total === "number" ? total : null,
    truncated: truncated === true,
  };
}

/** Names of tables that list_tables found, in order. */
export function listedTables(call: PastCall): readonly string[] {
  const { tables } = call.data;
  if (!Array.isArray(tables)) return [];
  return tables.flatMap((entry) => {
    const name = toRecord(entry).name;
    return typeof name === "string" ? [name] : [];
  });
}
