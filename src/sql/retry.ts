/**
 * Tries of one call to D1: again at once or nearly so while the platform fails in passing, never for an error of the
 * statement, never when the database is overloaded (that makes it worse), never once the time is over. Reads only, so
 * a second try does no harm.
 */
import { classifyError } from "./failure.ts";

/** Makes a call until it succeeds, or throws its last error. */
export type Retry = <T>(call: () => Promise<T>) => Promise<T>;

/** Tries in all. D1 itself tries a read twice more, so a fault that gets here has lasted. */
const ATTEMPTS_MAX = 3;
/** The first pause; the second is twice as long. A run's clock goes on, so they are short. */
const PAUSE_MS = 50;

/** `signal` ends the tries; `sleep` waits between them. */
export function createRetry(signal: AbortSignal | null, sleep: (durationMs: number) => Promise<void>): Retry {
  return async (call) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call();
      } catch (error) {
        const isLast = attempt >= ATTEMPTS_MAX || signal?.aborted === true;
        if (isLast || classifyError(error).kind !== "retryable") throw error;
        await sleep(PAUSE_MS * 2 ** (attempt - 1));
      }
    }
  };
}
