/** The page over the demo database and the offline model: ask, read, cite, chart, take along, replay, look back. */
import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { API_ROUTES } from "../../src/http/api-routes.ts";
import { CHROMIUM, findViolations, startBrowser, startWorld, type Visit, visit, type World } from "./browser.ts";

const GENRES = "How many tracks are there per genre?";

describe.skipIf(CHROMIUM === null)("the page with the demo database", () => {
  let browser: Browser;
  let world: World;
  beforeAll(async () => {
    [browser, world] = await Promise.all([startBrowser(), startWorld()]);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  async function ask(question: string): Promise<Visit> {
    const opened = await visit(browser, `${world.url}/`);
    await opened.page.getByLabel("Your question").fill(question);
    await opened.page.keyboard.press("Enter");
    await opened.page.getByRole("region", { name: "Answer" }).waitFor();
    return opened;
  }

  test("a question typed and sent by keyboard leads to a run at its own address, with its answer", async () => {
    const { page, complaints, context } = await ask(GENRES);
    expect(new URL(page.url()).pathname).toMatch(/^\/runs\/run_[a-z2-7]{26}$/);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(GENRES);
    expect(await page.getByRole("region", { name: "Answer" }).textContent()).toContain("1297");
    expect(await page.getByRole("list", { name: "Steps" }).getByRole("heading").allTextContents()).toEqual([
      "Step 1",
      "Step 2",
    ]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("example questions are made from the schema, and each of them is answered", async () => {
    const { page, context } = await visit(browser, `${world.url}/`);
    await page.getByText("Customer").first().waitFor();
    const examples = await page.locator(".example").allTextContents();
    expect(examples.length).toBeGreaterThanOrEqual(4);
    for (const example of examples) {
      await page.goto(`${world.url}/`);
      await page.getByRole("button", { name: example }).click();
      await page.getByRole("region", { name: "Answer" }).waitFor();
      expect([example, await page.locator(".notice-error, .notice-info").count()]).toEqual([example, 0]);
      expect([example, await page.locator("table").count()]).not.toEqual([example, 0]);
    }
    await context.close();
  });

  test("a question that cannot be read is refused with what can be asked, a line each", async () => {
    const { page, context } = await ask("What is the meaning of life?");
    const message = page.locator(".ending-message");
    expect((await message.textContent())?.match(/\n- /g)?.length).toBeGreaterThan(1);
    const style = `getComputedStyle(document.querySelector(".ending-message")).whiteSpace`;
    expect(await page.evaluate(style)).toBe("pre-line");
    // No answer rests on what was looked up, so it is folded away, and made when it is wanted.
    expect(await page.locator(".result").count()).toBe(0);
    await page.getByText("The last rows that were looked up").click();
    await page.locator(".folded .result td").first().waitFor();
    expect(await findViolations(page)).toEqual([]);
    await context.close();
  });

  test("a table that is longer than its box says so and scrolls by keyboard; a short one does not say it", async () => {
    const { page, context } = await ask(GENRES);
    await page.locator(".pager-hint", { hasText: "scroll down for more" }).waitFor();
    expect(await page.locator(".result .pager").textContent()).toMatch(/^25 rows/);
    await page.getByRole("region", { name: "Rows of r1" }).focus();
    await page.keyboard.press("End");
    const top = () => page.evaluate("document.querySelector('.result .table-scroll').scrollTop");
    await expect.poll(top).toBeGreaterThan(0);
    await page.goto(`${world.url}/`);
    await page.getByLabel("Your question").fill("How many tracks are there per media type?");
    await page.keyboard.press("Enter");
    await page.locator(".result td").first().waitFor();
    expect(await page.locator(".pager-hint").count()).toBe(0);
    await context.close();
  });

  test.each([GENRES, "How many albums are there per artist?"])(
    "on a phone the figures are in view: %s",
    async (asked) => {
      const { page, context } = await visit(browser, `${world.url}/`, { width: 360, height: 740 });
      await page.getByLabel("Your question").fill(asked);
      await page.getByRole("button", { name: "Ask", exact: true }).click();
      const figure = page.locator(".result tbody tr").first().locator("td.numeric").last();
      await figure.waitFor();
      const [cell, box] = [await figure.boundingBox(), await page.locator(".result .table-scroll").boundingBox()];
      expect(cell === null || box === null ? null : cell.x + cell.width <= box.x + box.width + 1).toBe(true);
      await context.close();
    },
  );

  test("what a cancelled run found, told without a model, is a plain block and no headline", async () => {
    const { page, context } = await ask(GENRES);
    const findings = "Result r1 (25 rows) of: SELECT 1\n- Name: Rock, track_count: 1297";
    const show = async (partial: string): Promise<void> => {
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await page.route("**/v1/runs/run_*", async (route) => {
        const response = await route.fetch();
        const run: object = await response.json();
        const ending = { outcome: "cancelled", message: "Cancelled.", answer: null, partial_answer: partial };
        await route.fulfill({ response, json: { ...run, ...ending } });
      });
      await page.reload();
      await page.locator(".partial-label").waitFor();
    };
    await show(findings);
    expect(await page.locator(".answer pre.findings").textContent()).toBe(findings);
    expect(await page.locator(".answer-text").count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    await show("About 1,297 of them.");
    expect(await page.locator(".answer-text").textContent()).toBe("About 1,297 of them.");
    expect(await page.locator(".answer-large, .findings").count()).toBe(0);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
  });

  test("where there is one model only, none is asked for; limits show what holds without them", async () => {
    const { page, context } = await visit(browser, `${world.url}/`);
    await page.getByText("Limits", { exact: true }).click();
    await page.getByText("up to 128").waitFor();
    expect(await page.getByRole("combobox").count()).toBe(0);
    const shown = page.locator(".fields input");
    expect(await shown.evaluateAll((all) => all.map((one) => one.getAttribute("placeholder")))).toEqual([
      "0.5",
      "12",
      "8",
      "300",
    ]);
    await context.close();
  });

  test.each([
    ["How many tracks are there per genre?", "Bars"],
    ["How many tracks are there per media type as a pie chart?", "Shares"],
    ["Total invoice amount by year in a bar chart", "Bars"],
    ["How many tracks are there per genre as a line chart?", "Bars"],
  ])("a picture that is asked for is shown where the rows allow it: %s", async (question, kind) => {
    const { page, context, complaints } = await ask(question);
    await page.locator("figure svg").waitFor();
    expect(await page.getByRole("radio", { name: kind }).isChecked()).toBe(true);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("pointing at a figure lights its cell, following it moves the focus there", async () => {
    const { page, context } = await ask(GENRES);
    const figure = page.getByRole("link", { name: "579" });
    await figure.hover();
    await page.locator("td.lit").waitFor();
    expect(await page.locator("td.lit").textContent()).toBe("579");
    await page.mouse.move(0, 0);
    await page.locator("td.lit").waitFor({ state: "detached" });
    await figure.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("td:focus").textContent()).toBe("579");
    expect(await page.locator("td.lit").textContent()).toBe("579");
    await page.getByRole("link", { name: "374" }).hover();
    await expect.poll(() => page.locator("td.lit").textContent()).toBe("374");
    await page.mouse.move(0, 0);
    await expect.poll(() => page.locator("td.lit").textContent()).toBe("579");
    await context.close();
  });

  test("a result is drawn, says what it shows in words, and can be looked at as a table only", async () => {
    const { page, context, complaints } = await ask(GENRES);
    const drawing = page.getByRole("img", { name: "track count by Name" });
    await drawing.waitFor();
    expect(await page.locator("[id^=described-]").textContent()).toBe(
      "Bar chart: track count by Name. 25 values of track count. Highest: Rock 1,297. Lowest: Opera 1.",
    );
    await page.getByRole("radio", { name: "Table only" }).check();
    await drawing.waitFor({ state: "detached" });
    await page.getByRole("radio", { name: "Bars" }).check();
    await drawing.waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("it talks to documented routes only, and fetches the drawing library when the first picture is wanted", async () => {
    const opened = await visit(browser, `${world.url}/`);
    const { page, context } = opened;
    const paths: string[] = [];
    page.on("request", (request) => paths.push(new URL(request.url()).pathname));
    await page.reload();
    await page.locator(".example").first().waitFor();
    await page.getByRole("link", { name: "Schema" }).click();
    await page.locator(".card").first().waitFor();
    const before = paths.length;
    await page.getByRole("link", { name: "Ask", exact: true }).click();
    await page.getByLabel("Your question").fill(GENRES);
    await page.keyboard.press("Enter");
    await page.locator("figure svg").waitFor();
    await page.getByText("Transcript", { exact: true }).click();
    await page.getByText("message: assistant").first().waitFor();
    const isChunk = (path: string): boolean => path.startsWith("/assets/chunk-") || path.includes("chart-draw");
    const chunkBytes = async (all: readonly string[]): Promise<number> => {
      const sizes = await Promise.all(
        [...new Set(all.filter(isChunk))].map(async (path) => (await (await fetch(world.url + path)).text()).length),
      );
      return Math.max(0, ...sizes);
    };
    expect(await chunkBytes(paths.slice(0, before))).toBeLessThan(100_000);
    expect(await chunkBytes(paths.slice(before))).toBeGreaterThan(100_000);
    const routes = API_ROUTES.map(({ path }) => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`));
    const others = paths.filter((path) => !path.startsWith("/assets/") && !routes.some((route) => route.test(path)));
    expect(others).toEqual(["/"]);
    await context.close();
  });

  test("the page is there before any answer of the API, and says that it is reading", async () => {
    const { page, context } = await visit(browser, "about:blank");
    await page.route("**/v1/**", () => undefined);
    await page.goto(`${world.url}/`);
    await page.getByLabel("Your question").waitFor();
    await page.getByText("Reading the schema").waitFor();
    await page.goto(`${world.url}/runs/run_aaaaaaaaaaaaaaaaaaaaaaaaaa`);
    await page.getByText("Loading the run").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await context.close();
  });

  test("the receipt tells cost and steps, and where the time of each step went", async () => {
    const { page, context } = await ask(GENRES);
    const receipt = page.getByRole("region", { name: "Receipt" });
    expect(await receipt.locator("dt").allTextContents()).toEqual([
      "Outcome",
      "Model",
      "Cost",
      "Time",
      "Steps",
      "Queries",
      "Rows read",
      "Asked",
    ]);
    expect(await receipt.locator("dd").first().textContent()).toBe("answered");
    expect(await receipt.getByRole("columnheader").allTextContents()).toEqual(["Step", "Model", "Database", "Waiting"]);
    expect(await receipt.locator(".timeline tbody tr").count()).toBe(2);
    await context.close();
  });

  test("a table sorts both ways and back, and says so to a screen reader", async () => {
    const { page, context } = await ask(GENRES);
    const header = page.getByRole("columnheader", { name: "Name" });
    const firstName = () => page.locator(".result tbody tr").first().locator("td").nth(1).textContent();
    await header.getByRole("button").click();
    await expect.poll(firstName).toBe("Alternative");
    expect(await header.getAttribute("aria-sort")).toBe("ascending");
    await header.getByRole("button").click();
    await expect.poll(firstName).toBe("World");
    await header.getByRole("button").click();
    await expect.poll(firstName).toBe("Rock");
    await context.close();
  });

  test("rows and picture can be saved, SQL can be copied", async () => {
    const { page, context } = await ask(GENRES);
    await page.getByRole("img", { name: "track count by Name" }).waitFor();
    const [csv] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download CSV" }).click(),
    ]);
    expect(
      readFileSync(await csv.path(), "utf8")
        .split("\r\n")
        .slice(0, 2),
    ).toEqual(["GenreId,Name,track_count", "1,Rock,1297"]);
    const [svg] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as SVG" }).click(),
    ]);
    expect(readFileSync(await svg.path(), "utf8")).toContain("<title>track count by Name</title>");
    await page.getByRole("button", { name: "Copy SQL" }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toContain("GROUP BY");
    await context.close();
  });

  test("C33: a finished run is replayed event by event from its journal, to the end and by hand", async () => {
    const { page, context } = await ask(GENRES);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.method()));
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByText("Replay. Starting").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    expect(await page.getByRole("region", { name: "Answer" }).count()).toBe(0);
    const slider = page.getByRole("slider", { name: "Moment of the run" });
    await slider.focus();
    await slider.fill("3");
    await page.getByText("Replay. Step 1: running the query").waitFor();
    await slider.fill("4");
    await page.getByText(/25 rows · /).waitFor();
    await page.getByRole("button", { name: "To the end" }).click();
    await page.getByRole("region", { name: "Answer" }).waitFor();
    expect(requests.filter((method) => method !== "GET")).toEqual([]);
    await context.close();
  });

  test("a finished run's queries are run again without a model, and its question is asked anew", async () => {
    const { page, context, complaints } = await ask("How many albums are there?");
    const first = page.url();
    await page.getByRole("button", { name: "Run again without a model" }).click();
    await expect.poll(() => page.url()).not.toBe(first);
    const answer = page.getByRole("region", { name: "Answer" });
    await answer.getByText("347").first().waitFor();
    expect(await answer.textContent()).toMatch(/Unchanged since/);
    expect(await page.locator(".step").count()).toBeGreaterThan(0);
    expect(await page.getByText(/the model is thinking/).count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    const second = page.url();
    await page.getByText(/Runs the queries of .* again, without a model/).waitFor();
    await page.getByRole("button", { name: "Ask a model anew" }).click();
    await expect.poll(() => page.url()).not.toBe(second);
    await answer.getByText("347").first().waitFor();
    expect(await answer.textContent()).not.toMatch(/Unchanged since/);
    await page.goBack();
    await page.getByRole("link", { name: "an earlier run" }).click();
    await expect.poll(() => page.url()).toBe(first);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("results that are not what they were when the model answered are marked", async () => {
    const { page, context } = await ask("How many albums are there?");
    await page.route("**/v1/runs/run_*", async (route) => {
      const response = await route.fetch();
      const run: object = await response.json();
      const again = { id: "run_x", answered_at: "2026-11-30T12:00:00.000Z", unchanged: false, changed: ["r1"] };
      await route.fulfill({ response, json: { ...run, again } });
    });
    await page.reload();
    await page.getByRole("heading", { name: "Result r1 changed" }).waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
  });

  test("history lists the caller's questions, searches them and leads to the run", async () => {
    const { page, context, complaints } = await ask("How many customers are there?");
    await page.getByRole("link", { name: "History" }).click();
    await page.getByLabel("Search your questions").fill("customers are");
    await expect.poll(() => page.locator(".run-question").allTextContents()).toEqual(["How many customers are there?"]);
    await page.getByLabel("Search your questions").fill("no such question");
    await page.getByText("No question of yours says that.").waitFor();
    await page.getByLabel("Search your questions").fill("customers");
    await page.locator(".run-link").first().click();
    await page.getByRole("region", { name: "Answer" }).waitFor();
    expect(await page.getByRole("region", { name: "Answer" }).textContent()).toContain("59");
    await page.goBack();
    await page.getByRole("heading", { name: "Your questions" }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("the schema shows tables, columns, keys and values, and searches names", async () => {
    const { page, context } = await visit(browser, `${world.url}/schema`);
    await page.getByLabel("Search tables and columns").fill("album");
    await page.getByText("2 tables that you may read").waitFor();
    const album = page.locator(".card", { has: page.getByRole("heading", { name: "Album" }) });
    expect(await album.textContent()).toContain("347 rows");
    expect(await album.getByRole("link").textContent()).toBe("→ Artist.ArtistId");
    await context.close();
  });

  test("the transcript is there to read, and an address of nothing says so", async () => {
    const { page, context } = await ask("How many customers are there?");
    await page.getByText("Transcript", { exact: true }).click();
    await page.getByText("message: assistant").first().click();
    await page.locator(".transcript pre:visible", { hasText: "execute_read_only_sql" }).waitFor();
    await page.goto(`${world.url}/runs/run_aaaaaaaaaaaaaaaaaaaaaaaaaa`);
    await page.getByText("There is no such run").waitFor();
    await context.close();
  });
});
