/**
 * What differs between the limits of a run and those of the one that carries it on, in data and in words: the event
 * stream tells the person, a message tells the model (nudges.ts). Pure.
 */
import { type LimitName, type Limits, toPublicLimits } from "./limits.ts";

export interface LimitChange {
  readonly name: LimitName;
  readonly from: number;
  readonly to: number;
}

/** What differs between the limits of a run and those of the one that carries it on, as callers write them. */
export function limitChanges(before: Limits, after: Limits): readonly LimitChange[] {
  const [old, now] = [toPublicLimits(before), toPublicLimits(after)];
  const names = Object.keys(now) as LimitName[];
  return names.filter((name) => old[name] !== now[name]).map((name) => ({ name, from: old[name], to: now[name] }));
}

/** In words, for the person and the model alike: `max_steps raised from 3 to 12`. */
export function tellLimitChanges(changes: readonly LimitChange[]): string {
  return changes
    .map(({ name, from, to }) => `${name} ${to > from ? "raised" : "lowered"} from ${from} to ${to}`)
    .join(", ");
}
