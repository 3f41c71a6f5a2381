/**
 * `Prefer: wait=N` (RFC 7240): how long a client wants to wait for the run to finish. Pure: no I/O, no clock.
 *
 * The RFC lets a server ignore what it cannot read. A client whose `wait` is ignored gets a 202 that it does not
 * expect and never learns why, so a `wait` that is not a whole number is refused. A preference that is not known is ignored,
 * as clients send them to every server; a wait that is too long gets the most there is, and `Preference-Applied` says so.
 */
import { err, ok, type Result } from "../lib/result.ts";

/** The default wall clock of a run: waiting longer for one is never of use unless its limits were raised. */
export const WAIT_S_MAX = 300;

/** A preference up to the next comma that stands outside of quotes. */
const PREFERENCE = /(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g;

/** Whole seconds from 0 to `WAIT_S_MAX`, null when there is no such preference, or what is wrong with it. */
export function parseWait(header: string | undefined): Result<number | null, string> {
  for (const preference of header?.match(PREFERENCE) ?? []) {
    const [, name = "", value] = /^\s*([^\s=;"]+)\s*(?:=\s*([^;]*?)\s*)?(?:;.*)?$/s.exec(preference) ?? [];
    if (name.toLowerCase() !== "wait") continue;
    // The first of a repeated preference counts (RFC 7240, section 2).
    const seconds = /^(?:([0-9]{1,300})|"([0-9]{1,300})")$/.exec(value ?? "");
    if (seconds === null) return err("Write the wait in whole seconds, such as Prefer: wait=30.");
    return ok(Math.min(Number(seconds[1] ?? seconds[2]), WAIT_S_MAX));
  }
  return ok(null);
}
