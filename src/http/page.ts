/**
 * The page: one document for every address of its own. Its script and style are files beside the worker (`[assets]` in
 * wrangler.toml), its data comes from the public API alone.
 *
 * Owns: which addresses are the page's, and the policy that the browser holds it to: nothing from elsewhere, no inline
 * script, no text that becomes HTML (trusted types), no frame around it. Leaves to others: what it shows (web/).
 */
import type { Context } from "hono";
import { Hono } from "hono/tiny";
import { CHART_STYLE_HASH, renderShell } from "../web/shell.ts";
import type { HttpEnv } from "./context.ts";

/** The addresses of the page, as the browser's own router knows them. */
export const PAGE_PATHS = ["/", "/history", "/schema", "/runs/:id"] as const;

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The chart library writes one style element of fixed text.
  `style-src 'self' '${CHART_STYLE_HASH}'`,
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

export function createPageRoutes() {
  const app = new Hono<HttpEnv>();
  for (const path of PAGE_PATHS) app.get(path, (c) => answerPage(c, 200));
  return app;
}

/** The document; with 404 the browser's router finds no view for the address and says so, with a link home. */
export function answerPage(c: Context<HttpEnv>, status: 200 | 404) {
  c.header("content-security-policy", POLICY);
  c.header("cache-control", "no-cache");
  c.header("cross-origin-opener-policy", "same-origin");
  return c.html(renderShell(), status);
}
