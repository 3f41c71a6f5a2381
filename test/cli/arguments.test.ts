import { describe, expect, it } from "vitest";
import { parseAskArguments, parseDevArguments } from "../../src/cli/arguments.ts";

const asked = {
  kind: "ask",
  question: "How many tracks?",
  source: { kind: "demo" },
  model: null,
  budgetUsd: null,
  maxSteps: null,
  approveAboveRows: null,
  keepDir: null,
  isJson: false,
};

describe("ask", () => {
  it.each<[string, readonly string[], object]>([
    ["a question alone", ["How many tracks?"], {}],
    ["a question without quotes", ["How", "many", "tracks?"], {}],
    [
      "a file",
      ["--db", "./my shop.sqlite", "How many tracks?"],
      { source: { kind: "sqlite_file", path: "./my shop.sqlite" } },
    ],
    ["a dump", ["How many tracks?", "--sql=dump.sql"], { source: { kind: "sql_dump", path: "dump.sql" } }],
    ["limits", ["--budget", "0.05", "--max-steps", "3", "How many tracks?"], { budgetUsd: 0.05, maxSteps: 3 }],
    ["a budget with a dollar sign", ["--budget=$.5", "How many tracks?"], { budgetUsd: 0.5 }],
    ["rows above which to ask", ["--approve-above", "0", "How many tracks?"], { approveAboveRows: 0 }],
    ["a model and JSON", ["--json", "--model", "offline", "How many tracks?"], { model: "offline", isJson: true }],
    ["a question that starts with a dash", ["--", "--db", "-x?"], { question: "--db -x?" }],
    ["--keep last", ["How many tracks?", "--keep"], { keepDir: ".querent/ask" }],
    ["--keep before a quoted question", ["--keep", "How many tracks?"], { keepDir: ".querent/ask" }],
    ["--keep before an unquoted question", ["--keep", "How", "many", "tracks?"], { keepDir: ".querent/ask" }],
    ["--keep with a path", ["--keep", "./state", "How", "many", "tracks?"], { keepDir: "./state" }],
    ["--keep with a bare name", ["--keep", "state", "How many tracks?"], { keepDir: "state" }],
    ["--keep=DIR", ["--keep=state", "How", "many", "tracks?"], { keepDir: "state" }],
    ["--keep before another flag", ["--keep", "--json", "How many tracks?"], { keepDir: ".querent/ask", isJson: true }],
  ])("reads %s", (_what, argv, expected) => {
    expect(parseAskArguments(argv)).toEqual({ ok: true, value: { ...asked, ...expected } });
  });

  it("reads --run, with the default folder or a named one", () => {
    expect(parseAskArguments(["--run", "run_1"])).toEqual({
      ok: true,
      value: { kind: "show", runId: "run_1", keepDir: ".querent/ask", isJson: false },
    });
    expect(parseAskArguments(["--keep", "state", "--run", "run_1", "--json"])).toEqual({
      ok: true,
      value: { kind: "show", runId: "run_1", keepDir: "state", isJson: true },
    });
  });

  it.each([["--help"], ["-h"], ["--version"]])("%s needs no question", (flag) => {
    expect(parseAskArguments([flag])).toEqual({ ok: true, value: { kind: flag === "--version" ? "version" : "help" } });
  });

  it.each<[readonly string[], RegExp]>([
    [[], /^No question given\. Example: npm run ask/],
    [["  "], /^No question given/],
    [["--budget", "abc", "q"], /^--budget must be an amount of dollars above 0, such as 0\.25, not "abc"\.$/],
    [["--budget", "0", "q"], /not "0"/],
    [["--budget", "-1", "q"], /not "-1"/],
    [["--budget", "1e999", "q"], /not "1e999"/],
    [["--budget", "Infinity", "q"], /not "Infinity"/],
    [["--max-steps", "1.5", "q"], /^--max-steps must be a whole number above 0, not "1\.5"\.$/],
    [["--max-steps", "0", "q"], /not "0"/],
    [["--approve-above", "-1", "q"], /^--approve-above must be a whole number of rows, 0 or more, not "-1"\.$/],
    [["--approve-above", "1e3", "q"], /not "1e3"/],
    [["--db"], /^--db needs a value: --db FILE\.$/],
    [["--db", "--json", "q"], /^--db needs a value/],
    [["--model=", "q"], /^--model needs a value: --model ID\.$/],
    [["--db", "a", "--sql", "b", "q"], /Give one of them/],
    [["--db", "a", "--db", "b", "q"], /^--db is given twice\.$/],
    [["--json=yes", "q"], /^--json takes no value\.$/],
    [["--buget", "1", "q"], /^There is no flag --buget\. Flags: --db, --sql/],
    [["-x", "q"], /^There is no flag -x\./],
    [["--run", "r1", "a question"], /takes no question/],
  ])("refuses %j in one sentence", (argv, expected) => {
    const parsed = parseAskArguments(argv);
    expect(parsed).toEqual({ ok: false, error: expect.stringMatching(expected) });
    expect(parsed.ok || parsed.error).not.toContain("\n");
  });
});

describe("dev", () => {
  it("serves the demo on wrangler's port unless told otherwise", () => {
    expect(parseDevArguments([])).toEqual({
      ok: true,
      value: { kind: "serve", source: { kind: "demo" }, port: 8787, stateDir: ".querent/dev" },
    });
    expect(parseDevArguments(["--port", "0", "--db", "a.db", "--state", "s"])).toEqual({
      ok: true,
      value: { kind: "serve", source: { kind: "sqlite_file", path: "a.db" }, port: 0, stateDir: "s" },
    });
    expect(parseDevArguments(["--help"])).toEqual({ ok: true, value: { kind: "help" } });
  });

  it.each<[readonly string[], RegExp]>([
    [["--port", "80a"], /^--port must be a whole number/],
    [["--port", "65536"], /not "65536"/],
    [["--port", "-1"], /not "-1"/],
    [["--keep"], /^There is no flag --keep/],
    [["How many?"], /^dev takes no question/],
  ])("refuses %j", (argv, expected) => {
    expect(parseDevArguments(argv)).toEqual({ ok: false, error: expect.stringMatching(expected) });
  });
});
