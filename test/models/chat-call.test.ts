/** The one request of the protocol, on the wire: what is sent, what is not followed, and where reading ends. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { afterEach, expect, test } from "vitest";
import { ANSWER_BYTES_MAX, postChat } from "../../src/models/chat-call.ts";
import { createOpenAiCompatibleModel } from "../../src/models/openai-compatible.ts";
import { ask, failureOf, infoOf, NEVER } from "./requests.ts";

let servers: Server[] = [];
afterEach(() => {
  for (const server of servers) server.close().closeAllConnections();
  servers = [];
});

async function serve(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    handler(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

const call = (baseUrl: string, apiKey = "") => ({ baseUrl, apiKey, body: { model: "m" }, fetch });

test("one POST under the base URL's path, with or without a slash at its end, and a key only when there is one", async () => {
  const seen: unknown[] = [];
  const url = await serve(({ method, url: path, headers }, response) => {
    seen.push([method, path, headers.authorization, headers["content-type"]]);
    response.writeHead(200, { "x-request-id": "req_9" }).end("{}");
  });
  const answer = await postChat(call(`${url}/v1`, "sk-1"), NEVER);
  expect(answer).toMatchObject({ status: 200, text: { ok: true, value: "{}" } });
  expect(answer.headers.get("x-request-id")).toBe("req_9");
  await postChat(call(`${url}/v1/`), NEVER);
  expect(seen).toEqual([
    ["POST", "/v1/chat/completions", "Bearer sk-1", "application/json"],
    ["POST", "/v1/chat/completions", undefined, "application/json"],
  ]);
});

test("a redirect is not followed: key and prompt go to the configured address only", async () => {
  const seen: string[] = [];
  const url = await serve((request, response) => {
    seen.push(request.url ?? "");
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  const model = createOpenAiCompatibleModel({ apiKey: "sk-1", baseUrl: `${url}/v1`, info: infoOf() });
  expect(failureOf(await model.complete(ask(), NEVER))).toMatchObject({ kind: "fatal", status: 307 });
  expect(seen).toEqual(["/v1/chat/completions"]);
});

test("an answer without an end is read up to a bound, then left", async () => {
  let left: (value: unknown) => void = () => undefined;
  const hungUp = new Promise((resolve) => {
    left = resolve;
  });
  const url = await serve((_request, response) => {
    const chunk = " ".repeat(1024 * 1024);
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on("drain", more).on("close", left);
    response.writeHead(200, { "content-type": "application/json" });
    more();
  });
  const model = createOpenAiCompatibleModel({ apiKey: "sk-1", baseUrl: `${url}/v1`, info: infoOf() });
  const failure = failureOf(await model.complete(ask({ timeoutMs: 60_000 }), NEVER));
  expect(failure).toMatchObject({ kind: "fatal", code: "malformed_reply", unbilled: false });
  expect(failure.message).toContain(`${ANSWER_BYTES_MAX / 1024 / 1024} MiB`);
  await hungUp;
});

test("letters that are split between packets stay whole", async () => {
  const bytes = Buffer.from('{"a":"€"}');
  const url = await serve((_request, response) => {
    response.write(bytes.subarray(0, 7));
    setImmediate(() => response.end(bytes.subarray(7)));
  });
  expect((await postChat(call(url), NEVER)).text).toEqual({ ok: true, value: '{"a":"€"}' });
});
