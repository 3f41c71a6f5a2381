/**
 * Builds the files beside the worker, its static assets: the page, `src/web/client` to `dist/web`, and the contract.
 *
 * Why assets and not modules of the worker: the worker's own bundle stays small, a browser gets them without waking it,
 * and no source imports a generated file, so types, lint and tests need no build. They are made anew, in a tenth of a
 * second, by whoever needs them: wrangler by `[build]` of wrangler.toml (dev, deploy, dry run), the local server and the
 * tests by calling `buildPage`. `dist/` is not committed, so it cannot be stale.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { createDocument } from "../http/openapi.ts";
import { err, ok, type Result } from "../lib/result.ts";
import { readDocsFiles } from "./build-docs.ts";

/** What wrangler.toml names as the directory of `[assets]`. */
export const PAGE_DIR = fileURLToPath(new URL("../../dist/web", import.meta.url));

const CLIENT_DIR = fileURLToPath(new URL("../web/client", import.meta.url));

/** Sent with every file, by Cloudflare and by the local stand-in. Chunks carry a hash of their content in their name. */
const HEADERS = `/openapi.json
  Cache-Control: public, max-age=300
  Access-Control-Allow-Origin: *
  Content-Security-Policy: default-src 'none'; frame-ancestors 'none'
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer
/assets/*
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer
  Cross-Origin-Resource-Policy: same-origin
/assets/chunk-*
  ! Cache-Control
  Cache-Control: public, max-age=31536000, immutable
`;

/** Builds into `dir` and returns it. The error names file and line. */
export async function buildPage(dir: string = PAGE_DIR): Promise<Result<string, string>> {
  const assets = join(dir, "assets");
  try {
    const built = await build({
      entryPoints: [join(CLIENT_DIR, "main.tsx"), join(CLIENT_DIR, "style.css")],
      outdir: assets,
      bundle: true,
      splitting: true,
      minify: true,
      write: false,
      format: "esm",
      target: "es2022",
      platform: "browser",
      entryNames: "[name]",
      chunkNames: "chunk-[hash]",
      logLevel: "silent",
    });
    const files = new Map(built.outputFiles.map((file) => [basename(file.path), file.contents]));
    files.set("icon.svg", readFileSync(join(CLIENT_DIR, "icon.svg")));
    for (const [name, contents] of readDocsFiles()) files.set(name, contents);
    writeFolder(assets, files);
    writeFileSync(join(dir, "openapi.json"), JSON.stringify(createDocument()));
    writeFileSync(join(dir, "_headers"), HEADERS);
    return ok(dir);
  } catch (error) {
    return err(`The page does not build.\n${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Writes first and deletes what is left over after: a server that reads the folder meanwhile misses nothing. */
function writeFolder(dir: string, files: ReadonlyMap<string, Uint8Array>): void {
  mkdirSync(dir, { recursive: true });
  for (const [name, contents] of files) writeFileSync(join(dir, name), contents);
  for (const name of readdirSync(dir)) {
    if (!files.has(name)) rmSync(join(dir, name), { recursive: true, force: true });
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const built = await buildPage();
  if (!built.ok) {
    process.stderr.write(`${built.error}\n`);
    process.exitCode = 1;
  }
}
