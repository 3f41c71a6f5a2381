/**
 * The worker's entry: requests go to the app, the object classes are exported for the platform. No logic.
 */
import type { Env } from "./config.ts";
import { createApp } from "./http/app.ts";

export { CallerObject } from "./durable/caller-object.ts";
export { RunObject } from "./durable/run-object.ts";

const app = createApp();

export default {
  fetch: (request, env, ctx) => app.fetch(request, env, ctx),
} satisfies ExportedHandler<Env>;
