import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { isTerminal, openPrompt } from "../../src/cli/prompt.ts";

function streams(isTTY = true) {
  const [input, output] = [Object.assign(new PassThrough(), { isTTY }), Object.assign(new PassThrough(), { isTTY })];
  return { input, output };
}

describe("a prompt", () => {
  it("writes its text, and gives the line that is typed; and so again", async () => {
    const both = streams();
    const person = openPrompt(both, new AbortController().signal, () => undefined);
    const first = person.ask("y/n: ");
    both.input.write("yes\n");
    expect(await first).toBe("yes");
    const second = person.ask("which? ");
    both.input.write("2\n");
    expect(await second).toBe("2");
    expect(String(both.output.read())).toContain("y/n: ");
  });

  it("is nobody's where there is no terminal, after an interrupt, and when the input ends", async () => {
    expect(isTerminal(streams(false))).toBe(false);
    expect(await openPrompt(streams(false), new AbortController().signal, () => undefined).ask("?")).toBeNull();
    const abort = new AbortController();
    const person = openPrompt(streams(), abort.signal, () => undefined);
    const asked = person.ask("?");
    expect(person.hasLeft()).toBe(false);
    abort.abort();
    expect(await asked).toBeNull();
    expect(person.hasLeft()).toBe(true);
    const both = streams();
    const ended = openPrompt(both, new AbortController().signal, () => undefined).ask("?");
    both.input.end();
    expect(await ended).toBeNull();
  });
});
