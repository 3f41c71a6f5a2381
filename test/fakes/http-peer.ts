/**
 * The plumbing of a fake HTTP server: listening on a free port of 127.0.0.1, reading a whole body, answering JSON, and
 * the ways of a connection to go wrong. Leaves to others: everything a particular API says.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";

export interface Peer {
  readonly url: string;
  /** Ends every connection, also those that hang. */
  stop(): Promise<void>;
}

/** Starts a server. A fault in `serve` breaks the connection and goes to `onFault`. */
export async function startPeer(
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  onFault: (error: unknown) => void,
  port = 0,
): Promise<Peer> {
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      onFault(error);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://127.0.0.1:${bound}`,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The whole body; past `bytesMax` it is read to the end but not kept. Text is null when it is no UTF-8. */
export async function readBody(
  request: IncomingMessage,
  bytesMax: number,
): Promise<{ bytes: number; text: string | null }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= bytesMax) chunks.push(chunk);
  }
  try {
    return { bytes, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks)) };
  } catch {
    return { bytes, text: null };
  }
}

/** The value of a JSON text, or undefined. */
export function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

/** Answers JSON with `headers` laid over the content type. */
export function send(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(code, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** Headers and half of a body, then silence (`stall`) or a broken connection (`cut`). */
export function sendHalf(response: ServerResponse, how: "cut" | "stall"): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"id":"msg_1","type":"message","content":[{"type":"text","te');
  if (how === "cut") setImmediate(() => response.socket?.destroy());
}

/** Waits for real: a fake's latency is the one thing that must take time. */
export function wait(ms: number): Promise<void> {
  return ms <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms));
}
