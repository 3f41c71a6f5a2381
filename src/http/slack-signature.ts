/**
 * Whether a request is Slack's: a code over its raw bytes and its time, made with a secret that only Slack and we know.
 *
 * Slack's own libraries refuse old requests only; here one from the future is refused too, since nothing else bounds how
 * long it could be sent again. A header that stands twice arrives as one value with a comma and fits neither form.
 * Pure but for Web Crypto; the clock comes in as `now`, epoch milliseconds.
 */
import { hmacSha256, isEqualText, toHex } from "../lib/hmac.ts";

const TOLERANCE_MS = 5 * 60 * 1000;

/** True when one of `secrets` (several while one is replaced) has signed `body` within five minutes of `now`. */
export async function isFromSlack(
  headers: Headers,
  body: Uint8Array,
  secrets: readonly string[],
  now: number,
): Promise<boolean> {
  const timestamp = headers.get("x-slack-request-timestamp") ?? "";
  const signature = headers.get("x-slack-signature") ?? "";
  if (!/^[0-9]{1,12}$/.test(timestamp) || !/^v0=[0-9a-f]{64}$/.test(signature)) return false;
  if (Math.abs(now - Number(timestamp) * 1000) > TOLERANCE_MS) return false;
  const encoder = new TextEncoder();
  let isSigned = false;
  for (const secret of secrets) {
    const code = await hmacSha256(encoder.encode(secret), `v0:${timestamp}:`, body);
    if (isEqualText(`v0=${toHex(code)}`, signature)) isSigned = true;
  }
  return isSigned;
}
