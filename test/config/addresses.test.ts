import { describe, expect, test } from "vitest";
import { readBaseUrl, readOrigins, toOrigin } from "../../src/config/addresses.ts";
import { ConfigError } from "../../src/config/variables.ts";

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

describe("readBaseUrl", () => {
  test.each([
    ["https://api.example.com/", "https://api.example.com"],
    ["http://127.0.0.1:8080/v1//", "http://127.0.0.1:8080/v1"],
    ["http://ollama:11434/v1", "http://ollama:11434/v1"],
  ])("takes %s as %s", (text, url) => {
    expect(readBaseUrl({ OPENAI_BASE_URL: text }, "OPENAI_BASE_URL")).toBe(url);
  });

  test.each([
    "example.com",
    "ftp://example.com",
    "https://u:hunter2@example.com",
    "https://example.com/?a=b",
    "https://e.com/#x",
  ])("refuses %s without repeating it", (text) => {
    const read = () => readBaseUrl({ OPENAI_BASE_URL: text }, "OPENAI_BASE_URL");
    expect(read).toThrow(/^OPENAI_BASE_URL must be an address/);
    expect(read).not.toThrow(/hunter2/);
  });
});
