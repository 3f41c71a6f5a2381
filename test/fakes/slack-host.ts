/**
 * The worker in a workerd of its own, reached over real HTTP, with a fake Slack and a receiver of webhooks on loopback:
 * the nearest that tests come to a deployed app. For one test file, and for the benchmark.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleWorker } from "../../src/cli/bundle.ts";
import { type Host, startHost } from "../../src/cli/host.ts";
import { prepareDatabase } from "../../src/cli/load-database.ts";
import { CALLBACK_SECRET, DOOR_SETTINGS, SLACK_SECRET, SLACK_TOKEN } from "./door-settings.ts";
import { type FakeReceiver, startFakeReceiver } from "./fake-receiver.ts";
import { type FakeSlack, startFakeSlack } from "./fake-slack.ts";
import type { IssuedCommand, SignedRequest, VisibleMessage } from "./slack-workspace.ts";

export interface SlackHost {
  readonly host: Host;
  readonly slack: FakeSlack;
  readonly receiver: FakeReceiver;
  send(request: SignedRequest): Promise<Response>;
  /** Types a command; gives its working message and how long Slack waited for it. */
  ask(text: string, userId?: string): Promise<AskedOverHttp>;
  stop(): Promise<void>;
}

export interface AskedOverHttp {
  readonly issued: IssuedCommand;
  readonly message: VisibleMessage;
  readonly acknowledgedMs: number;
}

/** `caller`: fields of the caller of Slack, beside those that all tests have. */
export async function startSlackHost(caller: object = {}): Promise<SlackHost> {
  const root = mkdtempSync(join(tmpdir(), "querent-slack-"));
  const slack = await startFakeSlack({ signingSecret: SLACK_SECRET, botToken: SLACK_TOKEN, now: () => Date.now() });
  const receiver = await startFakeReceiver(CALLBACK_SECRET);
  const [bundled, prepared] = await Promise.all([
    bundleWorker(),
    prepareDatabase({ kind: "demo" }, join(root, "state")),
  ]);
  if (!bundled.ok || !prepared.ok) throw new Error("the worker or the demo database could not be made");
  const env = {
    ...DOOR_SETTINGS,
    SLACK_CALLER: JSON.stringify({ ...JSON.parse(DOOR_SETTINGS.SLACK_CALLER ?? "{}"), ...caller }),
    SLACK_RESPONSE_ORIGIN: slack.url,
    SLACK_API_ORIGIN: slack.url,
    CALLBACK_ORIGINS: receiver.url,
  };
  const started = await startHost({ bundle: bundled.value.code, stateDir: prepared.value.stateDir, env });
  if (!started.ok) throw new Error(started.error);
  const host = started.value;
  const send = (request: SignedRequest): Promise<Response> =>
    host.fetch(request.path, { method: "POST", headers: { ...request.headers }, body: request.body });
  return {
    host,
    slack,
    receiver,
    send,
    async ask(text, userId = "U0001") {
      const issued = slack.workspace.command(text, { userId });
      const startedAt = performance.now();
      const response = await send(issued);
      const acknowledgedMs = performance.now() - startedAt;
      const message = slack.workspace.acknowledge(issued, response.status, await response.text());
      if (message === null) throw new Error("there was no working message");
      return { issued, message, acknowledgedMs };
    },
    async stop() {
      await host.dispose();
      await Promise.all([slack.stop(), receiver.stop()]);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Waits for what the other process does; nothing tells when it is done. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
