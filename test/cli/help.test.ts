import { describe, expect, it } from "vitest";
import { parseAskArguments, parseDevArguments } from "../../src/cli/arguments.ts";
import { ASK_HELP, DEV_HELP, readVersion } from "../../src/cli/help.ts";

/** The flags that the parser itself says there are. */
function flagsOf(parse: (argv: readonly string[]) => { readonly ok: boolean; readonly error?: string }): string[] {
  const refused = parse(["--no-such-flag"]);
  return [...new Set((refused.error ?? "").match(/--[a-z-]+/g))].filter((flag) => flag !== "--no-such-flag");
}

describe("--help", () => {
  it.each([
    ["ask", ASK_HELP, flagsOf(parseAskArguments)],
    ["dev", DEV_HELP, flagsOf(parseDevArguments)],
  ])("of %s names every flag, and no other", (_name, help, flags) => {
    expect(flags.length).toBeGreaterThan(4);
    const listed = [...help.matchAll(/^ {2}(--[a-z-]+)/gm)].map((match) => match[1]);
    expect(listed.sort()).toEqual(flags.sort());
    expect(Math.max(...help.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  it("has examples that parse", () => {
    for (const [help, parse] of [
      [ASK_HELP, parseAskArguments],
      [DEV_HELP, parseDevArguments],
    ] as const) {
      const examples = [...help.matchAll(/^ {2}npm run (?:--silent )?(?:ask|dev)(?: -- (.*?))?(?: \| .*)?$/gm)].slice(
        1,
      );
      expect(examples.length).toBeGreaterThan(1);
      for (const [, line = ""] of examples) {
        const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? "");
        expect({ line, ok: parse(words).ok }).toEqual({ line, ok: true });
      }
    }
  });

  it("--version is that of the package", () => {
    expect(readVersion()).toMatch(/^\d+\.\d+\.\d+/);
  });
});
