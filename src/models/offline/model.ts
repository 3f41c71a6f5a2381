/**
 * The offline model: answers through the `Model` port with no network and no cost, by planning SQL from the question
 * and the schema in the transcript. A reply depends on the request alone.
 *
 * Owns: which call comes next. Leaves to others: reading the transcript (transcript.ts), planning (planner.ts), words
 * (answer.ts). Never throws: a bug of the planner becomes a reply that declines.
 */
import type {
  Model,
  ModelFailure,
  ModelInfo,
  ModelOutcome,
  ModelReply,
  ModelRequest,
  ToolCall,
} from "../../agent/model.ts";
import { byteLength } from "../../lib/bytes.ts";
import type { FinalAnswer } from "./answer.ts";
import { writeAnswer } from "./answer.ts";
import { writeDecline, writeTables } from "./decline.ts";
import { exploreSchema } from "./explore.ts";
import type { Plan } from "./planner.ts";
import { makePlan } from "./planner.ts";
import { writeProbe } from "./probe.ts";
import type { SchemaGraph } from "./schema-graph.ts";
import { writeThought } from "./thought.ts";
import type { PastCall, Transcript } from "./transcript.ts";
import { readTranscript, shownRows } from "./transcript.ts";
import { pluralName } from "./words.ts";

const FREE = { input: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, output: 0 };

const INFO: ModelInfo = {
  id: "offline",
  contextWindow: 1_000_000,
  maxOutputTokens: 128_000,
  tiers: [{ abovePromptTokens: 0, ...FREE }],
  priceMultiplierMax: 1,
};

/** Questions longer than this are not read word by word. */
const QUESTION_CHARS_MAX = 2_000;

const BYTES_PER_TOKEN = 4;

/** What to say and whom to call. No calls: the text is the last word. */
interface Turn {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  readonly isDeclined?: boolean;
}

export function createOfflineModel(): Model {
  return {
    info: INFO,
    boundInputTokens: countBytes,
    countInputTokens: async (request) => Math.ceil(countBytes(request) / BYTES_PER_TOKEN),
    complete: async (request, signal): Promise<ModelOutcome> => (signal.aborted ? aborted() : reply(request)),
  };
}

function aborted(): ModelFailure {
  return {
    kind: "aborted",
    code: "aborted",
    status: null,
    retryAfterMs: null,
    unbilled: true,
    requestId: null,
    message: "The call was ended before it began.",
  };
}

function countBytes(request: ModelRequest): number {
  return (
    byteLength(request.system) +
    byteLength(JSON.stringify(request.tools)) +
    request.messages.reduce((sum, message) => sum + byteLength(JSON.stringify(message)), 0)
  );
}

function reply(request: ModelRequest): ModelOutcome {
  const transcript = readTranscript(request);
  const turn = takeTurn(request, transcript);
  const calls = turn.calls.map(
    (call, index): ToolCall => ({ id: `off_${transcript.steps + 1}_${index + 1}`, name: call.name, input: call.input }),
  );
  const { text } = turn;
  const finish = calls.length > 0 ? "tool_use" : turn.isDeclined === true ? "refusal" : "end_turn";
  const content = [
    { type: "text", text },
    ...calls.map((call) => ({ type: "tool_use", id: call.id, name: call.name, input: call.input })),
  ];
  const made: ModelReply = {
    content,
    text,
    hasThinking: false,
    calls,
    finish,
    rawFinish: finish,
    usage: {
      ...FREE,
      input: Math.ceil(countBytes(request) / BYTES_PER_TOKEN),
      output: Math.min(request.maxTokens, Math.ceil(byteLength(JSON.stringify(content)) / BYTES_PER_TOKEN)),
    },
    priceMultiplier: 1,
    requestId: null,
  };
  return { kind: "reply", reply: made };
}

function say(text: string): Turn {
  return { text, calls: [] };
}

/** What it cannot read it declines, in words: the run then ends as a refusal, and nobody takes the words for an answer. */
function decline(text: string): Turn {
  return { text, calls: [], isDeclined: true };
}

function takeTurn(request: ModelRequest, transcript: Transcript): Turn {
  if (request.toolChoice === "none") return say(lastWords(transcript));
  if (!transcript.tools.has("execute_read_only_sql"))
    return decline("I am the offline model and cannot read the database without execute_read_only_sql.");
  if (transcript.question === "" || transcript.question.length > QUESTION_CHARS_MAX)
    return decline(writeDecline(transcript.graph, []));
  const refusal = refuseOutright(transcript.question) ?? cannotCompute(transcript.question, transcript.graph);
  if (refusal !== null) return decline(refusal);
  const exploring = exploreSchema(transcript);
  if (exploring !== null) return exploring;
  if (transcript.graph.tables.length === 0) return say("The database has no tables that can be read.");
  if (asksForTables(transcript.question)) return say(writeTables(transcript.graph));
  const queries = transcript.calls.filter((call) => call.tool === "execute_read_only_sql" && !isProbe(call));
  const failed = queries.filter((call) => call.status === "error").length;
  const plan = makePlan({
    question: transcript.question,
    graph: transcript.graph,
    probed: knownValues(transcript),
    plain: failed > 0,
  });
  const done = queries.findLast((call) => shownRows(call) !== null);
  if (done !== undefined) return conclude(transcript, done, plan);
  return actOn(plan, transcript, queries);
}

/** What no query can do: change rows, give reasons, look ahead. */
function refuseOutright(question: string): string | null {
  const asked = question.trim().toLowerCase();
  if (
    /^(please )?(delete|drop|update|insert|alter|create|truncate|remove|rename|add(?! up)|grant|replace|set)\b/.test(
      asked,
    )
  ) {
    return "The database is only ever read: I change nothing.";
  }
  if (/^(why|should|how (do|can|should|to)\b|predict|forecast|recommend|explain|write|translate)/.test(asked)) {
    return "I am the offline model: I count, add up and look up, but give no reasons, advice or forecasts.";
  }
  return null;
}

/** What would need a clock or mathematics that it has not. */
function cannotCompute(question: string, graph: SchemaGraph): string | null {
  const when =
    /\b(?:last|this|next|current|past) (?:year|month|week|quarter)\b|\b(?:today|yesterday|tomorrow|ago|(?<!most )recently)\b/i.exec(
      question,
    );
  if (when !== null)
    return `I am the offline model and have no clock, so "${when[0]}" says nothing to me. Name the year or the dates.`;
  const what =
    /\b(?:median|mode of|standard deviation|variance|correlation|percentile|growth|trend|moving average|cumulative|running total|to date)\b/i.exec(
      question,
    );
  if (what === null) return null;
  const isStored = graph.tables.some((table) =>
    table.columns.some((column) => column.words.includes(what[0].toLowerCase())),
  );
  return isStored ? null : `I am the offline model and do not compute "${what[0]}".`;
}

function asksForTables(question: string): boolean {
  return /^(what|which|list|show|how many)\b.{0,20}\btables\b(?!.{12,})/i.test(question.trim());
}

/** A probe is known by its text, whether or not it succeeded. */
function isProbe(call: PastCall): boolean {
  return / AS looked_for,\n/.test(String(call.input.sql ?? ""));
}

/** What probes found; one that failed found nothing, and is not tried again. */
function knownValues(transcript: Transcript): Transcript["probed"] {
  const known = new Map(transcript.probed);
  for (const call of transcript.calls) {
    if (!isProbe(call)) continue;
    const value = /^SELECT '((?:[^']|'')*)' AS looked_for/
      .exec(String(call.input.sql))?.[1]
      ?.replaceAll("''", "'")
      .toLowerCase();
    if (value !== undefined && !known.has(value)) known.set(value, []);
  }
  return known;
}

function actOn(plan: Plan, transcript: Transcript, queries: readonly PastCall[]): Turn {
  switch (plan.kind) {
    case "probe": {
      const calls = plan.values.flatMap((value) => {
        const sql = writeProbe(transcript.graph, value);
        return sql === null ? [] : [{ name: "execute_read_only_sql", input: { sql } }];
      });
      if (calls.length === 0) return decline(writeDecline(transcript.graph, plan.values));
      return { text: `I look for ${plan.values.map((value) => `'${value}'`).join(", ")} in the text columns.`, calls };
    }
    case "query": {
      const last = queries.at(-1);
      if (queries.length >= 2 || last?.input.sql === plan.sql)
        return decline(`The database refused the query I made for this question: ${last?.summary ?? ""}`);
      return { text: writeThought(plan.intent), calls: [{ name: "execute_read_only_sql", input: { sql: plan.sql } }] };
    }
    case "value_missing":
      return decline(
        `I looked for '${plan.value}' in the text columns of the database and found it nowhere, so I have no answer.`,
      );
    case "table_missing":
      return decline(`There is no table of ${pluralName(plan.name)} here.`);
    case "not_understood":
      return decline(writeDecline(transcript.graph, plan.unread));
  }
}

/** The rows are there: the answer, through the tool if it is offered. */
function conclude(transcript: Transcript, done: PastCall, plan: Plan): Turn {
  const rows = shownRows(done);
  if (rows === null) return decline(writeDecline(transcript.graph, []));
  const final = writeAnswer(rows, done.ref, plan.kind === "query" ? plan.intent : null);
  const tried = transcript.calls.filter((call) => call.tool === "final_answer").length;
  if (!transcript.tools.has("final_answer") || tried >= 2) return say(final.answer);
  const sent: FinalAnswer = {
    ...final,
    ...(tried === 0 ? {} : { citations: [] }),
    ...(transcript.chart === null ? {} : { chart: { kind: transcript.chart } }),
  };
  return { text: "The rows answer the question.", calls: [{ name: "final_answer", input: sent }] };
}

/** The last call, without tools: what the rows so far say, or that there are none. */
function lastWords(transcript: Transcript): string {
  const done = transcript.calls.findLast((call) => shownRows(call) !== null && !isProbe(call));
  const rows = done === undefined ? null : shownRows(done);
  if (rows === null) return "The run ended before a query had answered the question.";
  return writeAnswer(rows, null, null).answer;
}
