/**
 * Who asks: bearer keys, compared by hash; without one, people that Cloudflare Access lets in.
 *
 * Owns: the Authorization header, which comes before all else, and what a missing or wrong key is answered. Leaves to
 * others: which callers there are (config/callers.ts) and what they may do, tokens of Access (cloudflare-access.ts).
 * Without callers everything is refused, unless the worker runs on the developer's own machine; there a request needs no
 * key, but must be addressed to that machine by a name of its own, or any web page could reach it through a DNS name that
 * points to loopback.
 */
import { createMiddleware } from "hono/factory";
import type { Caller } from "../config/callers.ts";
import { ACCESS_HEADER, admitByAccess } from "./cloudflare-access.ts";
import type { HttpEnv } from "./context.ts";
import { problem } from "./problems.ts";

const KEY_CHARS_MAX = 512;
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Puts the caller on the context, or refuses. */
export const authenticate = createMiddleware<HttpEnv>(async function authenticate(c, next) {
  const { access, callers, localCaller } = c.var.config;
  const header = c.req.header("authorization");
  const token = c.req.header(ACCESS_HEADER);
  if (header === undefined && token !== undefined && access !== null) {
    c.set("caller", await admitByAccess(c, access, token));
    return next();
  }
  if (header === undefined) {
    if (localCaller === null) throw refuse(callers.size);
    if (!LOOPBACK_HOSTS.has(new URL(c.req.url).hostname)) {
      throw problem("forbidden_host", "Without a key, ask at localhost or 127.0.0.1 only.");
    }
    c.set("caller", localCaller);
    return next();
  }
  const key = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header)?.[1];
  const caller = key === undefined || key.length > KEY_CHARS_MAX ? null : await findCaller(key, callers);
  if (caller === null && localCaller !== null && callers.size === 0) throw refuseLocal();
  if (caller === null) throw refuse(callers.size, "invalid_token");
  c.set("caller", caller);
  return next();
});

/** The caller whose key this is. All hashes are looked at, in full, whichever fits: time tells nothing. */
export async function findCaller(key: string, callers: ReadonlyMap<string, Caller>): Promise<Caller | null> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));
  let found: Caller | null = null;
  for (const caller of callers.values()) {
    for (const hash of caller.keyHashes) {
      if (isEqualHash(digest, hash)) found = caller;
    }
  }
  return found;
}

function isEqualHash(digest: Uint8Array, hex: string): boolean {
  let difference = 0;
  for (let index = 0; index < digest.length; index += 1) {
    difference |= (digest[index] ?? 0) ^ Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16);
  }
  return difference === 0;
}

/** A key that was meant for another server, most likely. */
function refuseLocal() {
  const advice = "This local server has no API keys and needs none: leave the Authorization header out.";
  return problem("unauthorized", advice, {
    headers: { "www-authenticate": 'Bearer realm="querent", error="invalid_token"' },
  });
}

function refuse(callers: number, error?: string) {
  const challenge = error === undefined ? 'Bearer realm="querent"' : `Bearer realm="querent", error="${error}"`;
  const advice =
    callers === 0
      ? "No API keys are configured, so nobody is let in. Make one with `npm run key` and set QUERENT_CALLERS."
      : error === undefined
        ? 'Send your key as "Authorization: Bearer <key>".'
        : "The key is not known. Check that it was copied whole and has not been replaced.";
  return problem("unauthorized", advice, { headers: { "www-authenticate": challenge } });
}
