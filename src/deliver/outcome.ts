/**
 * What becomes of one try to send something out, and what every door out needs from the world.
 *
 * Contract of all of deliver/: a function that delivers never throws and never waits longer than `DELIVERY_TIMEOUT_MS` for
 * one request. What the other side says in a body is looked at for known codes only and shown to nobody.
 */

/** Long enough for a receiver that starts cold; what must take longer should answer first and work afterwards. */
export const DELIVERY_TIMEOUT_MS = 15_000;
/** Beyond a day a Retry-After is a refusal in other words. */
const RETRY_AFTER_MS_MAX = 24 * 60 * 60 * 1000;

export type DeliveryOutcome =
  | { readonly kind: "delivered"; readonly status: number }
  | {
      readonly kind: "retryable";
      /** Null when there was no answer. */
      readonly status: number | null;
      /** True when the other side may have taken it all the same: no answer came, or the answer does not say. */
      readonly mayHaveArrived: boolean;
      /** How long the other side wants to be left alone. */
      readonly afterMs?: number;
    }
  | {
      readonly kind: "fatal";
      readonly status: number | null;
      /** `gone`: the receiver wants nothing more, ever. `refused`: not this, or not here. */
      readonly reason: "gone" | "refused" | "not_allowed";
    };

export interface DeliveryPorts {
  /** Rejects when there is no answer. Must not follow redirects when told so. */
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** Epoch milliseconds. */
  now(): number;
}

/** Sends `body`, following no redirect; null when no answer came in time. */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  ports: DeliveryPorts,
): Promise<Response | null> {
  try {
    return await ports.fetch(url, {
      method: "POST",
      headers: { ...headers, "user-agent": "Querent" },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(DELIVERY_TIMEOUT_MS),
    });
  } catch {
    // Not reached, cut off, or too slow: from here they look the same.
    return null;
  }
}

/** The bounds of a Retry-After header, seconds or a date, as a duration; null when there is none. */
export function retryAfterMs(response: Response, now: number): number | null {
  const header = response.headers.get("retry-after")?.trim() ?? "";
  const seconds = /^[0-9]{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, RETRY_AFTER_MS_MAX) : null;
}
