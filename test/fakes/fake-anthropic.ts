/**
 * A real HTTP server that behaves as the Messages API of version 2026-10-21, for the real SDK to talk to.
 *
 * Owns: transport, keys, sizes, lanes and the command line. It refuses what the API refuses (anthropic-rules.ts,
 * anthropic-thinking.ts), meters prompt caching (anthropic-meter.ts) and answers by script (anthropic-script.ts).
 *
 * A lane is one API key with its own script, its own cache and its own record; tests in parallel use one each. From
 * inside workerd, where no server can be started, a test makes its lane over HTTP: `PUT /__fake/lanes/KEY` with
 * `{"script": […], "latency_ms"?, "loop"?}`, and reads it with `GET /__fake/lanes/KEY`: requests, what is left of the
 * script, problems. `close()` fails on an unexpected call and on unused replies.
 *
 * By hand: `node test/fakes/fake-anthropic.ts --port 8791 --script script.json [--api-key test-key] [--latency 20] [--loop]`.
 */
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { MeteredUsage, Tokenizer } from "./anthropic-meter.ts";
import { createMeter } from "./anthropic-meter.ts";
import type { JsonObject } from "./anthropic-rules.ts";
import { FAKE_MODELS, firstFault, hasLoneSurrogate, isObject } from "./anthropic-rules.ts";
import type { ScriptItem } from "./anthropic-script.ts";
import { errorBody, status, text, toItem, toMessage } from "./anthropic-script.ts";
import { thinkingFault } from "./anthropic-thinking.ts";
import { parseJson, readBody, send, sendHalf, startPeer, wait } from "./http-peer.ts";

export type ScriptStep = ScriptItem | ScriptFunction;
/** Answers by what was asked. `n` counts the calls of the lane from 0. */
export type ScriptFunction = (request: JsonObject, n: number) => ScriptItem | Promise<ScriptItem>;

export interface LaneOptions {
  /** Replies in order. After the last one a call is unexpected, unless `loop` starts again. */
  readonly script?: readonly ScriptStep[] | undefined;
  /** Instead of a script. */
  readonly handler?: ScriptFunction | undefined;
  readonly loop?: boolean | undefined;
  readonly latencyMs?: number | undefined;
  readonly tokenizer?: Tokenizer | undefined;
  /** What count_tokens answers, from the exact number; null answers 529. */
  readonly countTokens?: ((exact: number) => number | null) | undefined;
  /** The fake's clock, for the lifetime of cache entries. */
  readonly now?: (() => number) | undefined;
}

export interface FakeOptions extends LaneOptions {
  readonly apiKey?: string | undefined;
  readonly port?: number | undefined;
}

/** One request as it came, and how it was answered. */
export interface RecordedRequest {
  readonly path: string;
  readonly bytes: number;
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  /** Why it was refused, or null. */
  readonly fault: string | null;
  /** What the prompt cost, when it was answered with a message. */
  readonly usage: MeteredUsage | null;
  /** True once the client has closed the connection before it had the whole answer. */
  isHungUp: boolean;
}

export interface Lane {
  /** Calls of /v1/messages. */
  readonly requests: readonly RecordedRequest[];
  /** Calls of /v1/messages/count_tokens. */
  readonly counts: readonly RecordedRequest[];
  /** Unexpected calls, and scripts that ask for the impossible. */
  readonly problems: readonly string[];
  unused(): number;
}

export interface FakeAnthropic extends Lane {
  readonly url: string;
  readonly apiKey: string;
  /** Another key with its own script. */
  addLane(apiKey: string, options: LaneOptions): Lane;
  /** Stops, and throws when a lane was called unexpectedly or has unused replies. */
  close(): Promise<void>;
  /** Stops without judging, for the end of a test that failed already. */
  stop(): Promise<void>;
}

interface WorkingLane extends Lane {
  readonly options: LaneOptions;
  readonly requests: RecordedRequest[];
  readonly counts: RecordedRequest[];
  readonly problems: string[];
  readonly meter: ReturnType<typeof createMeter>;
  next(body: JsonObject): Promise<ScriptItem | null>;
}

const API_VERSION = "2026-10-21";
const BODY_BYTES_MAX = 32 * 1024 * 1024;
let lastId = 0;

/** Numbers everything that needs an id, so that two runs of a test see the same ones. */
function nextId(): string {
  lastId += 1;
  return String(lastId).padStart(8, "0");
}

/** Starts a fake on 127.0.0.1. Its main lane has the key `apiKey`. */
export async function startFakeAnthropic(options: FakeOptions = {}): Promise<FakeAnthropic> {
  const apiKey = options.apiKey ?? "test-key";
  const lanes = new Map<string, WorkingLane>();
  const main = createLane(options);
  lanes.set(apiKey, main);
  const peer = await startPeer(
    (request, response) => serve(request, response, lanes),
    (error) => main.problems.push(`the fake itself failed: ${String(error)}`),
    options.port,
  );
  return {
    url: peer.url,
    apiKey,
    requests: main.requests,
    counts: main.counts,
    problems: main.problems,
    unused: () => main.unused(),
    addLane(key, laneOptions) {
      const lane = createLane(laneOptions);
      lanes.set(key, lane);
      return lane;
    },
    stop: peer.stop,
    async close() {
      await peer.stop();
      const faults = [...lanes].flatMap(([key, lane]) => {
        const left = lane.unused();
        return [...lane.problems, ...(left > 0 ? [`${left} replies of the script were not used`] : [])].map(
          (fault) => `${key}: ${fault}`,
        );
      });
      if (faults.length > 0) throw new Error(`fake-anthropic: ${faults.join("; ")}`);
    },
  };
}

function createLane(options: LaneOptions): WorkingLane {
  const script = options.script ?? [];
  let calls = 0;
  return {
    options,
    requests: [],
    counts: [],
    problems: [],
    meter: createMeter(options.tokenizer),
    unused: () => (options.loop === true || options.handler !== undefined ? 0 : Math.max(0, script.length - calls)),
    async next(body) {
      const n = calls;
      calls += 1;
      const step = options.handler ?? script[options.loop === true ? n % script.length : n];
      if (step === undefined) return null;
      return typeof step === "function" ? await step(body, n) : step;
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  lanes: Map<string, WorkingLane>,
): Promise<void> {
  const path = new URL(request.url ?? "/", "http://fake").pathname;
  const { bytes, text } = await readBody(request, BODY_BYTES_MAX);
  if (path.startsWith("/__fake/lanes/"))
    return serveLane(decodeURIComponent(path.slice(14)), request, response, text, lanes);
  const kind = path.endsWith("/v1/messages") ? "create" : path.endsWith("/v1/messages/count_tokens") ? "count" : null;
  if (kind === null || request.method !== "POST") return refuse(response, 404, "Not Found");
  const lane = lanes.get(/^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "");
  if (lane === undefined) return refuse(response, 401, "invalid bearer token");
  const found = checkRequest(request, bytes, text, kind);
  const record = (usage: MeteredUsage | null, fault: string | null) => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const entry = { path, bytes, body: found.body, headers, fault, usage, isHungUp: false };
    response.once("close", () => {
      entry.isHungUp = !response.writableFinished;
    });
    (kind === "create" ? lane.requests : lane.counts).push(entry);
  };
  if (found.fault !== null) {
    record(null, found.fault.message);
    return refuse(response, found.fault.status, found.fault.message);
  }
  if (kind === "count") {
    record(null, null);
    const exact = lane.meter.count(found.body);
    const counted = lane.options.countTokens === undefined ? exact : lane.options.countTokens(exact);
    if (counted === null) return refuse(response, 529, "Overloaded");
    return respond(response, 200, { input_tokens: counted });
  }
  await answer(response, found.body, lane, record);
}

async function answer(
  response: ServerResponse,
  body: JsonObject,
  lane: WorkingLane,
  record: (usage: MeteredUsage | null, fault: string | null) => void,
): Promise<void> {
  const model = FAKE_MODELS.get(String(body.model));
  const step = await lane.next(body);
  if (step === null || model === undefined) {
    lane.problems.push(`unexpected call number ${lane.requests.length + 1}`);
    record(null, "unexpected call");
    return refuse(response, 400, "fake-anthropic: the script has no reply for this call");
  }
  const item = toItem(step);
  const delayMs = (lane.options.latencyMs ?? 0) + (item.delay_ms ?? 0);
  if (item.kind !== "message") record(null, null);
  if (item.kind === "message") {
    const impossible = item.content.some((block) => block.type === "tool_use") && !mayCall(body);
    if (impossible) lane.problems.push("the script calls a tool in a request that forbids it");
    const { usage, commit } = lane.meter.charge(body, model, (lane.options.now ?? Date.now)());
    record(usage, null);
    await wait(delayMs);
    commit();
    return respond(response, 200, toMessage(item, body, usage, lane.meter, nextId));
  }
  await wait(delayMs);
  switch (item.kind) {
    case "status":
      return respond(response, item.status, errorBody(item, `req_${nextId()}`), item.headers);
    case "raw": {
      const headers = { "content-type": "application/json", ...item.headers };
      response.writeHead(item.status ?? 200, headers).end(item.body);
      return;
    }
    case "hang":
      return;
    case "cut":
    case "stall":
      return sendHalf(response, item.kind);
  }
}

function mayCall(body: JsonObject): boolean {
  const choice = body.tool_choice;
  return body.tools !== undefined && !(isObject(choice) && choice.type === "none");
}

interface Checked {
  readonly body: JsonObject;
  readonly fault: { readonly status: number; readonly message: string } | null;
}

function checkRequest(request: IncomingMessage, bytes: number, text: string | null, kind: "create" | "count"): Checked {
  const refused = (code: number, message: string, body: JsonObject = {}): Checked => ({
    body,
    fault: { status: code, message },
  });
  if (request.headers["x-api-key"] !== undefined) return refused(401, "x-api-key is not accepted, use Authorization");
  const version = request.headers["anthropic-version"];
  if (version !== API_VERSION)
    return refused(
      400,
      `anthropic-version: ${version === undefined ? "header is required" : `"${String(version)}" is not a valid version`}`,
    );
  if (bytes > BODY_BYTES_MAX) return refused(413, "Request exceeds the maximum allowed number of bytes.");
  const body = parseJson(text);
  if (body === undefined) return refused(400, "The request body is not valid JSON.");
  if (hasLoneSurrogate(body)) return refused(400, "The request body is not valid JSON: no low surrogate in string");
  const known = isObject(body) ? body : {};
  if (isObject(body)) {
    if (typeof body.model !== "string") return refused(400, "model: Field required", known);
    if (!FAKE_MODELS.has(body.model)) return refused(404, `model: ${body.model}`, known);
    if (body.stream === true) return refused(400, "stream: the fake does not stream", known);
  }
  const fault = firstFault(body, kind) ?? thinkingFault(known) ?? windowFault(known);
  return fault === null ? { body: known, fault: null } : refused(400, fault, known);
}

function windowFault(body: JsonObject): string | null {
  const max = FAKE_MODELS.get(String(body.model))?.contextWindow ?? 0;
  const tokens = createMeter().count(body);
  return tokens > max ? `prompt is too long: ${tokens} tokens > ${max} maximum` : null;
}

/** Makes a lane from outside, or reads one. */
function serveLane(
  key: string,
  request: IncomingMessage,
  response: ServerResponse,
  text: string | null,
  lanes: Map<string, WorkingLane>,
): void {
  if (request.method === "PUT") {
    const body = parseJson(text);
    if (!isObject(body) || !Array.isArray(body.script))
      return refuse(response, 400, "fake-anthropic: {script: […]} is needed");
    const latencyMs = typeof body.latency_ms === "number" ? body.latency_ms : undefined;
    lanes.set(key, createLane({ script: body.script, latencyMs, loop: body.loop === true }));
    return respond(response, 200, {});
  }
  const lane = lanes.get(key);
  if (lane === undefined) return refuse(response, 404, "fake-anthropic: no such lane");
  respond(response, 200, {
    requests: lane.requests,
    counts: lane.counts,
    problems: lane.problems,
    unused: lane.unused(),
  });
}

function refuse(response: ServerResponse, code: number, message: string): void {
  respond(response, code, errorBody({ ...status(code), message }, `req_${nextId()}`));
}

/** The id of a request is in the header of every answer, and in the body of an error as well. */
function respond(
  response: ServerResponse,
  code: number,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): void {
  const requestId = typeof body.request_id === "string" ? body.request_id : `req_${nextId()}`;
  send(response, code, body, { "request-id": requestId, ...headers });
}

async function runByHand(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "8791" },
      script: { type: "string" },
      "api-key": { type: "string", default: "test-key" },
      latency: { type: "string", default: "0" },
      loop: { type: "boolean", default: false },
    },
  });
  const script: unknown =
    values.script === undefined ? [text("Hello.")] : JSON.parse(readFileSync(values.script, "utf8"));
  if (!Array.isArray(script)) throw new Error("--script must name a file that holds a JSON array of replies");
  const loop = values.loop || values.script === undefined;
  const fake = await startFakeAnthropic({
    script,
    loop,
    apiKey: values["api-key"],
    port: Number(values.port),
    latencyMs: Number(values.latency),
  });
  console.log(fake.url);
  const end = () => {
    fake.close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(String(error));
        process.exit(1);
      },
    );
  };
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runByHand();
