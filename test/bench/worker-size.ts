/**
 * `node test/bench/worker-size.ts`: what `wrangler deploy` would upload, in bytes, minified and compressed, by package;
 * and how long the worker takes from its start to its first answer, beside a worker that does nothing.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { bundleWorker } from "../../src/cli/bundle.ts";
import { startHost } from "../../src/cli/host.ts";

const ENTRY = fileURLToPath(new URL("../../src/index.ts", import.meta.url));
const STARTS = 5;

const bundle = await bundleWorker();
if (!bundle.ok) throw new Error(bundle.error);
const minified = await build({
  stdin: { contents: bundle.value.code, loader: "js" },
  minify: true,
  write: false,
  logLevel: "silent",
});
const code = minified.outputFiles[0]?.text ?? "";
console.log(`worker: ${kb(code.length)} minified, ${kb(gzipSync(code, { level: 9 }).length)} compressed`);

const parts = await build({
  entryPoints: [ENTRY],
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  format: "esm",
  target: "es2024",
  platform: "neutral",
  conditions: ["workerd", "worker", "browser"],
  mainFields: ["browser", "module", "main"],
  external: [
    "cloudflare:*",
    "node:*",
    "crypto",
    "events",
    "stream",
    "http",
    "https",
    "url",
    "util",
    "buffer",
    "fs",
    "path",
    "zlib",
  ],
  loader: { ".html": "text", ".txt": "text", ".sql": "text" },
  logLevel: "silent",
}).catch(() => null);
const byPackage = new Map<string, number>();
for (const output of Object.values(parts?.metafile.outputs ?? {})) {
  for (const [path, { bytesInOutput }] of Object.entries(output.inputs)) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path.split("/").slice(0, 2).join("/");
    byPackage.set(name, (byPackage.get(name) ?? 0) + bytesInOutput);
  }
}
for (const [name, bytes] of [...byPackage].sort((a, b) => b[1] - a[1]).slice(0, 15))
  console.log(`  ${name.padEnd(28)} ${kb(bytes)}`);

const TRIVIAL = `import { DurableObject } from "cloudflare:workers";
export class RunObject extends DurableObject {}
export class CallerObject extends DurableObject {}
export default { fetch: () => new Response("{}") };`;
console.log(
  `start to first answer: ${await startMs(bundle.value.code)} ms, of an empty worker ${await startMs(TRIVIAL)} ms`,
);

async function startMs(worker: string): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < STARTS; turn += 1) {
    const stateDir = mkdtempSync(join(tmpdir(), "querent-size-"));
    const startedAt = performance.now();
    const host = await startHost({ bundle: worker, stateDir, env: {} });
    if (!host.ok) throw new Error(host.error);
    await host.value.fetch("/healthz");
    times.push(performance.now() - startedAt);
    await host.value.dispose();
    rmSync(stateDir, { recursive: true, force: true, maxRetries: 5 });
  }
  return Math.round(times.sort((a, b) => a - b)[Math.floor(STARTS / 2)] ?? 0);
}

function kb(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} kB`;
}
