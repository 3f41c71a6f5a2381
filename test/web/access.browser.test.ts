/** The page behind Cloudflare Access: no key is asked for, and no other page can use what lets a person in. */
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AUDIENCE, type FakeAccess, startFakeAccess } from "../fakes/fake-access.ts";
import { CHROMIUM, findViolations, startBrowser, startWorld, type VisitOptions, visit, type World } from "./browser.ts";

const CALLERS = JSON.stringify({ team: { keys: [], scopes: { tables: { allow: ["Artist", "Album"] } } } });
const QUIET = { expected: /Failed to load resource|request to/ } satisfies VisitOptions;

describe.skipIf(CHROMIUM === null)("the page behind Cloudflare Access", () => {
  let browser: Browser;
  let team: FakeAccess;
  let world: World;
  beforeAll(async () => {
    team = await startFakeAccess();
    const door = JSON.stringify({ team: team.url, audience: AUDIENCE, caller: "team" });
    const env = { QUERENT_CALLERS: CALLERS, QUERENT_ACCESS: door };
    [browser, world] = await Promise.all([startBrowser(), startWorld({ env })]);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
    await team?.stop();
  });

  /** As Access does: before every request, whatever page it is from, since the browser sends its cookie along. */
  async function putToken(context: BrowserContext, claims: object = {}): Promise<void> {
    await context.setExtraHTTPHeaders({ "cf-access-jwt-assertion": await team.token(Date.now(), claims) });
  }

  async function open(claims: object = {}) {
    const opened = await visit(browser, `${world.url}/assets/icon.svg`, QUIET);
    await putToken(opened.context, claims);
    await opened.page.goto(`${world.url}/`);
    return opened;
  }

  test("asks for no key, shows what the caller may read, and answers", async () => {
    const { page, context, complaints } = await open();
    await page.getByText("Album", { exact: true }).waitFor();
    expect(await page.locator(".tables li").count()).toBe(2);
    expect(await page.locator("#api-key").count()).toBe(0);
    await page.getByLabel("Your question").fill("How many artists are there?");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Answer" }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("offers a reload, and no key, when the sign-in has run out", async () => {
    const { page, context } = await open({ exp: 1 });
    await page.getByRole("alert").getByText("The sign-in by Cloudflare Access is not valid").waitFor();
    expect(await page.locator("#api-key").count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    await putToken(context);
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByText("Album", { exact: true }).waitFor();
    await context.close();
  });

  test("offers a reload too when Access itself refuses, which it does because the page asks it to", async () => {
    const { page, context } = await open();
    await page.getByText("Album", { exact: true }).waitFor();
    const asked: (string | undefined)[] = [];
    await page.route("**/v1/**", (route) => {
      asked.push(route.request().headers()["x-requested-with"]);
      return route.fulfill({ status: 401, contentType: "text/html", body: "" });
    });
    await page.getByRole("link", { name: "Schema" }).click();
    await page.getByRole("alert").getByText("Your sign-in has run out").waitFor();
    await page.getByRole("button", { name: "Reload" }).waitFor();
    expect(new Set(asked)).toEqual(new Set(["XMLHttpRequest"]));
    await context.close();
  });

  test("another page's requests are refused, though the browser lets them in with the person's token", async () => {
    const { page, context } = await open();
    await page.goto(`${team.url}/anything`);
    const post = `fetch("${world.url}/v1/runs/x/cancel", { method: "POST", mode: "no-cors", body: "x" })`;
    const [response] = await Promise.all([page.waitForResponse(/cancel/), page.evaluate(`${post}.then(() => null)`)]);
    expect(response.status()).toBe(403);
    const read = await page.evaluate(`fetch("${world.url}/v1/runs").then((r) => r.text(), () => "unreadable")`);
    expect(read).toBe("unreadable");
    const form = `const f = document.createElement("form"); f.method = "post"; f.action = "${world.url}/v1/runs/x/cancel"; document.body.append(f); f.submit();`;
    const [sent] = await Promise.all([page.waitForResponse(/cancel/), page.evaluate(form)]);
    expect(sent.status()).toBe(403);
    await context.close();
  });
});
