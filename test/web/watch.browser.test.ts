/** The page while a run goes on, with a fake Messages API whose replies the test holds back. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { message, status, text, toolUse } from "../fakes/anthropic-script.ts";
import {
  CHROMIUM,
  createGate,
  findViolations,
  startBrowser,
  startLine,
  startWorld,
  visit,
  type World,
} from "./browser.ts";

const COUNT_SQL = "SELECT count(*) AS customers FROM Customer";
const query = (sql: string) => message([text("I count the customers."), toolUse("execute_read_only_sql", { sql })]);
const LONG_SQL = "SELECT TrackId, Name, TrackId * 7 AS seven FROM Track ORDER BY TrackId LIMIT 300";
const DEEP_ANSWER = message([
  toolUse("final_answer", {
    answer: "The last is 1834.",
    results: ["r1"],
    citations: [{ figure: "1834", result: "r1", row: 262, column: "seven" }],
  }),
]);
const answer = (said: string) =>
  message([
    toolUse("final_answer", {
      answer: said,
      results: ["r1"],
      citations: [{ figure: "59", result: "r1", row: 1, column: "customers" }],
    }),
  ]);

describe.skipIf(CHROMIUM === null)("the page while a run goes on", () => {
  let browser: Browser;
  let world: World;
  /** Opens the way to the second reply of the run whose question holds the name. */
  const gates = new Map<string, ReturnType<typeof createGate>>();
  const calls = new Map<string, number>();

  beforeAll(async () => {
    const replies = async (asked: string) => {
      const name = /case (\w+)/.exec(asked)?.[1] ?? "none";
      const n = calls.get(name) ?? 0;
      calls.set(name, n + 1);
      if (name === "mend" && n === 0) return query("SELECT count(*) AS customers FROM Custmer");
      if (name === "fail") return status(400);
      if (name === "deep") return n === 0 ? query(LONG_SQL) : DEEP_ANSWER;
      if (n === 0 || (name === "mend" && n === 1)) return query(COUNT_SQL);
      await gates.get(name)?.opened;
      return answer("There are 59 customers.");
    };
    [browser, world] = await Promise.all([startBrowser(), startWorld({ answer: replies })]);
  }, 60_000);
  afterAll(async () => {
    for (const gate of gates.values()) gate.open();
    await browser?.close();
    await world?.close();
  });

  /** Asks, and comes back when the queries before `heldStep` have been seen and that step's reply is held back. */
  async function askAndHold(name: string, { url = world.url, heldStep = 2 } = {}) {
    gates.set(name, createGate());
    const opened = await visit(browser, `${url}/`, { expected: /Failed to load resource|net::ERR/ });
    await opened.page.getByLabel("Your question").fill(`How many customers, case ${name}?`);
    await opened.page.getByRole("button", { name: "Ask" }).click();
    await opened.page.getByText(`Step ${heldStep}: the model is thinking`).waitFor();
    return opened;
  }

  const answered = (page: Page) => page.getByRole("region", { name: "Answer" }).getByText("There are 59 customers.");

  test("each step arrives live: thought, SQL, rows; the meters fill, the rows so far are shown", async () => {
    const { page, context, complaints } = await askAndHold("live");
    expect(await page.locator(".thought").first().textContent()).toBe("I count the customers.");
    expect(await page.locator(".sql").first().textContent()).toBe(COUNT_SQL);
    expect(await page.locator(".call-outcome").first().textContent()).toMatch(/1 row · \d+ rows? read · /);
    expect(await page.getByRole("region", { name: "Rows so far" }).textContent()).toContain("59");
    expect(await page.getByRole("meter", { name: "Steps" }).getAttribute("aria-valuenow")).toBe("2");
    const dollars = await page.getByRole("meter", { name: "Dollars" }).getAttribute("aria-valuenow");
    expect(Number(dollars)).toBeGreaterThan(0);
    expect(await findViolations(page)).toEqual([]);
    gates.get("live")?.open();
    await answered(page).waitFor();
    expect(await page.getByRole("link", { name: "59" }).count()).toBe(1);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("an error of a query and the way out of it are both shown", async () => {
    const { page, context } = await askAndHold("mend", { heldStep: 3 });
    const outcomes = page.locator(".call-error .call-outcome");
    expect(await outcomes.first().textContent()).toContain("Custmer");
    expect(await page.locator(".call-advice").first().textContent()).toContain("Customer");
    gates.get("mend")?.open();
    await answered(page).waitFor();
    await context.close();
  });

  test("Stop ends the run at once and says that it was cancelled", async () => {
    const { page, context } = await askAndHold("stop");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("region", { name: "Answer" }).getByText("Cancelled", { exact: true }).waitFor();
    expect(await page.getByText("Cancelled.", { exact: true }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Stop" }).count()).toBe(0);
    await context.close();
  });

  test("a reload in the middle shows every step again, once, and goes on to the answer", async () => {
    const { page, context } = await askAndHold("reload");
    await page.reload();
    await page.getByText("Step 2: the model is thinking").waitFor();
    expect(await page.locator(".step").count()).toBe(2);
    gates.get("reload")?.open();
    await answered(page).waitFor();
    expect(await page.locator(".step").count()).toBe(2);
    await context.close();
  });

  test("a lost connection is said, and mended it goes on where it was, with no step twice", async () => {
    const line = await startLine(world.url);
    const { page, context } = await askAndHold("line", { url: line.url });
    line.cut();
    await page.getByText("The connection is lost.").waitFor();
    gates.get("line")?.open();
    line.mend();
    await answered(page).waitFor();
    expect(await page.locator(".step").count()).toBe(2);
    expect(await page.getByText("The connection is lost.").count()).toBe(0);
    await context.close();
    await line.close();
  });

  test("a run that its limit stopped is continued under a raised one, and its spend with it", async () => {
    gates.get("raise")?.open();
    const { page, context } = await visit(browser, `${world.url}/`);
    await page.getByLabel("Your question").fill("How many customers, case raise?");
    await page.getByText("Limits").click();
    await page.getByLabel("Steps").fill("1");
    await page.getByRole("button", { name: "Ask" }).click();
    const proposed = page.getByLabel(/Steps \(was 1, up to 128\)/);
    await proposed.waitFor();
    expect(await proposed.inputValue()).toBe("2");
    const before = page.url();
    await proposed.fill("6");
    await page.getByRole("button", { name: "Continue with this limit" }).click();
    await answered(page).waitFor();
    expect(page.url()).not.toBe(before);
    await page.getByText("Continues").waitFor();
    await page.getByRole("link", { name: /an earlier run/ }).click();
    await page.getByText("Continued in").waitFor();
    expect(page.url()).toBe(before);
    await context.close();
  });

  test("a figure whose cell is on a later page turns the table to it, sorted or not", async () => {
    const { page, context, complaints } = await visit(browser, `${world.url}/`);
    await page.getByLabel("Your question").fill("How many customers, case deep?");
    await page.keyboard.press("Enter");
    await page.getByText("1 to 50 of 300 rows").waitFor();
    await page.getByRole("button", { name: "seven" }).click();
    await page.getByRole("link", { name: "1834" }).click();
    await page.getByText("251 to 300 of 300 rows").waitFor();
    await expect.poll(() => page.locator("td:focus").textContent()).toBe("1834");
    await page.getByRole("button", { name: "Previous" }).click();
    await page.getByText("201 to 250 of 300 rows").waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("a new run goes on from an earlier step of a finished one", async () => {
    const { page, context } = await askAndHold("fork");
    gates.get("fork")?.open();
    await answered(page).waitFor();
    const before = page.url();
    await page.getByRole("button", { name: "Go on from here in a new run" }).first().click();
    await expect.poll(() => page.url()).not.toBe(before);
    await answered(page).waitFor();
    await page.getByText("Forked from").waitFor();
    await context.close();
  });

  test("a run that failed says so and why, and offers the way on", async () => {
    const { page, context, complaints } = await visit(browser, `${world.url}/`);
    await page.getByLabel("Your question").fill("How many customers, case fail?");
    await page.keyboard.press("Enter");
    const ending = page.getByRole("region", { name: "Answer" });
    await ending.getByText("No answer: something failed").waitFor();
    expect(await ending.textContent()).toContain("Anthropic refused the call");
    await page.getByRole("button", { name: "Continue", exact: true }).waitFor();
    await page.getByText("failed: provider error").waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("a used-up budget is said in words, with the way on", async () => {
    const { page, context } = await visit(browser, `${world.url}/`);
    await page.getByLabel("Your question").fill("How many customers, case budget?");
    await page.getByText("Limits").click();
    await page.getByLabel("Budget, dollars").fill("0.0001");
    await page.getByRole("button", { name: "Ask" }).click();
    await page.getByText("The budget of this question is used up").waitFor();
    await page.getByLabel(/Budget, dollars \(was/).waitFor();
    await context.close();
  });
});
