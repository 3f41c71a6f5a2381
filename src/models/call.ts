/**
 * One HTTP call to a model vendor under a deadline, for every adapter that uses a vendor's SDK.
 *
 * Owns: the timer that covers the whole call. Both SDKs stop their own timer when the headers arrive, so a server that
 * sends headers and then hangs would hold a step for ever; ours runs until the body is read. The call ends with the
 * signal or the timer even when the SDK or `fetch` does not react. Also what a call without an answer means.
 * Leaves to others: what was sent and what an answer means (the adapters).
 */
import type { ModelFailure } from "../agent/model.ts";

/** How a call ended, before anybody looked at the answer. */
export type CallEnd<Answer> =
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "thrown"; readonly error: unknown }
  | Unanswered;

/** Our timer or the signal ended it. `sent` is false when there was no time left to send anything. */
export interface Unanswered {
  readonly kind: "timeout" | "aborted";
  readonly sent: boolean;
}

/** The longest delay a timer can hold. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Whole milliseconds for the SDKs, which refuse fractions. */
export function wholeMs(timeoutMs: number): number {
  return Math.max(1, Math.min(TIMER_MS_MAX, Math.floor(timeoutMs)));
}

/** Runs `call` once, under `signal` and `timeoutMs`. Never rejects. */
export async function callOnce<Answer>(
  timeoutMs: number,
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<Answer>,
): Promise<CallEnd<Answer>> {
  if (signal.aborted) return { kind: "aborted", sent: false };
  if (!(timeoutMs > 0)) return { kind: "timeout", sent: false };
  const controller = new AbortController();
  let end: (cause: "timeout" | "aborted") => void = () => undefined;
  const ended = new Promise<CallEnd<Answer>>((resolve) => {
    end = (cause) => {
      resolve({ kind: cause, sent: true });
      controller.abort();
    };
  });
  const onAbort = () => end("aborted");
  signal.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => end("timeout"), wholeMs(timeoutMs));
  try {
    return await Promise.race([ended, settle(call, controller.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

async function settle<Answer>(
  call: (signal: AbortSignal) => Promise<Answer>,
  signal: AbortSignal,
): Promise<CallEnd<Answer>> {
  try {
    return { kind: "answer", answer: await call(signal) };
  } catch (error) {
    return { kind: "thrown", error };
  }
}

/** Codes of a connection that was never made, so nothing was sent and nothing billed. */
const NEVER_CONNECTED: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

/** The failure of a call that got no answer: our signal, a timer, or the connection. */
export function toCallFailure(
  end: Unanswered | { readonly kind: "connection"; readonly error: unknown },
  server: string,
  timeoutMs: number,
): ModelFailure {
  const common = { status: null, retryAfterMs: null, requestId: null };
  switch (end.kind) {
    case "aborted":
      return {
        ...common,
        kind: "aborted",
        code: "aborted",
        message: `The call to ${server} was stopped by us.`,
        unbilled: !end.sent,
      };
    case "timeout":
      return {
        ...common,
        kind: "retryable",
        code: "timeout",
        message: `${server} did not answer within ${timeoutMs / 1000} s.`,
        unbilled: !end.sent,
      };
    case "connection": {
      const code = connectionCode(end.error);
      const known = code !== null && NEVER_CONNECTED.has(code);
      return {
        ...common,
        kind: "retryable",
        code: "connection",
        message: `The connection to ${server} ${known ? "could not be made" : "broke"}${code === null ? "" : ` (${code})`}. Check the network and the base URL.`,
        unbilled: known,
      };
    }
  }
}

/** The system's error code, somewhere down the chain of causes. Error texts are left alone: they may hold a header. */
function connectionCode(error: unknown): string | null {
  let cause = error;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    if ("code" in cause && typeof cause.code === "string" && /^[A-Z][A-Z0-9_]{2,40}$/.test(cause.code))
      return cause.code;
    cause = cause.cause;
  }
  return null;
}
