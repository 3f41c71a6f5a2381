/** Bounds of recursive common tables. */
import { describe, expect, it } from "vitest";
import { checkQuery } from "../../src/sql/gate.ts";
import { guardRecursion, RECURSION_ROWS_MAX } from "../../src/sql/recursion.ts";
import { memoryDatabase, rowsOf } from "./engine.ts";

const recursionOf = (sql: string) => {
  const checked = checkQuery(sql);
  if (!checked.ok) throw new Error(checked.error.code);
  return { ...checked.value.recursion, sql: checked.value.sql };
};
const COUNT = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 10) SELECT x FROM c";

function runGuarded(sql: string, rowsMax: number): readonly unknown[] {
  const { guards, sql: text } = recursionOf(sql);
  return rowsOf(memoryDatabase(), guardRecursion(text, guards, rowsMax)).flatMap((row) => Object.values(row));
}

describe("findRecursion", () => {
  it.each<[string, number]>([
    [COUNT, 1],
    ["WITH c AS (SELECT 1) SELECT * FROM c", 0],
    ["WITH c AS (SELECT 'c' AS c FROM t) SELECT * FROM c", 0],
    ["WITH c(x) AS (SELECT 1 UNION ALL SELECT x FROM c LIMIT 10) SELECT * FROM c", 0],
    ["WITH c(x) AS (SELECT 1 UNION ALL SELECT x FROM (SELECT x FROM c LIMIT 3)) SELECT * FROM c", 1],
    ["WITH a(x) AS (SELECT 1 UNION SELECT x FROM a), b(x) AS (SELECT 1 UNION SELECT x FROM b) SELECT 1", 2],
    ["SELECT (WITH c(x) AS (SELECT 1 UNION SELECT x FROM c) SELECT max(x) FROM c)", 1],
  ])("counts the unbounded ones of %j", (sql, count) => {
    expect(recursionOf(sql).guards.length).toBe(count);
  });

  it("knows how deep they nest and what they bound themselves to", () => {
    const nested =
      "WITH a(x) AS (SELECT 1 UNION SELECT (WITH b(y) AS (SELECT 1 UNION SELECT y FROM b) SELECT y FROM b) FROM a) SELECT 1";
    expect(recursionOf(nested)).toMatchObject({ depth: 2, ownLimitMax: 0 });
    expect(recursionOf(COUNT)).toMatchObject({ depth: 1 });
    expect(recursionOf("WITH a(x) AS (SELECT 1 UNION SELECT x FROM a LIMIT 7 OFFSET 2) SELECT 1")).toMatchObject({
      depth: 0,
      ownLimitMax: 9,
    });
  });

  it.each(["1 + 1", "(SELECT 1)", "- (1)", "1.5", "1, 50000", "5 OFFSET 60000", "x"])("refuses LIMIT %s", (limit) => {
    const checked = checkQuery(`WITH c(x) AS (SELECT 1 UNION ALL SELECT x FROM c LIMIT ${limit}) SELECT 1`);
    expect(checked).toMatchObject({ ok: false, error: { code: "recursion_limit" } });
    expect(!checked.ok && checked.error.advice.join()).toContain(String(RECURSION_ROWS_MAX));
  });
});

describe("guardRecursion", () => {
  it("leaves the rows of a recursion within its bound as they are", () => {
    expect(runGuarded(COUNT, 10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(runGuarded(COUNT.replace("SELECT x FROM c", "SELECT count(*) FROM c"), 10)).toEqual([10]);
  });

  it("raises an error instead of cutting a result", () => {
    expect(() => runGuarded(COUNT, 9)).toThrow("recursion passed its limit of 9 rows");
    expect(() =>
      runGuarded("WITH c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c", 100),
    ).toThrow("limit of 100");
  });

  it("lets a query take a few rows of an endless recursion", () => {
    expect(runGuarded("WITH c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c LIMIT 3", 100)).toEqual([
      1, 2, 3,
    ]);
  });

  it.each(["LIMIT 1000000", "LIMIT -1", "LIMIT 1_000_000", "LIMIT 0xFFFFFF", "LIMIT 1e18", ""])(
    "puts its own bound in the place of %j",
    (limit) => {
      const sql = `WITH c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c ORDER BY 1 ${limit}) SELECT x FROM c`;
      expect(runGuarded(`${sql} LIMIT 2`, 100)).toEqual([1, 2]);
      expect(() => runGuarded(sql, 100)).toThrow("limit of 100");
    },
  );

  it("raises nothing for the rows of a table that the recursion is joined to", () => {
    const two =
      "WITH a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a WHERE x < 3), b(y) AS (SELECT 1 UNION ALL SELECT y + 1 FROM b WHERE y < 3)";
    expect(runGuarded(`${two} SELECT count(*) FROM a, b`, 10)).toEqual([9]);
    expect(runGuarded(`${two} SELECT count(*) FROM big, a, t LEFT JOIN b ON b.y = a.x WHERE big.id < 3`, 10)).toEqual([
      12,
    ]);
    expect(() => runGuarded(`${two} SELECT count(*) FROM a, b`, 2)).toThrow("limit of 2");
  });

  it("keeps the order that the body asks for", () => {
    const tree =
      "WITH up(id, path) AS (SELECT id, name FROM org WHERE boss IS NULL UNION ALL " +
      "SELECT o.id, path || '/' || o.name FROM up JOIN org o ON o.boss = up.id ORDER BY 2 DESC) SELECT path FROM up";
    expect(runGuarded(tree, 50)).toEqual(["Ada", "Ada/Cy", "Ada/Cy/Dee", "Ada/Ben"]);
  });

  it("guards recursions inside each other, and quoted names", () => {
    const nested =
      'WITH "a b"(x) AS (SELECT 1 UNION ALL SELECT x + (WITH i(y) AS (SELECT 1 UNION ALL SELECT y + 1 FROM i WHERE y < 2) ' +
      'SELECT count(*) FROM i) FROM "a b" WHERE x < 6) SELECT x FROM "a b"';
    expect(runGuarded(nested, 10)).toEqual([1, 3, 5, 7]);
    expect(() => runGuarded(nested, 1)).toThrow("limit of 1");
  });
});
