/**
 * A Cloudflare Access team on loopback: it serves its public keys where the real one does, and signs tokens of the form
 * that Cloudflare documents. Keys are WebCrypto's; tokens are put together here, so that wrong ones can be too.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Peer, send, startPeer } from "./http-peer.ts";

export const AUDIENCE = "32eafc7626e974616deaf0dc3ce63d7bcbed58a2731e84d06bc3cdf1b53c4228";
export const EMAIL = "person@example.com";

interface SigningKey {
  readonly kid: string;
  readonly pair: CryptoKeyPair;
  readonly jwk: JsonWebKey;
}

type Serve = (response: ServerResponse) => void;

export interface FakeAccess {
  readonly url: string;
  /** How often the keys were asked for. */
  readonly fetches: () => number;
  /** What is served from now on; null: the keys, as they should be. */
  serve(how: Serve | null): void;
  /** Signs with a new key from now on; the old one is served on beside it. */
  rotate(): Promise<void>;
  /** A good token of the moment `now`, but for what is laid over its header and claims. */
  token(now: number, claims?: object, header?: object): Promise<string>;
  /** The key that signs now, as it is served. */
  publicJwk(): JsonWebKey & { readonly kid: string };
  stop(): Promise<void>;
}

const RSA = {
  name: "RSASSA-PKCS1-v1_5",
  hash: "SHA-256",
  modulusLength: 2_048,
  publicExponent: new Uint8Array([1, 0, 1]),
};

export async function startFakeAccess(): Promise<FakeAccess> {
  let keys = [await createKey("key-1")];
  let serveNow: Serve | null = null;
  let count = 0;
  const served = () =>
    keys.map(({ kid, jwk }) => ({ kid, kty: jwk.kty, alg: "RS256", use: "sig", e: jwk.e, n: jwk.n }));
  const peer: Peer = await startPeer(
    async (request: IncomingMessage, response: ServerResponse) => {
      if (request.url !== "/cdn-cgi/access/certs") return send(response, 404, {});
      count += 1;
      if (serveNow !== null) return serveNow(response);
      return send(response, 200, { keys: served(), public_cert: { kid: keys[0]?.kid, cert: "-----BEGIN" } });
    },
    () => undefined,
  );
  return {
    url: peer.url,
    fetches: () => count,
    serve(how) {
      serveNow = how;
    },
    async rotate() {
      keys = [await createKey(`key-${keys.length + 1}`), ...keys];
    },
    async token(now, claims = {}, header = {}) {
      const [key] = keys;
      if (key === undefined) throw new Error("no key");
      const seconds = Math.floor(now / 1000);
      const head = { alg: "RS256", kid: key.kid, typ: "JWT", ...header };
      const text = `${encode(head)}.${encode({
        aud: [AUDIENCE],
        email: EMAIL,
        exp: seconds + 3_600,
        iat: seconds,
        nbf: seconds,
        iss: peer.url,
        type: "app",
        sub: "7335d417-61da-459d-899c-0a01c76a2f94",
        ...claims,
      })}`;
      const signature = await crypto.subtle.sign(RSA.name, key.pair.privateKey, new TextEncoder().encode(text));
      return `${text}.${Buffer.from(signature).toString("base64url")}`;
    },
    publicJwk: () => ({ ...served()[0] }) as JsonWebKey & { kid: string },
    stop: () => peer.stop(),
  };
}

/** One part of a token. */
export function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

async function createKey(kid: string): Promise<SigningKey> {
  const pair = (await crypto.subtle.generateKey(RSA, true, ["sign", "verify"])) as CryptoKeyPair;
  return { kid, pair, jwk: (await crypto.subtle.exportKey("jwk", pair.publicKey)) as JsonWebKey };
}
