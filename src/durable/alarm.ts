/**
 * The one alarm of an object: which instant it is set for, and when it must be taken for lost.
 *
 * An alarm is never set for this very millisecond: a handler that ends within the millisecond of its own alarm loses the
 * next one, silently. Pure: no I/O; the clock comes in as `now`.
 */
import { CALLER_GRACE_MS, type Due, WATCHDOG_MS } from "./schedule.ts";

/** An alarm this long past has been lost. */
const LONG_PAST_MS = 10_000;

/** The instant for the alarm: the earliest due time, at least a millisecond ahead. */
export function alarmAt(dues: readonly Due[], now: number): number {
  return Math.max(now + 1, Math.min(...dues.map((due) => due.at)));
}

/** True when an alarm set for `alarm` is near enough to serve as the watchdog of a step that begins now. */
export function isSoon(alarm: number, now: number): boolean {
  return alarm > now + CALLER_GRACE_MS / 2 && alarm <= now + WATCHDOG_MS;
}

/** True when an alarm set for `alarm` comes before `wanted`, and not so soon that it would wake for nothing at once. */
export function isEarlier(alarm: number, wanted: number, now: number): boolean {
  return alarm > now + CALLER_GRACE_MS / 2 && alarm <= wanted;
}

/** True when an alarm is missing, or so long past that it will not come. */
export function isLost(alarm: number | null, now: number): boolean {
  return alarm === null || alarm < now - LONG_PAST_MS;
}
