/** The gate's text layers: what they let pass and what they refuse, by grammar position and never by words. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkQuery, normalizeSql, SQL_BYTES_MAX } from "../../src/sql/gate.ts";
import { statements } from "./engine.ts";

const codeOf = (sql: string): string => {
  const checked = checkQuery(sql);
  return checked.ok ? "accepted" : checked.error.code;
};

describe("checkQuery", () => {
  it.each(statements("reads.txt"))("accepts the read %j", (sql) => {
    expect(codeOf(sql)).toBe("accepted");
  });

  it.each(statements("hostile.txt"))("C20: refuses %j", (sql) => {
    const checked = checkQuery(sql);
    expect(checked.ok).toBe(false);
    if (checked.ok) return;
    // A11, C25: every refusal names the rule and a way on.
    expect(checked.error.message).not.toBe("");
    expect(checked.error.advice.length).toBeGreaterThan(0);
    expect(checked.error.code).toMatch(/^[a-z]+(_[a-z]+)*$/);
  });

  it("A9: EXPLAIN is refused with what to send instead", () => {
    const checked = checkQuery("EXPLAIN QUERY PLAN SELECT * FROM t");
    expect(checked).toMatchObject({ ok: false, error: { code: "explain_refused", offset: 0 } });
    expect(!checked.ok && checked.error.advice[0]).toContain("without EXPLAIN");
  });

  it("A13: what surrounds the statement is stripped, what is inside stays as written", () => {
    const checked = checkQuery("\uFEFF ; -- first\n SELECT 1 /* kept */ + 2 ;; -- done");
    expect(checked.ok && checked.value.sql).toBe("SELECT 1 /* kept */ + 2");
  });

  it("points at the token to blame", () => {
    expect(checkQuery("SELECT 1; DELETE FROM u")).toMatchObject({ error: { code: "several_statements", offset: 8 } });
    expect(checkQuery("SELECT a::int")).toMatchObject({
      error: { offset: 8, advice: ["x::type is CAST(x AS type) in SQLite."] },
    });
  });

  it("refuses a text over D1's limit at once, however it is counted", () => {
    expect(codeOf(`SELECT '${"x".repeat(SQL_BYTES_MAX)}'`)).toBe("sql_too_long");
    expect(codeOf(`SELECT '${"я".repeat(SQL_BYTES_MAX / 2)}'`)).toBe("sql_too_long");
    expect(codeOf(`SELECT '${"x".repeat(SQL_BYTES_MAX - 9)}'`)).toBe("accepted");
  });

  it("takes a byte order mark for a blank between tokens, and only there", () => {
    expect(codeOf("\uFEFFSELECT 1")).toBe("accepted");
    expect(codeOf("SELECT \uFEFF1")).toBe("accepted");
    expect(codeOf("SELECT\uFEFF 1")).toBe("not_a_read");
  });

  it("finds pragmas in every position of a table, and in no other", () => {
    expect(codeOf("SELECT 1 FROM a, b JOIN (c, pragma_optimize) ON 1")).toBe("pragma_refused");
    expect(codeOf("SELECT pragma_optimize, 'pragma_optimize' FROM t pragma_optimize")).toBe("accepted");
    expect(codeOf("SELECT 1 FROM t WHERE x IN ('pragma_optimize', pragma_optimize)")).toBe("accepted");
  });

  it("works in a time that grows with the length only", () => {
    // Shapes that make careless scanners quadratic: 100 kB each, thousands of times what a quadratic one could bear.
    const shapes = [
      "(",
      "/*",
      "'",
      '"',
      "[",
      "--",
      "WITH a AS (",
      "a,",
      "((a),",
      "x'",
      "1e",
      "$a(",
      ";",
      "WITH a AS (SELECT 1),",
    ];
    for (const shape of shapes) {
      const text = `SELECT ${shape.repeat(Math.floor(99_000 / shape.length))}`;
      expect(["accepted", codeOf(text)]).toContain(codeOf(text));
    }
    const many = Array.from({ length: 4_000 }, (_, index) => `a${index} AS (SELECT 1)`);
    const refs = Array.from({ length: 4_000 }, (_, index) => `a${index}`);
    expect(codeOf(`WITH ${many.join(",")} SELECT 1 FROM ${refs.slice(0, 3_000).join(",")}`)).toBe("accepted");
  });
});

describe("normalizeSql", () => {
  it("gives one text for all spellings of a statement", () => {
    const spellings = ["SELECT  A FROM T", "select a\nfrom t;", "Select/* x */a From t -- y", ";;select\ta from t;;"];
    expect(new Set(spellings.map(normalizeSql)).size).toBe(1);
  });

  it("keeps quoted names and literals apart", () => {
    const texts = ["SELECT 'a'", "SELECT 'A'", 'SELECT "a"', 'SELECT "A"', "SELECT a"];
    expect(new Set(texts.map(normalizeSql)).size).toBe(texts.length);
  });

  it("gives a text that still means the same", () => {
    const odd = "SELECT a- -1, x/**/y, 'it''s', [a b] FROM t";
    expect(normalizeSql(normalizeSql(odd))).toBe(normalizeSql(odd));
    expect(normalizeSql(odd)).toBe("select a - - 1 , x y , 'it''s' , [a b] from t");
  });
});

describe("fixtures", () => {
  it("say in their readme what each file holds", () => {
    const readme = readFileSync(new URL("../fixtures/sql/README.md", import.meta.url), "utf8");
    for (const file of ["reads.txt", "hostile.txt", "engine.txt", "database.sql"])
      expect(readme).toContain(`\`${file}\``);
  });
});
