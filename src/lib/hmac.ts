/**
 * HMAC-SHA256 with Web Crypto, a comparison whose time tells nothing, and addresses that carry their own permission.
 * Leaves to others: which text is signed with which key. No clock: instants come in.
 */

const encoder = new TextEncoder();

/** The code of `parts`, one after the other. */
export async function hmacSha256(key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): Promise<Uint8Array> {
  const chunks = parts.map((part) => (typeof part === "string" ? encoder.encode(part) : part));
  const message = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    message.set(chunk, at);
    at += chunk.length;
  }
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", new Uint8Array(key), algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, message));
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Looks at every character whatever it finds; texts of another length are no secret. */
export function isEqualText(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index += 1) difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  return difference === 0;
}

/** `path` with the permission to open it until `expiresAt`, epoch milliseconds. Whoever has the address may open it. */
export async function signPath(path: string, secret: string, expiresAt: number): Promise<string> {
  const expires = Math.floor(expiresAt / 1000);
  return `${path}?expires=${expires}&signature=${await pathSignature(path, secret, expires)}`;
}

/** Whether the query of a signed path is the one that `signPath` gave, for one of `secrets`, and not over at `now`. */
export async function isSignedPath(
  path: string,
  query: URLSearchParams,
  secrets: readonly string[],
  now: number,
): Promise<boolean> {
  const expires = query.get("expires") ?? "";
  const signature = query.get("signature") ?? "";
  if (!/^[0-9]{1,12}$/.test(expires) || Number(expires) * 1000 <= now) return false;
  let found = false;
  for (const secret of secrets) {
    if (isEqualText(await pathSignature(path, secret, Number(expires)), signature)) found = true;
  }
  return found;
}

async function pathSignature(path: string, secret: string, expires: number): Promise<string> {
  // The first line keeps these codes apart from all others that the same secret may make.
  return toHex(await hmacSha256(encoder.encode(secret), `signed path\n${path}\n${expires}`));
}
