import { describe, expect, it } from "vitest";
import { DEFAULT_LOOP } from "../../src/agent/cycles.ts";
import { readConfig } from "../../src/config.ts";

describe("QUERENT_LOOP", () => {
  it("B24: is laid over the built-in values", () => {
    const { loop } = readConfig({ QUERENT_LOOP: '{"cycle_repeats": 4, "max_tokens": 4096, "critic": false}' });
    expect(loop).toEqual({ ...DEFAULT_LOOP, cycleRepeats: 4, maxTokens: 4_096, critic: false });
  });

  it("absent and empty are the built-in values", () => {
    expect(readConfig({}).loop).toEqual(DEFAULT_LOOP);
    expect(readConfig({ QUERENT_LOOP: " " }).loop).toEqual(DEFAULT_LOOP);
  });

  it.each(['{"cycle_repeat": 4}', '{"cycle_repeats": 1}', '{"context_share": 2}', '{"max_tokens": "many"}', "[]", "4"])(
    "%s stops the start",
    (text) => {
      expect(() => readConfig({ QUERENT_LOOP: text })).toThrow(/QUERENT_LOOP/);
    },
  );
});
