/** `GET /healthz`: the worker runs and its settings are right. Asks no object and no database. */
import { Hono } from "hono/tiny";
import type { HttpEnv } from "./context.ts";

export function createHealthRoutes() {
  return new Hono<HttpEnv>().get("/healthz", (c) => c.json({ status: "ok" as const, model: c.var.config.model }, 200));
}
