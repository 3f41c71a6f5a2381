/**
 * When a delivery that did not get through is tried again. Pure: no I/O; clock and chance come in.
 *
 * The times of webhooks are those that Standard Webhooks proposes; Slack's fit into the half hour that it gives.
 */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Pauses before the first, second, … try. */
export const WEBHOOK_PAUSES_MS: readonly number[] = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** Within half an hour; a person is waiting, so the first pauses are short. */
export const SLACK_PAUSES_MS: readonly number[] = [
  0,
  2 * SECOND_MS,
  5 * SECOND_MS,
  15 * SECOND_MS,
  45 * SECOND_MS,
  2 * MINUTE_MS,
  4 * MINUTE_MS,
  8 * MINUTE_MS,
];

/** Up to a fifth later: receivers that went down together are not all tried in the same second. */
const JITTER = 0.2;

/**
 * The instant of the next try after `tries` that failed, or null when there is none left. `random` is in [0, 1).
 * `afterMs`: what the other side asked for; it is never tried earlier than that.
 */
export function nextTryAt(
  pausesMs: readonly number[],
  tries: number,
  now: number,
  random: number,
  afterMs: number | null,
): number | null {
  const pauseMs = pausesMs[tries];
  if (pauseMs === undefined) return null;
  const base = Math.max(pauseMs, afterMs ?? 0);
  return now + Math.round(base * (1 + JITTER * random));
}
