/**
 * What a D1 error means for a run: a mistake of the statement (the model can mend it), a passing fault of the platform
 * (try again, never blame the model), or a database that is overloaded or gave up. D1's errors carry no code, so their
 * documented texts decide; the lists are from Cloudflare's "Debug D1" and "Retry queries" pages.
 * An error that does not come from D1 at all is a bug of ours and is thrown on (L4). Pure: no I/O, no clock.
 */

export type D1Failure =
  | { readonly kind: "retryable"; readonly message: string }
  | { readonly kind: "busy"; readonly message: string }
  | { readonly kind: "too_heavy"; readonly message: string }
  | { readonly kind: "statement"; readonly message: string }
  | { readonly kind: "bug" };

const RETRYABLE = [
  /network connection lost/i,
  /storage caused object to be reset/i,
  /reset because its code was updated/i,
  /internal error while starting up D1 DB storage/i,
  /cannot resolve D1 DB due to transient issue/i,
  /can't read from request stream because client disconnected/i,
  /internal error; reference/i,
  /Failed to parse body as JSON/i,
  /D1_ERROR: (?:Internal error|Network)/i,
  /SQLITE_(?:BUSY|LOCKED|IOERR)/,
];
const BUSY = [/overloaded/i, /requests queued/i, /too many concurrent/i];
const TOO_HEAVY = [
  /exceeded timeout/i,
  /memory limit/i,
  /CPU time limit/i,
  /SQLITE_(?:NOMEM|INTERRUPT)/,
  /exceeded.*time/i,
];
const FROM_DATABASE = /D1_|SQLITE_|SQL code did not contain a statement|No SQL statements|Wrong number of parameter/;

/** Sorts an error that a D1 call threw. */
export function classifyError(error: unknown): D1Failure {
  const message = toMessage(error);
  // The statement's own errors quote its text, so they are recognised first: a column may be called "overloaded".
  if (/SQLITE_(?:ERROR|AUTH|TOOBIG|MISMATCH|RANGE|CONSTRAINT|MISUSE)\b/.test(message))
    return { kind: "statement", message };
  if (BUSY.some((pattern) => pattern.test(message))) return { kind: "busy", message };
  if (TOO_HEAVY.some((pattern) => pattern.test(message))) return { kind: "too_heavy", message };
  if (RETRYABLE.some((pattern) => pattern.test(message))) return { kind: "retryable", message };
  if (isResetByPlatform(error)) return { kind: "retryable", message };
  return FROM_DATABASE.test(message) ? { kind: "statement", message } : { kind: "bug" };
}

function toMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` ${error.cause.message}` : "";
  return error.message + (error.message.includes(cause.trim()) ? "" : cause);
}

/** Workers runtime marks errors of a lost or overloaded object so. */
function isResetByPlatform(error: unknown): boolean {
  return error instanceof Error && "retryable" in error && error.retryable === true;
}
