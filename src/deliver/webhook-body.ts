/**
 * The body of a webhook: `{type, timestamp, data}` with the run as the API shows it, in under 20 kB. The type is
 * `run.finished`, or `run.waiting` of a run that waits for a person.
 *
 * What is too long is cut from the least missed upwards, and `truncated` names every field that was; the address under
 * `data.links.self` has the whole. `timestamp` is when the run finished or began to wait, the same for every try. Pure: no I/O, no clock.
 */
import type { PublicRun } from "../agent/view.ts";
import { byteLength, cutToBytes } from "../lib/bytes.ts";

/** What Standard Webhooks asks for; receivers may refuse more. */
export const WEBHOOK_BODY_BYTES_MAX = 20_000;

type Cut = readonly [field: string, cut: (run: PublicRun) => PublicRun];

/** In this order, until it fits. Together they make any run fit. */
const CUTS: readonly Cut[] = [
  ["receipt.queries.sql", (run) => withQueries(run, (queries) => queries.map((query) => cutQuery(query, 1_000)))],
  ["waiting.approval.queries", (run) => cutAsked(run, 3)],
  ["receipt.queries", (run) => withQueries(run, (queries) => queries.slice(-5))],
  ["receipt.citations", (run) => ({ ...run, receipt: { ...run.receipt, citations: [] } })],
  ["question", (run) => ({ ...run, question: cutText(run.question, 2_000) })],
  ["answer", (run) => ({ ...run, answer: run.answer && cutText(run.answer, 4_000) })],
  ["partial_answer", (run) => ({ ...run, partial_answer: run.partial_answer && cutText(run.partial_answer, 4_000) })],
  ["message", (run) => ({ ...run, message: run.message && cutText(run.message, 1_000) })],
  ["warnings", (run) => ({ ...run, warnings: run.warnings.slice(0, 5).map((warning) => cutText(warning, 300)) })],
  ["receipt.results", (run) => ({ ...run, receipt: { ...run.receipt, results: run.receipt.results.slice(0, 20) } })],
  ["receipt.queries", (run) => withQueries(run, () => [])],
  ["waiting.approval.queries", (run) => cutAsked(run, 1)],
];

/** JSON of at most `WEBHOOK_BODY_BYTES_MAX` bytes. */
export function toWebhookBody(run: PublicRun): string {
  let data = run;
  const truncated: string[] = [];
  let body = encode(data, truncated);
  for (const [field, cut] of CUTS) {
    if (byteLength(body) <= WEBHOOK_BODY_BYTES_MAX) break;
    const shorter = cut(data);
    if (JSON.stringify(shorter) === JSON.stringify(data)) continue;
    data = shorter;
    const name = `data.${field}`;
    if (!truncated.includes(name)) truncated.push(name);
    body = encode(data, truncated);
  }
  return body;
}

function encode(data: PublicRun, truncated: readonly string[]): string {
  const type = data.waiting === null ? "run.finished" : "run.waiting";
  const timestamp = data.finished_at ?? data.waiting?.since ?? data.created_at;
  return JSON.stringify({ type, timestamp, data, ...(truncated.length > 0 && { truncated }) });
}

type Queries = PublicRun["receipt"]["queries"];

function withQueries(run: PublicRun, change: (queries: Queries) => Queries): PublicRun {
  return { ...run, receipt: { ...run.receipt, queries: change(run.receipt.queries) } };
}

function cutAsked(run: PublicRun, count: number): PublicRun {
  const { waiting } = run;
  if (!waiting?.approval) return run;
  const queries = waiting.approval.queries.slice(0, count).map((query) => ({
    ...query,
    sql: cutText(query.sql, 2_000),
    tables: query.tables.slice(0, 10).map((table) => cutText(table, 100)),
    plan: query.plan.slice(0, 10).map((line) => cutText(line, 100)),
  }));
  return { ...run, waiting: { ...waiting, approval: { ...waiting.approval, queries } } };
}

function cutQuery(query: Queries[number], bytesMax: number): Queries[number] {
  return { ...query, sql: cutText(query.sql, bytesMax), error: query.error && cutText(query.error, 300) };
}

/** Measured as JSON, where a control character takes six bytes. */
function cutText(text: string, bytesMax: number): string {
  let cut = cutToBytes(text, bytesMax);
  while (byteLength(JSON.stringify(cut)) > bytesMax + 2) cut = cutToBytes(cut, Math.floor(byteLength(cut) * 0.7));
  return cut === text ? text : `${cut} …`;
}
