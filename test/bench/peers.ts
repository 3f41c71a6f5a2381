/**
 * Peers that are on npm, each in a process of its own (peer.mjs): LangGraph.js with its SQLite checkpointer, the Vercel AI
 * SDK in memory. They are installed apart (`cd test/bench && npm install`), so that nobody who uses the product pays.
 * BENCH_PEERS names another folder that holds them, BENCH_NODE the Node that their native parts were built for.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { databasePath } from "../../src/cli/host.ts";
import { prepareDatabase } from "../../src/cli/load-database.ts";
import { type Contender, cpuSecondsOf } from "./contender.ts";
import { startModelServer } from "./model-server.ts";

const FOLDER = process.env.BENCH_PEERS ?? fileURLToPath(new URL(".", import.meta.url));
const PEERS = ["langgraph", "ai-sdk"] as const;

export async function openPeers(): Promise<readonly Contender[]> {
  if (!existsSync(join(FOLDER, "node_modules", "better-sqlite3"))) {
    throw new Error("The peers are not installed: cd test/bench && npm install");
  }
  const peers: Contender[] = [];
  for (const kind of PEERS) peers.push(await openPeer(kind));
  return peers;
}

async function openPeer(kind: (typeof PEERS)[number]): Promise<Contender> {
  const root = mkdtempSync(join(tmpdir(), "querent-peer-"));
  const server = await startModelServer();
  const prepared = await prepareDatabase({ kind: "demo" }, root);
  if (!prepared.ok) throw new Error(prepared.error);
  // Its packages are looked for beside it.
  const script = join(FOLDER, "peer.mjs");
  if (!existsSync(script)) copyFileSync(fileURLToPath(new URL("./peer.mjs", import.meta.url)), script);
  const checkpoints = join(root, "checkpoints.sqlite");
  const args = [script, kind, databasePath(prepared.value.stateDir), checkpoints, server.url];
  const child = spawn(process.env.BENCH_NODE ?? process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit").then(() => {
    throw new Error(`${kind} did not start. Was it installed for another Node? BENCH_NODE names the one to run it.`);
  });
  const [said] = await Promise.race([once(child.stdout, "data"), ended]);
  const url = `http://127.0.0.1:${String(said).trim()}`;
  return {
    name: kind,
    async run(conversation, steps) {
      const response = await fetch(`${url}/run?name=${conversation}&steps=${steps}`, { method: "POST" });
      if (!response.ok) throw new Error(`${kind}: ${await response.text()}`);
    },
    cpuSeconds: () => cpuSecondsOf(pidOf(child)),
    async stored(conversation) {
      const values = Number(await (await fetch(`${url}/bytes?name=${conversation}`)).json());
      // One file holds every run, so the pages of one cannot be told.
      return { values, file: values };
    },
    async close() {
      child.kill();
      await once(child, "exit");
      await server.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error("the peer did not start");
  readFileSync(`/proc/${child.pid}/stat`);
  return child.pid;
}
