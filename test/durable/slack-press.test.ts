import { describe, expect, it } from "vitest";
import type { SlackAction } from "../../src/deliver/slack-blocks.ts";
import { dueAtOf, encodeOutbox, type Outbox, readOutbox } from "../../src/durable/outbox.ts";
import { createEntry, type OutboxEntry } from "../../src/durable/outbox-entry.ts";
import type { SlackOrigin, SlackPress } from "../../src/durable/slack-origin.ts";
import { answerPress, type PressEffect, type PressedRun, toNotice } from "../../src/durable/slack-press.ts";
import { SETTINGS, source } from "./outbox-source.ts";

const NOW = Date.UTC(2026, 10, 30, 12);
const ORIGIN: SlackOrigin = {
  teamId: "T0001",
  channelId: "C0001",
  userId: "U0001",
  responseUrl: "https://hooks.slack.com/commands/1",
  receivedAt: NOW - 60_000,
  visibility: "ephemeral",
  publicOrigin: "https://querent.example.com",
  working: null,
};

function press(action: SlackAction, parts: Partial<SlackPress> = {}): SlackPress {
  return {
    key: `${action}:1.1`,
    action,
    teamId: "T0001",
    channelId: "C0001",
    userId: "U0001",
    responseUrl: "https://hooks.slack.com/actions/2",
    receivedAt: NOW,
    ...parts,
  };
}

function outcome(parts: Partial<OutboxEntry> = {}): OutboxEntry {
  const { responseUrl } = ORIGIN;
  return createEntry({ id: "slack", kind: "slack", what: "finished", responseUrl, expiresAt: NOW, ...parts });
}

function answer(
  pressed: SlackPress,
  isFinished: boolean,
  outbox: Outbox = [outcome()],
  origin: SlackOrigin | null = ORIGIN,
  asked: PressedRun["asked"] = null,
) {
  return answerPress(pressed, { origin, isFinished, asked, outbox });
}

const last = (effect: PressEffect): OutboxEntry | undefined => effect.outbox.at(-1);
const wordsOf = (effect: PressEffect): string => last(effect)?.message?.text ?? "";

describe("Run it, and Do not run it", () => {
  const decide = (action: SlackAction, id: string | null, parts: Partial<SlackPress> = {}, outbox?: Outbox) =>
    answer(press(action, { asked: "a1", ...parts }), false, outbox, ORIGIN, id === null ? null : { id, options: [] });

  it.each([
    ["querent_approve", "approved", "Allowed"],
    ["querent_decline", "declined", "Not allowed"],
  ] as const)("C45: %s decides what was shown, once, and says who did", (action, decision, said) => {
    const effect = decide(action, "a1");
    expect(effect.says).toEqual({ approval: "a1", decision, note: null, by: "slack:U0001" });
    expect(last(effect)).toMatchObject({ what: "working", replaceOriginal: true });
    expect(wordsOf(effect)).toContain(said);
    const again = decide(action, null, {}, effect.outbox);
    expect(again.outbox).toBe(effect.outbox);
    expect(again.says).toBeUndefined();
  });

  it("turns the answer to the message that was pressed, with half an hour anew", () => {
    const [turned] = decide("querent_approve", "a1", {}, [outcome({ posts: 4, isUrlSpent: true })]).outbox;
    expect(turned).toMatchObject({
      id: "slack",
      responseUrl: "https://hooks.slack.com/actions/2",
      posts: 0,
      isUrlSpent: false,
      nextAt: null,
    });
    expect(turned?.expiresAt).toBeGreaterThan(NOW + 29 * 60_000);
  });

  it("is not told any more when the answer, or what is asked next, stands in its place", () => {
    const { outbox } = decide("querent_approve", "a1");
    const word = outbox.at(-1) ?? outcome();
    // Slack was busy, or the object died in the middle of the post: it would be tried again.
    const later = { ...word, tries: 1, nextAt: NOW + 60_000 };
    expect(dueAtOf(later, null)).toBe(NOW + 60_000);
    expect(dueAtOf(later, NOW + 5_000)).toBeNull();
    const asksNext = readOutbox(source(encodeOutbox([...outbox.slice(0, -1), later]), null, SETTINGS, "a2"));
    expect(asksNext.find(({ id }) => id === later.id)?.state).toBe("failed");
  });

  it.each([
    ["the run asks something else by now", "a2"],
    ["it asks nothing", null],
  ])("C47: decides nothing when %s", (_what, approval) => {
    const effect = decide("querent_approve", approval);
    expect(effect.says).toBeUndefined();
    expect(wordsOf(effect)).toContain("answered already");
  });

  it("that comes too late brings an answer that has not arrived to the message with the buttons", () => {
    const late = (isFinished: boolean, outbox: Outbox, asked: PressedRun["asked"] = null) =>
      answer(press("querent_approve", { asked: "a1" }), isFinished, outbox, ORIGIN, asked).outbox;
    const here = { responseUrl: "https://hooks.slack.com/actions/2", replaceOriginal: true, state: "pending" };
    const spent = outcome({ isUrlSpent: true });
    expect(late(true, [{ ...spent, state: "failed" }])[0]).toMatchObject(here);
    expect(late(false, [spent])[0]).toMatchObject(here);
    expect(late(false, [spent]).at(-1)).toMatchObject({ what: "working", replaceOriginal: true });
    // The press may be of the very message that is the answer, or the next question, by now.
    expect(late(true, [outcome({ state: "delivered" })]).at(-1)).toMatchObject({ replaceOriginal: false });
    expect(late(false, [spent], { id: "a2", options: [] })).toMatchObject([spent, { replaceOriginal: false }]);
  });

  it("is only for who asked, and only where it was asked", () => {
    expect(decide("querent_approve", "a1", { userId: "U0002" }).says).toBeUndefined();
    expect(wordsOf(decide("querent_approve", "a1", { userId: "U0002" }))).toContain("Only the person who asked");
    expect(decide("querent_approve", "a1", { teamId: "T0002" })).toMatchObject({ reply: { kind: "not_found" } });
  });

  it("needs the id of what was shown: a button without one decides nothing", () => {
    const effect = answer(press("querent_approve"), false, [outcome()], ORIGIN, { id: "a1", options: [] });
    expect(effect.says).toBeUndefined();
  });
});

describe("an option of a question", () => {
  const choose = (index: number, asked: PressedRun["asked"]) =>
    answer(press(`querent_reply_${index}`, { asked: "q1" }), false, undefined, ORIGIN, asked);
  const asked = { id: "q1", options: ["Revenue", "<!channel>"] };

  it("answers with the words that stand on it, and the message says which", () => {
    const effect = choose(0, asked);
    expect(effect.says).toEqual({ inquiry: "q1", reply: "Revenue", by: "slack:U0001" });
    expect(wordsOf(effect)).toBe("*Revenue* The answer will stand here.");
    expect(wordsOf(choose(1, asked))).toContain("*&lt;!channel&gt;*");
  });

  it("that is none, or of another question, answers nothing", () => {
    for (const effect of [choose(2, asked), choose(0, { ...asked, id: "q2" }), choose(0, null)]) {
      expect(effect.says).toBeUndefined();
      expect(wordsOf(effect)).toContain("answered already");
    }
  });
});

describe("Stop", () => {
  it("cancels a run, whose outcome then takes the place of the message with the button", () => {
    const effect = answer(press("querent_stop"), false, [outcome({ posts: 5, tries: 3, isUrlSpent: true })]);
    expect(effect).toMatchObject({ reply: { kind: "done" }, cancels: true });
    expect(effect.outbox[0]).toMatchObject({
      id: "slack",
      state: "pending",
      responseUrl: "https://hooks.slack.com/actions/2",
      replaceOriginal: true,
      posts: 0,
      tries: 0,
      isUrlSpent: false,
    });
    expect(effect.outbox[0]?.expiresAt).toBeGreaterThan(NOW + 29 * 60_000);
  });

  it("after the end, brings an outcome that has not arrived to the message with the button", () => {
    for (const state of ["pending", "failed"] as const) {
      const effect = answer(press("querent_stop"), true, [outcome({ state })]);
      expect(effect.cancels).toBe(false);
      expect(effect.outbox[0]).toMatchObject({ state: "pending", responseUrl: "https://hooks.slack.com/actions/2" });
    }
  });

  it("in a message that the answer did not replace, clears it away", () => {
    const effect = answer(press("querent_stop"), true, [outcome({ state: "delivered" })]);
    expect(effect.cancels).toBe(false);
    expect(last(effect)).toMatchObject({ what: "notice", replaceOriginal: true, state: "pending" });
  });
});

describe("Show rows, Post to channel, Continue", () => {
  it("rows go to who pressed, beside the message", () => {
    const effect = answer(press("querent_rows", { userId: "U0009" }), true);
    expect(last(effect)).toMatchObject({
      what: "rows",
      responseType: "ephemeral",
      replaceOriginal: false,
      nextAt: NOW,
    });
  });

  it("an answer is posted to the channel once, unless that failed", () => {
    const first = answer(press("querent_share"), true);
    expect(last(first)).toMatchObject({ what: "share", responseType: "in_channel" });
    const second = answer(press("querent_share", { key: "2" }), true, first.outbox);
    expect(wordsOf(second)).toBe("This answer has been posted to the channel already.");
    const failed = first.outbox.map(
      (entry): OutboxEntry => (entry.what === "share" ? { ...entry, state: "failed" } : entry),
    );
    expect(last(answer(press("querent_share", { key: "3" }), true, failed))).toMatchObject({ what: "share" });
  });

  it("a finished run may be continued, one that goes on may not", () => {
    expect(answer(press("querent_continue"), true).reply).toEqual({ kind: "may_continue", origin: ORIGIN });
    const early = answer(press("querent_continue"), false);
    expect([early.reply.kind, wordsOf(early)]).toEqual(["done", "This question is still being worked on."]);
  });
});

describe("who may press", () => {
  it.each(["querent_stop", "querent_share", "querent_continue"] as const)("%s: only who asked", (action) => {
    const effect = answer(press(action, { userId: "U0002" }), action !== "querent_stop");
    expect(effect).toMatchObject({ reply: { kind: "done" }, cancels: false });
    expect(wordsOf(effect)).toBe("Only the person who asked can do this. You can ask the question yourself.");
    expect(effect.outbox[0]).toEqual(outcome());
  });

  it("nobody of another workspace or channel, and nothing for a run that is not from Slack", () => {
    for (const parts of [{ teamId: "T0002" }, { channelId: "C0002" }, { channelId: "D0002", userId: "U0002" }]) {
      const effect = answer(press("querent_rows", parts), true);
      expect([effect.reply.kind, effect.outbox.length]).toEqual(["not_found", 1]);
    }
    expect(answer(press("querent_rows"), true, [], null).reply.kind).toBe("not_found");
  });

  it("who asked, also in a direct message", () => {
    expect(last(answer(press("querent_rows", { channelId: "D0001" }), true))).toMatchObject({ what: "rows" });
  });
});

describe("one press", () => {
  it.each(["querent_stop", "querent_rows", "querent_share"] as const)(
    "%s: is one effect, however often it is told",
    (action) => {
      const first = answer(press(action), action !== "querent_stop");
      const second = answer(press(action), true, first.outbox);
      expect(second).toEqual({ reply: { kind: "done" }, outbox: first.outbox, cancels: false });
    },
  );

  it("gets a word back where it was made", () => {
    expect(toNotice(press("querent_rows"), "No.")).toMatchObject({
      id: "press:querent_rows:1.1",
      what: "notice",
      responseUrl: "https://hooks.slack.com/actions/2",
      responseType: "ephemeral",
      message: { text: "No." },
    });
  });
});
