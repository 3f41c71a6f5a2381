/**
 * One thing that a run sends out, and how that stands: its stored form, and how one is made.
 *
 * STORED CONTRACT: fields are only ever added, with a default. Pure: no I/O, no clock.
 */
import * as z from "zod";
import type { SlackMessage } from "../deliver/slack-blocks.ts";

/** Slack takes what is posted within half an hour; the margin is one try's length. */
export const RESPONSE_URL_MS = 30 * 60 * 1000 - 20_000;

const messageSchema = z.custom<SlackMessage>(
  (value) => typeof value === "object" && value !== null && "text" in value && "blocks" in value,
);

export const entrySchema = z.strictObject({
  /** `webhook` and `slack` for the outcome itself; others are named by what asked for them. */
  id: z.string(),
  kind: z.enum(["webhook", "slack"]),
  /** `finished`: the outcome. `working` (only until that or an `ask` is due), `notice`: `message` as it stands. `ask` (what a person is asked), `rows`, `share`: made when it is sent. */
  what: z.enum(["finished", "working", "ask", "rows", "share", "notice", "none"]),
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

export type OutboxEntry = z.infer<typeof entrySchema>;

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
