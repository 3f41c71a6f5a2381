/**
 * The API key of this tab: in this module's memory and nowhere else, so that a reload or another tab knows nothing of it.
 */
const session = { key: null as string | null };
const keyListeners = new Set<() => void>();

export function hasKey(): boolean {
  return session.key !== null;
}

/** Null forgets it. */
export function setKey(key: string | null): void {
  session.key = key;
  for (const listener of keyListeners) listener();
}

/** Calls `listener` whenever the key is another; returns how to stop that. */
export function onKeyChange(listener: () => void): () => void {
  keyListeners.add(listener);
  return () => keyListeners.delete(listener);
}

/** Headers of every request. By the first, Cloudflare Access refuses with 401 when its sign-in has run out, and does not redirect. */
export function authorization(): Record<string, string> {
  const headers = { "x-requested-with": "XMLHttpRequest" };
  return session.key === null ? headers : { ...headers, authorization: `Bearer ${session.key}` };
}
