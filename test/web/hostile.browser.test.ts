/** Rows that were written by strangers: whatever a cell, a column or an answer holds is shown as text and does nothing. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { message, toolUse } from "../fakes/anthropic-script.ts";
import { CHROMIUM, findViolations, startBrowser, startWorld, visit, type World } from "./browser.ts";

const SCRIPT = `<script>window.hit = 1</script><img src=x onerror="window.hit = 2"><a href="javascript:window.hit=3">x</a>`;
const HEBREW = "שלום עולם 123";
const WIDE = Array.from({ length: 100 }, (_, index) => `c${index}`);

const SQL = `
CREATE TABLE notes (id INTEGER PRIMARY KEY, note TEXT, amount REAL);
INSERT INTO notes VALUES (1, '${SCRIPT.replaceAll("'", "''")}', 10), (2, '${"long ".repeat(2_000)}', 20),
  (3, '${HEBREW}', 30), (4, NULL, 40), (5, '=HYPERLINK("http://example.com")', 50), (6, 'a' || char(0) || 'b' || char(8238) || 'c', 60);
CREATE TABLE "<b>odd</b>" ("<i>col</i>" TEXT, "${HEBREW}" INTEGER);
INSERT INTO "<b>odd</b>" VALUES ('</td></tr><script>window.hit=4</script>', 9007199254740993);
CREATE TABLE wide (${WIDE.map((name) => `${name} INTEGER`).join(", ")});
INSERT INTO wide VALUES (${WIDE.map((_, index) => index).join(", ")});
`;

const QUERIES: { readonly [name: string]: string } = {
  notes: "SELECT note, amount FROM notes ORDER BY id",
  chart: "SELECT substr(note, 1, 60) AS label, amount FROM notes WHERE id IN (1, 3, 5)",
  odd: 'SELECT * FROM "<b>odd</b>"',
  wide: "SELECT * FROM wide",
};

describe.skipIf(CHROMIUM === null)("the page with hostile rows", () => {
  let browser: Browser;
  let world: World;
  beforeAll(async () => {
    const calls = new Map<string, number>();
    const answer = (asked: string) => {
      const name = /case (\w+)/.exec(asked)?.[1] ?? "notes";
      const n = calls.get(name) ?? 0;
      calls.set(name, n + 1);
      if (n % 2 === 0) return message([toolUse("execute_read_only_sql", { sql: QUERIES[name] })]);
      const said = `${SCRIPT} see https://evil.example/?q=1 and **10** in [a link](https://evil.example)`;
      return message([toolUse("final_answer", { answer: said, results: ["r1"] })]);
    };
    [browser, world] = await Promise.all([startBrowser(), startWorld({ sql: SQL, answer })]);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  async function ask(name: string, width = 1_280) {
    const opened = await visit(browser, `${world.url}/`, { width });
    await opened.page.getByLabel("Your question").fill(`Show ${SCRIPT} case ${name}`);
    await opened.page.getByRole("button", { name: "Ask", exact: true }).click();
    await opened.page.locator(".result tbody tr").first().waitFor();
    return opened;
  }

  test("markup in questions, answers and cells is shown as it is written, and C38: no link is made of it", async () => {
    const { page, context, complaints } = await ask("notes");
    const answer = page.getByRole("region", { name: "Answer" });
    expect(await answer.textContent()).toContain(SCRIPT);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain(SCRIPT);
    expect(await page.locator(".result td").first().textContent()).toContain("<script>window.hit = 1</script>");
    const links = await page.getByRole("link").evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
    expect(links.filter((href) => !/^[/#]/.test(href))).toEqual([]);
    expect(await page.evaluate("window.hit")).toBeUndefined();
    expect(await page.locator("main img, main script, main iframe").count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("on a phone the last column of figures stays at the edge of a table that is far wider", async () => {
    const { page, context } = await ask("wide", 360);
    const last = page.locator(".result tbody tr").first().locator("td").last();
    const [cell, box] = [await last.boundingBox(), await page.locator(".result .table-scroll").boundingBox()];
    expect(await last.textContent()).toBe("99");
    expect(cell === null || box === null ? null : cell.x + cell.width <= box.x + box.width + 1).toBe(true);
    await page.getByText("scroll sideways for more").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await context.close();
  });

  test("markup in the names of a picture is text in it, and in what it shows at the pointer", async () => {
    const { page, context, complaints } = await ask("chart");
    const drawing = page.locator("figure svg");
    await drawing.waitFor();
    await drawing.locator("rect").first().hover();
    expect(await drawing.locator("rect title").first().textContent()).toBe(`${SCRIPT.slice(0, 60)}\namount 10`);
    expect(await page.evaluate("window.hit")).toBeUndefined();
    expect(await drawing.locator("img, script, a, foreignObject").count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("a cell of 10,000 characters is cut, says how long it is, and opens and closes by keyboard", async () => {
    const { page, context } = await ask("notes");
    const more = page.getByRole("button", { name: "all 8,192 characters" });
    const long = page.locator(".result tbody tr").nth(1).locator("td").first();
    expect((await long.textContent())?.length).toBeLessThan(300);
    await more.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "less" }).waitFor();
    expect((await long.textContent())?.length).toBeGreaterThan(8_000);
    expect(await long.textContent()).toContain("cut: 10,000 bytes in all");
    await page.keyboard.press("Enter");
    await more.waitFor();
    await context.close();
  });

  test("text from right to left is set in its own direction", async () => {
    const { page, context } = await ask("notes");
    const cell = page.locator(".result td span", { hasText: HEBREW });
    expect(
      await cell.evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element).direction),
    ).toBe("rtl");
    await context.close();
  });

  test("names of columns are text too, and a number beyond 2^53 keeps every digit", async () => {
    const { page, context, complaints } = await ask("odd");
    expect(await page.locator(".result thead").textContent()).toContain("<i>col</i>");
    await page.getByText("9007199254740993").first().waitFor();
    await page.getByRole("link", { name: "Schema" }).click();
    await page.getByRole("heading", { name: "<b>odd</b>" }).waitFor();
    expect(await page.evaluate("window.hit")).toBeUndefined();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test.each([360, 2_560])(
    "a hundred columns scroll within the table, at %i pixels, and the page does not",
    async (width) => {
      const { page, context, complaints } = await ask("wide", width);
      expect(await page.locator(".result thead th").count()).toBe(101);
      const [inner, outer] = await page.evaluate<[number, number]>(
        "[document.documentElement.scrollWidth, window.innerWidth]",
      );
      expect(inner).toBeLessThanOrEqual(outer);
      const table = page.getByRole("region", { name: "Rows of r1" });
      await table.focus();
      await page.keyboard.press("End");
      expect(await table.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );
});
