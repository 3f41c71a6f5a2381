/**
 * What the doors may ask of a run about what it sends out: a press of a button, a word to who pressed it, the callback once
 * more. Leaves to others: what a press does (slack-press.ts), sending (deliveries.ts).
 */
import { isInTime } from "../agent/waiting.ts";
import { assert } from "../lib/assert.ts";
import type { OutgoingCall, OutgoingReply, RunApi } from "./contract.ts";
import { applyDecision } from "./decision.ts";
import type { RunJournal } from "./journal.ts";
import { type Outbox, readOutbox } from "./outbox.ts";
import { sendAgain } from "./outbox-tries.ts";
import { askedOf } from "./projections.ts";
import { answerPress, toNotice } from "./slack-press.ts";

/** Answers a call. What it makes due, the caller of this arms the alarm for. */
export async function answerCall(
  journal: RunJournal,
  call: OutgoingCall,
  save: (outbox: Outbox) => void,
  object: Pick<RunApi, "cancel" | "view">,
): Promise<OutgoingReply> {
  const outbox = readOutbox(journal);
  const isFinished = journal.load().ending !== null;
  switch (call.kind) {
    case "press": {
      const { approval, inquiry } = askedOf(journal);
      const now = Date.now();
      const open = inquiry ?? (approval ? { id: approval.id, options: [] } : null);
      const asked = isInTime(journal.load(), now) ? open : null;
      const run = { origin: journal.settings.slack ?? null, isFinished, asked, outbox };
      const effect = answerPress(call.press, run);
      if (effect.outbox !== outbox) save(effect.outbox);
      // In the same turn as the outbox: both are written, or neither.
      if (effect.says !== undefined) applyDecision(journal, effect.says, now);
      if (effect.cancels) await object.cancel();
      return effect.reply;
    }
    case "notice": {
      const notice = toNotice(call.press, call.text);
      if (!outbox.some((entry) => entry.id === notice.id)) save([...outbox, notice]);
      return { kind: "done" };
    }
    case "resend": {
      const mayResend = isFinished && outbox.some((entry) => entry.id === "webhook");
      if (mayResend) save(outbox.map((entry) => (entry.id === "webhook" ? sendAgain(entry, Date.now()) : entry)));
      const run = await object.view();
      assert(run !== null, "a run with a journal can be shown");
      return { kind: mayResend ? "resent" : "nothing_to_send", run };
    }
  }
}
