import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildPage, PAGE_DIR } from "../../src/cli/build-page.ts";
import { bundleWorker } from "../../src/cli/bundle.ts";
import { startHost } from "../../src/cli/host.ts";
import { createDocument } from "../../src/http/openapi.ts";
import { renderShell } from "../../src/web/shell.ts";

/** Compressed kilobytes of page, script and style, without the drawing library. */
const PAGE_KB_MAX = 150;
/** Of the drawing library, which is fetched when the first picture is shown. */
const DRAWING_KB_MAX = 120;

describe("the files of the page", () => {
  let dir: string;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), "querent-build-"));
    expect(await buildPage(dir)).toEqual({ ok: true, value: dir });
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const assets = (): readonly string[] => readdirSync(join(dir, "assets"));
  const read = (name: string): string => readFileSync(join(dir, "assets", name), "utf8");
  const kilobytes = (text: string): number => gzipSync(text, { level: 9 }).length / 1_000;
  /** Scripts that `name` loads when it starts, and theirs. */
  function loadedBy(name: string, seen = new Set<string>()): ReadonlySet<string> {
    if (seen.has(name)) return seen;
    seen.add(name);
    for (const [, other = ""] of read(name).matchAll(/(?:from|import)\s*"\.\/([\w.-]+)"/g)) loadedBy(other, seen);
    return seen;
  }

  test("page, script and style weigh under 150 kB compressed, and the drawing library comes by itself", () => {
    const first = [...loadedBy("main.js")];
    const page = kilobytes(renderShell()) + kilobytes(read("style.css"));
    expect(first.reduce((sum, name) => sum + kilobytes(read(name)), page)).toBeLessThan(PAGE_KB_MAX);
    const lazy = assets().filter((name) => name.startsWith("chunk-") && !first.includes(name));
    expect(lazy.length).toBe(1);
    expect(kilobytes(read(lazy[0] ?? ""))).toBeLessThan(DRAWING_KB_MAX);
    expect(read("main.js")).toContain(`("./${lazy[0]}")`);
  });

  test("the contract is beside them, as the schemas have it", () => {
    expect(JSON.parse(readFileSync(join(dir, "openapi.json"), "utf8"))).toEqual(
      JSON.parse(JSON.stringify(createDocument())),
    );
  });

  test("the contract is served without a key, to any page, while the settings are wrong, and is not sent twice", async () => {
    const stateDir = mkdtempSync(join(tmpdir(), "querent-files-"));
    const bundle = await bundleWorker();
    if (!bundle.ok) throw new Error(bundle.error);
    const env = { QUERENT_LIMITS: "{wrong" };
    const host = await startHost({ bundle: bundle.value.code, stateDir, env, pageDir: dir });
    if (!host.ok) throw new Error(host.error);
    try {
      const response = await host.value.fetch("/openapi.json");
      const names = ["content-type", "access-control-allow-origin", "cache-control", "x-content-type-options"];
      expect(names.map((name) => response.headers.get(name))).toEqual([
        "application/json",
        "*",
        "public, max-age=300",
        "nosniff",
      ]);
      expect(await response.json()).toMatchObject({ openapi: "3.1.0", info: { title: "Querent" } });
      const known = { "if-none-match": response.headers.get("etag") ?? "" };
      expect((await host.value.fetch("/openapi.json", { headers: known })).status).toBe(304);
      expect((await host.value.fetch("/openapi.json", { method: "HEAD" })).status).toBe(200);
      expect((await host.value.fetch("/openapi.json", { method: "POST" })).status).toBe(405);
      // The worker itself answers beside it.
      expect((await host.value.fetch("/healthz")).status).toBe(503);
    } finally {
      await host.value.dispose();
      rmSync(stateDir, { recursive: true, force: true });
    }
  });

  test("every file that the document names is there", () => {
    const named = [...renderShell().matchAll(/"\/assets\/([\w.-]+)"/g)].map(([, name]) => name);
    expect(named.length).toBe(3);
    for (const name of named) expect(assets()).toContain(name);
  });

  test("nothing in them is fetched from elsewhere", () => {
    const all = [...loadedBy("main.js"), "style.css"].map(read).join("\n");
    expect(all).not.toMatch(/@import|url\(|sourceMappingURL/);
    expect(all.match(/fetch\("https?:|src="https?:/g)).toBe(null);
  });

  test("a second build leaves no file of the first behind", async () => {
    writeFileSync(join(dir, "assets", "chunk-OLD.js"), "");
    await buildPage(dir);
    expect(assets()).not.toContain("chunk-OLD.js");
    expect(readFileSync(join(dir, "_headers"), "utf8")).toContain("X-Content-Type-Options: nosniff");
  });

  test("wrangler builds and serves the same folder, and the worker itself holds none of it", async () => {
    const settings = readFileSync(new URL("../../wrangler.toml", import.meta.url), "utf8");
    const scripts: { [name: string]: string } = JSON.parse(
      readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
    ).scripts;
    expect(settings).toContain('directory = "dist/web"');
    expect(PAGE_DIR.endsWith(join("dist", "web"))).toBe(true);
    expect(settings).toContain('command = "npm run --silent build"');
    expect(scripts.build).toContain("src/cli/build-page.ts");
    const bundle = await bundleWorker();
    expect(bundle.ok && bundle.value.code.includes("What do you want to know?")).toBe(false);
  });
});
