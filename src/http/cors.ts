/**
 * Which web pages may call the API: those whose origin QUERENT_CORS_ORIGINS lists.
 *
 * A preflight needs no key, and every answer to a listed origin carries the headers, errors too. Without a list there is
 * no CORS at all. `Origin: null` (a file, a sandboxed frame) can never be listed. No cookies are involved.
 */
import { cors } from "hono/cors";
import { createMiddleware } from "hono/factory";
import type { HttpEnv } from "./context.ts";

const PREFLIGHT_SECONDS = 600;

const listedOrigins = cors({
  origin: (origin, c) => (c.var.config.corsOrigins.includes(origin) ? origin : null),
  allowMethods: ["GET", "HEAD", "POST"],
  allowHeaders: ["authorization", "content-type", "idempotency-key", "if-none-match", "last-event-id", "prefer"],
  exposeHeaders: [
    "etag",
    "idempotency-expires",
    "location",
    "preference-applied",
    "querent-grounded",
    "querent-outcome",
    "querent-truncated",
    "ratelimit",
    "ratelimit-policy",
    "retry-after",
  ],
  maxAge: PREFLIGHT_SECONDS,
});

export const corsByConfiguration = createMiddleware<HttpEnv>(async function corsByConfiguration(c, next) {
  return c.var.config.corsOrigins.length === 0 ? next() : listedOrigins(c, next);
});
