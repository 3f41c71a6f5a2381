/**
 * Sends out what a run owes to the world: its outcome by webhook and to Slack, and what buttons in Slack asked for.
 *
 * Owns: which way a delivery takes, and the order of every try: written down, made, written down again. Leaves to others:
 * the transitions (outbox.ts), what is said and how it is sent (deliver/), when the object wakes (run-object.ts). Called
 * from the alarm only, so no two tries of one delivery are ever under way. Never rejects but for an error of the platform.
 */
import type { PublicRun } from "../agent/view.ts";
import { askedId } from "../agent/waiting.ts";
import { parseCallbackUrl } from "../config/callback-url.ts";
import { type Config, configOf } from "../config.ts";
import type { DeliveryOutcome, DeliveryPorts } from "../deliver/outcome.ts";
import { postToChannel, postToResponseUrl } from "../deliver/slack.ts";
import { toApprovalForms, toInquiryForms } from "../deliver/slack-asking.ts";
import type { SlackForms } from "../deliver/slack-blocks.ts";
import { toFinishedForms, toForms, toRowsForms } from "../deliver/slack-message.ts";
import { type ShownRows, TABLE_ROWS_MAX } from "../deliver/slack-table.ts";
import { deliverWebhook } from "../deliver/webhook.ts";
import { toWebhookBody } from "../deliver/webhook-body.ts";
import { sha256Hex } from "../lib/hash.ts";
import { signPath } from "../lib/hmac.ts";
import { writeFact } from "./facts.ts";
import { isPlatformError, logBug } from "./faults.ts";
import type { RunJournal } from "./journal.ts";
import { dueAtOf, encodeOutbox, OUTBOX_FACT, type Outbox, readOutbox } from "./outbox.ts";
import type { OutboxEntry } from "./outbox-entry.ts";
import { beginTry, isSpent, mayUseUrl, settleTry } from "./outbox-tries.ts";
import { toResultPage, toView } from "./projections.ts";

/** Links to all rows of a result work as long as a week's discussion of an answer. */
const RESULTS_LINK_MS = 7 * 24 * 60 * 60 * 1000;

export interface Deliveries {
  /** When the next delivery is due, or null. */
  dueAt(journal: RunJournal): number | null;
  /** Makes one try of everything that is due; false when nothing is. */
  sendDue(journal: RunJournal): Promise<boolean>;
  save(outbox: Outbox): void;
}

export function createDeliveries(storage: DurableObjectStorage, env: object): Deliveries {
  const ports: DeliveryPorts = { fetch: (url, init) => fetch(url, init), now: () => Date.now() };
  const load = readOutbox;
  const save = (entries: Outbox): void => writeFact(storage.sql, OUTBOX_FACT, encodeOutbox(entries));
  const replace = (journal: RunJournal, entry: OutboxEntry): void => {
    save(load(journal).map((other) => (other.id === entry.id ? entry : other)));
  };

  const tryOne = async (journal: RunJournal, entry: OutboxEntry): Promise<void> => {
    const way = isSpent(entry) ? null : chooseWay(journal, load(journal), entry, env);
    if (way === null) {
      replace(journal, { ...entry, state: "failed", nextAt: null });
      return;
    }
    const begun = beginTry(entry, way.usesUrl, Date.now());
    // Nothing leaves before this is durable: the platform holds requests back until the write is.
    replace(journal, begun);
    const outcome = await way.send(ports);
    // A press may have turned this entry to another address meanwhile: then what became of the old one is of no interest.
    const present = load(journal).find((other) => other.id === entry.id);
    if (present === undefined || present.responseUrl !== begun.responseUrl) return;
    replace(journal, settleTry(begun, way.usesUrl, outcome, way.hasOther, Date.now(), Math.random()));
  };

  /** After a bug, or settings that cannot be read: as after a try that failed, so that it ends some day. */
  const postpone = (journal: RunJournal, entry: OutboxEntry): void => {
    const present = load(journal).find((other) => other.id === entry.id);
    if (present?.attempts !== entry.attempts) return;
    const failed = { kind: "retryable", status: null, mayHaveArrived: false } as const;
    replace(journal, settleTry(beginTry(entry, false, Date.now()), false, failed, false, Date.now(), Math.random()));
  };

  return {
    save,
    dueAt(journal) {
      const endedAt = journal.load().ending?.at ?? null;
      const dues = load(journal).map((entry) => dueAtOf(entry, endedAt));
      return dues.reduce((first, at) => (at === null || (first !== null && first <= at) ? first : at), null);
    },
    async sendDue(journal) {
      const now = Date.now();
      const endedAt = journal.load().ending?.at ?? null;
      const due = load(journal).filter((entry) => (dueAtOf(entry, endedAt) ?? now + 1) <= now);
      const tries = due.map(async (entry) => {
        try {
          await tryOne(journal, entry);
        } catch (error) {
          if (isPlatformError(error)) throw error;
          logBug("delivery", journal.load(), error);
          postpone(journal, entry);
        }
      });
      await Promise.all(tries);
      return due.length > 0;
    },
  };
}

interface Way {
  readonly usesUrl: boolean;
  /** There is another way should this one be closed for good. */
  readonly hasOther: boolean;
  send(ports: DeliveryPorts): Promise<DeliveryOutcome>;
}

/** How `entry` is sent now, or null when there is no way left. */
function chooseWay(journal: RunJournal, outbox: Outbox, entry: OutboxEntry, env: object): Way | null {
  const config = configOf(env);
  const { id, callbackUrl, slack: origin } = journal.settings;
  if (entry.kind === "webhook") {
    const secrets = config.webhookSigningSecrets;
    if (callbackUrl === null || secrets.length === 0 || !isAllowed(callbackUrl, config)) return null;
    const body = toWebhookBody({ ...toView(journal, [], Date.now()), deliveries: [] });
    // One event, one id: receivers drop what they have seen, also when it is sent again by hand.
    const asked = askedId(journal.load());
    const event = asked === null ? `msg_${id}` : `msg_${id}_${asked}`;
    const send: Way["send"] = (ports) => deliverWebhook({ url: callbackUrl, id: event, body, secrets }, ports);
    return { usesUrl: false, hasOther: false, send };
  }
  if (config.slack === null || !origin) return null;
  const { responseOrigin: allowedOrigin, apiOrigin, botToken: token, signingSecrets } = config.slack;
  const secret = signingSecrets[0] ?? "";
  const toForms = (): Promise<SlackForms> => formsOf(journal, entry, secret);
  const { responseUrl: url, responseType, replaceOriginal } = entry;
  // Only what everybody waits for is worth a message outside of the answer to a command.
  const hasOther = token !== null && ["finished", "share", "ask"].includes(entry.what);
  if (url !== null && mayUseUrl(entry, outbox, Date.now())) {
    const target = { url, allowedOrigin, responseType, replaceOriginal };
    return { usesUrl: true, hasOther, send: async (ports) => postToResponseUrl(target, await toForms(), ports) };
  }
  if (!hasOther || token === null) return null;
  // What only one person was to see goes to that person, never into the channel.
  const channel = responseType === "in_channel" ? origin.channelId : origin.userId;
  const target = { apiOrigin, token, channel, clientMessageId: toUuid(`${id} ${entry.id}`) };
  return { usesUrl: false, hasOther: false, send: async (ports) => postToChannel(target, await toForms(), ports) };
}

async function formsOf(journal: RunJournal, entry: OutboxEntry, secret: string): Promise<SlackForms> {
  if (entry.message !== null) {
    return toForms(entry.message);
  }
  const run = toView(journal, [], Date.now());
  if (entry.what === "ask" && run.waiting?.approval) return toApprovalForms(run, run.waiting.approval);
  if (entry.what === "ask" && run.waiting?.inquiry) return toInquiryForms(run, run.waiting.inquiry);
  const shown = shownRows(journal, run);
  const origin = journal.settings.slack?.publicOrigin;
  const path = `/slack/results/${run.id}/${shown?.ref ?? ""}`;
  const resultsUrl =
    origin === undefined || shown === null
      ? null
      : `${origin}${await signPath(path, secret, Date.now() + RESULTS_LINK_MS)}`;
  if (entry.what === "rows") return toRowsForms(shown, resultsUrl);
  return toFinishedForms({ run, shown, visibility: entry.responseType, resultsUrl });
}

/** The first rows of the last result that the answer rests on; without an answer, of the last result with rows. */
function shownRows(journal: RunJournal, run: PublicRun): ShownRows | null {
  const results = journal.results();
  const cited = results.filter((result) => run.receipt.results.includes(result.ref));
  const result = (cited.length > 0 ? cited : results).findLast((candidate) => candidate.rows.length > 0);
  return result === undefined ? null : toResultPage(result, 1, TABLE_ROWS_MAX);
}

/** The settings may have changed since the run was asked. */
/** As when the run was asked: the settings, or the rules, may have changed since. */
function isAllowed(url: string, { callbackOrigins: origins }: Pick<Config, "callbackOrigins">): boolean {
  return parseCallbackUrl(url, { origins, ownHost: "" }).ok;
}

/** A UUID (version 8: made in our own way) that follows from `text`. */
function toUuid(text: string): string {
  const hex = sha256Hex(text);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
