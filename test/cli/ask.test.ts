import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { text, toolUse } from "../fakes/anthropic-script.ts";
import { type FakeAnthropic, startFakeAnthropic } from "../fakes/fake-anthropic.ts";
import { startCommand } from "./command.ts";
import { createDatabase, temporaryFolder } from "./database-fixtures.ts";

/** A whole process with its own workerd starts and ends in each of these tests. */
const TIMEOUT_MS = 60_000;

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const ask = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  startCommand("ask", args, { cwd: folder.path, env });

const COUNT = [text("I count them."), toolUse("execute_read_only_sql", { sql: "SELECT count(*) AS n FROM fruit" })];
const ANSWER = toolUse("final_answer", { answer: "There are 3.", results: ["r1"] });

function createFruit(): string {
  const path = join(folder.path, "fruit.db");
  createDatabase(path, [
    "CREATE TABLE fruit (id INTEGER PRIMARY KEY, name TEXT, colour TEXT)",
    "INSERT INTO fruit (name, colour) VALUES ('apple', 'red'), ('cherry', 'red'), ('lime', 'green' || char(27) || '[31m')",
  ]);
  return path;
}

describe("npm run ask", () => {
  it("answers a question about a file with no key: answer, rows and receipt, plain when piped", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const command = ask(["--db", createFruit(), "How many fruit are there?"]);
    expect({ code: await command.ended(), stderr: command.stderr() }).toEqual({ code: 0, stderr: "" });
    expect(command.stdout()).toMatch(/\b3\b[\s\S]*\n-+\n\s+3\n\n\d steps? · 1 query · 3 rows read · .* · done\n/);
    expect(command.stdout()).toContain("Answered by the offline model (set ANTHROPIC_API_KEY for Claude).\n");
    expect(command.stdout()).not.toContain("\x1b");
    expect(command.stderr()).toBe("");
    expect(readdirSync(folder.path)).toEqual(["fruit.db"]);
  });

  it("answers the README's first question as the README shows it", { timeout: TIMEOUT_MS }, async () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
    const [, shown = ""] = /← Answer received\.\n\n([\s\S]*?)```/.exec(readme) ?? [];
    const command = ask(["Which country's customers have spent the most?"]);
    expect(await command.ended()).toBe(0);
    const timeless = (text: string): string => text.replace(/\d+\.\d s/, "0.1 s").trim();
    expect(timeless(command.stdout())).toBe(timeless(shown));
  });

  it("C45: where nobody is at a terminal a query that needs a yes is not run, and that is said", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const command = ask(["--approve-above", "0", "--db", createFruit(), "How many fruit are there?"]);
    expect(await command.ended()).toBe(1);
    expect(command.stderr()).toContain("Note: A query was not allowed: it needs a yes, and nobody is at a terminal");
    expect(command.stdout()).toContain("0 rows read");
  });

  it("--json prints the run and nothing else", { timeout: TIMEOUT_MS }, async () => {
    const command = ask(["--json", "How many tracks are there?"]);
    expect({ code: await command.ended(), stderr: command.stderr() }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(command.stdout())).toMatchObject({ status: "finished", outcome: "answered", n_queries: 1 });
    expect(command.stderr()).toBe("");
  });

  it.each<[string, readonly string[], RegExp]>([
    ["no question", [], /^No question given/],
    ["a budget of zero", ["--budget", "0", "q"], /^--budget must be an amount of dollars above 0/],
    ["a file that is not there", ["--db", "gone.db", "q"], /^There is no file gone\.db\. Check the path/],
    [
      "a kept run that is not there",
      ["--run", "run_x"],
      /^There is no run run_x in \.querent\/ask\. Nothing is kept there/,
    ],
  ])("%s is a wrong call: one clear text, exit code 2", { timeout: TIMEOUT_MS }, async (_what, args, expected) => {
    const command = ask(args);
    expect(await command.ended()).toBe(2);
    expect(command.stderr()).toMatch(expected);
    expect(command.stderr()).not.toMatch(/\n\s+at /);
    expect(command.stdout()).toBe("");
  });

  it("a database without tables, and what the API refuses, are wrong calls too", { timeout: TIMEOUT_MS }, async () => {
    writeFileSync(join(folder.path, "empty.db"), "");
    const empty = ask(["--db", "empty.db", "How many?"]);
    expect(await empty.ended()).toBe(2);
    expect(empty.stderr()).toMatch(/^empty\.db has no tables, so there is nothing to ask/);

    const model = ask(["--model", "gpt-nought", "How many tracks are there?"]);
    expect(await model.ended()).toBe(2);
    expect(model.stderr()).toMatch(/^This model is not available.*offline/);
  });

  it("a setting that does not make sense is named, and is a wrong call", { timeout: TIMEOUT_MS }, async () => {
    const command = ask(["How many tracks are there?"], { QUERENT_LIMIT: "{}" });
    expect(await command.ended()).toBe(2);
    expect(command.stderr()).toMatch(/QUERENT_LIMIT is not a setting\. Did you mean QUERENT_LIMITS\?/);
  });
});

describe("npm run ask with Claude", () => {
  let claude: FakeAnthropic;
  /** Resolves when the model is asked for the n-th time, which it then leaves unanswered for a second. */
  let asked: (n: number) => Promise<void>;

  beforeEach(async () => {
    const waiting = new Map<number, () => void>();
    const reached = new Set<number>();
    asked = (n) => (reached.has(n) ? Promise.resolve() : new Promise((resolve) => waiting.set(n, resolve)));
    claude = await startFakeAnthropic({
      apiKey: "test-key",
      latencyMs: 1_000,
      handler: (request, n) => {
        reached.add(n + 1);
        waiting.get(n + 1)?.();
        return JSON.stringify(request.messages).includes("tool_result") ? ANSWER : COUNT;
      },
    });
  });
  afterEach(() => claude.stop());

  const env = () => ({ ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: claude.url });

  it("killed in the middle of a step, asking again with --keep finishes the run", { timeout: TIMEOUT_MS }, async () => {
    const args = ["--keep=state", "--db", createFruit(), "--json", "How many fruit are there?"];
    const first = ask(args, env());
    await asked(2);
    first.child.kill("SIGKILL");
    await first.ended();

    const second = ask(args, env());
    expect(await second.ended()).toBe(0);
    expect(second.stderr()).toMatch(/^Note: Going on with the interrupted run run_/);
    const run = JSON.parse(second.stdout());
    expect(run).toMatchObject({ outcome: "answered", answer: "There are 3.", n_queries: 1 });
    // One call answered, one lost with its reservation kept, one answered.
    expect(claude.requests).toHaveLength(3);
    expect(claude.problems).toEqual([]);
    expect(run.usage).toMatchObject({ model_calls: 3, reserved_usd: 0 });
    expect(run.usage.cost_usd).toBeLessThanOrEqual(run.limits.budget_usd);

    const shown = ask(["--keep=state", "--run", run.id], env());
    expect(await shown.ended()).toBe(0);
    expect(shown.stdout()).toMatch(/^There are 3\.\n\nn\n-\n3\n\n/);
    expect(claude.requests).toHaveLength(3);
  });

  it("Ctrl-C cancels the run, shows what it cost, and exits with 130", { timeout: TIMEOUT_MS }, async () => {
    const command = ask(["--db", createFruit(), "How many fruit are there?"], env());
    await asked(1);
    command.child.kill("SIGINT");
    expect(await command.ended()).toBe(130);
    expect(command.stdout()).toMatch(/^Cancelled\.\n\n1 step · 0 queries · .* · cancelled\n$/);
    expect(existsSync(join(folder.path, ".querent"))).toBe(false);
    expect(readdirSync(folder.path)).toEqual(["fruit.db"]);
  });
});
