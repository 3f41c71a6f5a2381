/**
 * A Messages API with no latency for the benchmark: the strict fake's checks would cost more than what is measured.
 *
 * A conversation is named by the first words of its first message (`bench NAME of STEPS:`). Reply n asks for query n, the
 * last one answers. It counts the assistant turns of the request, so it keeps no state and any number may run at once.
 */
import { createHash } from "node:crypto";
import { createServer } from "node:http";

export interface ModelServer {
  readonly url: string;
  /** Resolves when the last reply of conversation `name` has been sent. */
  ended(name: string): Promise<void>;
  /** The first request of a conversation, as it came. */
  firstRequest(name: string): string | null;
  calls(): number;
  close(): Promise<void>;
}

const NAME = /bench ([\w-]+) of (\d+):/;

/**
 * The query of step `n`: a few rows of the demo database, another one each step. Each conversation has its own, as real
 * ones do; those whose name holds `known` share theirs, as the runs of a schedule do.
 */
export function queryOf(name: string, n: number): string {
  // A bound between two whole numbers: other text, the same rows.
  const own = name.includes("known") ? "" : `.${createHash("sha256").update(name).digest().readUInt16BE()}`;
  return `SELECT TrackId, Name, Milliseconds FROM Track WHERE TrackId BETWEEN ${n * 3 + 1} AND ${n * 3 + 3}${own}`;
}

interface Reply {
  readonly content: readonly { readonly type: string; readonly text?: string; readonly input?: unknown }[];
  readonly stop_reason: string;
  readonly usage: { readonly output_tokens: number };
}

/** The reply as the events of a stream, each block in one piece. */
function toStream(reply: Reply): string {
  const events = [
    { type: "message_start", message: { ...reply, content: [], stop_reason: null } },
    ...reply.content.flatMap((block, index) => {
      const delta =
        block.type === "text"
          ? { type: "text_delta", text: block.text }
          : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
      const empty = block.type === "text" ? { ...block, text: "" } : { ...block, input: {} };
      return [
        { type: "content_block_start", index, content_block: empty },
        { type: "content_block_delta", index, delta },
        { type: "content_block_stop", index },
      ];
    }),
    {
      type: "message_delta",
      delta: { stop_reason: reply.stop_reason, stop_sequence: null },
      usage: { output_tokens: reply.usage.output_tokens },
    },
    { type: "message_stop" },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

export async function startModelServer(): Promise<ModelServer> {
  const first = new Map<string, string>();
  const ends = new Map<string, ReturnType<typeof Promise.withResolvers<void>>>();
  let calls = 0;
  const endOf = (name: string) => {
    const known = ends.get(name) ?? Promise.withResolvers<void>();
    ends.set(name, known);
    return known;
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString("utf8");
      const [, name = "", steps = "1"] = NAME.exec(body) ?? [];
      calls += 1;
      if (!first.has(name)) first.set(name, body);
      const turn = body.split('"role":"assistant"').length - 1;
      const isLast = turn >= Number(steps) - 1;
      const block = isLast
        ? { type: "text", text: "The tracks are listed in the last result." }
        : {
            type: "tool_use",
            id: `toolu_${name}_${turn}`,
            name: "execute_read_only_sql",
            input: { sql: queryOf(name, turn) },
          };
      const usage = {
        input_tokens: 40,
        cache_creation_input_tokens: 200,
        cache_read_input_tokens: 3_000 + turn * 240,
        cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 0 },
        output_tokens: 60,
        service_tier: "standard",
      };
      const reply = {
        id: `msg_${name}_${turn}`,
        type: "message",
        role: "assistant",
        model: "claude-haiku-5-5",
        content: [block],
        stop_reason: isLast ? "end_turn" : "tool_use",
        stop_sequence: null,
        usage,
      };
      // What streams asks for a stream; Querent and the floor do not.
      const isStream = /"stream":\s*true/.test(body);
      const type = isStream ? "text/event-stream" : "application/json";
      response.writeHead(200, { "content-type": type, "request-id": `req_${turn}` });
      response.end(isStream ? toStream(reply) : JSON.stringify(reply));
      if (isLast) endOf(name).resolve();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    ended: (name) => endOf(name).promise,
    firstRequest: (name) => first.get(name) ?? null,
    calls: () => calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
