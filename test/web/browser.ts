/**
 * What the tests of the page share: a real worker on a free port (the one that `npm run dev` starts), a fake Messages
 * API in front of which a test can hold a reply back, a line between browser and worker that can be cut, and a real
 * Chromium whose every complaint is written down.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { buildPage } from "../../src/cli/build-page.ts";
import { bundleWorker } from "../../src/cli/bundle.ts";
import { openDatabase } from "../../src/cli/database-check.ts";
import { prepareDatabase } from "../../src/cli/load-database.ts";
import { type FakeAnthropic, type ScriptStep, startFakeAnthropic } from "../fakes/fake-anthropic.ts";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Path of the browser, or null: then the tests of this folder are skipped, and browser-setup.ts says so. */
export const CHROMIUM =
  [process.env.CHROMIUM_PATH ?? "", ...PLACES].find((path) => path !== "" && existsSync(path)) ?? null;

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export interface World {
  readonly url: string;
  readonly fake: FakeAnthropic | null;
  close(): Promise<void>;
}

export interface WorldOptions {
  /** Statements that make the database; absent: the demo database. */
  readonly sql?: string;
  /** Answers of the fake Messages API; absent: the offline model answers. */
  readonly answer?: (question: string, n: number) => ScriptStep | Promise<ScriptStep>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the worker as the local commands do. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const root = mkdtempSync(join(tmpdir(), "querent-page-"));
  const dump = join(root, "dump.sql");
  if (options.sql !== undefined) writeFileSync(dump, options.sql);
  const source = options.sql === undefined ? ({ kind: "demo" } as const) : ({ kind: "sql_dump", path: dump } as const);
  const [bundle, page, prepared] = await Promise.all([bundleWorker(), buildPage(), prepareDatabase(source, root)]);
  const { answer } = options;
  const fake =
    answer === undefined
      ? null
      : await startFakeAnthropic({
          handler: async (request, n) => {
            const step = await answer(questionOf(request), n);
            return typeof step === "function" ? step(request, n) : step;
          },
        });
  const env = fake === null ? {} : { ANTHROPIC_API_KEY: fake.apiKey, ANTHROPIC_BASE_URL: fake.url };
  if (!bundle.ok || !page.ok || !prepared.ok) {
    throw new Error([bundle, page, prepared].map((part) => (part.ok ? "" : part.error)).join("\n"));
  }
  const opened = await openDatabase(prepared.value, {
    bundle: bundle.value.code,
    pageDir: page.value,
    env: { ...env, ...options.env },
  });
  if (!opened.ok) throw new Error(opened.error);
  return {
    url: opened.value.host.url,
    fake,
    async close() {
      await opened.value.host.dispose();
      await fake?.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** The first line of the first message of a request: the question. */
function questionOf(request: object): string {
  const [first] = "messages" in request && Array.isArray(request.messages) ? request.messages : [];
  return JSON.stringify(first ?? "");
}

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the console and of the page, refused by the policy ones too, and requests to elsewhere. */
  readonly complaints: string[];
}

export interface VisitOptions {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: "light" | "dark";
  /** Complaints that a test brings about on purpose. */
  readonly expected?: RegExp;
}

export async function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM ?? "", args: FLAGS });
}

/** A fresh tab, signed in to nothing. */
export async function visit(browser: Browser, url: string, options: VisitOptions = {}): Promise<Visit> {
  const { width = 1_280, height = 900, scheme = "light", expected } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  const complain = (text: string): void => {
    if (expected === undefined || !expected.test(text)) complaints.push(text);
  };
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complain(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complain(`uncaught: ${error.message}`));
  page.on("dialog", (dialog) => {
    complain(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== "blob:" && origin !== new URL(url).origin) complain(`request to ${request.url()}`);
  });
  await page.goto(url);
  return { page, context, complaints };
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe finds wrong with what is shown now; each with its place. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found: { violations: readonly Violation[] } = await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  return found.violations.map(
    ({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)} ${nodes[0]?.failureSummary ?? ""}`,
  );
}

/** Script that resolves with when the page was first seen, ms after it was asked for. */
export const FIRST_PAINT = `new Promise((resolve) => {
  const told = (list) => list.getEntriesByName("first-contentful-paint").map(({ startTime }) => resolve(startTime));
  new PerformanceObserver(told).observe({ type: "paint", buffered: true });
})`;

/** A gate in front of a reply: the fake waits until the test opens it. */
export function createGate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** A line to `url` that can be cut and mended: TCP, so that open streams break as they do in a tunnel. */
export async function startLine(url: string) {
  const { port, hostname } = new URL(url);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server: Server = createServer((near) => {
    if (isCut) return near.destroy();
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const destroyAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    cut() {
      isCut = true;
      destroyAll();
    },
    mend() {
      isCut = false;
    },
    async close() {
      destroyAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
