/**
 * Sends one message to Slack: to a response URL, or with a bot token to a channel.
 *
 * Owns: which answers of Slack mean what, and the ladder of forms: a message whose blocks are refused is sent again at
 * once without the table, then as plain text, so that no answer is lost to a rule of Block Kit. A refusal uses up none of
 * the five posts that a response URL takes. Never throws; no URL, token or text gets into an outcome or a log.
 * Leaves to others: what the message says (slack-message.ts), when to try again (schedule.ts), counting posts.
 */
import { type DeliveryOutcome, type DeliveryPorts, post, retryAfterMs } from "./outcome.ts";
import type { SlackForms, SlackMessage } from "./slack-blocks.ts";

export interface ResponseTarget {
  /** A bearer secret. */
  readonly url: string;
  /** The only origin that such a URL may have. */
  readonly allowedOrigin: string;
  readonly responseType: "ephemeral" | "in_channel";
  /** True: the message becomes the one that the URL belongs to. False: it is a new one beside it. */
  readonly replaceOriginal: boolean;
}

export interface ChannelTarget {
  readonly apiOrigin: string;
  readonly token: string;
  /** A channel, or a user for a direct message. */
  readonly channel: string;
  /** A UUID, the same for every try: Slack drops a second message with it. */
  readonly clientMessageId: string;
}

/** Known reasons for which another form of the same message may be taken. */
const FORM_REFUSALS: ReadonlySet<string> = new Set([
  "invalid_attachments",
  "invalid_blocks",
  "invalid_blocks_format",
  "invalid_payload",
  "msg_blocks_too_long",
  "msg_too_long",
]);
/** Errors on Slack's side that pass. After the first four the message may be there all the same. */
const UNSURE: ReadonlySet<string> = new Set([
  "fatal_error",
  "internal_error",
  "request_timeout",
  "service_unavailable",
]);
const RATE_LIMITS: ReadonlySet<string> = new Set(["rate_limited", "ratelimited"]);
/** Enough for any error that Slack has; the rest of a longer body is not read. */
const BODY_BYTES_MAX = 4_096;

export async function postToResponseUrl(
  target: ResponseTarget,
  forms: SlackForms,
  ports: DeliveryPorts,
): Promise<DeliveryOutcome> {
  if (URL.parse(target.url)?.origin !== target.allowedOrigin) {
    return { kind: "fatal", status: null, reason: "not_allowed" };
  }
  return postForms(forms, ports, (message) => {
    const body = {
      response_type: target.responseType,
      replace_original: target.replaceOriginal,
      unfurl_links: false,
      unfurl_media: false,
      ...toFields(message),
    };
    return post(target.url, JSON_HEADERS, JSON.stringify(body), ports);
  });
}

export async function postToChannel(
  target: ChannelTarget,
  forms: SlackForms,
  ports: DeliveryPorts,
): Promise<DeliveryOutcome> {
  return postForms(forms, ports, (message) => {
    const headers = { ...JSON_HEADERS, authorization: `Bearer ${target.token}` };
    const body = {
      channel: target.channel,
      client_msg_id: target.clientMessageId,
      parse: "none",
      link_names: false,
      unfurl_links: false,
      unfurl_media: false,
      ...toFields(message),
    };
    return post(`${target.apiOrigin}/api/chat.postMessage`, headers, JSON.stringify(body), ports);
  });
}

/** The same message in each form until one is not refused for its form. */
async function postForms(
  forms: SlackForms,
  ports: DeliveryPorts,
  send: (message: SlackMessage) => Promise<Response | null>,
): Promise<DeliveryOutcome> {
  let outcome: DeliveryOutcome = { kind: "fatal", status: null, reason: "refused" };
  let before = "";
  for (const message of [forms.rich, forms.simple, forms.plain]) {
    const text = JSON.stringify(message);
    if (text === before) continue;
    before = text;
    const read = await readAnswer(await send(message), ports);
    outcome = read.outcome;
    if (!read.isFormRefused) return outcome;
  }
  return outcome;
}

interface Answer {
  readonly outcome: DeliveryOutcome;
  readonly isFormRefused: boolean;
}

async function readAnswer(response: Response | null, ports: DeliveryPorts): Promise<Answer> {
  if (response === null) {
    return { outcome: { kind: "retryable", status: null, mayHaveArrived: true }, isFormRefused: false };
  }
  const { status } = response;
  const afterMs = retryAfterMs(response, ports.now());
  const code = await readCode(response);
  const later = (mayHaveArrived: boolean): Answer => ({
    outcome: { kind: "retryable", status, mayHaveArrived, ...(afterMs !== null && { afterMs }) },
    isFormRefused: false,
  });
  if (status >= 200 && status < 300 && code === null) {
    return { outcome: { kind: "delivered", status }, isFormRefused: false };
  }
  if (status === 429 || (code !== null && RATE_LIMITS.has(code))) return later(false);
  if (status >= 500) return later(false);
  if (code !== null && UNSURE.has(code)) return later(true);
  const reason = status === 404 || status === 410 ? ("gone" as const) : ("refused" as const);
  return { outcome: { kind: "fatal", status, reason }, isFormRefused: code !== null && FORM_REFUSALS.has(code) };
}

/** The error in a body, as Slack writes it: one word, or JSON with `ok: false`. Null: none. */
async function readCode(response: Response): Promise<string | null> {
  const text = await readStart(response);
  if (text.startsWith("{")) {
    const ok = /"ok"\s*:\s*(true|false)/.exec(text)?.[1];
    const code = /"error"\s*:\s*"([a-z_]{1,64})/.exec(text)?.[1];
    return ok === "true" ? null : (code ?? (ok === "false" ? "unknown" : null));
  }
  const word = /^[a-z_]{1,64}$/.exec(text.trim())?.[0] ?? null;
  return word === "ok" ? null : word;
}

async function readStart(response: Response): Promise<string> {
  if (response.body === null) return "";
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    while (text.length < BODY_BYTES_MAX) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
    await reader.cancel();
  } catch {
    // A body that breaks off says no more than what came of it.
  }
  return text;
}

const JSON_HEADERS: Readonly<Record<string, string>> = { "content-type": "application/json; charset=utf-8" };

function toFields(message: SlackMessage): { readonly text: string; readonly blocks?: SlackMessage["blocks"] } {
  return message.blocks.length === 0 ? { text: message.text } : message;
}
