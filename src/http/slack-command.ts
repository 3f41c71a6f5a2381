/**
 * A slash command: from its form to what is to be done about it.
 *
 * Owns: who may ask (teams, channels, users), which texts are a question, `share` and `help`. Leaves to others: that the
 * request is Slack's (slack-signature.ts), opening the run (slack.ts). Pure: no I/O, no clock.
 */
import type { SlackDoor } from "../config/doors.ts";
import { unescapeMrkdwn } from "../lib/mrkdwn.ts";
import { parseQuestion } from "./question.ts";
import { type SlackReply, toNotice, toUsage } from "./slack-reply.ts";

export interface SlackQuestion {
  readonly question: string;
  readonly visibility: "ephemeral" | "in_channel";
  readonly teamId: string;
  readonly channelId: string;
  readonly userId: string;
  readonly responseUrl: string;
  /** Names this command over repetitions; null: Slack did not name it. */
  readonly triggerId: string | null;
}

export type ParsedCommand =
  | { readonly kind: "question"; readonly asked: SlackQuestion }
  /** Answered without a run. */
  | { readonly kind: "reply"; readonly reply: SlackReply }
  /** Not a slash command. */
  | { readonly kind: "malformed" };

/** Somewhere in Slack, and somebody. */
export interface SlackPlace {
  readonly teamId: string;
  readonly channelId: string;
  readonly userId: string;
}

export function parseCommand(form: ReadonlyMap<string, string | null>, door: SlackDoor): ParsedCommand {
  const [teamId, channelId, userId] = [form.get("team_id"), form.get("channel_id"), form.get("user_id")];
  const [command, responseUrl] = [form.get("command"), form.get("response_url")];
  if (!teamId || !channelId || !userId || !command || !responseUrl) return { kind: "malformed" };
  const place = { teamId, channelId, userId };
  const refusal = refusePlace(place, door);
  if (refusal !== null) return { kind: "reply", reply: toNotice(refusal) };
  if (URL.parse(responseUrl)?.origin !== door.responseOrigin) {
    const notice = "This app is not set up for the address that Slack wants its answers at. Tell whoever runs it.";
    return { kind: "reply", reply: toNotice(notice) };
  }
  const typed = form.get("text");
  // A field with bytes that are no text is null; one that is not there at all is an empty question.
  if (typed === null) return { kind: "reply", reply: toUsage(command, "The question could not be read as text.") };
  const { text, visibility } = readShare(unescapeMrkdwn(typed ?? "").trim());
  if (text === "" || /^(?:help|\?|--?help)$/i.test(text)) return { kind: "reply", reply: toUsage(command, null) };
  const question = parseQuestion(text);
  if (!question.ok) return { kind: "reply", reply: toUsage(command, question.error) };
  const triggerId = form.get("trigger_id") || null;
  return { kind: "question", asked: { ...place, question: question.value, visibility, responseUrl, triggerId } };
}

/** Why nobody may use the app from this place, or null. */
export function refusePlace(place: SlackPlace, door: SlackDoor): string | null {
  const { teams, channels, users } = door;
  if (!teams.includes("*") && !teams.includes(place.teamId)) {
    return "This workspace may not use this app. Whoever runs it can add the workspace to its settings.";
  }
  if (channels !== null && !channels.includes(place.channelId)) {
    return "This app does not answer in this channel. Whoever runs it can add the channel to its settings.";
  }
  if (users !== null && !users.includes(place.userId)) {
    return "You are not on the list of people who may use this app. Whoever runs it can add you.";
  }
  return null;
}

/** `share` in front asks for an answer in the channel. `share of …` begins a question as people ask them. */
function readShare(text: string): { readonly text: string; readonly visibility: SlackQuestion["visibility"] } {
  const match = /^share(?:\s*:\s*|\s+(?!of\b)|$)/i.exec(text);
  if (match === null) return { text, visibility: "ephemeral" };
  return { text: text.slice(match[0].length).trim(), visibility: "in_channel" };
}
