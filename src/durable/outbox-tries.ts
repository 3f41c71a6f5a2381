/**
 * What a try does to an entry of the outbox: written down before it is made (L1), settled after it.
 *
 * Owns: the count of posts that a Slack response URL has taken, when a delivery is given up. A crash in the middle leaves a
 * try that may have arrived, and the next is due later. Leaves to others: making the try (deliveries.ts, deliver/).
 * Pure: no I/O; clock and chance come in.
 */
import type { DeliveryOutcome } from "../deliver/outcome.ts";
import { nextTryAt, SLACK_PAUSES_MS, WEBHOOK_PAUSES_MS } from "../deliver/schedule.ts";
import type { Outbox } from "./outbox.ts";
import type { OutboxEntry } from "./outbox-entry.ts";

/** Slack's own limit. */
export const RESPONSE_URL_POSTS_MAX = 5;
/** A try that nothing more is heard of is made again after this long: its timeout and a margin. */
const LOST_TRY_MS = 30_000;

/**
 * True while the entry's response URL may take one more post. `outbox` may hold other entries with the same URL: where the
 * outcome is to go, the last post is kept for it.
 */
export function mayUseUrl(entry: OutboxEntry, outbox: Outbox, now: number): boolean {
  if (entry.responseUrl === null || entry.expiresAt === null || entry.isUrlSpent) return false;
  const others = outbox.filter((other) => other.responseUrl === entry.responseUrl);
  const posts = others.reduce((sum, other) => sum + other.posts, 0);
  const kept = entry.what !== "finished" && others.some(({ what }) => what === "finished") ? 1 : 0;
  return now < entry.expiresAt && posts < RESPONSE_URL_POSTS_MAX - kept;
}

/** The schedule has no try left. Only a crash in the last one leaves an entry like this. */
export function isSpent(entry: OutboxEntry): boolean {
  return entry.tries >= pausesOf(entry).length;
}

/** The entry as it is saved before a try. */
export function beginTry(entry: OutboxEntry, usesUrl: boolean, now: number): OutboxEntry {
  const next = nextTryAt(pausesOf(entry), entry.tries + 1, now, 0, LOST_TRY_MS);
  return {
    ...entry,
    attempts: entry.attempts + 1,
    tries: entry.tries + 1,
    posts: entry.posts + (usesUrl ? 1 : 0),
    // The last try of all is followed by a look at what came of it.
    nextAt: next ?? now + LOST_TRY_MS,
  };
}

/** The entry after its try. `canGoOn`: there is another way when the response URL takes no more. */
export function settleTry(
  begun: OutboxEntry,
  usedUrl: boolean,
  outcome: DeliveryOutcome,
  canGoOn: boolean,
  now: number,
  random: number,
): OutboxEntry {
  const entry = { ...begun, lastStatus: outcome.status };
  if (outcome.kind === "delivered") return { ...entry, state: "delivered", nextAt: null };
  const posts = usedUrl && !(outcome.kind === "retryable" && outcome.mayHaveArrived) ? entry.posts - 1 : entry.posts;
  if (outcome.kind === "fatal") {
    if (usedUrl && canGoOn) return { ...entry, posts, isUrlSpent: true, tries: 0, nextAt: now };
    const isDisabled = entry.kind === "webhook" && outcome.reason === "gone";
    return { ...entry, posts, state: isDisabled ? "disabled" : "failed", nextAt: null };
  }
  const nextAt = nextTryAt(pausesOf(entry), entry.tries, now, random, outcome.afterMs ?? null);
  if (nextAt !== null) return { ...entry, posts, nextAt };
  if (usedUrl && canGoOn) return { ...entry, posts, isUrlSpent: true, tries: 0, nextAt: now };
  return { ...entry, posts, state: "failed", nextAt: null };
}

/** Begins the schedule of `entry` anew, whatever came of it before. */
export function sendAgain(entry: OutboxEntry, now: number): OutboxEntry {
  return { ...entry, state: "pending", tries: 0, nextAt: now };
}

function pausesOf(entry: OutboxEntry): readonly number[] {
  return entry.kind === "webhook" ? WEBHOOK_PAUSES_MS : SLACK_PAUSES_MS;
}
