/** The shape of a statement: brackets, tables by position, common tables. */
import { describe, expect, it } from "vitest";
import { tokenize } from "../../src/sql/lexer.ts";
import { isSymbol, keyword, matchBrackets, readShape, readWith, type StatementShape } from "../../src/sql/statement.ts";

function shapeOf(sql: string): StatementShape {
  const tokens = tokenize(sql).filter((token) => token.kind !== "blank" && token.kind !== "comment");
  const closing = matchBrackets(tokens);
  if (closing === null) throw new Error("unbalanced");
  return readShape(tokens, closing);
}

const tablesOf = (sql: string): readonly string[] =>
  shapeOf(sql).tables.map(
    ({ qualifier, name, alias }) =>
      `${qualifier === null ? "" : `${qualifier}.`}${name}${alias === null ? "" : ` as ${alias}`}`,
  );

describe("readShape", () => {
  it.each<[string, readonly string[]]>([
    ["SELECT a, b FROM t", ["t"]],
    ["SELECT 1 FROM t AS x, main.u y JOIN 'v' ON 1 LEFT JOIN [w w] USING (a)", ["t as x", "main.u as y", "v", "w w"]],
    ["SELECT 1 FROM (t JOIN u ON t.a = u.a), (SELECT 2 FROM v) z", ["t", "u", "v"]],
    ["SELECT 1 FROM ((a, b), c)", ["a", "b", "c"]],
    ["SELECT f(a, b), (c, d) FROM t WHERE x IN (e, f) AND y IN g AND z IN main.h", ["t", "g", "main.h"]],
    ["SELECT a IS DISTINCT FROM b, c IS NOT DISTINCT FROM d FROM t", ["t"]],
    ["SELECT 1 FROM json_each(t.a, '$.b') AS j, u", ["json_each as j", "u"]],
    ["SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = (SELECT 1 FROM v))", ["t", "u", "v"]],
    ["SELECT 1 FROM t UNION SELECT 2 FROM u ORDER BY 1, 2", ["t", "u"]],
    ["WITH x AS (SELECT 1 FROM t), y(a, b) AS MATERIALIZED (VALUES (1, 2)) SELECT 1 FROM x, y", ["t", "x", "y"]],
    ["SELECT 1 FROM t NATURAL JOIN u CROSS JOIN v WHERE 1", ["t", "u", "v"]],
    ["SELECT 1 FROM t INDEXED BY i, u NOT INDEXED", ["t", "u"]],
    ["VALUES (1), (2)", []],
  ])("finds the tables of %j", (sql, expected) => {
    expect(tablesOf(sql)).toEqual(expected);
  });

  it("finds common tables at every depth, with their bodies", () => {
    const { commonTables, tokens } = shapeOf(
      "WITH RECURSIVE a(x) AS (WITH b AS (SELECT 1) SELECT * FROM b), c AS NOT MATERIALIZED (SELECT 2) SELECT 1",
    );
    expect(commonTables.map((table) => table.name)).toEqual(["a", "c", "b"]);
    expect(commonTables.map((table) => keyword(tokens[table.bodyOpen + 1]))).toEqual(["WITH", "SELECT", "SELECT"]);
    expect(commonTables.every((table) => isSymbol(tokens[table.bodyClose], ")"))).toBe(true);
  });

  it("marks the head of every bracket", () => {
    const { heads, tokens } = shapeOf("SELECT (SELECT 1), f(2) FROM (VALUES (3))");
    expect(heads.map((head) => tokens[head]?.text)).toEqual(["SELECT", "SELECT", "2", "VALUES", "3"]);
  });
});

describe("readWith", () => {
  it.each([
    ["WITH a AS (SELECT 1) DELETE FROM t", "DELETE"],
    ["WITH RECURSIVE a AS (SELECT 1), b(x) AS (SELECT 2) SELECT 1", "SELECT"],
    ['WITH "SELECT" AS (SELECT 1) UPDATE t', "UPDATE"],
    ["SELECT 1", "SELECT"],
  ])("finds the main word of %j", (sql, word) => {
    const { tokens, closing } = shapeOf(sql);
    expect(keyword(tokens[readWith(tokens, closing, 0, [])])).toBe(word);
  });
});

describe("matchBrackets", () => {
  it("is null when they do not balance", () => {
    const match = (sql: string) => matchBrackets(tokenize(sql));
    expect(match("(()")).toBeNull();
    expect(match("())")).toBeNull();
    expect(match(")(")).toBeNull();
    expect(match("(')')")).toEqual(new Map([[0, 2]]));
  });
});
