/**
 * Who comes in by Cloudflare Access: the token that it puts before every request it lets through, verified here.
 *
 * Owns: what a token must be (signed with RS256 by a key of the team, for this application, in its time), and where a
 * request may come from. Access reads its cookie, which a browser sends along whatever page the request is from: so a
 * request from another origin is refused, and one that can change something must show that it is from this server's own
 * page. No CORS setting opens that: a listed page needs a key, as a program does. Leaves to others: the team's keys
 * (access-keys.ts), keys of the API, which come first (auth.ts). Nothing of a token is kept or logged; `CF_Authorization`,
 * the cookie, is not read.
 */
import type { Context } from "hono";
import { decode, verifyWithJwks } from "hono/utils/jwt/jwt";
import type { Caller } from "../config/callers.ts";
import type { AccessDoor } from "../config/cloudflare-access.ts";
import { findAccessKey } from "./access-keys.ts";
import type { HttpEnv } from "./context.ts";
import { problem } from "./problems.ts";

export const ACCESS_HEADER = "cf-access-jwt-assertion";

/** Three parts of base64url; two headers of the name are joined by a comma, which is in none. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const TOKEN_CHARS_MAX = 16_384;
/** How far two clocks may be apart. */
const LEEWAY_SECONDS = 30;
const RETRY_SECONDS = 10;

/** The caller that the token stands for, or a refusal. */
export async function admitByAccess(c: Context<HttpEnv>, door: AccessDoor, token: string): Promise<Caller> {
  if (!isFromOwnPage(c.req.raw)) {
    const advice =
      "Who is signed in by Cloudflare Access can do this from the page of this server only. A program sends an API key.";
    throw problem("cross_site", advice);
  }
  const verdict = await verify(token, door, c.var.ports);
  if (verdict === "good") return door.caller;
  if (verdict === "unavailable") {
    const advice =
      "The keys of Cloudflare Access could not be fetched, so its sign-in cannot be checked now. Try again soon, or send an API key. If it lasts, `team` of QUERENT_ACCESS may be wrong.";
    throw problem("unavailable", advice, { headers: { "retry-after": String(RETRY_SECONDS) } });
  }
  const advice =
    "Reload the page to sign in again. If that does not help, `team` or `audience` of QUERENT_ACCESS is not that of the Access application before this server.";
  throw problem("access_refused", advice, {
    headers: { "www-authenticate": 'Bearer realm="querent", error="invalid_token"' },
  });
}

/**
 * Browsers name the origin of every request that is not a plain GET, and most say how near it is. What reads alone may be
 * a link or a picture on another page, which learns nothing from it; a page that could read the answer names its origin.
 */
function isFromOwnPage(request: Request): boolean {
  const own = new URL(request.url).origin;
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== own) return false;
  if (request.method === "GET" || request.method === "HEAD") return true;
  const site = request.headers.get("sec-fetch-site");
  return site === null ? origin === own : site === "same-origin";
}

async function verify(
  token: string,
  door: AccessDoor,
  ports: HttpEnv["Variables"]["ports"],
): Promise<"good" | "bad" | "unavailable"> {
  if (token.length > TOKEN_CHARS_MAX || !TOKEN.test(token)) return "bad";
  const kid = readKeyId(token);
  if (kid === null) return "bad";
  const found = await findAccessKey(door, kid, ports);
  if (found.kind !== "found") return found.kind === "unknown" ? "bad" : "unavailable";
  try {
    const payload = await verifyWithJwks(token, {
      keys: [found.key],
      allowedAlgorithms: ["RS256"],
      // Times are looked at here: the library allows no leeway, and takes a token without an end.
      verification: { iss: door.team, aud: door.audience, exp: false, nbf: false, iat: false },
    });
    return isInTime(payload, Math.floor(ports.now() / 1000)) ? "good" : "bad";
  } catch {
    return "bad";
  }
}

/** Null when the token is no token, or signed in a way that needs no look at the keys. */
function readKeyId(token: string): string | null {
  try {
    const { header } = decode(token);
    return header.alg === "RS256" && typeof header.kid === "string" ? header.kid : null;
  } catch {
    return null;
  }
}

function isInTime({ exp, nbf }: { readonly exp?: unknown; readonly nbf?: unknown }, now: number): boolean {
  if (typeof exp !== "number" || !(now < exp + LEEWAY_SECONDS)) return false;
  return nbf === undefined || (typeof nbf === "number" && nbf <= now + LEEWAY_SECONDS);
}
