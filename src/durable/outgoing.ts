/**
 * What the doors may ask of a run about what it sends out, and runs that are taken in before they are begun.
 *
 * A run that was accepted is one stored line until the alarm begins it, so that a door which must answer at once waits for
 * no database, and a crash loses no question. Leaves to others: what a press does (slack-press.ts), sending (deliveries.ts).
 */
import { createState } from "../agent/state.ts";
import { type PublicRun, toPublicRun } from "../agent/view.ts";
import { assert } from "../lib/assert.ts";
import type { OutgoingCall, OutgoingReply, RunApi, StartRun } from "./contract.ts";
import type { RunJournal } from "./journal.ts";
import { hasTables, migrate } from "./layout.ts";
import { type Outbox, readOutbox, sendAgain } from "./outbox.ts";
import { readFact, writeFact } from "./rows.ts";
import { decodeSettings, encodeSettings } from "./settings.ts";
import { answerPress, toNotice } from "./slack-press.ts";

const ACCEPTED = "accepted";

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
      const run = { origin: journal.settings.slack ?? null, isFinished, outbox };
      const effect = answerPress(call.press, run);
      if (effect.outbox !== outbox) save(effect.outbox);
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

/** Keeps `input` until the alarm begins it; durable when this returns. Gives the run as it will be before its first step. */
export async function keepAccepted(storage: DurableObjectStorage, input: StartRun): Promise<PublicRun> {
  const now = Date.now();
  storage.transactionSync(() => {
    migrate(storage.sql, now);
    writeFact(storage.sql, ACCEPTED, encodeSettings({ ...input, inheritedNanoUsd: 0 }));
  });
  await storage.setAlarm(now + 1);
  await storage.sync();
  const { id, question, caller, mode, grounding, model, tools, limits } = input;
  const state = createState({ id, question, caller, mode, grounding, model, tools: [...tools], limits }, now);
  return toPublicRun(state, { queries: [] }, now);
}

/** What was accepted here, or null. It stays when the run is begun, and means nothing then. */
export function readAccepted(sql: SqlStorage): StartRun | null {
  const text = hasTables(sql) ? readFact(sql, ACCEPTED) : null;
  const settings = text === null ? null : decodeSettings(text);
  return settings?.ok ? settings.value : null;
}
