import { describe, expect, it } from "vitest";
import { EVAL_HELP, parseEvalArguments } from "../../../src/cli/evals/command.ts";

const errorOf = (...argv: string[]) => {
  const parsed = parseEvalArguments(argv);
  return parsed.ok ? null : parsed.error;
};

describe("the command line of eval", () => {
  it("has defaults that need no key", () => {
    expect(parseEvalArguments(["--set", "demo"])).toMatchObject({
      value: { set: "demo", model: "offline", n: null, repeat: 1, tolerance: 0.02, isJson: false, record: null },
    });
  });

  it("takes every option that its help names", () => {
    const named = [...EVAL_HELP.matchAll(/^ {2}--([a-z]+)( [A-Z]+)?/gm)];
    expect(named.length).toBeGreaterThan(10);
    for (const [, name, value] of named) {
      const argv = ["--set", "demo", "--model", "m", `--${name}`, ...(value === undefined ? [] : ["1"])];
      expect([name, errorOf(...argv)]).toEqual([name, null]);
    }
    expect(parseEvalArguments(["--help"])).toEqual({ ok: true, value: null });
  });

  it.each([
    [["--set"], /argument missing|--set/],
    [[], /--set is missing/],
    [["--set", "demo", "--n", "0"], /--n takes a whole number/],
    [["--set", "demo", "--repeat", "1.5"], /--repeat takes a whole number/],
    [["--set", "demo", "--budget", "-1"], /--budget/],
    [["--set", "demo", "--tolerance", ""], /--tolerance/],
    [["--set", "demo", "--fast"], /--fast/],
    [["--set", "demo", "--model", "m", "--record", "a", "--replay", "a"], /one of them/],
    [["--set", "demo", "--record", "a"], /offline model/],
  ])("%j is refused with a sentence", (argv, expected) => {
    expect(errorOf(...argv)).toMatch(expected);
  });
});
