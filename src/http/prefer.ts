/**
 * `Prefer: wait=N` (RFC 7240): how long a client wants to wait for the run to finish. Pure: no I/O, no clock.
 *
 * A preference that cannot be read is ignored, as the RFC says; one that asks for too much gets the most there is.
 */

/** The default wall clock of a run: waiting longer for one is never of use unless its limits were raised. */
export const WAIT_S_MAX = 300;

/** Whole seconds from 1 to `WAIT_S_MAX`, or null when the client does not want to wait. */
export function parseWait(header: string | undefined): number | null {
  for (const preference of (header ?? "").split(",")) {
    const match = /^\s*wait\s*=\s*"?([0-9]{1,9})"?\s*(?:;.*)?$/i.exec(preference);
    if (match === null) continue;
    // The first of a repeated preference counts (RFC 7240, section 2).
    const seconds = Number(match[1]);
    return seconds === 0 ? null : Math.min(seconds, WAIT_S_MAX);
  }
  return null;
}
