/**
 * The outside world of tests in workerd: a Slack workspace and a receiver of webhooks behind the objects' own `fetch`.
 * No server can be started there; fake-slack.ts and fake-receiver.ts are the same over real HTTP.
 */
import { env, exports } from "cloudflare:workers";
import { vi } from "vitest";
import type { CallerApi } from "../../src/durable/caller-contract.ts";
import { CALLBACK_ORIGIN, SLACK_ORIGIN, SLACK_SECRET, SLACK_TOKEN } from "../fakes/door-settings.ts";
import {
  createWorkspace,
  type IssuedCommand,
  type SignedRequest,
  type VisibleMessage,
} from "../fakes/slack-workspace.ts";

export interface Hook {
  readonly id: string;
  readonly timestamp: number;
  readonly body: { readonly type: string; readonly data: { readonly id: string; readonly outcome: string } };
}

export type Outside = ReturnType<typeof installOutside>;

/** Everything that an object sends goes here from now on. */
export function installOutside(options: { readonly commandsReplace?: boolean } = {}) {
  const workspace = createWorkspace({
    signingSecret: SLACK_SECRET,
    botToken: SLACK_TOKEN,
    origin: SLACK_ORIGIN,
    now: () => Date.now(),
    ...options,
  });
  const hooks: Hook[] = [];
  /** Statuses of the receiver's next answers; afterwards 200. */
  const statuses: number[] = [];
  const outside = {
    workspace,
    hooks,
    statuses,
    /** Requests to come that are taken in and never answered, for a test that crashes the object meanwhile. */
    unanswered: 0,
    async maybeSilent(): Promise<void> {
      if (outside.unanswered === 0) return;
      outside.unanswered -= 1;
      // The object that asks waits by itself; it ends with the object.
      for (;;) await new Promise((resolve) => setTimeout(resolve, 1));
    },
  };
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as string, init as RequestInit);
    const text = await request.text();
    if (request.url.startsWith(CALLBACK_ORIGIN)) {
      const timestamp = Number(request.headers.get("webhook-timestamp"));
      hooks.push({ id: request.headers.get("webhook-id") ?? "", timestamp, body: JSON.parse(text) });
      await outside.maybeSilent();
      return new Response("the receiver's own words", { status: statuses.shift() ?? 200 });
    }
    const answer = workspace.handle(request.method, request.url, request.headers, text);
    await outside.maybeSilent();
    if (answer.kind !== "answer") throw new TypeError("Network connection lost.");
    return new Response(answer.body, { status: answer.status, headers: answer.headers });
  });
  return outside;
}

/** Sends what Slack would send to the worker. */
export async function send(request: SignedRequest): Promise<Response> {
  return exports.default.fetch(`https://querent.example.com${request.path}`, {
    method: "POST",
    headers: { ...request.headers },
    body: request.body,
  });
}

export interface Asked {
  readonly issued: IssuedCommand;
  /** The working message. */
  readonly message: VisibleMessage;
  readonly runId: string;
}

/** As `askInSlack`, and the run has begun. */
export async function beginInSlack(outside: Outside, text: string): Promise<Asked> {
  const asked = await askInSlack(outside, text);
  const caller = env.CALLERS.get(env.CALLERS.idFromName("slack:app")) as unknown as CallerApi;
  // False when its alarm was faster.
  await caller.beginTaken(asked.runId);
  return asked;
}

/** Somebody asks in Slack. */
export async function askInSlack(outside: Outside, text: string, who: object = {}): Promise<Asked> {
  const issued = outside.workspace.command(text, who);
  const response = await send(issued);
  const message = outside.workspace.acknowledge(issued, response.status, await response.text());
  const runId = message?.blocks
    .flatMap((block) => (block.type === "actions" ? block.elements : []))
    .find((element) => element.action_id === "querent_stop")?.value;
  if (message === null || runId === undefined) throw new Error(`not asked: ${message?.text ?? "no message"}`);
  return { issued, message, runId };
}

/** Waits for what objects do on their own; the clock of the test may stand still meanwhile. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 1));
}
