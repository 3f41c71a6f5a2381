/**
 * QUERENT_ACCESS: people who come in by the deployer's Cloudflare Access, without a key.
 *
 *     {"team": "https://acme.cloudflareaccess.com",     the team's domain: it signs, and serves its public keys
 *      "audience": "<64 hex digits>",                   the AUD tag of the Access application that guards this worker
 *      "caller": "team"}                                of QUERENT_CALLERS: what all of them may do, together
 *
 * Owns: the JSON. Leaves to others: the token and where a request may come from (http/cloudflare-access.ts).
 * Pure: no I/O, no clock.
 */
import * as z from "zod";
import { toOrigin } from "./addresses.ts";
import type { Caller } from "./callers.ts";
import { ConfigError, readJson, type Variables } from "./variables.ts";

export interface AccessDoor {
  /** An origin: the `iss` of its tokens, and where its keys are. */
  readonly team: string;
  readonly audience: string;
  readonly caller: Caller;
}

const NAME = "QUERENT_ACCESS";
const EXAMPLE =
  'For example {"team": "https://acme.cloudflareaccess.com", "audience": "<the AUD tag>", "caller": "team"}.';
const LOOPBACK_HTTP = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

const schema = z.strictObject({
  team: z.string().max(300),
  audience: z.string().regex(/^[0-9a-f]{64}$/, "the AUD tag of the Access application has 64 hex digits"),
  caller: z.string(),
});

/** The door, or null when it is not set: then no token lets anybody in. */
export function readAccess(variables: Variables, callers: ReadonlyMap<string, Caller>): AccessDoor | null {
  const given = readJson(variables, NAME, schema, EXAMPLE);
  if (given === null) return null;
  const team = toOrigin(NAME, given.team);
  // Whoever can change the keys on their way lets in whom they like; on loopback there is no way to speak of.
  if (!team.startsWith("https:") && !LOOPBACK_HTTP.test(team)) {
    throw new ConfigError(`${NAME}: "team" must start with https. ${EXAMPLE}`);
  }
  const caller = callers.get(given.caller);
  if (caller === undefined) {
    throw new ConfigError(
      `${NAME}: the caller named there is not in QUERENT_CALLERS. Add it there; it needs no key: "keys": [].`,
    );
  }
  return { team, audience: given.audience, caller };
}
