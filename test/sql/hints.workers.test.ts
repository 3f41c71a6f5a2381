/** Advice for the errors that D1 itself gives: each is provoked, and its advice holds a safe next step. */
import { beforeAll, describe, expect, it } from "vitest";
import { adviseError, toPlainMessage } from "../../src/sql/hints.ts";
import { ask, database, fillDatabase, runAll } from "./fixture-database.ts";

beforeAll(async () => {
  await fillDatabase();
  await runAll(["CREATE TABLE Customer(CustomerId INTEGER PRIMARY KEY, FirstName TEXT, Email TEXT)"]);
});

const terms = (count: number) => Array.from({ length: count }, (_, index) => `SELECT ${index}`).join(" UNION ");

describe("adviseError", () => {
  const on = database();
  it.each<[string, string, RegExp]>([
    ["SELECT * FROM Custmer", "no_such_table", /Did you mean Customer\?/],
    ["SELECT * FROM zzzzzzzz", "no_such_table", /list_tables/],
    ["SELECT FristName FROM Customer", "no_such_column", /FirstName \(in Customer\)/],
    ["SELECT c.Emial FROM Customer c", "no_such_column", /Email \(in Customer\)/],
    ["SELECT id FROM t JOIN u ON 1", "ambiguous_column", /table\.id/],
    ["SELECT date_trunc('month', name) FROM t", "missing_function", /strftime\('%Y-%m-01'/],
    ["SELECT median(id) FROM t", "missing_function", /ORDER BY x LIMIT 2/],
    ["SELECT 1 FROM t WHERE name REGEXP 'a'", "missing_function", /LIKE, GLOB/],
    ["SELECT log10(2)", "missing_function", /log\(x\)/],
    ["SELECT power(2, 3)", "missing_function", /pow\(x, y\)/],
    ["SELECT if(1, 2, 3)", "missing_function", /iif/],
    ["SELECT to_char(name, 'YYYY') FROM t", "missing_function", /strftime/],
    ["SELECT now()", "missing_function", /datetime\('now'\)/],
    ["SELECT nosuchfunction(1)", "missing_function", /no function nosuchfunction/],
    ["SELECT name FROM t WHERE name ILIKE 'a'", "syntax_error", /LIKE ignores the case/],
    ["SELECT EXTRACT(YEAR FROM name) FROM t", "syntax_error", /strftime\('%Y', d\)/],
    ["SELECT TOP 5 * FROM t", "syntax_error", /LIMIT n/],
    ["SELECT * FROM t FETCH FIRST 5 ROWS ONLY", "syntax_error", /LIMIT n/],
    ["SELECT * FRM t", "syntax_error", /cannot go on at "FRM"/],
    ["SELECT 1 FROM t WHERE", "syntax_error", /ends too early/],
    ["SELECT substr()", "function_arguments", /how many arguments substr/],
    ["SELECT count(*) FROM t WHERE count(*) > 1", "aggregate_misuse", /HAVING/],
    [terms(6), "too_many_terms", /5 terms/],
    [`SELECT ${Array.from({ length: 102 }, () => "id").join(" AND ")} FROM t`, "expression_too_deep", /100 levels/],
    [`SELECT 1 FROM t WHERE name LIKE '%${"a".repeat(60)}%'`, "like_too_long", /instr\(/],
    ["SELECT hex(randomblob(100000000))", "value_too_big", /substr/],
    ["SELECT * FROM f WHERE f MATCH 'a OR'", "fts_syntax", /double quotes/],
    ["SELECT * FROM t WHERE name MATCH 'a'", "match_misuse", /LIKE or instr/],
    ["SELECT json('x') FROM t", "malformed_json", /json_valid/],
    ["SELECT 1 UNION SELECT 1, 2", "column_count", /same number of columns/],
    ["SELECT (SELECT 1, 2)", "column_count", /same number of columns/],
    ["SELECT 1 ORDER BY 3", "order_by_mismatch", /number/],
    ["SELECT 1 LIMIT 1 UNION SELECT 2", "misplaced_clause", /once, at the end/],
    ["WITH t AS (SELECT * FROM t) SELECT * FROM t", "circular_reference", /must not have the name/],
    ["SELECT sum(9223372036854775807) FROM t", "integer_overflow", /total\(\)/],
    ["SELECT * FROM t INDEXED BY nosuch", "no_such_index", /INDEXED BY out/],
    ["SELECT * FROM t LIMIT 1.5", "datatype_mismatch", /whole numbers/],
    ["SELECT * FROM t JOIN u USING (name)", "join_columns", /ON a\.x = b\.y/],
    ["SELECT id FROM t HAVING 1", "grouping", /GROUP BY/],
    ["SELECT sum(id) OVER nosuch FROM t", "window_shape", /OVER clause/],
    [
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT sum(x) FROM c LIMIT 5) SELECT * FROM c",
      "recursion_shape",
      /names itself once/,
    ],
    [
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c",
      "recursion_limit",
      /WHERE that stops it/,
    ],
    [
      `SELECT 1 FROM ${Array.from({ length: 65 }, (_, index) => `t t${index}`).join(", ")}`,
      "too_many_tables",
      /fewer tables/,
    ],
    ["SELECT s.name FROM sqlite_schema s, pragma_table_info(s.name)", "not_authorized", /_cf/],
  ])("C25: %s gives %s", async (sql, code, advice) => {
    const outcome = await ask(sql, on, 1e15);
    expect(outcome).toMatchObject({ kind: "failed", error: { code, transient: false } });
    if (outcome.kind !== "failed") return;
    expect(outcome.error.advice.join("\n")).toMatch(advice);
    expect(outcome.error.message).not.toMatch(/D1_ERROR|SQLITE_|offset/);
  });

  it("offers near names from what the caller may see, and no others", async () => {
    const outcome = await ask("SELECT Emial FROM t", database({ tables: { deny: ["Customer"] } }));
    expect(JSON.stringify(outcome)).not.toMatch(/Customer|Email/);
  });

  it("D13: says of an empty schema that there is nothing", () => {
    expect(adviseError("no such table: x", { tables: [] }).advice).toEqual([
      "The database has no tables that can be read.",
    ]);
  });

  it("has something to say to a message it does not know", () => {
    expect(adviseError("D1_ERROR: flux capacitor: SQLITE_ERROR", { tables: [] })).toEqual({
      code: "sql_error",
      message: "flux capacitor",
      advice: [expect.any(String)],
      transient: false,
    });
  });
});

describe("toPlainMessage", () => {
  it.each([
    ["D1_ERROR: no such column: x at offset 7: SQLITE_ERROR", "no such column: x"],
    ["D1_ERROR: string or blob too big: SQLITE_TOOBIG", "string or blob too big"],
    ["no such table: a: b", "no such table: a: b"],
    ['D1_ERROR: D1_EXEC_ERROR: near "x": syntax error at offset 1: SQLITE_ERROR', 'near "x": syntax error'],
  ])("takes off what only D1 needs: %s", (message, plain) => {
    expect(toPlainMessage(message)).toBe(plain);
  });
});
