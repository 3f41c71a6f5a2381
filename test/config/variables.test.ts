import { describe, expect, test } from "vitest";
import { z } from "zod";
import { assertKnownNames, ConfigError, readJson, readText, readWord } from "../../src/config/variables.ts";

describe("readText", () => {
  test("trims, and takes blank for unset", () => {
    expect(readText({ QUERENT_MODEL: " offline\n" }, "QUERENT_MODEL")).toBe("offline");
    expect(readText({ QUERENT_MODEL: "\t" }, "QUERENT_MODEL")).toBeNull();
    expect(readText({}, "QUERENT_MODEL")).toBeNull();
  });
});

describe("readJson", () => {
  const schema = z.strictObject({ a: z.int().optional() });

  test("gives null for unset, the value for set", () => {
    expect(readJson({}, "QUERENT_LIMITS", schema, "Try this.")).toBeNull();
    expect(readJson({ QUERENT_LIMITS: '{"a": 1}' }, "QUERENT_LIMITS", schema, "Try this.")).toEqual({ a: 1 });
  });

  test("every message names the variable, says where, and ends with the example", () => {
    for (const text of ["{", '{"a": "x"}', '{"a": 1, "a": 2}', '{"b": 1}', "7"]) {
      const read = () => readJson({ QUERENT_LIMITS: text }, "QUERENT_LIMITS", schema, "Try this.");
      expect(read).toThrow(ConfigError);
      expect(read).toThrow(/^QUERENT_LIMITS is .*Try this\.$/);
    }
  });
});

describe("readWord", () => {
  test("takes one word and refuses what was pasted wrong, without repeating it", () => {
    expect(readWord({ QUERENT_MODEL: "offline" }, "QUERENT_MODEL")).toBe("offline");
    for (const text of ["two words", "a\nb", "schlüssel"]) {
      expect(() => readWord({ ANTHROPIC_API_KEY: text }, "ANTHROPIC_API_KEY")).toThrow(ConfigError);
      expect(() => readWord({ ANTHROPIC_API_KEY: text }, "ANTHROPIC_API_KEY")).not.toThrow(text);
    }
  });
});

describe("assertKnownNames", () => {
  test("knows its own names, leaves foreign ones alone and names the nearest of a slip", () => {
    expect(() => assertKnownNames({ QUERENT_MODEL: "", DB: {}, NODE_ENV: "x" })).not.toThrow();
    expect(() => assertKnownNames({ QUERENT_MODLE: "" })).toThrow(/Did you mean QUERENT_MODEL\?/);
    expect(() => assertKnownNames({ WEBHOOK_WHATEVER: "" })).toThrow(/WEBHOOK_WHATEVER is not a setting/);
  });
});
