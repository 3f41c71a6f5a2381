/**
 * A press of a button, as Slack tells of it: the `payload` of a block_actions interaction.
 *
 * Owns: which fields are looked at. Slack adds fields at will, so unknown ones are let be; a press that is not one of our
 * buttons is none. Pure: no I/O, no clock.
 */
import * as z from "zod";
import type { SlackAction } from "../deliver/slack-blocks.ts";
import type { SlackPress } from "../durable/slack-origin.ts";

export interface ParsedPress {
  /** What the button carries: the id of a run, and after a space that of what is answered. */
  readonly runId: string;
  readonly press: Omit<SlackPress, "receivedAt">;
}

const ACTIONS = [
  "querent_stop",
  "querent_continue",
  "querent_rows",
  "querent_share",
  "querent_approve",
  "querent_decline",
  "querent_reply_0",
  "querent_reply_1",
  "querent_reply_2",
  "querent_reply_3",
  "querent_reply_4",
] as const satisfies readonly SlackAction[];

const id = z.string().min(1).max(64);

const payloadSchema = z.looseObject({
  type: z.literal("block_actions"),
  user: z.looseObject({ id, team_id: id.optional() }),
  team: z.looseObject({ id }).nullish(),
  channel: z.looseObject({ id }).nullish(),
  container: z.looseObject({ channel_id: id.optional() }).optional(),
  response_url: z.string().min(1).max(2_000),
  actions: z
    .array(z.looseObject({ action_id: z.string().max(255), action_ts: id, value: z.string().max(2_000).optional() }))
    .min(1),
});

/** The press in `payload`, or null when it is not one of a button of ours. */
export function parsePress(payload: string): ParsedPress | null {
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    return null;
  }
  const parsed = payloadSchema.safeParse(value);
  if (!parsed.success) return null;
  const { user, team, channel, container, response_url: responseUrl, actions } = parsed.data;
  const [first] = actions;
  const action = ACTIONS.find((name) => name === first?.action_id);
  const teamId = team?.id ?? user.team_id;
  const channelId = channel?.id ?? container?.channel_id;
  if (action === undefined || first?.value === undefined || !teamId || !channelId) return null;
  const key = `${action}:${first.action_ts}:${user.id}`;
  const [runId = "", asked] = first.value.split(" ");
  const press = { key, action, teamId, channelId, userId: user.id, responseUrl };
  return { runId, press: asked === undefined ? press : { ...press, asked } };
}
