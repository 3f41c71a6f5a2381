/**
 * `GET /docs`: the contract as a page to read and try, by Swagger UI.
 *
 * Owns: the document around it and the policy that the browser holds it to: scripts and data from this server alone.
 * Leaves to others: its files, which are static assets (cli/build-docs.ts), and the contract (openapi.ts).
 */
import { Hono } from "hono/tiny";
import type { HttpEnv } from "./context.ts";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // Swagger UI sets styles of elements in its markup.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const DOCUMENT = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Querent API</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/swagger-ui.css">
</head>
<body>
<div id="docs"><noscript>This page needs JavaScript. The contract itself is at <a href="/openapi.json">/openapi.json</a>.</noscript></div>
<script src="/assets/swagger-ui-bundle.js"></script>
<script src="/assets/docs.js"></script>
</body>
</html>
`;

export function createDocsRoutes() {
  return new Hono<HttpEnv>().get("/docs", (c) => {
    c.header("content-security-policy", POLICY);
    c.header("cache-control", "no-cache");
    c.header("cross-origin-opener-policy", "same-origin");
    return c.html(DOCUMENT);
  });
}
