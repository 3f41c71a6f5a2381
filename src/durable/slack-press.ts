/**
 * What a press of a button in Slack does to a run and to what it sends out.
 *
 * Owns: who may press what (only people of the workspace and channel where the question was asked; what ends, prolongs or
 * publishes a run only who asked it), and that one press, however often Slack tells of it, is one effect. Leaves to others:
 * that the request is Slack's and its people are let in at all (http/), cancelling (run-object.ts). Pure.
 */
import type { SlackMessage } from "../deliver/slack-blocks.ts";
import { escapeMrkdwn } from "../lib/mrkdwn.ts";
import type { Answer, Decision } from "./contract.ts";
import type { Outbox } from "./outbox.ts";
import { createReply, type OutboxEntry } from "./outbox-entry.ts";
import { sendAgain } from "./outbox-tries.ts";
import type { SlackOrigin, SlackPress, SlackPressReply } from "./slack-origin.ts";

export interface PressedRun {
  /** Null: the run does not come from Slack. */
  readonly origin: SlackOrigin | null;
  readonly isFinished: boolean;
  /** What it asks a person: its id, and the answers that the buttons stand for; null: nothing. */
  readonly asked: { readonly id: string; readonly options: readonly string[] } | null;
  readonly outbox: Outbox;
}

export interface PressEffect {
  readonly reply: SlackPressReply;
  readonly outbox: Outbox;
  /** The run is to be cancelled. */
  readonly cancels: boolean;
  readonly says?: Decision | Answer;
}

export function answerPress(press: SlackPress, run: PressedRun): PressEffect {
  const { origin, outbox } = run;
  const done = (entries: Outbox, cancels = false): PressEffect => ({ reply: DONE, outbox: entries, cancels });
  if (origin === null || !isFromThere(press, origin)) return { reply: { kind: "not_found" }, outbox, cancels: false };
  if (outbox.some((entry) => entry.id === idOf(press))) return done(outbox);
  if (press.action !== "querent_rows" && press.userId !== origin.userId) {
    return done([
      ...outbox,
      toNotice(press, "Only the person who asked can do this. You can ask the question yourself."),
    ]);
  }
  switch (press.action) {
    case "querent_stop":
      return done(stop(press, run), !run.isFinished);
    case "querent_rows":
      return done([...outbox, createReply(idOf(press), "rows", press)]);
    case "querent_share":
      return done(share(press, outbox));
    case "querent_continue":
      if (run.isFinished) return { reply: { kind: "may_continue", origin }, outbox, cancels: false };
      return done([...outbox, toNotice(press, "This question is still being worked on.")]);
    default:
      return say(press, run);
  }
}

/** A sentence to who pressed the button, seen by nobody else. */
export function toNotice(press: SlackPress, text: string): OutboxEntry {
  return createReply(idOf(press), "notice", press, { message: toMessage(text) });
}

const DONE: SlackPressReply = { kind: "done" };
const LATE = "This has been answered already, or its time is over.";

function idOf(press: SlackPress): string {
  return `press:${press.key}`;
}

/** A message that reached its person directly, for lack of a response URL, stands in a channel of its own. */
function isFromThere(press: SlackPress, origin: SlackOrigin): boolean {
  if (press.teamId !== origin.teamId) return false;
  const isDirect = press.channelId.startsWith("D") && press.userId === origin.userId;
  return press.channelId === origin.channelId || isDirect;
}

/**
 * The press comes with a response URL that is sure to replace the message with the button, and with a fresh half hour:
 * the outcome goes there, unless it has arrived already. Then the button stands in a message that should be gone.
 */
function stop(press: SlackPress, run: PressedRun): Outbox {
  const seen = createReply(idOf(press), "none", press, { state: "delivered", nextAt: null });
  const stale = createReply(idOf(press), "notice", press, {
    replaceOriginal: true,
    message: toMessage("This question has been dealt with already."),
  });
  if (isDelivered(run.outbox)) return [...run.outbox, stale];
  const turned = run.outbox.map((entry) =>
    entry.id === "slack" ? { ...sendAgain(entry, press.receivedAt), ...targetOf(press) } : entry,
  );
  return [...turned, seen];
}

function say(press: SlackPress, run: PressedRun): PressEffect {
  const { asked, isFinished, outbox } = run;
  const done = (entries: Outbox): PressEffect => ({ reply: DONE, outbox: entries, cancels: false });
  const says = asked !== null && asked.id === press.asked ? toWord(press, asked) : null;
  if (says !== null) return { ...done(answerHere(press, tellWord(says), outbox)), says };
  // Too late. An answer that is still to come may have no other way by now than this press's response URL.
  if (isFinished && !isDelivered(outbox)) return done(stop(press, run));
  if (!isFinished && asked === null) return done(answerHere(press, LATE, outbox));
  return done([...outbox, toNotice(press, LATE)]);
}

/**
 * The message with the buttons becomes one that says what was chosen, and the answer takes its place: it goes to this
 * press's own response URL, whose half hour begins now.
 */
function answerHere(press: SlackPress, heard: string, outbox: Outbox): Outbox {
  const message = toMessage(`${heard} The answer will stand here.`);
  const turned = outbox.map((entry) => (entry.id === "slack" ? { ...entry, ...targetOf(press) } : entry));
  // `working`: tried again after the answer or the next question, it would take their place.
  return [...turned, createReply(idOf(press), "working", press, { replaceOriginal: true, message })];
}

/** The message that the press was made in, by a response URL that has taken nothing yet. */
function targetOf(press: SlackPress) {
  const { responseUrl, expiresAt } = createReply("", "none", press);
  return { responseUrl, expiresAt, posts: 0, isUrlSpent: false, replaceOriginal: true };
}

function isDelivered(outbox: Outbox): boolean {
  return outbox.some((entry) => entry.id === "slack" && entry.state === "delivered");
}

function toWord(press: SlackPress, { id, options }: NonNullable<PressedRun["asked"]>): Decision | Answer | null {
  const by = `slack:${press.userId}`;
  if (press.action === "querent_approve") return { approval: id, decision: "approved", note: null, by };
  if (press.action === "querent_decline") return { approval: id, decision: "declined", note: null, by };
  const reply = options[Number(press.action.slice("querent_reply_".length))];
  return reply === undefined ? null : { inquiry: id, reply, by };
}

function tellWord(word: Decision | Answer): string {
  if ("inquiry" in word) return `*${escapeMrkdwn(word.reply)}*`;
  return word.decision === "approved" ? "*Allowed.* The query runs." : "*Not allowed.* It goes on without that query.";
}

/** One message in the channel for one run, however many presses; a press after a failure tries again. */
function share(press: SlackPress, outbox: Outbox): Outbox {
  const earlier = outbox.find((entry) => entry.what === "share" && entry.state !== "failed");
  if (earlier !== undefined) {
    return [...outbox, toNotice(press, "This answer has been posted to the channel already.")];
  }
  return [...outbox, createReply(idOf(press), "share", press, { responseType: "in_channel" })];
}

function toMessage(text: string): SlackMessage {
  return { text, blocks: [{ type: "section", text: { type: "mrkdwn", text, verbatim: true } }] };
}
