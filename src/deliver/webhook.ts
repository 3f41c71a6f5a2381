/**
 * Sends a finished run to an address of the caller's, signed (Standard Webhooks 1.0.0).
 *
 * The id stays the same over all tries, so the receiver can tell a repetition; the timestamp is that of the try. Only a
 * 2xx is a success: a redirect is a failure and is not followed, 410 ends it for good. The answer's body is never read.
 * Leaves to others: which addresses are allowed (config/callback-url.ts, when the run is asked), when to try again
 * (schedule.ts). Never throws.
 */
import { hmacSha256 } from "../lib/hmac.ts";
import { type DeliveryOutcome, type DeliveryPorts, post, retryAfterMs } from "./outcome.ts";

export interface WebhookDelivery {
  readonly url: string;
  /** Without a dot, the same for every try. */
  readonly id: string;
  /** JSON. */
  readonly body: string;
  /** `whsec_…`; the receiver needs to know one of them. */
  readonly secrets: readonly string[];
}

export async function deliverWebhook(delivery: WebhookDelivery, ports: DeliveryPorts): Promise<DeliveryOutcome> {
  const { url, id, body, secrets } = delivery;
  const timestamp = Math.floor(ports.now() / 1000);
  // A secret that is none never leaves config.ts; should one, nothing is sent without a signature.
  const signature = await signWebhook(secrets, id, timestamp, body).catch(() => "");
  if (signature === "") return { kind: "fatal", status: null, reason: "not_allowed" };
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signature,
  };
  const response = await post(url, headers, body, ports);
  if (response === null) return { kind: "retryable", status: null, mayHaveArrived: true };
  // Unread, so that the connection is given back; how that ends changes nothing.
  await response.body?.cancel().catch(() => undefined);
  const { status } = response;
  if (status >= 200 && status < 300) return { kind: "delivered", status };
  if (status === 410) return { kind: "fatal", status, reason: "gone" };
  const afterMs = retryAfterMs(response, ports.now());
  return { kind: "retryable", status, mayHaveArrived: false, ...(afterMs !== null && { afterMs }) };
}

/** The header `webhook-signature`: one signature for each secret. */
export async function signWebhook(
  secrets: readonly string[],
  id: string,
  timestamp: number,
  body: string,
): Promise<string> {
  const signatures = secrets.map(async (secret) => {
    const key = Uint8Array.from(atob(secret.replace(/^whsec_/, "")), (char) => char.charCodeAt(0));
    const signature = await hmacSha256(key, `${id}.${timestamp}.${body}`);
    return `v1,${btoa(String.fromCharCode(...signature))}`;
  });
  return (await Promise.all(signatures)).join(" ");
}
