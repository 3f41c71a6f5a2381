/**
 * A real HTTP server that speaks chat completions, for the real SDK to talk to. It refuses what OpenAI's server refuses
 * of the parts that Querent uses: unknown arguments, sampling parameters, `max_tokens`, tool calls without an answer and
 * answers without a call. Prompts of 1,024 tokens and more are cached by prefix in steps of 128, by itself.
 *
 * `close()` fails on an unexpected call and on unused replies.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { JsonObject } from "./anthropic-rules.ts";
import { hasLoneSurrogate, isObject } from "./anthropic-rules.ts";
import { parseJson, readBody, send, sendHalf, startPeer, wait } from "./http-peer.ts";

/** A reply's message and finish reason, an error, or a broken connection. */
export type ChatItem =
  | {
      readonly kind: "message";
      readonly message: JsonObject;
      readonly finish?: string | null;
      readonly raw?: JsonObject;
    }
  | {
      readonly kind: "status";
      readonly status: number;
      readonly error: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "raw"; readonly body: string; readonly contentType: string }
  | { readonly kind: "hang" | "cut" | "stall" };

export interface FakeOpenAi {
  /** The base URL that a client is given, with its version path. */
  readonly url: string;
  readonly requests: readonly { readonly body: JsonObject; readonly bytes: number; readonly fault: string | null }[];
  close(): Promise<void>;
  stop(): Promise<void>;
}

const BODY_BYTES_MAX = 32 * 1024 * 1024;
const FIELDS = new Set(
  "model messages tools tool_choice max_completion_tokens parallel_tool_calls metadata store user".split(" "),
);

/** The model says something. */
export function chatText(content: string, finish = "stop"): ChatItem {
  return { kind: "message", message: { role: "assistant", content, refusal: null, annotations: [] }, finish };
}

/** The model calls tools; `text` is the arguments as the model wrote them. */
export function chatCalls(
  ...calls: readonly { readonly id: string; readonly name: string; readonly text: string }[]
): ChatItem {
  const toolCalls = calls.map(({ id, name, text }) => ({ id, type: "function", function: { name, arguments: text } }));
  return {
    kind: "message",
    message: { role: "assistant", content: null, refusal: null, tool_calls: toolCalls },
    finish: "tool_calls",
  };
}

/** Starts a fake on 127.0.0.1 that answers by `script`. */
export async function startFakeOpenAi(
  script: readonly ChatItem[],
  options: { readonly apiKey?: string; readonly latencyMs?: number } = {},
): Promise<FakeOpenAi> {
  const requests: { body: JsonObject; bytes: number; fault: string | null }[] = [];
  const problems: string[] = [];
  const seen: string[] = [];
  let calls = 0;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { bytes, text } = await readBody(request, BODY_BYTES_MAX);
    const body = parseJson(text);
    if (request.headers.authorization !== `Bearer ${options.apiKey ?? "test-key"}`)
      return refuse(response, 401, "Incorrect API key provided.", "invalid_api_key");
    if (request.url !== "/v1/chat/completions" || request.method !== "POST")
      return refuse(response, 404, "Unknown request URL.", "unknown_url");
    const fault = firstChatFault(body);
    requests.push({ body: isObject(body) ? body : {}, bytes, fault });
    if (fault !== null || !isObject(body)) return refuse(response, 400, fault ?? "no body", null);
    const item = script[calls];
    calls += 1;
    if (item === undefined) {
      problems.push(`call ${calls} was unexpected`);
      return refuse(response, 400, "fake-openai: the script has no reply for this call", null);
    }
    await wait(options.latencyMs ?? 0);
    answer(response, item, body, seen);
  };

  const peer = await startPeer(serve, (error) => problems.push(`the fake itself failed: ${String(error)}`));
  return {
    url: `${peer.url}/v1`,
    requests,
    stop: peer.stop,
    async close() {
      await peer.stop();
      if (calls < script.length) problems.push(`${script.length - calls} replies of the script were not used`);
      if (problems.length > 0) throw new Error(`fake-openai: ${problems.join("; ")}`);
    },
  };
}

function answer(response: ServerResponse, item: ChatItem, body: JsonObject, seen: string[]): void {
  switch (item.kind) {
    case "message": {
      const prompt = JSON.stringify([body.tools ?? [], body.messages]);
      const promptTokens = Math.ceil(prompt.length / 4);
      const shared = Math.floor(Math.max(0, ...seen.map((earlier) => sharedPrefix(earlier, prompt))) / 4);
      const cached = shared >= 1_024 ? shared - (shared % 128) : 0;
      seen.push(prompt);
      const completion = Math.min(
        Number(body.max_completion_tokens ?? 1_000),
        Math.ceil(JSON.stringify(item.message).length / 4),
      );
      return send(
        response,
        200,
        {
          id: `chatcmpl-${seen.length}`,
          object: "chat.completion",
          created: 0,
          model: body.model,
          choices: [
            {
              index: 0,
              message: item.message,
              finish_reason: item.finish === undefined ? "stop" : item.finish,
              logprobs: null,
            },
          ],
          usage: {
            prompt_tokens: promptTokens,
            completion_tokens: completion,
            total_tokens: promptTokens + completion,
            prompt_tokens_details: { cached_tokens: cached },
          },
          service_tier: "default",
          ...item.raw,
        },
        { "x-request-id": `req_${seen.length}` },
      );
    }
    case "status":
      return send(response, item.status, { error: item.error }, item.headers);
    case "raw":
      response.writeHead(200, { "content-type": item.contentType }).end(item.body);
      return;
    case "hang":
      return;
    case "cut":
    case "stall":
      return sendHalf(response, item.kind);
  }
}

/** The first thing that the server would refuse, or null. */
export function firstChatFault(body: unknown): string | null {
  for (const fault of chatFaults(body)) return fault;
  return null;
}

function* chatFaults(body: unknown): Generator<string> {
  if (!isObject(body)) {
    yield "We could not parse the JSON body of your request.";
    return;
  }
  if (hasLoneSurrogate(body)) yield "We could not parse the JSON body of your request: lone surrogate.";
  if (body.max_tokens !== undefined)
    yield "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
  for (const field of Object.keys(body))
    if (!FIELDS.has(field)) yield `Unrecognized request argument supplied: ${field}`;
  if (typeof body.model !== "string") yield "you must provide a model parameter";
  if (!Array.isArray(body.messages) || body.messages.length === 0) yield "Invalid 'messages': empty array.";
  const tools = Array.isArray(body.tools) ? body.tools : [];
  if (body.tool_choice !== undefined && tools.length === 0)
    yield "'tool_choice' is only allowed when 'tools' are specified.";
  for (const tool of tools) {
    const name = isObject(tool) && isObject(tool.function) ? tool.function.name : undefined;
    if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
      yield "Invalid 'tools[0].function.name': string does not match pattern.";
  }
  yield* orderFaults(Array.isArray(body.messages) ? body.messages.filter(isObject) : []);
}

function* orderFaults(messages: readonly JsonObject[]): Generator<string> {
  let open: string[] = [];
  const used = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool") {
      if (!open.includes(String(message.tool_call_id))) {
        yield "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      }
      if (typeof message.content !== "string") yield "Invalid value for 'content': expected a string.";
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) break;
    if (!["system", "user", "assistant"].includes(String(message.role)))
      yield `Invalid value: '${String(message.role)}'.`;
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : [];
    if (message.tool_calls !== undefined && calls.length === 0) yield "Invalid 'tool_calls': empty array.";
    if (message.role !== "assistant" && typeof message.content !== "string")
      yield "Invalid value for 'content': expected a string.";
    if (message.role === "assistant" && typeof message.content !== "string" && calls.length === 0)
      yield "Invalid value for 'content': expected a string, got null.";
    for (const call of calls) {
      const args = isObject(call.function) ? parseJson(String(call.function.arguments)) : undefined;
      if (!isObject(args)) yield "Invalid 'tool_calls.function.arguments': not a JSON object.";
      if (used.has(String(call.id))) yield `Duplicate tool call id: ${String(call.id)}`;
      used.add(String(call.id));
    }
    open = calls.map((call) => String(call.id));
  }
  if (open.length > 0) {
    yield `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(", ")}`;
  }
}

function refuse(response: ServerResponse, status: number, message: string, code: string | null): void {
  send(response, status, { error: { message, type: "invalid_request_error", param: null, code } });
}

function sharedPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
