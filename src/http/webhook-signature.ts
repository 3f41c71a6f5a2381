/**
 * Signatures of incoming webhooks, over the raw bytes of the body.
 *
 * Two schemes. Standard Webhooks (id, time and body signed; several signatures and several secrets at once while one is
 * replaced; five minutes of tolerance both ways) and GitHub's (`X-Hub-Signature-256`, body alone: neither a time nor the
 * delivery's id is signed, so webhooks.ts takes the body itself for the name of a delivery. Prefer the first).
 * Owns: which headers are needed and the comparison, which is Web Crypto's and takes the same time for every input.
 * Pure but for Web Crypto; the clock comes in as `now`, epoch milliseconds.
 */
import { err, ok, type Result } from "../lib/result.ts";

const TOLERANCE_MS = 5 * 60 * 1000;
/** More than anybody rotates at once; each costs one HMAC for each secret. */
const SIGNATURES_MAX = 10;

export interface SignedDelivery {
  /** The same for every try of one delivery. Signed by the first scheme only. */
  readonly id: string;
}

/** The delivery that `headers` and `body` make, or why it is not believed. */
export async function verifyStandardWebhook(
  headers: Headers,
  body: Uint8Array<ArrayBuffer>,
  secrets: readonly string[],
  now: number,
): Promise<Result<SignedDelivery, string>> {
  const id = headers.get("webhook-id") ?? "";
  const timestamp = headers.get("webhook-timestamp") ?? "";
  // A dot would make two readings of the signed text; a comma is how a repeated header arrives.
  if (!/^[A-Za-z0-9_:+/=-]{1,200}$/.test(id)) return err("The header webhook-id is missing or not valid.");
  if (!/^[0-9]{1,12}$/.test(timestamp)) return err("The header webhook-timestamp is missing or not in Unix seconds.");
  if (Math.abs(now - Number(timestamp) * 1000) > TOLERANCE_MS) {
    return err("The header webhook-timestamp is more than five minutes off. Check the sender's clock.");
  }
  const header = headers.get("webhook-signature") ?? "";
  if (header.includes(", ")) return err("The header webhook-signature stands more than once.");
  const signatures = header
    .split(" ")
    .filter((signature) => signature.startsWith("v1,"))
    .slice(0, SIGNATURES_MAX)
    .map((signature) => fromBase64(signature.slice("v1,".length)))
    .filter((signature) => signature !== null);
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const keys = secrets.map((secret) => fromBase64(secret.slice("whsec_".length))).filter((key) => key !== null);
  return (await isSigned(signed, signatures, keys)) ? ok({ id }) : err("No signature in webhook-signature is valid.");
}

/** As above, for GitHub's scheme. */
export async function verifyGithubWebhook(
  headers: Headers,
  body: Uint8Array<ArrayBuffer>,
  secrets: readonly string[],
): Promise<Result<SignedDelivery, string>> {
  const id = headers.get("x-github-delivery") ?? "";
  if (!/^[A-Za-z0-9_-]{1,200}$/.test(id)) return err("The header X-GitHub-Delivery is missing or not valid.");
  const hex = /^sha256=([0-9a-f]{64})$/i.exec(headers.get("x-hub-signature-256") ?? "")?.[1];
  const signatures = hex === undefined ? [] : [fromHex(hex)];
  const keys = secrets.map((secret) => Uint8Array.from(new TextEncoder().encode(secret)));
  return (await isSigned(body, signatures, keys)) ? ok({ id }) : err("X-Hub-Signature-256 is missing or not valid.");
}

/** Tries every pair, whatever the ones before gave. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: readonly Uint8Array<ArrayBuffer>[],
  keys: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  let isValid = false;
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const signature of signatures) {
      if (await crypto.subtle.verify("HMAC", key, signature, signed)) isValid = true;
    }
  }
  return isValid;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  );
}

function concat(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(head.length + tail.length);
  bytes.set(head);
  bytes.set(tail, head.length);
  return bytes;
}
