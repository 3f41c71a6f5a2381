/** The tables of a query, from its text alone. */
import { describe, expect, it } from "vitest";
import { queryTables } from "../../src/tools/query-tables.ts";

describe("queryTables", () => {
  it.each([
    ["SELECT * FROM t", ["t"]],
    ["select a from T as x join u on u.id = x.id -- v", ["T", "u"]],
    ["SELECT * FROM \"Order Details\" d, [b c], `q` WHERE x = 'FROM z'", ["Order Details", "b c", "q"]],
    ["SELECT * FROM t WHERE id IN (SELECT t_id FROM u) AND 1 = (SELECT count(*) FROM T)", ["t", "u"]],
    ["WITH m AS (SELECT * FROM t) SELECT * FROM m JOIN u", ["t", "u"]],
    ["SELECT 1", []],
    ["SELECT count( FROM t", []],
    ["", []],
  ])("%s reads %j", (sql, tables) => {
    expect(queryTables(sql)).toEqual(tables);
  });
});
