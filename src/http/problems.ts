/**
 * Every error the API answers: problem documents (RFC 9457) with a stable `code`, and the one function that turns what
 * was thrown into a response.
 *
 * Owns: the table of codes, their status and title. Leaves to others: the sentence of each case (`detail`), which says
 * what was wrong and what to do. A handler refuses by `throw problem(...)`. Anything else that is thrown is a fault of
 * ours: it is answered with an id and nothing more, and logged under that id without the request's content.
 */
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { ConfigError } from "../config/variables.ts";
import { isLocal } from "../config.ts";
import type { HttpEnv } from "./context.ts";

/** Stable: a code keeps its meaning and its status for ever; new ones may be added. */
export const PROBLEMS = {
  invalid_json: { status: 400, title: "The body is not valid JSON" },
  invalid_request: { status: 400, title: "The request is not valid" },
  body_incomplete: { status: 400, title: "The body broke off" },
  invalid_event_id: { status: 400, title: "There is no such event" },
  unauthorized: { status: 401, title: "A valid API key is needed" },
  access_refused: { status: 401, title: "The sign-in by Cloudflare Access is not valid" },
  invalid_signature: { status: 401, title: "The signature is not valid" },
  cross_site: { status: 403, title: "The request comes from another site" },
  forbidden_host: { status: 403, title: "The local server answers to its own name only" },
  not_found: { status: 404, title: "There is nothing at this address" },
  run_not_found: { status: 404, title: "There is no such run" },
  result_not_found: { status: 404, title: "There is no such result" },
  source_not_found: { status: 404, title: "There is no such webhook source" },
  method_not_allowed: { status: 405, title: "This method is not allowed here" },
  body_timeout: { status: 408, title: "The body did not come in time" },
  run_finished: { status: 409, title: "The run is finished" },
  run_not_finished: { status: 409, title: "The run is not finished yet" },
  run_busy: { status: 409, title: "The run is in the middle of a step" },
  run_waiting: { status: 409, title: "The run is waiting" },
  run_not_continuable: { status: 409, title: "The run cannot be continued" },
  run_not_repeatable: { status: 409, title: "The run has no queries to run again" },
  run_not_waiting: { status: 409, title: "The run is not waiting for this" },
  run_not_manual: { status: 409, title: "The run drives itself" },
  nothing_to_send: { status: 409, title: "The run has nothing to send" },
  idempotency_in_flight: { status: 409, title: "A request with this idempotency key is in flight" },
  body_too_large: { status: 413, title: "The body is too large" },
  unsupported_media_type: { status: 415, title: "This content type is not supported" },
  limit_above_maximum: { status: 422, title: "A limit is above your maximum" },
  limit_not_raised: { status: 422, title: "The limit that stopped the run is not raised" },
  step_not_found: { status: 422, title: "The run has no such step" },
  model_not_available: { status: 422, title: "This model is not available" },
  unknown_tool: { status: 422, title: "There is no such tool" },
  question_not_found: { status: 422, title: "The payload holds no question" },
  idempotency_key_reused: { status: 422, title: "This idempotency key was used with another request" },
  rate_limited: { status: 429, title: "Too many questions in a short time" },
  too_many_runs: { status: 429, title: "Too many runs at once" },
  daily_budget_spent: { status: 429, title: "The daily budget is spent" },
  internal: { status: 500, title: "Something went wrong on our side" },
  not_configured: { status: 503, title: "The server is not configured correctly" },
  unavailable: { status: 503, title: "The server is busy" },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** One fault of several. `pointer` names a place in the body, `parameter` one in the query, `header` a header. */
export interface Fault {
  readonly detail: string;
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
}

export interface ProblemOptions {
  readonly errors?: readonly Fault[];
  readonly headers?: Readonly<Record<string, string>>;
  /** More members, for programs. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Why something is refused, for any door: HTTP makes a problem of it, Slack a sentence. */
export interface Refusal {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly options?: ProblemOptions;
}

/** What the quota codes are called by their registry (draft-ietf-httpapi-ratelimit-headers). */
const QUOTA_TYPE = "https://iana.org/assignments/http-problem-types#quota-exceeded";
const QUOTA_CODES: ReadonlySet<ProblemCode> = new Set(["rate_limited", "too_many_runs", "daily_budget_spent"]);

/** Headers that come with a problem. */
export function problemHeaders(
  code: ProblemCode,
): readonly ("WWW-Authenticate" | "Retry-After" | "RateLimit" | "Allow")[] {
  if (code === "unauthorized" || code === "access_refused") return ["WWW-Authenticate"];
  if (code === "method_not_allowed") return ["Allow"];
  if (QUOTA_CODES.has(code)) return ["Retry-After", "RateLimit"];
  const passing: readonly ProblemCode[] = ["run_busy", "run_waiting", "idempotency_in_flight", "unavailable"];
  return passing.includes(code) ? ["Retry-After"] : [];
}

/** Something to throw: carries the finished response. */
export function problem(code: ProblemCode, detail: string, options: ProblemOptions = {}): HTTPException {
  const { status, title } = PROBLEMS[code];
  return new HTTPException(status, { res: toProblemResponse(code, title, status, detail, options) });
}

/** A refusal as something to throw. */
export function refuse({ code, detail, options }: Refusal): HTTPException {
  return problem(code, detail, options);
}

/** The problem that `error` is answered with. Every response that is not a success comes through here. */
export function answerError(error: unknown, context: Context<HttpEnv>): Response {
  if (error instanceof HTTPException) return error.getResponse();
  if (error instanceof ConfigError) {
    context.var.ports.log({ level: "error", event: "not_configured", message: error.message });
    // On the developer's own machine the reader is the operator; elsewhere the reason stays in the log.
    const detail = isLocal(context.env) ? error.message : "Its log says which setting is wrong.";
    return problem("not_configured", detail).getResponse();
  }
  if (isPassing(error)) {
    const detail = "The server could not be reached for a moment. Try again.";
    return problem("unavailable", detail, { headers: { "retry-after": "1" } }).getResponse();
  }
  const id = context.var.ports.newId();
  const kind = error instanceof Error ? error.name : typeof error;
  context.var.ports.log({ level: "error", event: "unexpected_error", id, kind, stack: stackOf(error) });
  const detail = `The fault was logged with the id ${id}. Tell it to whoever runs this server.`;
  return problem("internal", detail, { more: { instance: `urn:uuid:${id}` } }).getResponse();
}

/** The URI that names the kind of problem. */
export function typeOf(code: ProblemCode): string {
  return QUOTA_CODES.has(code) ? QUOTA_TYPE : `urn:querent:problem:${code}`;
}

function toProblemResponse(
  code: ProblemCode,
  title: string,
  status: number,
  detail: string,
  { errors, headers, more }: ProblemOptions,
): Response {
  const type = typeOf(code);
  const body = { type, title, status, code, detail, ...(errors && { errors }), ...more };
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/problem+json", "cache-control": "no-store", ...headers },
  });
}

/** The platform marks what passes by itself: an overloaded object, one that a deploy has just reset. */
function isPassing(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  return ("retryable" in error && error.retryable === true) || ("overloaded" in error && error.overloaded === true);
}

/** Where it happened, without the message: messages can hold what the caller sent. */
function stackOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8)
    .map((line) => line.trim())
    .join(" | ");
}
