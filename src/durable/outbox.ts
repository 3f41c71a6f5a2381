/**
 * What a run still has to send out: the outcome by webhook and to Slack, and what buttons in Slack asked for.
 *
 * Owns: O3 (nothing is due before the run's outcome is stored), what a run begins with, what is shown of it. Leaves to
 * others: one entry (outbox-entry.ts), a try and what it changes (outbox-tries.ts), making it (deliveries.ts, deliver/).
 * Pure: no I/O, no clock.
 */
import * as z from "zod";
import type { PublicDelivery } from "../agent/view.ts";
import { type Asking, askedId } from "../agent/waiting.ts";
import { createEntry, entrySchema, type OutboxEntry, RESPONSE_URL_MS } from "./outbox-entry.ts";
import type { RunSettings } from "./settings.ts";

/** Presses of buttons that are remembered; the oldest settled ones go first. */
const ENTRIES_MAX = 40;

const outboxSchema = z.array(entrySchema);

export type Outbox = readonly OutboxEntry[];

/** The name under which the outbox is kept. */
export const OUTBOX_FACT = "outbox";

/** The part of a run's journal that is looked at here. */
export interface OutboxSource {
  readonly settings: RunSettings;
  load(): Asking & { readonly ending: { readonly at: number } | null };
  fact(name: string): string | null;
}

export function readOutbox(source: OutboxSource): Outbox {
  const entries = decodeOutbox(source.fact(OUTBOX_FACT), source.settings);
  const asked = askedId(source.load());
  const asks = asked === null ? [] : askFor(asked, source.settings, entries);
  // A question that has been answered by another door is not asked any more, and takes the place of "working on it".
  const kept = entries.map((entry): OutboxEntry => {
    const isAsked = asks.some((ask) => ask.id === entry.id);
    const isPast = entry.what === "ask" ? !isAsked : entry.what === "working" && asks.length > 0;
    return isPast && entry.state === "pending" ? { ...entry, state: "failed", nextAt: null } : entry;
  });
  return [...kept, ...asks.filter((ask) => !kept.some((entry) => entry.id === ask.id))];
}

/** Wherever the answer is to go, a person is asked: in Slack in the place of the message that says "working on it". */
function askFor(asked: string, { callbackUrl, slack }: RunSettings, entries: Outbox): Outbox {
  const parts = { what: "ask", nextAt: 0 } as const;
  const asks: OutboxEntry[] = [];
  if (callbackUrl !== null) asks.push(createEntry({ id: `ask:${asked}:webhook`, kind: "webhook", ...parts }));
  if (!slack) return asks;
  const answer = entries.find((entry) => entry.id === "slack");
  const { responseUrl = null, expiresAt = null, isUrlSpent = false, responseType = "ephemeral" } = answer ?? {};
  const target = { responseUrl, expiresAt, isUrlSpent, responseType, replaceOriginal: true };
  return [...asks, createEntry({ id: `ask:${asked}`, kind: "slack", ...parts, ...target })];
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
  const settled = outbox.filter((entry) => entry.state !== "pending" && !isRemembered(entry));
  const dropped = new Set(settled.slice(0, Math.max(0, outbox.length - ENTRIES_MAX)));
  return JSON.stringify(outbox.filter((entry) => !dropped.has(entry)));
}

/** Forgotten, it would be sent a second time. */
function isRemembered({ what, state }: OutboxEntry): boolean {
  return what === "finished" || what === "ask" || (what === "share" && state === "delivered");
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
  // A message on the way that comes after the answer would take its place.
  if ((entry.what === "working" || entry.what === "ask") && endedAt !== null) return null;
  return entry.nextAt;
}
