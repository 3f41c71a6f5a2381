/**
 * What `wrangler deploy` uploads, in bytes, minified as wrangler.toml asks and compressed, by package; and how long the
 * worker takes from its start to its first answer, beside a worker that does nothing.
 * `npm run bench -- --part size,start` prints both.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { BUNDLE_OPTIONS, bundleWorker } from "../../src/cli/bundle.ts";
import { startHost } from "../../src/cli/host.ts";

const ENTRY = fileURLToPath(new URL("../../src/index.ts", import.meta.url));
const STARTS = 5;
const PACKAGES_TOLD = 16;

export interface WorkerSize {
  readonly minified_bytes: number;
  readonly compressed_bytes: number;
  /** Largest first. `compressed`: how much smaller it would be without it and what it alone brings. */
  readonly packages: readonly { readonly name: string; readonly minified: number; readonly compressed: number }[];
}

/** `isDetailed`: also what each package weighs compressed, which takes a build of each. */
export async function measureSize(isDetailed: boolean): Promise<WorkerSize> {
  const whole = await bundle(null);
  const byPackage = new Map<string, number>();
  for (const [path, bytes] of whole.inputs) {
    byPackage.set(packageOf(path), (byPackage.get(packageOf(path)) ?? 0) + bytes);
  }
  const largest = [...byPackage].sort((a, b) => b[1] - a[1]).slice(0, isDetailed ? PACKAGES_TOLD : 0);
  const packages = [];
  for (const [name, minified] of largest) {
    // Nothing can be imported from an emptied module, so its names become undefined: the weight counts, not the worker.
    const without = await bundle(name).catch(() => null);
    packages.push({ name, minified, compressed: without === null ? 0 : whole.compressed - without.compressed });
  }
  return { minified_bytes: whole.minified, compressed_bytes: whole.compressed, packages };
}

async function bundle(emptied: string | null) {
  const empty: Plugin = {
    name: "empty",
    setup({ onLoad }) {
      onLoad({ filter: /\.(?:m?js|ts)$/ }, ({ path }) =>
        packageOf(path) === emptied ? { contents: "module.exports = {};", loader: "js" } : null,
      );
    },
  };
  // As wrangler.toml has it: minified, without kept names.
  const built = await build({
    ...BUNDLE_OPTIONS,
    entryPoints: [ENTRY],
    minify: true,
    metafile: true,
    plugins: emptied === null ? [] : [empty],
  });
  const contents = built.outputFiles[0]?.contents ?? new Uint8Array();
  const inputs = Object.values(built.metafile.outputs).flatMap((output) =>
    Object.entries(output.inputs).map(([path, { bytesInOutput }]) => [path, bytesInOutput] as const),
  );
  return { minified: contents.length, compressed: gzipSync(contents, { level: 9 }).length, inputs };
}

function packageOf(path: string): string {
  const dependency = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
  const own = /(?:^|\/)(src\/(?:models\/offline|[^/]+))/.exec(path)?.[1];
  return dependency ?? own ?? path;
}

export interface WorkerStart {
  readonly first_answer_ms: number;
  readonly empty_worker_ms: number;
}

const TRIVIAL = `import { DurableObject } from "cloudflare:workers";
export class RunObject extends DurableObject {}
export class CallerObject extends DurableObject {}
export default { fetch: () => new Response("{}") };`;

/** Medians, the two taking turns. */
export async function measureStart(): Promise<WorkerStart> {
  const bundled = await bundleWorker();
  if (!bundled.ok) throw new Error(bundled.error);
  const [whole, empty]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < STARTS; turn += 1) {
    whole.push(await startMs(bundled.value.code));
    empty.push(await startMs(TRIVIAL));
  }
  return { first_answer_ms: median(whole), empty_worker_ms: median(empty) };
}

async function startMs(worker: string): Promise<number> {
  const stateDir = mkdtempSync(join(tmpdir(), "querent-size-"));
  try {
    const startedAt = performance.now();
    const host = await startHost({ bundle: worker, stateDir, env: {} });
    if (!host.ok) throw new Error(host.error);
    await host.value.fetch("/healthz");
    const ms = performance.now() - startedAt;
    await host.value.dispose();
    return ms;
  } finally {
    rmSync(stateDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

function median(values: readonly number[]): number {
  return Math.round([...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
}
