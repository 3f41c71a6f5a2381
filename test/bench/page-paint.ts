/**
 * How soon the page is seen, in a real Chromium against the real local worker: first contentful paint of a cold load (a
 * fresh profile, nothing cached) of the first view and of a finished run, and what it weighs on the way.
 * `npm run bench -- --part page` prints it; without a Chromium it says so.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { PAGE_DIR } from "../../src/cli/build-page.ts";
import { CHROMIUM, FIRST_PAINT, startBrowser, startWorld } from "../web/browser.ts";

const LOADS = 10;

export interface Paint {
  readonly p50_ms: number;
  readonly max_ms: number;
}

export interface PagePaint {
  readonly first_view: Paint;
  readonly finished_run: Paint;
  /** Compressed: what is fetched before the first paint, and the chart library, which comes with the first chart. */
  readonly page_bytes: number;
  readonly charts_bytes: number;
}

/** Null: there is no Chromium here. */
export async function measurePaint(): Promise<PagePaint | null> {
  if (CHROMIUM === null) return null;
  const [browser, world] = await Promise.all([startBrowser(), startWorld()]);
  try {
    const asked = await fetch(`${world.url}/v1/runs`, {
      method: "POST",
      headers: { "content-type": "application/json", prefer: "wait=30" },
      body: JSON.stringify({ question: "How many tracks are there per genre?" }),
    });
    const { id } = (await asked.json()) as { readonly id: string };
    const first_view = await paintOf(browser, `${world.url}/`);
    const finished_run = await paintOf(browser, `${world.url}/runs/${id}`);
    const first = await filesOf(browser, `${world.url}/`, "h1");
    const withChart = await filesOf(browser, `${world.url}/runs/${id}`, "figure svg");
    const charts_bytes = weigh(withChart.filter((path) => !first.includes(path)));
    return { first_view, finished_run, page_bytes: weigh(first), charts_bytes };
  } finally {
    await browser.close();
    await world.close();
  }
}

async function paintOf(browser: Browser, url: string): Promise<Paint> {
  const times: number[] = [];
  for (let load = 0; load < LOADS; load += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(url);
    times.push(Number(await page.evaluate(FIRST_PAINT)));
    await context.close();
  }
  const sorted = times.toSorted((a, b) => a - b);
  return { p50_ms: Math.round(sorted[LOADS / 2] ?? 0), max_ms: Math.round(sorted.at(-1) ?? 0) };
}

/** Files beside the worker that are fetched until `selector` is shown. */
async function filesOf(browser: Browser, url: string, selector: string): Promise<readonly string[]> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const paths = new Set<string>();
  page.on("request", (request) => paths.add(new URL(request.url()).pathname));
  await page.goto(url);
  await page.locator(selector).first().waitFor();
  await context.close();
  return [...paths].filter((path) => path.startsWith("/assets/"));
}

function weigh(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + gzipSync(readFileSync(join(PAGE_DIR, path)), { level: 9 }).length, 0);
}
