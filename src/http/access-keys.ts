/**
 * The public keys of a Cloudflare Access team, fetched from it and kept for an hour in this isolate.
 *
 * Owns: the fetch (bounded in time and size, no redirect followed) and how often there is one: an id that is unknown may
 * be of a new key, so it is looked for anew, but made-up ids cannot turn into a flood of fetches. Keys that could not be
 * had are never taken as right or wrong. Only plain values are kept: a promise of one request is of no use to another.
 * Leaves to others: what is signed with them (cloudflare-access.ts).
 */
import * as z from "zod";
import { readBoundedText } from "../lib/bounded-text.ts";
import { decodeJson } from "../lib/json.ts";
import { err, ok, type Result } from "../lib/result.ts";
import type { HttpPorts } from "./context.ts";

/** A public key, with no member but those that verifying takes. */
export type AccessKey = z.infer<typeof keySchema>;
/** `unknown`: the team has no such key. `unavailable`: nobody can tell now. */
export type KeyReply =
  | { readonly kind: "found"; readonly key: AccessKey }
  | { readonly kind: "unknown" }
  | { readonly kind: "unavailable" };

const keySchema = z.object({
  kid: z.string().min(1),
  kty: z.literal("RSA"),
  alg: z.literal("RS256").default("RS256"),
  n: z.string(),
  e: z.string(),
});
const certsSchema = z.object({ keys: z.array(z.unknown()).max(100) });

/** A key lives six weeks and a week more after it is replaced. */
const FRESH_MS_MAX = 60 * 60 * 1000;
/** For so long an id that was not there is not looked for again, and for so long fetches are counted. */
const PAUSE_MS = 10_000;
/** Fetches within a pause: room for those who come at once to an isolate that has no keys yet. */
const FETCHES_MAX = 16;
const FETCH_MS_MAX = 5_000;
/** Two keys, with their certificates, take 8 kB. */
const CERTS_BYTES_MAX = 128 * 1024;

interface KeyStore {
  keys: ReadonlyMap<string, AccessKey>;
  fetchedAt: number;
  /** Starts of the last fetches. */
  fetches: readonly number[];
}
const stores = new WeakMap<object, KeyStore>();

/** The key with this id. `door` is of the settings: keys live as long as they do. */
export async function findAccessKey(
  door: { readonly team: string },
  kid: string,
  ports: Pick<HttpPorts, "now" | "log">,
): Promise<KeyReply> {
  const store = stores.get(door) ?? { keys: new Map(), fetchedAt: Number.NEGATIVE_INFINITY, fetches: [] };
  stores.set(door, store);
  const now = ports.now();
  const age = now - store.fetchedAt;
  const isFresh = age < FRESH_MS_MAX;
  const kept = store.keys.get(kid);
  if (isFresh && kept !== undefined) return { kind: "found", key: kept };
  if (isFresh && age < PAUSE_MS) return { kind: "unknown" };
  const recent = store.fetches.filter((at) => now - at < PAUSE_MS);
  if (recent.length >= FETCHES_MAX) return { kind: "unavailable" };
  store.fetches = [...recent, now];
  const fetched = await fetchKeys(door.team);
  if (!fetched.ok) {
    ports.log({ level: "error", event: "access_keys_unavailable", reason: fetched.error });
    return { kind: "unavailable" };
  }
  store.keys = fetched.value;
  store.fetchedAt = ports.now();
  const key = store.keys.get(kid);
  return key === undefined ? { kind: "unknown" } : { kind: "found", key };
}

/** Every key that can be used, by its id; or why there is none. */
async function fetchKeys(team: string): Promise<Result<ReadonlyMap<string, AccessKey>, string>> {
  try {
    const response = await fetch(`${team}/cdn-cgi/access/certs`, {
      headers: { accept: "application/json" },
      redirect: "manual",
      signal: AbortSignal.timeout(FETCH_MS_MAX),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      return err(`status ${response.status}`);
    }
    const text = await readBoundedText(response, CERTS_BYTES_MAX);
    if (text === null) return err("too long");
    const certs = decodeJson(text, certsSchema);
    const keys = (certs?.keys ?? []).flatMap((key) => keySchema.safeParse(key).data ?? []);
    return keys.length === 0 ? err("no keys in it") : ok(new Map(keys.map((key) => [key.kid, key])));
  } catch {
    return err("no answer");
  }
}
