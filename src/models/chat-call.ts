/**
 * The one request of OpenAI's protocol that Querent makes: `POST …/chat/completions`, answered whole.
 *
 * Owns: address, headers, and reading what comes back up to a bound. Leaves to others: the deadline (call.ts), what an
 * answer means (openai-compatible.ts), the body (openai-request.ts).
 *
 * Not through the `openai` package: it would be 98 kB of a compressed worker of 250 (a worker that starts cold reads all
 * of it), for one request without retries, streams or uploads. Its types are kept, so that a body that the vendor's own
 * definitions refuse does not compile. What a client of that kind gets wrong when left to itself is settled here: no
 * retry, redirects not followed (key and prompt go to the configured address only), nothing logged, an answer that has
 * no end is not read for ever.
 */

import { readBoundedText } from "../lib/bounded-text.ts";
import type { Result } from "../lib/result.ts";
import { err, ok } from "../lib/result.ts";

export interface ChatCall {
  /** With its version path. */
  readonly baseUrl: string;
  /** Empty for a server that asks for none. */
  readonly apiKey: string;
  readonly body: unknown;
  readonly fetch: (input: string, init: RequestInit) => Promise<Response>;
}

/** Whatever the status says. `text` is an error when the answer is longer than anything a model writes. */
export interface ChatAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: Result<string, string>;
}

/** A reply of 128,000 tokens is about 1 MB. */
export const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

/** Sends it once. Rejects as `fetch` does: when the connection fails or breaks, or the signal ends it. */
export async function postChat(call: ChatCall, signal: AbortSignal): Promise<ChatAnswer> {
  const response = await call.fetch(`${call.baseUrl.replace(/\/+$/, "")}/chat/completions`, {
    method: "POST",
    headers: {
      accept: "application/json",
      "content-type": "application/json",
      "user-agent": "querent",
      ...(call.apiKey === "" ? {} : { authorization: `Bearer ${call.apiKey}` }),
    },
    body: JSON.stringify(call.body),
    redirect: "manual",
    signal,
  });
  const text = await readBoundedText(response, ANSWER_BYTES_MAX);
  const tooLong = `the answer is longer than ${ANSWER_BYTES_MAX / 1024 / 1024} MiB`;
  return { status: response.status, headers: response.headers, text: text === null ? err(tooLong) : ok(text) };
}
