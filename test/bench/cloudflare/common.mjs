/**
 * What Cloudflare's peers share: the model, the query tool over D1, the door. Plain JavaScript over packages that only
 * this folder has.
 */

import { DurableObject } from "cloudflare:workers";
import { createAnthropic } from "@ai-sdk/anthropic";
import { getAgentByName } from "agents";
import { tool } from "ai";
import { z } from "zod";

export const SYSTEM = "You answer questions about one SQLite database by reading it. ".repeat(100);
/** Above every number of steps that is measured. */
export const STEPS_MAX = 200;

export const modelOf = (env) =>
  createAnthropic({ apiKey: "bench", baseURL: `${env.ANTHROPIC_BASE_URL}/v1` })("claude-haiku-5-5");

export const toolsOf = (env) => ({
  execute_read_only_sql: tool({
    description: "Runs one read-only query.",
    inputSchema: z.object({ sql: z.string() }),
    execute: async ({ sql }) => JSON.stringify((await env.DB.prepare(sql).all()).results),
  }),
});

export const userMessage = (text) => ({ id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text }] });

/** The host binds it; the peers keep no ledger. */
export class CallerObject extends DurableObject {}

// biome-ignore lint/style/noDefaultExport: the platform asks for it.
export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    const name = searchParams.get("name") ?? "";
    if (pathname === "/id") return Response.json(String(env.RUNS.idFromName(name)));
    const agent = await getAgentByName(env.RUNS, name);
    return Response.json(await agent.start(await request.json()));
  },
};
