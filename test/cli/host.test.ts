import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  COMPATIBILITY_DATE,
  COMPATIBILITY_FLAGS,
  databasePath,
  type Host,
  isPortFree,
  passedVariables,
  startHost,
} from "../../src/cli/host.ts";
import { VARIABLE_NAMES } from "../../src/config/variables.ts";
import { createDatabase, TRIVIAL_WORKER, temporaryFolder } from "./database-fixtures.ts";

let folder: ReturnType<typeof temporaryFolder>;
let host: Host | null = null;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  await host?.dispose();
  host = null;
  folder.remove();
});
const pathOf = (name: string) => join(folder.path, name);

describe("the host", () => {
  it("binds the database, the objects and known variables, and serves on loopback", async () => {
    const lines: string[] = [];
    const started = await startHost({
      bundle: TRIVIAL_WORKER,
      stateDir: pathOf("state"),
      env: { ANTHROPIC_API_KEY: "k", QUERENT_MODEL: "offline", QUERENT_TYPO: "x", HOME: "/root", OPENAI_API_KEY: "" },
      onLog: (log) => lines.push(log.message),
    });
    if (!started.ok) throw new Error(started.error);
    host = started.value;
    expect(host.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const answer = await (await host.fetch("/log")).json();
    expect(answer).toEqual({
      path: "/log",
      env: ["ANTHROPIC_API_KEY", "CALLERS", "DB", "QUERENT_LOCAL", "QUERENT_MODEL", "QUERENT_TYPO", "RUNS"],
      local: "1",
    });
    expect(lines.join("\n")).toContain("said by the worker");

    const second = await startHost({
      bundle: TRIVIAL_WORKER,
      stateDir: pathOf("other"),
      env: {},
      port: Number(new URL(host.url).port),
    });
    expect(second).toEqual({ ok: false, error: expect.stringMatching(/^Port \d+ is already in use/) });
  });

  it("D1 opens the file that stands where the host says", async () => {
    const file = databasePath(pathOf("state"));
    const started = await startHost({ bundle: TRIVIAL_WORKER, stateDir: pathOf("state"), env: {} });
    if (!started.ok) throw new Error(started.error);
    expect(existsSync(file)).toBe(false);
    await (await started.value.database()).prepare("CREATE TABLE t (a)").run();
    expect(existsSync(file)).toBe(true);
    await started.value.dispose();

    createDatabase(file, ["INSERT INTO t VALUES (7)"]);
    const again = await startHost({ bundle: TRIVIAL_WORKER, stateDir: pathOf("state"), env: {} });
    if (!again.ok) throw new Error(again.error);
    host = again.value;
    expect(await (await host.database()).prepare("SELECT a FROM t").raw()).toEqual([[7]]);
  });

  it("a worker that does not start is an error value", async () => {
    const started = await startHost({ bundle: "this is no module", stateDir: pathOf("state"), env: {} });
    expect(started).toEqual({ ok: false, error: expect.stringMatching(/^The local worker did not start/) });
  });

  it("leaves the signals of the process to the commands", async () => {
    const before = process.listenerCount("SIGINT");
    const started = await startHost({ bundle: TRIVIAL_WORKER, stateDir: pathOf("state"), env: {} });
    if (!started.ok) throw new Error(started.error);
    host = started.value;
    expect(process.listenerCount("SIGINT")).toBe(before);
  });

  it("has the date and flags of wrangler.toml", () => {
    const toml = readFileSync(new URL("../../wrangler.toml", import.meta.url), "utf8");
    expect(/^compatibility_date = "(.*)"$/m.exec(toml)?.[1]).toBe(COMPATIBILITY_DATE);
    expect(JSON.parse(/^compatibility_flags = (\[.*\])$/m.exec(toml)?.[1] ?? "[]")).toEqual(COMPATIBILITY_FLAGS);
  });

  it("hands on every setting that there is", () => {
    const env = Object.fromEntries(VARIABLE_NAMES.map((name) => [name, "x"]));
    expect(Object.keys(passedVariables({ ...env, HOME: "/", SLACK_TOKEN: "other", EMPTY: "" })).sort()).toEqual(
      [...VARIABLE_NAMES].sort(),
    );
  });

  it("hands on a misspelt setting, so that the start is refused, but no name of another program", () => {
    const names = (env: Record<string, string>) => Object.keys(passedVariables(env));
    expect(names({ WEBHOOK_SOURCE: "x", ANTHROPIC_APIKEY: "x", callback_origin: "x", QUERENT_MODLE: "x" })).toEqual([
      "WEBHOOK_SOURCE",
      "ANTHROPIC_APIKEY",
      "callback_origin",
      "QUERENT_MODLE",
    ]);
    expect(names({ SLACK_TOKEN: "x", SLACK_WEBHOOK_URL: "x", OPENAI_ORG_ID: "x", ANTHROPIC_MODEL: "x" })).toEqual([]);
    expect(names({ OPENAI_API_KEY: "x", OPENAI_API_KEY_2: "x" })).toEqual(["OPENAI_API_KEY"]);
  });

  it("tells a taken port from a free one", async () => {
    const started = await startHost({ bundle: TRIVIAL_WORKER, stateDir: pathOf("state"), env: {} });
    if (!started.ok) throw new Error(started.error);
    host = started.value;
    const port = Number(new URL(host.url).port);
    expect(await isPortFree(port)).toBe(false);
    await host.dispose();
    expect(await isPortFree(port)).toBe(true);
  });
});
