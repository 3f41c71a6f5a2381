import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ConfigError, readJson, readOrigins, readText, toOrigin } from "../../src/config/variables.ts";

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

describe("origins", () => {
  test("are brought to one form, and everything that is more than an origin is refused", () => {
    expect(toOrigin("CALLBACK_ORIGINS", "https://example.com/")).toBe("https://example.com");
    expect(readOrigins({ CALLBACK_ORIGINS: "https://a.example, https://b.example:8443" }, "CALLBACK_ORIGINS")).toEqual([
      "https://a.example",
      "https://b.example:8443",
    ]);
    for (const text of ["https://example.com/x", "https://u@example.com", "HTTPS://example.com", "file:///x", "*"]) {
      expect(() => toOrigin("CALLBACK_ORIGINS", text)).toThrow(ConfigError);
    }
  });
});
