/**
 * Which addresses a finished run may be sent to.
 *
 * https on the usual port, no user, no fragment, a harmless host name, and on the operator's list of origins. Only an
 * origin that the list names may be plain http, on another port, or local.
 * Leaves to others: host names (callback-host.ts), the request itself, which follows no redirect (deliver/webhook.ts).
 * Pure: no I/O, no clock.
 */
import { err, ok, type Result } from "../lib/result.ts";
import { refuseHost } from "./callback-host.ts";

const URL_CHARS_MAX = 2_000;
export interface CallbackRules {
  /** Origins, or `*` for every public https host; empty: no callbacks. */
  readonly origins: readonly string[];
  /** This server's own host name. */
  readonly ownHost: string;
}

/** The address in its normal form, or a sentence on why it is refused. */
export function parseCallbackUrl(text: string, rules: CallbackRules): Result<string, string> {
  if (rules.origins.length === 0) {
    return err("Callbacks are not configured here: the operator sets CALLBACK_ORIGINS and WEBHOOK_SIGNING_SECRET.");
  }
  if (text.length > URL_CHARS_MAX) return err(`The address is longer than ${URL_CHARS_MAX} characters.`);
  if (/[\s\p{Cc}\\]/u.test(text)) return err("The address holds a space, a control character or a backslash.");
  const url = URL.parse(text);
  if (url === null) return err("This is not an address. Send one such as https://example.com/hook.");
  if (url.username !== "" || url.password !== "") return err("The address holds a user or password. Leave it out.");
  if (url.hash !== "") return err("The address holds a fragment, which is never sent. Leave it out.");
  const isNamed = rules.origins.includes(url.origin);
  if (isNamed && (url.protocol === "https:" || url.protocol === "http:")) return ok(url.href);
  if (url.protocol !== "https:") return err("The address must start with https://.");
  if (url.port !== "") return err("The address must use the usual port of https, 443.");
  const refusal = refuseHost(url.hostname, rules.ownHost);
  if (refusal !== null) return err(refusal);
  if (!rules.origins.includes("*")) return err("This origin is not on the list that the operator allows.");
  return ok(url.href);
}
