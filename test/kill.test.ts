/**
 * Real kills: workerd is ended with SIGKILL at random moments of a run and started again on the same state. Every run
 * must end by itself, by its alarm, with no request; the spend must fit the limit; and every request must be one that
 * the strict fake accepts. `KILLS=50 KILL_SEED=7 npx vitest run --project unit test/kill.test.ts` is the long form
 * (`npm run test:kill`); the kills of a test run are few. Waiting a random time is what this test is about.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleWorker } from "../src/cli/bundle.ts";
import { type Host, startHost } from "../src/cli/host.ts";
import { prepareDatabase } from "../src/cli/load-database.ts";
import { toolUse } from "./fakes/anthropic-script.ts";
import { type FakeAnthropic, startFakeAnthropic } from "./fakes/fake-anthropic.ts";

const KILLS = Number(process.env.KILLS ?? 4);
const SEED = Number(process.env.KILL_SEED ?? 20_261_130);
/** Queries of a run before its answer. */
const QUERIES = 4;
const LATENCY_MS = 25;

interface PublicRun {
  readonly status: string;
  readonly outcome: string | null;
  readonly stop_reason: string | null;
  readonly usage: {
    readonly cost_usd: number;
    readonly reserved_usd: number;
    readonly model_calls: number;
    readonly steps: number;
  };
  readonly limits: { readonly budget_usd: number };
}

/** Mulberry32: a small seeded generator, so that a failing seed can be replayed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const wait = (durationMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, durationMs));

/** Process ids of workerd started by this process. */
function workerdIds(): number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,comm="], { encoding: "utf8" }).split("\n");
  const rows = lines.map((line) => line.trim().split(/\s+/));
  return rows
    .filter(([, parent, name]) => Number(parent) === process.pid && name === "workerd")
    .map(([id]) => Number(id));
}

/** Whether the run had ended, and its ledger been told, before the kill: its log line may have died with the process. */
function isSettled(stateDir: string, runId: string): boolean {
  const folder = join(stateDir, "storage", "do", "querent-RunObject");
  const files = readdirSync(folder).filter((name) => name.endsWith(".sqlite") && !name.startsWith("metadata"));
  return files.some((name) => {
    const database = new DatabaseSync(join(folder, name));
    const query = `SELECT count(*) AS found FROM facts
      WHERE (name = 'settings' AND value LIKE ?) OR name = 'settled_nano_usd'`;
    const { found } = database.prepare(query).get(`%${runId}%`) ?? {};
    database.close();
    return found === 2;
  });
}

describe(`kill -9 (${KILLS} kills, seed ${SEED})`, () => {
  let bundle = "";
  let fake: FakeAnthropic;
  let root = "";
  /** Resolved when the worker, before the kill or after it, has logged that a run is over and its ledger told. */
  const overs = new Map<string, () => void>();
  const over = new Set<string>();

  beforeAll(async () => {
    const bundled = await bundleWorker();
    if (!bundled.ok) throw new Error(bundled.error);
    bundle = bundled.value.code;
    root = mkdtempSync(join(tmpdir(), "querent-kill-"));
    fake = await startFakeAnthropic({
      latencyMs: LATENCY_MS,
      // What it says depends on the transcript alone: asked again, it says the same.
      handler: (request) => {
        const text = JSON.stringify(request.messages);
        const answered = text.split('"tool_result"').length - 1;
        if (answered < QUERIES)
          return toolUse("execute_read_only_sql", { sql: `SELECT count(*) + ${answered} AS n FROM Track` });
        return toolUse("final_answer", { answer: "Counted.", results: ["r1"] });
      },
    });
  }, 60_000);

  afterAll(async () => {
    await fake.stop();
    rmSync(root, { recursive: true, force: true });
  });

  async function start(stateDir: string): Promise<Host> {
    const env = { ANTHROPIC_API_KEY: fake.apiKey, ANTHROPIC_BASE_URL: fake.url };
    const host = await startHost({ bundle, stateDir, env, onLog: ({ message }) => readLine(message) });
    if (!host.ok) throw new Error(host.error);
    return host.value;
  }

  function readLine(message: string): void {
    const run = /"event":"run","run":"([^"]+)"/.exec(message)?.[1];
    if (run === undefined) return;
    over.add(run);
    overs.get(run)?.();
  }

  it("every run ends by its alarm, within its limit, with a transcript that the vendor takes", async () => {
    const random = randomOf(SEED);
    const prepared = await prepareDatabase({ kind: "demo" }, root);
    if (!prepared.ok) throw new Error(prepared.error);
    const { stateDir } = prepared.value;
    let lostAttempts = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const marker = `marker-${kill}`;
      const first = await start(stateDir);
      const asked = await first.fetch("/v1/runs", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ question: `How many tracks? ${marker}` }),
      });
      expect(asked.status).toBe(202);
      const { id } = (await asked.json()) as { id: string };
      await wait(random() * (QUERIES + 1) * (LATENCY_MS + 25));
      for (const pid of workerdIds()) process.kill(pid, "SIGKILL");
      await first.dispose().catch(() => undefined);
      if (isSettled(stateDir, id)) over.add(id);
      const second = await start(stateDir);
      // Nobody asks for the run until then.
      if (!over.has(id)) await new Promise<void>((resolve) => overs.set(id, resolve));
      const run = (await (await second.fetch(`/v1/runs/${id}`)).json()) as PublicRun;
      const events = await (await second.fetch(`/v1/runs/${id}/events`)).text();
      await second.dispose();
      expect(run, `kill ${kill}, seed ${SEED}`).toMatchObject({
        status: "finished",
        outcome: "answered",
        stop_reason: "done",
      });
      expect(run.usage.cost_usd).toBeLessThanOrEqual(run.limits.budget_usd);
      expect(run.usage.reserved_usd).toBe(0);
      const lost = events.split("event: attempt_lost").length - 1;
      expect(lost).toBeLessThanOrEqual(1);
      expect(run.usage.model_calls).toBeLessThanOrEqual(QUERIES + 1 + lost);
      lostAttempts += lost;
    }
    expect(fake.problems).toEqual([]);
    expect(fake.requests.filter((request) => request.fault !== null)).toEqual([]);
    console.log(`kill -9: ${KILLS} kills, ${lostAttempts} in the middle of an effect, seed ${SEED}`);
  }, 600_000);
});
