/**
 * What can be measured: something that runs a conversation of so many steps against the model server and the demo
 * database. Owns: Querent and the floor as contenders, each the worker in its own workerd; CPU by process.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { bundleWorker } from "../../src/cli/bundle.ts";
import { type Host, startHost } from "../../src/cli/host.ts";
import { prepareDatabase } from "../../src/cli/load-database.ts";
import { type Audit, type Audited, auditRuns, type LedgerFigures } from "./audit.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";

export interface StoredBytes {
  readonly values: number;
  readonly file: number;
}

export interface Contender {
  readonly name: string;
  /** Runs one conversation to its end. */
  run(conversation: string, steps: number): Promise<void>;
  /** CPU seconds used so far by what does the work. */
  cpuSeconds(): number;
  /** Bytes stored for a finished conversation: of its values, and of its file. */
  stored(conversation: string): Promise<StoredBytes>;
  /** After everything: whether a run was lost, a call made twice, or the ledger differs. */
  audit?(): Promise<Audit>;
  close(): Promise<void>;
}

export const KEY = "qk_bench-key-00000000000000000000000000000000000";
const MODEL = "claude-haiku-5-5";
const TICKS_A_SECOND = 100;
const POLL_MS = 2;

export interface World {
  readonly host: Host;
  readonly server: ModelServer;
  readonly stateDir: string;
  readonly pid: number;
  close(): Promise<void>;
}

/** The worker `entry` over the demo database, with a model server of its own. */
export async function openWorld(entry?: string): Promise<World> {
  const root = mkdtempSync(join(tmpdir(), "querent-bench-"));
  const server = await startModelServer();
  const bundle = await bundleWorker(entry);
  if (!bundle.ok) throw new Error(bundle.error);
  const prepared = await prepareDatabase({ kind: "demo" }, root);
  if (!prepared.ok) throw new Error(prepared.error);
  const before = workerdPids();
  const hash = createHash("sha256").update(KEY).digest("hex");
  const caller = { keys: [`sha256:${hash}`], daily_usd: 1_000_000, rate: { per_minute: 100_000 }, runs_at_once: 1_000 };
  const host = await startHost({
    bundle: bundle.value.code,
    stateDir: prepared.value.stateDir,
    env: {
      ANTHROPIC_API_KEY: "bench",
      ANTHROPIC_BASE_URL: server.url,
      QUERENT_MODEL: MODEL,
      QUERENT_CALLERS: JSON.stringify({ bench: caller }),
    },
    onLog: (log) => {
      if (process.env.BENCH_LOGS !== undefined || log.level === "error") console.error(log.message);
    },
  });
  if (!host.ok) throw new Error(host.error);
  const pid = workerdPids().find((each) => !before.includes(each)) ?? 0;
  return {
    host: host.value,
    server,
    stateDir: prepared.value.stateDir,
    pid,
    async close() {
      await host.value.dispose();
      await server.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const LIMITS = { max_steps: 128, max_hops: 256, max_model_calls: 512, wall_clock_s: 3_600, budget_usd: 10 };

/** Querent with its alarm (`nobody waits`) or driven by a waiting request; `known`: all its runs ask the same queries. */
export async function openQuerent(driver: "alarm" | "caller", known = false): Promise<Contender> {
  const world = await openWorld();
  const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
  const ids = new Map<string, string>();
  const ended: Audited[] = [];
  return {
    name: known ? `querent-${driver}-known` : `querent-${driver}`,
    async run(conversation, steps) {
      const body = JSON.stringify({ question: `bench ${conversation} of ${steps}: which tracks?`, limits: LIMITS });
      const wait = driver === "caller" ? { prefer: "wait=300" } : {};
      const response = await world.host.fetch("/v1/runs", { method: "POST", headers: { ...headers, ...wait }, body });
      const run = (await response.json()) as {
        readonly id: string;
        readonly status: string;
        readonly outcome: string;
        readonly usage: { readonly cost_usd: number };
      };
      if (!response.ok) throw new Error(`the run was not started: ${JSON.stringify(run)}`);
      ids.set(conversation, run.id);
      let last = run;
      if (driver === "alarm") await world.server.ended(conversation);
      while (last.status !== "finished") {
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        last = (await (await world.host.fetch(`/v1/runs/${run.id}`, { headers })).json()) as typeof run;
      }
      if (last.outcome !== "answered") throw new Error(`${conversation} ended with ${JSON.stringify(last)}`);
      ended.push({ steps, costUsd: last.usage.cost_usd });
    },
    cpuSeconds: () => cpuSecondsOf(world.pid),
    async stored(conversation) {
      return storedBytes(world.stateDir, ids.get(conversation) ?? "");
    },
    audit: () =>
      auditRuns(ended, world.server.calls(), async () => {
        const response = await world.host.fetch("/v1/usage?days=2", { headers });
        return (await response.json()) as LedgerFigures;
      }),
    close: world.close,
  };
}

/** What Querent asks first in a conversation: the floor and a peer without a loop of its own ask the same. */
export async function firstRequestFor(): Promise<(conversation: string, steps: number) => unknown> {
  const first = await firstRequest();
  return (conversation, steps) =>
    JSON.parse(first.replace(/bench [\w-]+ of \d+:/, `bench ${conversation} of ${steps}:`));
}

export async function openFloor(driver: "alarm" | "loop"): Promise<Contender> {
  const request = await firstRequestFor();
  const world = await openWorld(fileURLToPath(new URL("./floor-worker.ts", import.meta.url)));
  return {
    name: `floor-${driver}`,
    async run(conversation, steps) {
      const body = JSON.stringify({ driver, body: request(conversation, steps) });
      const started = await world.host.fetch(`/start?name=${conversation}`, { method: "POST", body });
      let status = await started.json();
      if (driver === "alarm") await world.server.ended(conversation);
      while (status !== "finished") {
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        status = await (await world.host.fetch(`/status?name=${conversation}`)).json();
      }
    },
    cpuSeconds: () => cpuSecondsOf(world.pid),
    async stored(conversation) {
      return (await (await world.host.fetch(`/bytes?name=${conversation}`)).json()) as { values: number; file: number };
    },
    close: world.close,
  };
}

async function firstRequest(): Promise<string> {
  const world = await openWorld();
  try {
    const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json", prefer: "wait=30" };
    const body = JSON.stringify({ question: "bench first of 1: which tracks?", limits: LIMITS });
    await world.host.fetch("/v1/runs", { method: "POST", headers, body });
    return world.server.firstRequest("first") ?? "";
  } finally {
    await world.close();
  }
}

function workerdPids(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [, name = "", parent = ""] =
          /^\d+ \((.*)\) \w (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
        return name === "workerd" && Number(parent) === process.pid;
      } catch {
        // The process has ended since it was listed.
        return false;
      }
    });
}

export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

/** Of the run object's own file: the bytes of every value in its tables, and the pages. */
export function storedBytes(stateDir: string, runId: string): StoredBytes {
  for (const file of objectFiles(stateDir)) {
    const found = bytesOf(file, runId);
    if (found !== null) return found;
  }
  throw new Error(`no file holds the run ${runId}`);
}

/** The same of the object with this id, whatever it holds. */
export function storedBytesOf(stateDir: string, objectId: string): StoredBytes {
  const file = objectFiles(stateDir).find((each) => each.includes(objectId));
  const found = file === undefined ? null : bytesOf(file, "");
  if (found === null) throw new Error(`no file of the object ${objectId}`);
  return found;
}

function objectFiles(stateDir: string): readonly string[] {
  const folder = join(stateDir, "storage", "do", "querent-RunObject");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sqlite"))
    .map((name) => join(folder, name));
}

/** Null: no value holds `text`. */
function bytesOf(file: string, text: string): StoredBytes | null {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    let values = 0;
    let isFound = text === "";
    for (const { name } of tables) {
      if (String(name).startsWith("sqlite_")) continue;
      const rows = database.prepare(`SELECT * FROM "${String(name).replaceAll('"', '""')}"`);
      // An alarm's time is in nanoseconds, more than a number holds.
      rows.setReadBigInts(true);
      for (const row of rows.all()) {
        for (const value of Object.values(row)) {
          values += value instanceof Uint8Array ? value.length : Buffer.byteLength(value === null ? "" : String(value));
          isFound ||= typeof value === "string" && value.includes(text);
        }
      }
    }
    const pages = database
      .prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size")
      .get();
    return isFound ? { values, file: Number(pages?.bytes) } : null;
  } finally {
    database.close();
  }
}
