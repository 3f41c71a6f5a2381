/**
 * Runs the bundled worker inside this process's own workerd (miniflare): D1, Durable Objects, state in a folder.
 *
 * Owns: the bindings of wrangler.toml as miniflare wants them, which environment variables pass through, and where
 * miniflare keeps the file of the local D1 database. Leaves to others: what is in that file (load-database.ts).
 * The worker listens on loopback only and is told so by `QUERENT_LOCAL`, which is why it asks for no API key there.
 */
import { createHash, createHmac } from "node:crypto";
import { createServer } from "node:net";
import { join } from "node:path";
import { Miniflare, type MiniflareOptions, NoOpLog } from "miniflare";
import { editDistance } from "../lib/nearest.ts";
import { err, ok, type Result } from "../lib/result.ts";
import { guardWorkerd } from "./workerd-guard.ts";

export interface HostOptions {
  /** Text of the ES module that holds the worker and its object classes. */
  readonly bundle: string;
  /** Folder that keeps everything: the D1 database and the objects' storage. */
  readonly stateDir: string;
  /** Folder with the files of the page (build-page.ts); absent: the page is not served. */
  readonly pageDir?: string;
  /** 0 or absent: any free port. */
  readonly port?: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Gets every line that the worker or workerd logs. */
  readonly onLog?: (log: WorkerLog) => void;
}

export interface WorkerLog {
  readonly level: string;
  readonly message: string;
}

export type LocalDatabase = Awaited<ReturnType<Miniflare["getD1Database"]>>;

export interface Host {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
  /** Each statement stops this process until workerd has taken it: for a host that nobody else is asking anything. */
  database(): Promise<LocalDatabase>;
  /** Asks the worker over HTTP. Rejects only when the worker cannot be reached. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Stops workerd. May be called twice. */
  dispose(): Promise<void>;
}

/** The same as in wrangler.toml; a test compares them. */
export const COMPATIBILITY_DATE = "2026-10-01";
export const COMPATIBILITY_FLAGS: readonly string[] = ["nodejs_compat", "global_fetch_strictly_public"];

const WORKER_NAME = "querent";
const DATABASE_ID = "querent";
const HOST_NAME = "127.0.0.1";

/** The names that config.ts reads. Unknown names of our own prefix pass too, so that it can refuse a misspelt one. */
const PASSED_NAMES = new Set([
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_BASE_URL",
  "OPENAI_API_KEY",
  "OPENAI_BASE_URL",
  "WEBHOOK_SOURCES",
  "WEBHOOK_SIGNING_SECRET",
  "CALLBACK_ORIGINS",
  "SLACK_SIGNING_SECRET",
  "SLACK_BOT_TOKEN",
  "SLACK_CALLER",
  "SLACK_RESPONSE_ORIGIN",
  "SLACK_API_ORIGIN",
]);
const OWN_PREFIX = "QUERENT_";
const SLIPS_MAX = 2;

/** Starts the worker. The error text names what is in the way, such as a port that is taken. */
export async function startHost(options: HostOptions): Promise<Result<Host, string>> {
  const port = options.port ?? 0;
  if (port !== 0 && !(await isPortFree(port))) {
    return err(`Port ${port} is already in use. Stop what uses it, or choose another with --port.`);
  }
  guardWorkerd();
  const listenersBefore = new Set(EXIT_SIGNALS.flatMap((signal) => process.listeners(signal)));
  const miniflare = new Miniflare(toMiniflareOptions(options, port));
  removeListenersSince(listenersBefore);
  try {
    const url = (await miniflare.ready).origin;
    let disposed: Promise<void> | null = null;
    return ok({
      url,
      database: () => miniflare.getD1Database("DB", WORKER_NAME),
      fetch: (path, init) => fetch(new URL(path, url), init),
      dispose() {
        disposed ??= miniflare.dispose();
        return disposed;
      },
    });
  } catch (error) {
    await miniflare.dispose().catch(() => undefined);
    return err(`The local worker did not start: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Where miniflare keeps the D1 database of a state folder. The file may be put there before the host starts. */
export function databasePath(stateDir: string): string {
  return join(persistDir(stateDir), "d1", "miniflare-D1DatabaseObject", `${objectId()}.sqlite`);
}

/** The variables of `env` that the worker gets. */
export function passedVariables(env: HostOptions["env"]): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    // An empty variable is how a shell says "not set".
    if (value === undefined || value === "") continue;
    if (PASSED_NAMES.has(name) || name.startsWith(OWN_PREFIX) || isMisspelt(name, env)) passed[name] = value;
  }
  return passed;
}

/**
 * Two slips away from a setting that is not set itself: config.ts refuses it and says which one was meant. Where that
 * one is set, a near name is another program's (a second key), and so is every name that is further away.
 */
function isMisspelt(name: string, env: HostOptions["env"]): boolean {
  return [...PASSED_NAMES].some((known) => !env[known] && editDistance(name.toUpperCase(), known) <= SLIPS_MAX);
}

function persistDir(stateDir: string): string {
  return join(stateDir, "storage");
}

function toMiniflareOptions(options: HostOptions, port: number): MiniflareOptions {
  const variables = { ...passedVariables(options.env), QUERENT_LOCAL: "1" };
  const texts = Object.entries(variables).map(([name, value]) => [name, { type: "text" as const, value }] as const);
  return {
    host: HOST_NAME,
    port,
    resourcePersistencePath: persistDir(options.stateDir),
    // Nothing of a local run leaves the machine: no look-up of a location, no telemetry, no registry of other workers.
    cf: false,
    telemetry: { enabled: false },
    enableDevRegistry: false,
    logRequests: false,
    log: new NoOpLog(),
    handleStructuredLogs: ({ level, message }) => options.onLog?.({ level, message }),
    workers: [
      {
        config: {
          name: WORKER_NAME,
          compatibilityDate: COMPATIBILITY_DATE,
          compatibilityFlags: [...COMPATIBILITY_FLAGS],
          ...(options.pageDir === undefined ? {} : { assets: { directory: options.pageDir, hasUserWorker: true } }),
          manifest: {
            mainModule: "index.mjs",
            modules: { "index.mjs": { type: "esm", contents: options.bundle } },
          },
          env: {
            ...Object.fromEntries(texts),
            DB: { type: "d1", id: DATABASE_ID },
            RUNS: { type: "durable-object", worker: WORKER_NAME, exportName: "RunObject" },
            CALLERS: { type: "durable-object", worker: WORKER_NAME, exportName: "CallerObject" },
          },
          exports: {
            RunObject: { type: "durable-object", storage: "sqlite" },
            CallerObject: { type: "durable-object", storage: "sqlite" },
          },
        },
      },
    ],
  };
}

const EXIT_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Miniflare exits the process at the first signal; the commands want to cancel the run and tidy up before that. */
function removeListenersSince(before: ReadonlySet<unknown>): void {
  for (const signal of EXIT_SIGNALS) {
    for (const listener of process.listeners(signal)) {
      if (!before.has(listener)) process.removeListener(signal, listener);
    }
  }
}

/** The id that workerd derives for a named object: the name's digest under the namespace key, then a digest of that. */
function objectId(): string {
  const key = createHash("sha256").update("miniflare-D1DatabaseObject").digest();
  const digest = (content: string | Buffer) => createHmac("sha256", key).update(content).digest().subarray(0, 16);
  const name = digest(DATABASE_ID);
  return Buffer.concat([name, digest(name)]).toString("hex");
}

/** Whether a server may listen on `port` of this machine. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, HOST_NAME, () => probe.close(() => resolve(true)));
  });
}
