/**
 * A peer in a process of its own, plain JavaScript for whatever Node its native parts were built for:
 * `node peer.mjs langgraph|ai-sdk DATABASE CHECKPOINTS MODEL_URL`. It says its port, then runs one conversation for each
 * `POST /run?name=…&steps=…`, with the same question, the same query tool and the same database as Querent.
 */
import { createServer } from "node:http";
import { createRequire } from "node:module";

const [kind, databasePath, checkpointPath, modelUrl] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const Database = require("better-sqlite3");
const database = new Database(databasePath, { readonly: true });
const query = ({ sql }) => JSON.stringify(database.prepare(sql).all());
const question = (name, steps) => `bench ${name} of ${steps}: which tracks?`;
const system = "You answer questions about one SQLite database by reading it. ".repeat(100);
const MODEL = "claude-haiku-5-5";
const TOOL = { name: "execute_read_only_sql", description: "Runs one read-only query." };

async function createLangGraph() {
  const { createReactAgent } = await import("@langchain/langgraph/prebuilt");
  const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite");
  const { ChatAnthropic } = await import("@langchain/anthropic");
  const { tool } = await import("@langchain/core/tools");
  const { z } = await import("zod");
  const llm = new ChatAnthropic({
    model: MODEL,
    apiKey: "bench",
    anthropicApiUrl: modelUrl,
    maxRetries: 0,
    maxTokens: 8192,
  });
  const tools = [tool(query, { ...TOOL, schema: z.object({ sql: z.string() }) })];
  const checkpointer = SqliteSaver.fromConnString(checkpointPath);
  const agent = createReactAgent({ llm, tools, prompt: system, checkpointer });
  return async (name, steps) => {
    const config = { configurable: { thread_id: name }, recursionLimit: steps * 2 + 10 };
    await agent.invoke({ messages: [{ role: "user", content: question(name, steps) }] }, config);
  };
}

async function createAiSdk() {
  const { generateText, stepCountIs, tool } = await import("ai");
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  const { z } = await import("zod");
  const model = createAnthropic({ apiKey: "bench", baseURL: `${modelUrl}/v1` })(MODEL);
  const tools = {
    [TOOL.name]: tool({
      description: TOOL.description,
      inputSchema: z.object({ sql: z.string() }),
      execute: async (input) => query(input),
    }),
  };
  return async (name, steps) => {
    await generateText({
      model,
      system,
      tools,
      prompt: question(name, steps),
      stopWhen: stepCountIs(steps + 5),
      maxRetries: 0,
    });
  };
}

const run = kind === "langgraph" ? await createLangGraph() : await createAiSdk();
/** Of one conversation: every value of its rows. */
function storedBytes(name) {
  if (kind !== "langgraph") return 0;
  const store = new Database(checkpointPath, { readonly: true });
  const sum = (columns, table) =>
    store
      .prepare(
        `SELECT coalesce(sum(${columns.map((column) => `coalesce(length(${column}), 0)`).join(" + ")}), 0) AS bytes FROM ${table} WHERE thread_id = ?`,
      )
      .get(name).bytes;
  const bytes =
    sum(["thread_id", "checkpoint_id", "checkpoint", "metadata"], "checkpoints") +
    sum(["thread_id", "checkpoint_id", "task_id", "channel", "value"], "writes");
  store.close();
  return bytes;
}

const server = createServer((request, response) => {
  const url = new URL(request.url, "http://peer");
  if (url.pathname === "/bytes") {
    response.end(JSON.stringify(storedBytes(url.searchParams.get("name"))));
    return;
  }
  run(url.searchParams.get("name"), Number(url.searchParams.get("steps"))).then(
    () => response.end("{}"),
    (error) => response.writeHead(500).end(String(error?.stack ?? error)),
  );
});
server.requestTimeout = 0;
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
