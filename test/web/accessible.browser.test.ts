/** Every view, in both themes, on a phone and on a desk: axe finds nothing, the keyboard gets everywhere, nothing overflows. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM, findViolations, startBrowser, startWorld, visit, type World } from "./browser.ts";

const SIZES = [
  { name: "phone", width: 360, height: 740 },
  { name: "desk", width: 1_280, height: 900 },
] as const;
const WALL = { name: "wall", width: 2_560, height: 1_440 } as const;
const SCHEMES = ["light", "dark"] as const;

describe.skipIf(CHROMIUM === null)("the page is for everybody", () => {
  let browser: Browser;
  let world: World;
  const runs: { readonly [name: string]: string }[] = [];
  beforeAll(async () => {
    [browser, world] = await Promise.all([startBrowser(), startWorld()]);
    const ask = async (question: string, limits = {}): Promise<string> => {
      const response = await fetch(`${world.url}/v1/runs`, {
        method: "POST",
        headers: { "content-type": "application/json", prefer: "wait=30" },
        body: JSON.stringify({ question, limits }),
      });
      const run: { id: string } = JSON.parse(await response.text());
      return `/runs/${run.id}`;
    };
    runs.push({
      bars: await ask("How many tracks are there per genre?"),
      line: await ask("How many invoices were there in each month?"),
      shares: await ask("How many tracks are there per media type as a pie chart?"),
      dots: await ask("Show milliseconds and bytes of tracks as a scatter plot"),
      number: await ask("How many customers are there?"),
      stopped: await ask("How many tracks are there per genre?", { max_steps: 1 }),
    });
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  const views: readonly (readonly [name: string, path: () => string, ready: string])[] = [
    ["ask", () => "/", ".tables li"],
    ["history", () => "/history", ".run-link"],
    ["schema", () => "/schema", ".card"],
    ["a run with bars", () => runs[0]?.bars ?? "", "figure svg"],
    ["a run with a line", () => runs[0]?.line ?? "", "figure svg"],
    ["a run with shares", () => runs[0]?.shares ?? "", "figure svg"],
    ["a run with dots", () => runs[0]?.dots ?? "", "figure svg"],
    ["a run with a number", () => runs[0]?.number ?? "", ".numbers"],
    ["a stopped run", () => runs[0]?.stopped ?? "", ".continue"],
  ];
  const cases = views.flatMap((view) => [
    ...SIZES.flatMap((size) => SCHEMES.map((scheme) => ({ view, size, scheme }))),
    { view, size: WALL, scheme: "light" as const },
  ]);

  test.each(cases.map((each) => [`${each.view[0]}, ${each.size.name}, ${each.scheme}`, each] as const))(
    "%s: axe finds no violation, and nothing is wider than the window",
    async (_name, { view: [, path, ready], size, scheme }) => {
      const { page, context, complaints } = await visit(browser, `${world.url}${path()}`, { ...size, scheme });
      await page.locator(ready).first().waitFor();
      expect(await findViolations(page)).toEqual([]);
      const [inner, outer] = await page.evaluate<[number, number]>(
        "[document.documentElement.scrollWidth, window.innerWidth]",
      );
      expect(inner).toBeLessThanOrEqual(outer);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  test("the keyboard alone gets from the question to the cell behind a figure", async () => {
    const { page, context } = await visit(browser, `${world.url}/`);
    await page.locator(".tables li").first().waitFor();
    await page.keyboard.type("How many tracks are there per genre?");
    await page.keyboard.press("Enter");
    await page.locator(".result td").first().waitFor();
    const focused = () => page.evaluate<string>("document.activeElement?.textContent ?? ''");
    for (let presses = 0; presses < 12 && (await focused()) !== "1297"; presses += 1) await page.keyboard.press("Tab");
    expect(await focused()).toBe("1297");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement?.tagName")).toBe("TD");
    await context.close();
  });
});
