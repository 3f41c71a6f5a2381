/**
 * The floor: the least that a durable agent can do. One Durable Object that makes the same model calls and the same D1
 * queries and stores one row a step; no budget, no gate, no retries, no checks. Driven by an alarm chain (one step a
 * wake) or by a plain loop in the request. What Querent costs beyond this is what its guarantees cost.
 */
import { DurableObject } from "cloudflare:workers";

interface FloorBindings {
  readonly DB: D1Database;
  readonly RUNS: DurableObjectNamespace<RunObject>;
  readonly ANTHROPIC_BASE_URL: string;
}

interface Start {
  /** The first request of the conversation. */
  readonly body: { readonly messages: readonly unknown[]; readonly [field: string]: unknown };
  readonly driver: "alarm" | "loop";
}

interface ToolUse {
  readonly type: string;
  readonly id: string;
  readonly input: { readonly sql: string };
}

export class RunObject extends DurableObject<FloorBindings> {
  private messages: unknown[] = [];
  private body: Start["body"] = { messages: [] };

  async start({ body, driver }: Start): Promise<string> {
    this.ctx.storage.sql.exec("CREATE TABLE steps (number INTEGER PRIMARY KEY, body TEXT NOT NULL)");
    this.ctx.storage.sql.exec("INSERT INTO steps (body) VALUES (?)", JSON.stringify(body));
    this.body = body;
    this.messages = [...body.messages];
    if (driver === "alarm") {
      await this.ctx.storage.setAlarm(Date.now() + 1);
      return "running";
    }
    while (await this.step());
    return "finished";
  }

  async status(): Promise<string> {
    return this.ctx.storage.sql.exec("SELECT 1 FROM steps WHERE body LIKE '{\"end\":%'").toArray().length > 0
      ? "finished"
      : "running";
  }

  async bytes(): Promise<{ readonly file: number; readonly values: number }> {
    const { sql } = this.ctx.storage;
    const { bytes } = sql.exec<{ bytes: number }>("SELECT sum(length(body)) AS bytes FROM steps").one();
    return { file: sql.databaseSize, values: bytes };
  }

  override async alarm(): Promise<void> {
    if (await this.step()) await this.ctx.storage.setAlarm(Date.now() + 1);
  }

  private async step(): Promise<boolean> {
    const response = await fetch(`${this.env.ANTHROPIC_BASE_URL}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...this.body, messages: this.messages }),
    });
    const reply = (await response.json()) as { readonly content: readonly ToolUse[] };
    const calls = reply.content.filter((block) => block.type === "tool_use");
    const insert = "INSERT INTO steps (body) VALUES (?)";
    if (calls.length === 0) {
      this.ctx.storage.sql.exec(insert, JSON.stringify({ end: reply.content }));
      return false;
    }
    const results = [];
    for (const call of calls) {
      const { results: rows } = await this.env.DB.prepare(call.input.sql).all();
      results.push({ type: "tool_result", tool_use_id: call.id, content: JSON.stringify(rows) });
    }
    const added = [
      { role: "assistant", content: reply.content },
      { role: "user", content: results },
    ];
    this.messages.push(...added);
    this.ctx.storage.sql.exec(insert, JSON.stringify(added));
    return true;
  }
}

/** The host binds it; the floor keeps no ledger. */
export class CallerObject extends DurableObject {}

// biome-ignore lint/style/noDefaultExport: the platform asks for it.
export default {
  async fetch(request: Request, env: FloorBindings): Promise<Response> {
    const url = new URL(request.url);
    const object = env.RUNS.get(env.RUNS.idFromName(url.searchParams.get("name") ?? ""));
    if (url.pathname === "/start") return Response.json(await object.start(await request.json<Start>()));
    if (url.pathname === "/bytes") return Response.json(await object.bytes());
    return Response.json(await object.status());
  },
};
