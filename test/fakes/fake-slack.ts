/** The fake workspace (slack-workspace.ts) behind real HTTP on loopback: its response URLs and its API. */
import { readBody, startPeer } from "./http-peer.ts";
import { createWorkspace, type Workspace, type WorkspaceOptions } from "./slack-workspace.ts";

export interface FakeSlack {
  readonly url: string;
  readonly workspace: Workspace;
  stop(): Promise<void>;
}

export async function startFakeSlack(options: Omit<WorkspaceOptions, "origin">): Promise<FakeSlack> {
  let workspace: Workspace | null = null;
  const faults: unknown[] = [];
  const peer = await startPeer(
    async (request, response) => {
      const { text } = await readBody(request, 1_000_000);
      const headers = new Headers(
        Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
      );
      const address = new URL(request.url ?? "/", peer.url).href;
      const answer = workspace?.handle(request.method ?? "GET", address, headers, text ?? "");
      if (answer?.kind === "hang") return;
      if (answer === undefined || answer.kind === "cut") return void response.destroy();
      response.writeHead(answer.status, { "content-type": "text/plain", ...answer.headers }).end(answer.body);
    },
    (error) => faults.push(error),
  );
  workspace = createWorkspace({ ...options, origin: peer.url });
  return {
    url: peer.url,
    workspace,
    async stop() {
      await peer.stop();
      if (faults.length > 0) throw new Error(`The fake Slack broke: ${String(faults[0])}`);
    },
  };
}
