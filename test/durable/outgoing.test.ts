import { describe, expect, it } from "vitest";
import type { OutgoingCall, OutgoingReply, RunApi } from "../../src/durable/contract.ts";
import type { RunJournal } from "../../src/durable/journal.ts";
import { type Outbox, readOutbox } from "../../src/durable/outbox.ts";
import { answerCall } from "../../src/durable/outgoing.ts";
import type { SlackPress } from "../../src/durable/slack-origin.ts";
import { START, waitingForYes } from "../agent/states.ts";
import { publicRun } from "../deliver/public-run.ts";
import { storedRun } from "./stored-run.ts";

const PRESS: SlackPress = {
  key: "querent_stop:1.1:U0001",
  action: "querent_stop",
  teamId: "T0001",
  channelId: "C0001",
  userId: "U0001",
  responseUrl: "https://hooks.slack.com/actions/1",
  receivedAt: 1_700_000_000_000,
};
const SLACK = {
  teamId: "T0001",
  channelId: "C0001",
  userId: "U0001",
  responseUrl: "https://hooks.slack.com/commands/1",
  receivedAt: 1_700_000_000_000,
  visibility: "ephemeral",
  publicOrigin: "https://querent.example.com",
  working: null,
} as const;

async function call(journal: RunJournal, asked: OutgoingCall) {
  const done: string[] = [];
  const saves: Outbox[] = [];
  const object: Pick<RunApi, "cancel" | "view"> = {
    async cancel() {
      done.push("cancel");
      return { kind: "not_found" };
    },
    view: async () => publicRun(),
  };
  const reply: OutgoingReply = await answerCall(journal, asked, (outbox) => saves.push(outbox), object);
  return { reply: reply.kind, done, saved: saves.at(-1) ?? null };
}

describe("what a run is asked about what it sends out", () => {
  it("a press is kept before it cancels", async () => {
    const { journal } = storedRun({ slack: SLACK });
    const { reply, done, saved } = await call(journal, { kind: "press", press: PRESS });
    expect([reply, done]).toEqual(["done", ["cancel"]]);
    expect(saved?.map((entry) => entry.id)).toEqual(["slack", "press:querent_stop:1.1:U0001"]);
  });

  it("a press on a run that is not from Slack is nobody's", async () => {
    expect(await call(storedRun().journal, { kind: "press", press: PRESS })).toEqual({
      reply: "not_found",
      done: [],
      saved: null,
    });
  });

  it("C45: a press after the time for it, of a run that has not been woken since, is not said to have counted", async () => {
    const { journal } = storedRun({ slack: SLACK });
    const state = waitingForYes({ waiting: { kind: "approval", until: START } });
    const head = { at: START, step: 1, phase: "action" } as const;
    const asked = { ...head, type: "approval_asked", approval: "a1", message: 0, queries: [], until: START } as const;
    const late = { ...journal, load: () => state, events: () => [asked] };
    const press: SlackPress = { ...PRESS, key: "querent_approve:1.1:U0001", action: "querent_approve", asked: "a1" };
    const { saved } = await call(late, { kind: "press", press });
    expect(saved?.at(-1)?.message?.text).not.toContain("Allowed");
    expect(saved?.at(-1)?.message?.text).toContain("its time is over");
  });

  it("a notice is due at once, and told once", async () => {
    const { journal } = storedRun({ slack: SLACK });
    const { saved } = await call(journal, { kind: "notice", press: PRESS, text: "No." });
    expect(saved?.at(-1)).toMatchObject({ what: "notice", nextAt: PRESS.receivedAt, message: { text: "No." } });
    const told = { ...journal, fact: () => JSON.stringify(saved) };
    expect((await call(told, { kind: "notice", press: PRESS, text: "No." })).saved).toBeNull();
  });

  it("a callback is sent once more when the run is over and has one", async () => {
    const run = storedRun({ callbackUrl: "https://example.com/hook" });
    expect((await call(run.journal, { kind: "resend" })).reply).toBe("nothing_to_send");
    for (let step = 0; step < 4; step += 1) await run.step();
    expect(run.journal.load().ending).not.toBeNull();
    const { reply, saved } = await call(run.journal, { kind: "resend" });
    expect([reply, saved?.[0]?.state, saved?.[0]?.tries]).toEqual(["resent", "pending", 0]);
    expect(readOutbox(run.journal)).toHaveLength(1);
  });

  it("there is nothing to send again without a callback", async () => {
    const run = storedRun();
    for (let step = 0; step < 4; step += 1) await run.step();
    expect((await call(run.journal, { kind: "resend" })).reply).toBe("nothing_to_send");
  });
});
