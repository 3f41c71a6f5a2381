/**
 * A typed client for TypeScript users, made from the routes themselves: paths, bodies and answers are checked by the
 * compiler.
 *
 *     const querent = createClient("https://querent.example.com", process.env.QUERENT_KEY);
 *     const response = await querent.v1.runs.$post({ json: { question: "How many albums?" } });
 *     const run = await response.json();
 */
import { type ClientRequestOptions, hc } from "hono/client";
import type { AppType } from "./app.ts";

/** `key` may be left out for a local server. Errors are responses with a problem document; nothing is thrown. */
export function createClient(url: string, key?: string, options: ClientRequestOptions = {}) {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return hc<AppType>(url, { headers, ...options });
}
