/**
 * What a route is in the contract, and the headers that routes take and give, in words.
 * Leaves to others: the routes themselves (api-routes.ts, slack-routes.ts). Pure.
 */
import type * as z from "zod";
import type { ProblemCode } from "./problems.ts";

export interface RouteAnswer {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Media types beside, or instead of, JSON. */
  readonly texts?: readonly string[];
  readonly headers?: readonly HeaderName[];
}

export interface ApiRoute {
  readonly method: "get" | "post";
  /** OpenAPI's form: `/v1/runs/{id}`. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  /** More than the summary says, where there is more to know. */
  readonly description?: string;
  readonly tag: "runs" | "database" | "webhooks" | "slack" | "server";
  readonly auth: "key" | "signature" | "none";
  readonly query?: z.ZodObject;
  readonly takes?: readonly HeaderName[];
  /** `type`: its media type when it is not JSON. */
  readonly body?: { readonly schema: z.ZodType; readonly required: boolean; readonly type?: string };
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  readonly problems: readonly ProblemCode[];
  /** Served as a file beside the worker, which has no route for it. */
  readonly isFile?: true;
}

export const HEADERS = {
  Prefer:
    "`wait=N`: wait up to N whole seconds (300 at most) for the run to finish. Another value is refused; a manual run is not waited for.",
  "Preference-Applied": "The wait that was granted: `wait=300` when more was asked for.",
  "Idempotency-Key":
    'Names the request, in double quotes: "8e03978e-40d5". The same key and body give the same run, also while the first request is not answered yet.',
  "Idempotency-Expires": "When the key is forgotten.",
  Location: "Address of the run.",
  ETag: "Changes when the answer does.",
  "If-None-Match": "ETags that the client has already.",
  "Last-Event-ID": "Number of the last event that was read; the stream goes on after it.",
  RateLimit: "What is left of the rate, and when it is whole again.",
  "RateLimit-Policy": "Questions that may be asked within a window.",
  "Retry-After": "Seconds until it is worth trying again.",
  "Querent-Outcome": "Of a finished run: answered, stopped, failed or cancelled.",
  "Querent-Grounded": "Of a finished run: whether the answer rests on rows. `false`: no query was made for it.",
  "Querent-Truncated": "Whether rows or cells of the result were cut.",
  Allow: "The methods of this address.",
  "WWW-Authenticate": "How to send a key.",
  "webhook-id": "Id of the delivery, the same for every try.",
  "webhook-timestamp": "Unix seconds.",
  "webhook-signature": "Standard Webhooks: `v1,` and base64, several separated by spaces.",
  "X-Hub-Signature-256": "Of a source with the scheme `github`: `sha256=` and hex.",
  "X-GitHub-Delivery":
    "Of a source with the scheme `github`: id of the delivery. It is not signed: the same body under another id is the same delivery for 14 days, unless the source has `allow_identical_bodies`.",
  "X-Slack-Request-Timestamp": "Unix seconds, at most five minutes off.",
  "X-Slack-Signature": "`v0=` and the hex HMAC-SHA256 of `v0:{timestamp}:{raw body}` under the app's signing secret.",
} as const;

export type HeaderName = keyof typeof HEADERS;
