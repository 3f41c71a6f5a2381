/** What a person sees when things are not as usual: no key, a key that has expired, no server, no budget, nothing yet. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PAGE_DIR } from "../../src/cli/build-page.ts";
import { message, text } from "../fakes/anthropic-script.ts";
import {
  CHROMIUM,
  FIRST_PAINT,
  findViolations,
  startBrowser,
  startLine,
  startWorld,
  type VisitOptions,
  visit,
  type World,
} from "./browser.ts";

const KEY = "qk_test-key-of-the-page-000000000000000000000000";
const CALLERS = JSON.stringify({
  team: {
    keys: [`sha256:${createHash("sha256").update(KEY).digest("hex")}`],
    daily_usd: 0.2,
    scopes: { tables: { allow: ["Artist", "Album"] }, columns: { mask: ["Artist.Name"] } },
  },
});
const QUIET = { expected: /Failed to load resource|net::ERR/ } satisfies VisitOptions;

describe.skipIf(CHROMIUM === null)("the first paint", () => {
  let browser: Browser;
  let world: World;
  beforeAll(async () => {
    [browser, world] = await Promise.all([startBrowser(), startWorld()]);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  test.each([
    ["/", /What do you want to know/],
    ["/runs/run_nowhere", /Loading the run/],
    ["/history", /Your questions/],
    ["/schema", /Tables|Schema/],
  ])("of %s waits for no answer of the API, nor for what draws charts", async (path, seen) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const assets: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith("/assets/")) assets.push(pathname);
    });
    // Every request for data is held back for good.
    await page.route("**/v1/**", () => undefined);
    await page.goto(`${world.url}${path}`);
    await page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
    await page.getByText(seen).first().waitFor();
    expect(await page.evaluate(FIRST_PAINT)).toBeGreaterThan(0);
    const later = [...readFileSync(join(PAGE_DIR, "assets/main.js"), "utf8").matchAll(/\("\.\/(chunk-\w+\.js)"\)/g)];
    expect(later).toHaveLength(1);
    for (const [, name] of later) expect(assets).not.toContain(`/assets/${name}`);
    expect(assets).toEqual(expect.arrayContaining(["/assets/main.js", "/assets/style.css"]));
    await context.close();
  });
});

describe.skipIf(CHROMIUM === null)("the page when things are not as usual", () => {
  let browser: Browser;
  let world: World;
  beforeAll(async () => {
    const answer = () => message([text("There are many.")]);
    [browser, world] = await Promise.all([startBrowser(), startWorld({ answer, env: { QUERENT_CALLERS: CALLERS } })]);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  /** As a deployed worker answers: locally a request without a key is let in, so it is refused on the way. */
  async function demandKey(page: Page): Promise<void> {
    await page.route("**/v1/**", (route) => {
      if (route.request().headers().authorization !== undefined) return route.continue();
      const problem = { title: "A valid API key is needed", detail: 'Send your key as "Authorization: Bearer <key>".' };
      return route.fulfill({ status: 401, contentType: "application/problem+json", body: JSON.stringify(problem) });
    });
  }

  async function signIn(page: Page, key: string): Promise<void> {
    await page.locator("#api-key").fill(key);
    await page.keyboard.press("Enter");
  }

  async function ask(page: Page): Promise<void> {
    await page.getByLabel("Your question").fill("How many artists are there?");
    await page.keyboard.press("Enter");
  }

  async function openSignedOut(path: string) {
    const opened = await visit(browser, `${world.url}/assets/icon.svg`, QUIET);
    await demandKey(opened.page);
    await opened.page.goto(`${world.url}${path}`);
    return opened;
  }

  test("without a key it asks for one, a wrong one is refused in words, the right one lets in", async () => {
    const { page, context, complaints } = await openSignedOut("/");
    await page.getByRole("heading", { name: "Sign in with your API key" }).waitFor();
    await signIn(page, "qk_expired");
    await page.getByRole("heading", { name: "This key is not accepted" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await signIn(page, KEY);
    await page.getByRole("heading", { name: "What do you want to know?" }).waitFor();
    await page.getByText("Album", { exact: true }).waitFor();
    expect(await page.locator(".tables li").count()).toBe(2);
    expect(await page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]")).toEqual([0, 0, ""]);
    expect(complaints).toEqual([]);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in with your API key" }).waitFor();
    await context.close();
  });

  test("the schema shows what the key may read, and says what is masked", async () => {
    const { page, context } = await openSignedOut("/schema");
    await signIn(page, KEY);
    await page.getByText("2 tables that you may read").waitFor();
    const artist = page.locator(".card", { has: page.getByRole("heading", { name: "Artist" }) });
    expect(await artist.textContent()).toContain("masked");
    await context.close();
  });

  test("a history with nothing in it invites to ask; a spent daily budget is said when asking", async () => {
    const { page, context } = await openSignedOut("/history");
    await signIn(page, KEY);
    await page.getByText("Nothing asked yet.").waitFor();
    await page.getByRole("link", { name: "Ask the first question" }).click();
    await ask(page);
    await page.getByRole("region", { name: "Answer" }).waitFor();
    await page.getByRole("link", { name: "Ask another question" }).click();
    await ask(page);
    await page.getByRole("alert").getByText("The daily budget is spent").waitFor();
    expect(await page.getByLabel("Your question").inputValue()).toBe("How many artists are there?");
    await context.close();
  });

  test("A29: an answer that rests on no query says so in plain sight", async () => {
    const { page, context } = await visit(browser, `${world.url}/`);
    await page.getByLabel("Your question").fill("How many artists are there?");
    await page.keyboard.press("Enter");
    await page.getByText("Answered without querying the database.").waitFor();
    expect(await page.getByRole("link", { name: "There" }).count()).toBe(0);
    await context.close();
  });

  test("a limit that is no number, and one above the maximum, are refused before anything is spent", async () => {
    const { page, context } = await visit(browser, `${world.url}/`, QUIET);
    await page.getByLabel("Your question").fill("How many artists are there?");
    await page.getByText("Model and limits").click();
    await page.getByText("up to 128").waitFor();
    await page.getByLabel("Steps").fill("100000");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByRole("alert").getByText("Steps: 128 is the most you may ask for.").waitFor();
    await context.close();
  });

  test("the model and the limits can be chosen, within what the caller may have", async () => {
    const { page, context, complaints } = await visit(browser, `${world.url}/`);
    await page.getByText("Model and limits").click();
    const model = page.getByRole("combobox", { name: "Model" });
    const caller: { models: string[]; default_model: string } = await (await fetch(`${world.url}/v1/caller`)).json();
    expect(await model.locator("option").allTextContents()).toEqual(caller.models);
    expect(await model.inputValue()).toBe(caller.default_model);
    const steps = page.getByLabel("Steps");
    expect([await steps.getAttribute("placeholder"), await steps.getAttribute("max")]).toEqual(["12", "128"]);
    await page.getByText(/^\$[\d.]+ of \$[\d.]+ left today$/).waitFor();
    expect(await findViolations(page)).toEqual([]);
    const other = caller.models.find((id) => id.startsWith("claude-haiku")) ?? "";
    await model.selectOption(other);
    await steps.fill("3");
    await page.getByLabel("Your question").fill("How many artists are there?");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByRole("region", { name: "Answer" }).waitFor();
    const run: unknown = await (await fetch(`${world.url}/v1${new URL(page.url()).pathname}`)).json();
    expect(run).toMatchObject({ model: other, limits: { max_steps: 3, budget_usd: 0.5 } });
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("with no way to the server it says so, and Try again works once there is one", async () => {
    const line = await startLine(world.url);
    const { page, context } = await visit(browser, `${line.url}/`, QUIET);
    await page.getByText("Customer").first().waitFor();
    line.cut();
    await page.getByRole("link", { name: "History" }).click();
    await page.getByRole("alert").getByText("No connection").waitFor();
    expect(await findViolations(page)).toEqual([]);
    line.mend();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Nothing asked yet.").or(page.locator(".run-link").first()).waitFor();
    await context.close();
    await line.close();
  });

  test("offline, the page says so at once, and takes it back", async () => {
    const { page, context } = await visit(browser, `${world.url}/history`, QUIET);
    await context.setOffline(true);
    await page.getByText("You are offline.").waitFor();
    await context.setOffline(false);
    await page.getByText("You are offline.").waitFor({ state: "detached" });
    await context.close();
  });

  test("an address that is none of the page's is told apart, and a link leads back", async () => {
    const { page, context } = await visit(browser, `${world.url}/`, QUIET);
    await page.evaluate("history.pushState(null, '', '/nowhere'); window.dispatchEvent(new PopStateEvent('popstate'))");
    await page.getByText("There is nothing at this address.").waitFor();
    await page.getByRole("link", { name: "Ask a question" }).click();
    await page.getByRole("heading", { name: "What do you want to know?" }).waitFor();
    await page.goto(`${world.url}/mistyped/address`);
    await page.getByRole("heading", { name: "There is nothing at this address." }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("link", { name: "Ask a question" }).click();
    await page.getByRole("heading", { name: "What do you want to know?" }).waitFor();
    await context.close();
  });
});
