/** Other dialects' functions and words, and their rewrites. */
import { describe, expect, it } from "vitest";
import { rewriteFor, rewritesForDialect } from "../../src/sql/functions.ts";
import { memoryDatabase } from "./engine.ts";

describe("rewriteFor", () => {
  it.each([
    "DATE_TRUNC",
    "ILIKE",
    "MEDIAN",
    "REGEXP",
    "log10",
    "power",
    "NOW",
    "TO_CHAR",
    "EXTRACT",
    "TOP",
    "DATEDIFF",
    "stddev",
    "YEAR",
    "LEFT",
    "constructor_",
  ])("knows %s or says nothing", (name) => {
    const rewrite = rewriteFor(name);
    if (name === "constructor_") expect(rewrite).toBeNull();
    else expect(rewrite?.[0]).toMatch(/./);
  });

  it("is not fooled by what every object has", () => {
    expect(["constructor", "__proto__", "toString"].map(rewriteFor)).toEqual([null, null, null]);
  });

  it("gives rewrites that SQLite itself can run", () => {
    const database = memoryDatabase([
      "CREATE TABLE t(x REAL, d TEXT)",
      "INSERT INTO t VALUES (1, '2024-05-31'), (2, '2023-01-02'), (9, '2022-02-03')",
    ]);
    const run = (expression: string) => database.prepare(`SELECT ${expression} AS v FROM t`).get()?.v;
    const parts: readonly (readonly [string, RegExp])[] = [
      ["median", /MEDIAN\(x\) is (.*)\.$/],
      ["stddev", /STDDEV\(x\) is (.*)\.$/],
      ["date_trunc", /is (strftime\('%Y-%m-01', d\))/],
      ["extract", /is (CAST\(strftime\('%Y', d\) AS INTEGER\))/],
      ["quarter", /is (.*)\.$/],
      ["datediff", /in days is (.*)\.$/],
    ];
    const values = parts.map(([name, pattern]) => {
      const expression = pattern.exec(rewriteFor(name)?.[0] ?? "")?.[1] ?? "";
      const bound = expression
        .replaceAll("julianday(b)", "julianday('2024-05-30')")
        .replaceAll("julianday(a)", "julianday(d)");
      return run(bound.startsWith("SELECT") ? `(${bound})` : bound);
    });
    expect(values).toEqual([2, expect.closeTo(4.359, 3), "2024-05-01", 2024, 2, 1]);
  });
});

describe("rewritesForDialect", () => {
  it("finds the foreign word wherever the engine stumbled", () => {
    expect(rewritesForDialect("SELECT EXTRACT(YEAR FROM d) FROM t")[0]).toContain("strftime");
    expect(rewritesForDialect("SELECT TOP 5 * FROM t")[0]).toContain("LIMIT");
    expect(rewritesForDialect("SELECT 'extract' FROM t")).toEqual([]);
  });
});
