/**
 * The app: every door in, in one place, behind the same frame.
 *
 * Order of the frame: headers that every answer carries, settings, who asks, the route; whatever is thrown on the way
 * becomes a problem document in one place. The edge holds no state. Leaves to others: everything a route does.
 */

import { methodNotAllowed } from "hono/method-not-allowed";
import { Hono } from "hono/tiny";
import { configOf } from "../config.ts";
import { createAgainRoutes } from "./again.ts";
import { authenticate } from "./auth.ts";
import { createCallerRoutes } from "./caller.ts";
import { createCarryOnRoutes } from "./carry-on.ts";
import { createChartRoutes } from "./chart.ts";
import { type HttpEnv, type HttpPorts, PRODUCTION_PORTS } from "./context.ts";
import { corsByConfiguration } from "./cors.ts";
import { createDocsRoutes } from "./docs.ts";
import { createEstimateRoutes } from "./estimate.ts";
import { createEventRoutes } from "./events.ts";
import { createHealthRoutes } from "./health.ts";
import { answerPage, createPageRoutes } from "./page.ts";
import { answerError, problem } from "./problems.ts";
import { createRecordRoutes } from "./records.ts";
import { createRunActionRoutes } from "./run-actions.ts";
import { createRunRoutes } from "./runs.ts";
import { createSchemaRoutes } from "./schema.ts";
import { createSlackRoutes } from "./slack.ts";
import { createUsageRoutes } from "./usage.ts";
import { createWebhookRoutes } from "./webhooks.ts";

/** What no answer of an API should be without. A route may set its own. */
const FRAME_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

export type AppType = ReturnType<typeof createRoutes>;

/** The worker's app. Tests hand in ports of their own. */
export function createApp(ports: HttpPorts = PRODUCTION_PORTS): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.use(async function frame(c, next) {
    c.set("ports", ports);
    await next();
    for (const [name, value] of Object.entries(FRAME_HEADERS)) {
      if (!c.res.headers.has(name)) c.header(name, value);
    }
  });
  app.use(
    methodNotAllowed({
      app,
      onMethodNotAllowed: (_c, methods) =>
        problem("method_not_allowed", `Use ${methods.join(", ").replace(/, (?=[A-Z]+$)/, " or ")}.`, {
          headers: { allow: methods.join(", ") },
        }).getResponse(),
    }),
  );
  // The reference of the API and the page are the same whatever the settings are, and are there while they are wrong.
  app.route("/", createDocsRoutes());
  app.route("/", createPageRoutes());
  app.use(async function readSettings(c, next) {
    c.set("config", configOf(c.env));
    await next();
  });
  app.use(corsByConfiguration);
  app.use("/v1/runs/*", authenticate);
  app.use("/v1/schema", authenticate);
  app.use("/v1/estimate", authenticate);
  app.use("/v1/usage", authenticate);
  app.use("/v1/caller", authenticate);
  app.onError((error, c) => answerError(error, c));
  app.notFound((c) => {
    // A browser that a mistyped address led here; clients of the API do not ask for a document.
    if (c.req.header("accept")?.includes("text/html")) return answerPage(c, 404);
    const slash = /\/$|\/\//.test(c.req.path) ? "No address has a slash at its end or two in a row. " : "";
    return problem("not_found", `${slash}The addresses are listed in /openapi.json.`).getResponse();
  });
  app.route("/", createRoutes());
  app.route("/slack", createSlackRoutes());
  return app;
}

/** All routes, chained so that their types reach the typed client. */
function createRoutes() {
  return new Hono<HttpEnv>()
    .route("/", createHealthRoutes())
    .route("/v1/runs", createRunRoutes())
    .route("/v1/runs", createRunActionRoutes())
    .route("/v1/runs", createCarryOnRoutes())
    .route("/v1/runs", createAgainRoutes())
    .route("/v1/runs", createRecordRoutes())
    .route("/v1/runs", createEventRoutes())
    .route("/v1/runs", createChartRoutes())
    .route("/v1/schema", createSchemaRoutes())
    .route("/v1/estimate", createEstimateRoutes())
    .route("/v1/usage", createUsageRoutes())
    .route("/v1/caller", createCallerRoutes())
    .route("/", createWebhookRoutes());
}
