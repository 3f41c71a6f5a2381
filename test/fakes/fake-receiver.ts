/**
 * A receiver of webhooks over real HTTP on loopback, as its operator would build one: it verifies with the published
 * library, and behaves badly by script. A request with a broken signature is answered 401 whatever the script says.
 */
import { Webhook } from "standardwebhooks";
import { readBody, startPeer } from "./http-peer.ts";

export type Behaviour =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | "hang"
  | "cut";

export interface ReceivedWebhook {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  /** The library's verdict. */
  readonly isValid: boolean;
  readonly body: unknown;
  readonly bytes: number;
  readonly path: string;
}

export interface FakeReceiver {
  readonly url: string;
  /** For the next requests; afterwards every one is a 200. */
  readonly script: Behaviour[];
  readonly received: ReceivedWebhook[];
  stop(): Promise<void>;
}

export async function startFakeReceiver(secret: string): Promise<FakeReceiver> {
  const script: Behaviour[] = [];
  const received: ReceivedWebhook[] = [];
  const faults: unknown[] = [];
  const peer = await startPeer(
    async (request, response) => {
      const { text, bytes } = await readBody(request, 1_000_000);
      const header = (name: string): string => String(request.headers[name] ?? "");
      const signed = {
        "webhook-id": header("webhook-id"),
        "webhook-timestamp": header("webhook-timestamp"),
        "webhook-signature": header("webhook-signature"),
      };
      const isValid = verify(secret, text ?? "", signed);
      received.push({
        id: signed["webhook-id"],
        timestamp: signed["webhook-timestamp"],
        signature: signed["webhook-signature"],
        isValid,
        body: JSON.parse(text ?? "null"),
        bytes,
        path: request.url ?? "",
      });
      const next = script.shift() ?? { status: 200 };
      if (next === "hang") return;
      if (next === "cut") return void response.destroy();
      if (!isValid) return void response.writeHead(401).end();
      response.writeHead(next.status, next.headers).end(next.body ?? "");
    },
    (error) => faults.push(error),
  );
  return {
    url: peer.url,
    script,
    received,
    async stop() {
      await peer.stop();
      if (faults.length > 0) throw new Error(`The fake receiver broke: ${String(faults[0])}`);
    },
  };
}

function verify(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
