/**
 * Asks the worker over its public HTTP API, the same that any other client uses.
 *
 * Owns: the requests, and reading what comes back with nothing taken for granted but the few fields that are shown.
 * Leaves to others: following a run while it goes on (run-events.ts), showing it (render.ts).
 * No function rejects: a worker that cannot be reached is an error value.
 */
import * as z from "zod";
import { err, ok, type Result } from "../lib/result.ts";
import { messageOf } from "./sqlite-text.ts";
import type { TableRows } from "./table.ts";

/** The part of a host that a client needs. */
export interface Door {
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

/** What was asked for cannot be had: `status` is the HTTP status, or null when the worker did not answer. */
export interface Refusal {
  readonly status: number | null;
  readonly message: string;
  /** The problem's stable code, when there was one. */
  readonly code?: string;
}

/** True when the person can put it right: a request or a setting that is wrong, and not a fault of the worker. */
export function isWrongCall({ status, code }: Refusal): boolean {
  return status === 400 || status === 413 || status === 422 || code === "not_configured";
}

const runSchema = z.looseObject({
  id: z.string(),
  status: z.string(),
  outcome: z.string().nullish(),
  stop_reason: z.string().nullish(),
  message: z.string().nullish(),
  answer: z.string().nullish(),
  partial_answer: z.string().nullish(),
  question: z.string(),
  model: z.string().nullish(),
  waiting: z.looseObject({ kind: z.string() }).nullish(),
  receipt: z.looseObject({
    queries: z.array(z.looseObject({ sql: z.string(), result: z.string().nullish(), error: z.string().nullish() })),
    results: z.array(z.string()).default([]),
    rows_read: z.number(),
    cost_usd: z.number(),
    seconds: z.number(),
    steps: z.number(),
  }),
  usage: z
    .looseObject({
      reserved_usd: z.number().default(0),
      unbilled_usd: z.number().default(0),
      model_calls: z.number().optional(),
    })
    .optional(),
  warnings: z.array(z.string()).default([]),
});

/** A run as the API gives it; fields beyond these are kept and printed by `--json`. */
export type Run = z.infer<typeof runSchema>;

const resultSchema = z.looseObject({
  columns: z.array(z.string()),
  rows: z.array(z.array(z.unknown())),
  total_rows: z.number().nullish(),
  stored_rows: z.number().nullish(),
  truncated: z.boolean().default(false),
});

const problemSchema = z.looseObject({
  code: z.string().optional(),
  title: z.string().optional(),
  detail: z.string().optional(),
  errors: z.array(z.looseObject({ detail: z.string(), pointer: z.string().optional() })).optional(),
});

export interface RunRequest {
  readonly question: string;
  readonly model: string | null;
  readonly budgetUsd: number | null;
  readonly maxSteps: number | null;
  /** Rows above which a query waits for a person; null: none does. */
  readonly approveAboveRows: number | null;
  /** Somebody is there to be asked back. */
  readonly mayAsk: boolean;
}

/** Starts a run; it goes on by itself. */
export function createRun(door: Door, request: RunRequest): Promise<Result<Run, Refusal>> {
  const limits = {
    ...(request.budgetUsd === null ? {} : { budget_usd: request.budgetUsd }),
    ...(request.maxSteps === null ? {} : { max_steps: request.maxSteps }),
  };
  return requestRun(
    door,
    "/v1/runs",
    toPost({
      question: request.question,
      ...(request.model === null ? {} : { model: request.model }),
      ...(Object.keys(limits).length === 0 ? {} : { limits }),
      ...(request.approveAboveRows === null ? {} : { approve_above_rows: request.approveAboveRows }),
      ...(request.mayAsk ? { may_ask: true } : {}),
    }),
  );
}

export function getRun(door: Door, id: string): Promise<Result<Run, Refusal>> {
  return requestRun(door, `/v1/runs/${encodeURIComponent(id)}`);
}

export function cancelRun(door: Door, id: string): Promise<Result<Run, Refusal>> {
  return requestRun(door, `/v1/runs/${encodeURIComponent(id)}/cancel`, { method: "POST" });
}

/** A word to a run that waits for it. */
export function approveRun(
  door: Door,
  id: string,
  said: { readonly approval: string; readonly decision: "approve" | "decline"; readonly note?: string },
): Promise<Result<Run, Refusal>> {
  return requestRun(door, `/v1/runs/${encodeURIComponent(id)}/approve`, toPost(said));
}

export function replyToRun(
  door: Door,
  id: string,
  said: { readonly inquiry: string; readonly reply: string },
): Promise<Result<Run, Refusal>> {
  return requestRun(door, `/v1/runs/${encodeURIComponent(id)}/reply`, toPost(said));
}

function toPost(body: object): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

/** Whether the worker is up and its settings make sense; the refusal names the setting that does not. */
export function checkHealth(door: Door): Promise<Result<unknown, Refusal>> {
  return request(door, "/healthz");
}

/** The first page of a stored result. */
export async function getResult(door: Door, runId: string, ref: string): Promise<Result<TableRows, Refusal>> {
  const answered = await request(door, `/v1/runs/${encodeURIComponent(runId)}/results/${encodeURIComponent(ref)}`);
  if (!answered.ok) return answered;
  const parsed = resultSchema.safeParse(answered.value);
  if (!parsed.success) return err(unexpected(parsed.error));
  const { columns, rows, total_rows, stored_rows, truncated } = parsed.data;
  return ok({
    columns,
    rows,
    totalRows: total_rows ?? stored_rows ?? null,
    truncated: truncated && total_rows == null,
  });
}

async function requestRun(door: Door, path: string, init?: RequestInit): Promise<Result<Run, Refusal>> {
  const answered = await request(door, path, init);
  if (!answered.ok) return answered;
  const parsed = runSchema.safeParse(answered.value);
  return parsed.success ? ok(parsed.data) : err(unexpected(parsed.error));
}

async function request(door: Door, path: string, init?: RequestInit): Promise<Result<unknown, Refusal>> {
  try {
    const response = await door.fetch(path, init);
    const text = await response.text();
    if (response.ok) return ok(JSON.parse(text));
    const { code } = problemSchema.safeParse(parseJson(text)).data ?? {};
    const message = explainProblem(response.status, text);
    return err({ status: response.status, message, ...(code !== undefined && { code }) });
  } catch (error) {
    return err({ status: null, message: `The local worker did not answer (${messageOf(error)}).` });
  }
}

function explainProblem(status: number, text: string): string {
  const problem = problemSchema.safeParse(parseJson(text));
  if (!problem.success) return `The local worker answered with status ${status}.`;
  const { title, detail, errors = [] } = problem.data;
  const parts = errors.map((each) => (each.pointer ? `${toFlag(each.pointer)}: ${each.detail}` : each.detail));
  const said = [title, detail].filter((part) => part !== undefined);
  const head = said.length > 0 ? said.join(": ") : `The local worker answered with status ${status}.`;
  return [head, ...parts.filter((part) => !head.includes(part))].join("\n");
}

/** Who typed a flag is told of the flag, not of the place in a body that this program wrote. */
function toFlag(pointer: string): string {
  const flags = new Map([
    ["#/model", "--model"],
    ["#/limits/budget_usd", "--budget"],
    ["#/limits/max_steps", "--max-steps"],
  ]);
  return flags.get(pointer) ?? pointer;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function unexpected(error: z.ZodError): Refusal {
  return { status: null, message: `The local worker's answer is not as expected: ${z.prettifyError(error)}` };
}
