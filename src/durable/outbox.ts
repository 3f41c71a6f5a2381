/**
 * What a run still has to send out, and how each sending stands: stored form and transitions.
 *
 * Owns: O3 (nothing is due before the run's outcome is stored), the count of posts that a Slack response URL has taken,
 * when a delivery is given up. A try is written down before it is made (L1): a crash in the middle leaves a try that may
 * have arrived, and the next is due later. Leaves to others: making the try (deliveries.ts, deliver/).
 * Pure: no I/O; clock and chance come in.
 *
 * STORED CONTRACT: fields are only ever added, with a default.
 */
import { z } from "zod";
import type { PublicDelivery } from "../agent/view.ts";
import type { DeliveryOutcome } from "../deliver/outcome.ts";
import { nextTryAt, SLACK_PAUSES_MS, WEBHOOK_PAUSES_MS } from "../deliver/schedule.ts";
import type { SlackMessage } from "../deliver/slack-blocks.ts";
import type { RunSettings } from "./settings.ts";

/** Slack takes five posts within half an hour; the margin is one try's length. */
const RESPONSE_URL_MS = 30 * 60 * 1000 - 20_000;
export const RESPONSE_URL_POSTS_MAX = 5;
/** A try that nothing more is heard of is made again after this long: its timeout and a margin. */
const LOST_TRY_MS = 30_000;
/** Presses of buttons that are remembered; the oldest settled ones go first. */
const ENTRIES_MAX = 40;

const messageSchema = z.custom<SlackMessage>(
  (value) => typeof value === "object" && value !== null && "text" in value && "blocks" in value,
);

const entrySchema = z.strictObject({
  /** `webhook` and `slack` for the outcome itself; others are named by what asked for them. */
  id: z.string(),
  kind: z.enum(["webhook", "slack"]),
  /** `finished`: the outcome. `working`, `notice`: `message` as it stands. `rows`, `share`: made when it is sent. */
  what: z.enum(["finished", "working", "rows", "share", "notice", "none"]),
  state: z.enum(["pending", "delivered", "failed", "disabled"]),
  /** Tries in all, and since the schedule last began. */
  attempts: z.int().min(0),
  tries: z.int().min(0),
  /** Posts that the response URL has taken, or may have. */
  posts: z.int().min(0),
  nextAt: z.int().nullable(),
  lastStatus: z.int().nullable(),
  responseUrl: z.string().nullable(),
  expiresAt: z.int().nullable(),
  /** The response URL takes nothing more; a bot token is the only way left. */
  isUrlSpent: z.boolean(),
  responseType: z.enum(["ephemeral", "in_channel"]),
  replaceOriginal: z.boolean(),
  message: messageSchema.nullable(),
});

const outboxSchema = z.array(entrySchema);

export type OutboxEntry = z.infer<typeof entrySchema>;
export type Outbox = readonly OutboxEntry[];

/** The name under which the outbox is kept. */
export const OUTBOX_FACT = "outbox";

/** The part of a run's journal that is looked at here. */
export interface OutboxSource {
  readonly settings: RunSettings;
  load(): { readonly ending: { readonly at: number } | null };
  fact(name: string): string | null;
}

export function readOutbox(source: OutboxSource): Outbox {
  return decodeOutbox(source.fact(OUTBOX_FACT), source.settings);
}

/** The stored entries, or those that a run with these settings begins with. */
function decodeOutbox(text: string | null, settings: RunSettings): Outbox {
  if (text !== null) {
    try {
      const parsed = outboxSchema.safeParse(JSON.parse(text));
      if (parsed.success) return parsed.data;
    } catch {
      // Not JSON: as below.
    }
    // What cannot be read is not sent a second time.
    return firstEntries(settings).map((entry) => ({ ...entry, state: "failed", nextAt: null }));
  }
  return firstEntries(settings);
}

export function encodeOutbox(outbox: Outbox): string {
  const settled = outbox.filter((entry) => entry.what !== "finished" && entry.state !== "pending");
  const dropped = new Set(settled.slice(0, Math.max(0, outbox.length - ENTRIES_MAX)));
  return JSON.stringify(outbox.filter((entry) => !dropped.has(entry)));
}

function firstEntries(settings: RunSettings): Outbox {
  const { callbackUrl, slack } = settings;
  const entries: OutboxEntry[] = [];
  if (callbackUrl !== null) entries.push(createEntry({ id: "webhook", kind: "webhook", what: "finished" }));
  if (slack) {
    const { responseUrl, receivedAt, visibility: responseType, working } = slack;
    const target = { responseUrl, expiresAt: receivedAt + RESPONSE_URL_MS, responseType, replaceOriginal: true };
    entries.push(createEntry({ id: "slack", kind: "slack", what: "finished", ...target }));
    if (working !== null) {
      entries.push(
        createEntry({ id: "working", kind: "slack", what: "working", ...target, message: working, nextAt: 0 }),
      );
    }
  }
  return entries;
}

export function createEntry(parts: Pick<OutboxEntry, "id" | "kind" | "what"> & Partial<OutboxEntry>): OutboxEntry {
  return {
    state: "pending",
    attempts: 0,
    tries: 0,
    posts: 0,
    nextAt: null,
    lastStatus: null,
    responseUrl: null,
    expiresAt: null,
    isUrlSpent: false,
    responseType: "ephemeral",
    replaceOriginal: false,
    message: null,
    ...parts,
  };
}

/** An entry for what a press of a button asks for, due at once. */
export function createReply(
  id: string,
  what: OutboxEntry["what"],
  press: { readonly responseUrl: string; readonly receivedAt: number },
  parts: Partial<OutboxEntry> = {},
): OutboxEntry {
  const { responseUrl, receivedAt } = press;
  return createEntry({
    id,
    kind: "slack",
    what,
    responseUrl,
    expiresAt: receivedAt + RESPONSE_URL_MS,
    nextAt: receivedAt,
    ...parts,
  });
}

/** The deliveries of the outcome, as the run shows them: no address, no body. */
export function toPublicDeliveries(source: OutboxSource): PublicDelivery[] {
  const endedAt = source.load().ending?.at ?? null;
  return readOutbox(source)
    .filter((entry) => entry.what === "finished")
    .map((entry) => {
      const { kind, state, attempts, lastStatus } = entry;
      const nextAt = dueAtOf(entry, endedAt);
      const next_at = nextAt === null ? null : new Date(nextAt).toISOString();
      return { kind, state, attempts, next_at, last_status: lastStatus };
    });
}

/** When an entry is due; null: not now. `endedAt`: when the run ended, null while it goes on (O3). */
export function dueAtOf(entry: OutboxEntry, endedAt: number | null): number | null {
  if (entry.state !== "pending" || entry.what === "none") return null;
  if (entry.what === "finished") return endedAt === null ? null : Math.max(endedAt, entry.nextAt ?? endedAt);
  // A working message that comes after the answer would take its place.
  if (entry.what === "working" && endedAt !== null) return null;
  return entry.nextAt;
}

/** True while the entry's response URL may take one more post. `outbox` may hold other entries with the same URL. */
export function mayUseUrl(entry: OutboxEntry, outbox: Outbox, now: number): boolean {
  if (entry.responseUrl === null || entry.expiresAt === null || entry.isUrlSpent) return false;
  const others = outbox.filter((other) => other.responseUrl === entry.responseUrl);
  const posts = others.reduce((sum, other) => sum + other.posts, 0);
  return now < entry.expiresAt && posts < RESPONSE_URL_POSTS_MAX;
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
