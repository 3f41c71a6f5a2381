/**
 * Cloudflare's own peers, each a worker in a workerd of its own like Querent's, over the same database and model server:
 * the `agents` SDK with a fiber, Think, AIChatAgent. They are installed apart, so that nobody who uses the product pays:
 * `cd test/bench/cloudflare && npm install --ignore-scripts`; BENCH_CLOUDFLARE names another folder that holds them.
 */
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Contender, cpuSecondsOf, firstRequestFor, openWorld, storedBytesOf } from "./contender.ts";

const OWN = fileURLToPath(new URL("./cloudflare/", import.meta.url));
const FOLDER = process.env.BENCH_CLOUDFLARE ?? OWN;
const PEERS = ["agents-fiber", "think", "ai-chat"] as const;
const FILES = ["common.mjs", ...PEERS.map((peer) => `${peer}.mjs`)];

export async function openCloudflarePeers(): Promise<readonly Contender[]> {
  if (!existsSync(join(FOLDER, "node_modules", "agents"))) {
    throw new Error(
      "Cloudflare's peers are not installed: cd test/bench/cloudflare && npm install --ignore-scripts (or name their folder in BENCH_CLOUDFLARE)",
    );
  }
  // Their packages are looked for beside them.
  if (FOLDER !== OWN) for (const file of FILES) copyFileSync(join(OWN, file), join(FOLDER, file));
  const request = await firstRequestFor();
  const peers: Contender[] = [];
  for (const peer of PEERS) peers.push(await openPeer(peer, request));
  return peers;
}

async function openPeer(
  peer: (typeof PEERS)[number],
  request: (conversation: string, steps: number) => unknown,
): Promise<Contender> {
  const world = await openWorld(join(FOLDER, `${peer}.mjs`));
  let stepsAsked = 0;
  return {
    name: peer,
    async run(conversation, steps) {
      const question = `bench ${conversation} of ${steps}: which tracks?`;
      const body = JSON.stringify({ question, body: request(conversation, steps) });
      const response = await world.host.fetch(`/start?name=${conversation}`, { method: "POST", body });
      const said = await response.text();
      if (said !== '"finished"') throw new Error(`${peer}: ${conversation} ended with ${said}`);
      stepsAsked += steps;
      // A peer that gave up early would look fast.
      if (world.server.calls() < stepsAsked) throw new Error(`${peer}: ${conversation} ended before its last step`);
    },
    cpuSeconds: () => cpuSecondsOf(world.pid),
    async stored(conversation) {
      const id = await (await world.host.fetch(`/id?name=${conversation}`)).json();
      return storedBytesOf(world.stateDir, String(id));
    },
    close: world.close,
  };
}
