/** The page of a run that waits for its person: a yes before a dear query (C48), a question back. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { message, text, toolUse } from "../fakes/anthropic-script.ts";
import { CHROMIUM, findViolations, startBrowser, startWorld, type VisitOptions, visit, type World } from "./browser.ts";

const QUESTION = "Which country's customers have spent the most?";
const MARKUP = `<img src=x onerror="window.hit=1"><script>window.hit=2</script>`;
/** A database whose names are markup, and what is asked of it. */
const ODD = {
  sql: `CREATE TABLE "<b>odd</b>" ("<i>col</i>" TEXT);
    INSERT INTO "<b>odd</b>" VALUES ('one'), ('two');`,
  query: `SELECT "<i>col</i>", '${MARKUP}' AS "turned \u202e note" FROM "<b>odd</b>"`,
};
const HOSTILE = `<img src=x onerror="window.hit=1"> ${"long ".repeat(80)}`;

describe.skipIf(CHROMIUM === null)("the page of a run that waits for a yes", () => {
  let browser: Browser;
  let world: World;
  beforeAll(async () => {
    [browser, world] = await Promise.all([startBrowser(), startWorld()]);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  /** Asks with every query to be allowed first, and comes back when the page asks for it. */
  async function askWaiting(options: VisitOptions = {}) {
    const opened = await visit(browser, `${world.url}/`, options);
    const { page } = opened;
    await page.getByText("Limits").click();
    await page.getByLabel("Ask me before a query reads more rows than").fill("0");
    await page.getByLabel("Your question").fill(QUESTION);
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByRole("button", { name: "Run it", exact: true }).waitFor();
    return opened;
  }
  const panel = (page: Page) => page.getByRole("region", { name: "May this query run?" });
  const answer = (page: Page) => page.getByRole("region", { name: "Answer" });

  test("C48: shows SQL, tables, rows, dollars and plan, with the heading in focus, and the answer after a yes", async () => {
    const { page, context, complaints } = await askWaiting();
    const shown = (await panel(page).textContent()) ?? "";
    for (const part of ["SELECT", "Invoice", "Customer", "Reads about", "$0.0001"]) expect(shown).toContain(part);
    expect(await page.evaluate("document.activeElement.id")).toBe("person-title");
    await page.getByText("How the database would do it").click();
    expect(await panel(page).locator(".plan").textContent()).toMatch(/SCAN|SEARCH/);
    expect(await page.getByRole("status").filter({ hasText: "Waiting for your word" }).count()).toBe(1);
    await page.getByRole("button", { name: "Run it", exact: true }).click();
    await answer(page).waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("run-title");
    expect(await answer(page).textContent()).toContain("523.06");
    expect(await page.getByText("Asked whether the query may run.").count()).toBe(1);
    expect(await page.getByText("local allowed it.").count()).toBe(1);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("with the keyboard alone: a no with a word to the model, and the run goes on without", async () => {
    const { page, context, complaints } = await askWaiting();
    await page.getByLabel("A word to the model").focus();
    await page.keyboard.type("Not this month.");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("local did not allow it: “Not this month.”").waitFor();
    await page.getByRole("link", { name: "Ask another question" }).waitFor();
    expect(await panel(page).count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("is there after a reload; decided elsewhere, it says so when it is decided again", async () => {
    const { page, context } = await askWaiting({ expected: /status of 409/ });
    await page.reload();
    await panel(page).waitFor();
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    const run = (await (await fetch(`${world.url}/v1/runs/${id}`)).json()) as { waiting: { approval: { id: string } } };
    // The stream is cut off from the page, so that it does not see the other's word.
    await page.route("**/events**", (route) => route.abort());
    await page.reload();
    await panel(page).waitFor();
    const body = JSON.stringify({ approval: run.waiting.approval.id, decision: "decline" });
    const headers = { "content-type": "application/json" };
    await fetch(`${world.url}/v1/runs/${id}/approve`, { method: "POST", headers, body });
    await page.getByRole("button", { name: "Run it", exact: true }).click();
    await page.getByRole("alert").getByText("Your word came too late").waitFor();
    await page.getByRole("link", { name: "Ask another question" }).waitFor();
    expect(await panel(page).count()).toBe(0);
    await context.close();
  });

  test("a number of rows that is none is told before anything is asked", async () => {
    const { page, context } = await visit(browser, `${world.url}/`);
    await page.getByText("Limits").click();
    await page.getByLabel("Ask me before a query reads more rows than").fill("-5");
    await page.getByLabel("Your question").fill(QUESTION);
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByRole("alert").getByText("Enter a whole number").waitFor();
    await context.close();
  });

  test.each<VisitOptions>([
    { scheme: "light" },
    { scheme: "dark" },
    { scheme: "dark", width: 360, height: 780 },
    { width: 2_560, height: 1_440 },
  ])("axe finds nothing, and nothing is wider than the window: %j", async (options) => {
    const { page, context } = await askWaiting(options);
    await page.getByText("How the database would do it").click();
    expect(await findViolations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - window.innerWidth")).toBeLessThanOrEqual(0);
    await context.close();
  });
});

describe.skipIf(CHROMIUM === null)("the page of a run that asks back", () => {
  let browser: Browser;
  let world: World;
  beforeAll(async () => {
    const replies = (asked: string, n: number) => {
      const name = /case (\w+)/.exec(asked)?.[1] ?? "";
      if (n % 2 === 1) return message([toolUse("final_answer", { answer: `Done, ${name}.`, results: [] })]);
      const question = name === "hostile" ? HOSTILE.slice(0, 500) : "By revenue or by number?";
      const options = name === "hostile" ? ["<b>one</b>", "x".repeat(70)] : ["By revenue", "By number"];
      return message([text("It can be read in two ways."), toolUse("ask_user", { question, options })]);
    };
    [browser, world] = await Promise.all([startBrowser(), startWorld({ answer: replies })]);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  async function ask(name: string, options: VisitOptions = {}) {
    const opened = await visit(browser, `${world.url}/`, options);
    await opened.page.getByLabel("Your question").fill(`Who are our best customers, case ${name}?`);
    await opened.page.getByRole("button", { name: "Ask", exact: true }).click();
    await opened.page.getByLabel("In other words").waitFor();
    return opened;
  }

  test("takes one of the options", async () => {
    const { page, context, complaints } = await ask("option");
    await page.getByRole("button", { name: "By number" }).click();
    await page.getByRole("region", { name: "Answer" }).getByText("Done, option.").waitFor();
    expect(await page.getByText("local answered: “By number”").count()).toBe(1);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("takes other words, sent with Enter", async () => {
    const { page, context } = await ask("words");
    await page.getByLabel("In other words").fill("By revenue without tax");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Answer" }).getByText("Done, words.").waitFor();
    expect(await page.getByText("local answered: “By revenue without tax”").count()).toBe(1);
    await context.close();
  });

  test("shows markup in question and options as text, at 360 px, without a complaint of axe", async () => {
    const { page, context, complaints } = await ask("hostile", { width: 360, height: 780 });
    expect(await page.getByRole("button", { name: "<b>one</b>" }).count()).toBe(1);
    expect(await page.evaluate("window.hit ?? 0")).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - window.innerWidth")).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe.skipIf(CHROMIUM === null)("the page of a run that waits for a yes to hostile SQL", () => {
  let browser: Browser;
  let world: World;
  beforeAll(async () => {
    const replies = (_asked: string, n: number) =>
      n % 2 === 0
        ? message([text(MARKUP), toolUse("execute_read_only_sql", { sql: ODD.query })])
        : message([toolUse("final_answer", { answer: "Two rows.", results: ["r1"] })]);
    [browser, world] = await Promise.all([startBrowser(), startWorld({ sql: ODD.sql, answer: replies })]);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  test("C38: shows markup in SQL, tables, plan and note as text, at 360 px, and goes on after a yes", async () => {
    const { page, context, complaints } = await visit(browser, `${world.url}/`, { width: 360, height: 780 });
    await page.getByText("Limits").click();
    await page.getByLabel("Ask me before a query reads more rows than").fill("0");
    await page.getByLabel("Your question").fill("What is odd?");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    const panel = page.getByRole("region", { name: "May this query run?" });
    await panel.getByText("How the database would do it").click();
    expect(await panel.locator("pre.sql").textContent()).toBe(ODD.query.replace("\u202e", "\ufffd"));
    expect(await panel.locator("bdi").textContent()).toBe("<b>odd</b>");
    expect(await panel.locator(".plan").textContent()).toContain("<b>odd</b>");
    expect(await findViolations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - window.innerWidth")).toBeLessThanOrEqual(0);
    await page.getByLabel("A word to the model").fill(MARKUP);
    await page.getByRole("button", { name: "Run it", exact: true }).click();
    await page.getByRole("region", { name: "Answer" }).getByText("Two rows.").waitFor();
    expect(await page.getByText("local allowed it").textContent()).toContain(MARKUP);
    expect(await page.evaluate("window.hit ?? 0")).toBe(0);
    expect(await page.locator("main img, main script, main b, main i").count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
