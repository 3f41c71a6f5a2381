/** The catalogue as a table; its messages are provoked on real D1 in hints.workers.test.ts. */
import { expect, it } from "vitest";
import { ERROR_CATALOGUE } from "../../src/sql/error-catalogue.ts";

const schema = { tables: [] };

it("C25: each entry has a code of its own, and advice that is a sentence to act on", () => {
  const codes = ERROR_CATALOGUE.map((entry) => entry.code);
  expect(new Set(codes).size).toBe(codes.length);
  for (const entry of ERROR_CATALOGUE) {
    expect(entry.code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    const advice = entry.advise("x", schema, "SELECT x");
    expect(advice.length, entry.code).toBeGreaterThan(0);
    for (const line of advice) expect(line, entry.code).toMatch(/^[A-Z"`].*[.?]$/s);
  }
});

it("matches in a time that grows with the message only", () => {
  const long = `no such column: ${"a.".repeat(50_000)} near "${"x".repeat(50_000)}": ${"at offset ".repeat(5_000)}`;
  expect(ERROR_CATALOGUE.filter((entry) => entry.pattern.test(long)).length).toBeGreaterThan(0);
});
