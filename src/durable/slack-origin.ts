/**
 * Where a question came from when it came from Slack: who may press the buttons of its messages, and where the answer
 * goes. Kept with the run's settings; the response URL is a secret and leaves the object only as an address to post to.
 *
 * STORED and WIRE CONTRACT: fields are only ever added, with a default. Pure.
 */
import * as z from "zod";
import type { SlackAction, SlackMessage } from "../deliver/slack-blocks.ts";

export const slackOriginSchema = z.strictObject({
  teamId: z.string(),
  channelId: z.string(),
  userId: z.string(),
  responseUrl: z.string(),
  /** When Slack made the URL, which is good for half an hour. */
  receivedAt: z.int(),
  /** Who sees the answer: the one who asked, or the channel. */
  visibility: z.enum(["ephemeral", "in_channel"]),
  /** This server as Slack reaches it, for links. */
  publicOrigin: z.string(),
  /** Posted while the run goes on, when the door could not show it in its own answer. */
  working: z.custom<SlackMessage>((value) => typeof value === "object" && value !== null && "text" in value).nullable(),
});

export type SlackOrigin = z.infer<typeof slackOriginSchema>;

/** One press of a button. */
export interface SlackPress {
  /** The same when Slack tells of the same press again. */
  readonly key: string;
  readonly action: SlackAction;
  /** What is decided or answered by it; absent: nothing. */
  readonly asked?: string;
  readonly teamId: string;
  readonly channelId: string;
  readonly userId: string;
  /** Belongs to the message that the button stands in. */
  readonly responseUrl: string;
  readonly receivedAt: number;
}

export type SlackPressReply =
  /** Done, now or by an earlier telling of the same press, or the person was told why not. */
  | { readonly kind: "done" }
  /** This person may continue the run, which the door does. */
  | { readonly kind: "may_continue"; readonly origin: SlackOrigin }
  /** No such run, or not one of this workspace and channel. */
  | { readonly kind: "not_found" };
