/**
 * What a vendor's refusal means for the run: the one table of transient and permanent failures (mechanism C26), shared
 * by every HTTP adapter, and the message a person gets.
 *
 * Owns: class and code by the vendor's error type first and by status second (an error can arrive with status 200);
 * retry-after; whether the failed call can have been billed; keeping keys and prompt text out of messages.
 * Leaves to others: reading a vendor's error (the adapters), what to do about it (agent/recovery.ts).
 * Pure: no I/O; the clock is a parameter.
 */
import type { ModelFailure } from "../agent/model.ts";

/** The failed answer as an adapter saw it. `status` is null when no answer came. */
export interface ErrorAnswer {
  /** How messages name the server: "Anthropic", or the host of a compatible server. */
  readonly server: string;
  readonly status: number;
  /** The vendor's error type and its stable code, when it sent them. */
  readonly type: string | null;
  readonly errorCode: string | null;
  /** The vendor's own text, already cleaned by `cleanDetail`. */
  readonly detail: string | null;
  readonly headers: Headers;
  readonly requestId: string | null;
}

interface ErrorClass {
  readonly code: string;
  readonly kind: "retryable" | "fatal";
  /** True when nothing can have been generated. */
  readonly unbilled: boolean;
  /** What was wrong and what to do, after "<server> refused the call: ". */
  readonly advice: string;
}

const fatal = (code: string, advice: string): ErrorClass => ({ code, kind: "fatal", unbilled: true, advice });
const retryable = (code: string, unbilled: boolean, advice: string): ErrorClass => ({
  code,
  kind: "retryable",
  unbilled,
  advice,
});

const INVALID_REQUEST = fatal("invalid_request", "the request was not accepted; sending it again cannot work");
const AUTHENTICATION = fatal("authentication", "the API key was not accepted; check the key in the configuration");
const BILLING = fatal("billing", "the account cannot pay for the call; check its credit and payment details");
const PERMISSION = fatal(
  "permission",
  "the API key may not use this model or feature; ask for access or choose another model",
);
const NOT_FOUND = fatal("not_found", "the model or the address does not exist; check the model id and the base URL");
const TOO_LARGE = fatal("request_too_large", "the request is larger than the server takes; ask for less");
const SPEND_LIMIT = fatal(
  "spend_limit",
  "the account has met its spending limit; raise it with the vendor, waiting does not help",
);
const CONFLICT = retryable("conflict", true, "the request collided with another one");
const REQUEST_TIMEOUT = retryable("request_timeout", true, "the server gave up waiting for the request");
const RATE_LIMITED = retryable("rate_limited", true, "too many requests for the account's rate limit");
const OVERLOADED = retryable("overloaded", true, "the server has too much to do at the moment");
/** Redirects are not followed: whoever answered has only pointed elsewhere, and nobody has generated. */
const REDIRECTED = fatal(
  "unexpected_status",
  "it points to another address, which is not followed; check the base URL",
);
/** The server may have generated before it failed, so the call counts as billed. */
const SERVER_TIMEOUT = retryable("server_timeout", false, "the server took too long to answer");
const SERVER_ERROR = retryable("server_error", false, "the server failed");

const BY_TYPE: ReadonlyMap<string, ErrorClass> = new Map([
  ["invalid_request_error", INVALID_REQUEST],
  ["authentication_error", AUTHENTICATION],
  ["billing_error", BILLING],
  ["permission_error", PERMISSION],
  ["not_found_error", NOT_FOUND],
  ["request_too_large", TOO_LARGE],
  ["conflict_error", CONFLICT],
  ["rate_limit_error", RATE_LIMITED],
  ["timeout_error", SERVER_TIMEOUT],
  ["api_error", SERVER_ERROR],
  ["overloaded_error", OVERLOADED],
]);

const BY_STATUS: ReadonlyMap<number, ErrorClass> = new Map([
  [400, INVALID_REQUEST],
  [401, AUTHENTICATION],
  [402, BILLING],
  [403, PERMISSION],
  [404, NOT_FOUND],
  [408, REQUEST_TIMEOUT],
  [409, CONFLICT],
  [413, TOO_LARGE],
  [429, RATE_LIMITED],
  [504, SERVER_TIMEOUT],
  [529, OVERLOADED],
]);

/** A 429 with one of these is a cap on money: it ends with the month or by hand, not by waiting a little. */
const SPEND_LIMIT_CODES: ReadonlySet<string> = new Set([
  "ramp_limit_exceeded",
  "enforced_spend_limit_reached",
  "contract_spend_limit_reached",
  "linked_organization_spend_limit_reached",
  "insufficient_quota",
]);

/**
 * Statuses of a server that never takes such a call (501), or of an edge that had no connection to the one behind it:
 * down, unreachable, no TLS. Every other 5xx may come after generation began, 503 included when a gateway sends it.
 */
const EDGE_STATUSES: ReadonlySet<number> = new Set([501, 521, 523, 525, 526]);

/** An edge knows no error types: with one, the vendor has spoken, and its type decides. */
function isFromEdge({ status, type }: ErrorAnswer): boolean {
  return type === null && EDGE_STATUSES.has(status);
}

/** Classifies an error answer. `now` is for a retry-after given as a date. */
export function toStatusFailure(answer: ErrorAnswer, now: number): ModelFailure {
  const found = classify(answer);
  // The server knows best that a retry is pointless, and says so with this header (the vendor SDKs obey it too).
  const kind = answer.headers.get("x-should-retry") === "false" ? "fatal" : found.kind;
  const name = answer.type === null ? String(answer.status) : `${answer.status} ${answer.type}`;
  return {
    kind,
    code: found.code,
    status: answer.status,
    retryAfterMs: kind === "fatal" ? null : parseRetryAfterMs(answer.headers, now),
    message: `${answer.server} refused the call (${name}): ${found.advice}.${answer.detail === null ? "" : ` It said: ${answer.detail}`}`,
    // An error inside an answer with status 200 comes after generation may have begun.
    unbilled: (found.unbilled && answer.status >= 300) || isFromEdge(answer),
    requestId: answer.requestId,
  };
}

/**
 * The failure of a key that no header can hold (a line break pasted along, say), or null. The SDKs throw an error that
 * quotes such a key.
 */
export function checkKey(apiKey: string, server: string): ModelFailure | null {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return null;
  return {
    kind: "fatal",
    code: AUTHENTICATION.code,
    status: null,
    retryAfterMs: null,
    message: `The API key for ${server} is empty or holds a space, a line break or another character no key has; check the configuration.`,
    unbilled: true,
    requestId: null,
  };
}

function classify(answer: ErrorAnswer): ErrorClass {
  if (answer.errorCode !== null && SPEND_LIMIT_CODES.has(answer.errorCode)) return SPEND_LIMIT;
  if (answer.type !== null && SPEND_LIMIT_CODES.has(answer.type)) return SPEND_LIMIT;
  // Compatible servers use the vague type for every 4xx; there the status says more.
  const byType = answer.type === null ? undefined : BY_TYPE.get(answer.type);
  const byStatus = BY_STATUS.get(answer.status);
  if (byType === INVALID_REQUEST && byStatus !== undefined && answer.status < 500) return byStatus;
  if (byType !== undefined) return byType;
  if (byStatus !== undefined) return byStatus;
  if (answer.status >= 500) return SERVER_ERROR;
  if (answer.status >= 400) return { ...INVALID_REQUEST, code: "unexpected_status" };
  if (answer.status >= 300) return REDIRECTED;
  return {
    ...INVALID_REQUEST,
    code: "unexpected_status",
    unbilled: false,
    advice: "the answer is no answer of this API; check the base URL",
  };
}

/** `retry-after-ms`, else `retry-after` in seconds or as an HTTP date. Null when absent or unreadable; never negative. */
export function parseRetryAfterMs(headers: Headers, now: number): number | null {
  const milliseconds = headers.get("retry-after-ms")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(milliseconds)) return Math.ceil(Number(milliseconds));
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  // Date.parse takes almost anything ("-5" is a date to it), so only the shape of an HTTP date is let through.
  if (!/^[A-Za-z]{3,9}, \d/.test(value)) return null;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** Longest vendor text in a message. */
const DETAIL_CHARS_MAX = 300;
/** Shared text this long is an echo of the prompt and no coincidence. */
const ECHO_CHARS = 16;

/**
 * The vendor's text fit for a message, or null. Anything that looks like a key is blanked, and a text that repeats a
 * piece of the prompt is dropped whole: questions and row data must not reach a log by way of an error.
 */
export function cleanDetail(text: unknown, secret: string, prompt: readonly string[]): string | null {
  if (typeof text !== "string" || text.trim() === "") return null;
  let detail = text.replaceAll(/\s+/g, " ").trim();
  if (secret !== "") detail = detail.replaceAll(secret, "[key]");
  detail = detail.replaceAll(/\b(?:(?:sk|key)[-_]|Bearer )[A-Za-z0-9_\-.*]{8,}/gi, "[key]");
  detail = detail.slice(0, DETAIL_CHARS_MAX).toWellFormed();
  return echoes(detail, prompt) ? null : detail;
}

function echoes(detail: string, prompt: readonly string[]): boolean {
  const texts = prompt.map((text) => text.replaceAll(/\s+/g, " ").trim());
  if (texts.some((text) => text.length >= 3 && text.length < ECHO_CHARS && detail.includes(text))) return true;
  const haystack = texts.join("\n");
  for (let start = 0; start + ECHO_CHARS <= detail.length; start += 1) {
    if (haystack.includes(detail.slice(start, start + ECHO_CHARS))) return true;
  }
  return false;
}
