/** Facts from the rows of EXPLAIN, taken from SQLite itself. */
import { describe, expect, it } from "vitest";
import { readProgram } from "../../src/sql/program.ts";
import { memoryDatabase, rowsOf } from "./engine.ts";

const database = memoryDatabase();
const programOf = (sql: string) => readProgram(rowsOf(database, `EXPLAIN ${sql}`));
const pageOf = (name: string) =>
  rowsOf(database, `SELECT rootpage FROM sqlite_schema WHERE name = '${name}'`)[0]?.rootpage;
const readsOf = (sql: string) => [...programOf(sql).reads.values()].map((positions) => [...positions].sort());

describe("readProgram", () => {
  it.each([
    "DELETE FROM u",
    "INSERT INTO u VALUES (1, 2)",
    "UPDATE u SET id = 1",
    "WITH x AS (SELECT 1) DELETE FROM u",
    "CREATE TABLE x(a)",
    "DROP TABLE u",
    "ALTER TABLE u ADD COLUMN c",
    "CREATE VIEW x AS SELECT 1",
    "ANALYZE",
    "REINDEX",
  ])("sees that %j writes", (sql) => {
    expect(programOf(sql).writes).toBe(true);
  });

  it.each([
    "SELECT * FROM t",
    "SELECT 1",
    "SELECT DISTINCT k FROM big ORDER BY v",
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 5) SELECT * FROM c",
    "SELECT row_number() OVER (ORDER BY v) FROM big",
    "SELECT * FROM f WHERE f MATCH 'fox'",
  ])("sees that %j only reads, whatever its scratch tables do", (sql) => {
    expect(programOf(sql).writes).toBe(false);
  });

  it("finds what is opened by root page, also through views, subqueries and indexes", () => {
    const opened = (sql: string) => programOf(sql).opened.map((cursor) => cursor.rootPage);
    expect(opened("SELECT * FROM pairs")).toEqual(expect.arrayContaining([pageOf("t"), pageOf("u")]));
    expect(opened("SELECT count(*) FROM big WHERE k = 1")).toEqual([pageOf("big_k")]);
    expect(opened("SELECT 1 WHERE EXISTS (SELECT 1 FROM (SELECT id FROM u))")).toContain(pageOf("u"));
    expect(opened("SELECT 1")).toEqual([]);
  });

  it("finds the columns that are read, by position and by key", () => {
    expect(readsOf("SELECT name, amt FROM t")).toEqual([[1, 2]]);
    expect(readsOf("SELECT id FROM t")).toEqual([[-1]]);
    expect(readsOf("SELECT 1 FROM big WHERE k = 3")).toEqual([[0]]);
  });

  it("knows whether rows are gathered before any is given", () => {
    const gathers = [
      "SELECT count(*) FROM t",
      "SELECT name FROM t ORDER BY name",
      "SELECT k, sum(id) FROM big GROUP BY v",
    ];
    expect(gathers.map((sql) => programOf(sql).gathers)).toEqual([true, true, true]);
    expect(programOf("SELECT * FROM t, u").gathers).toBe(false);
  });

  it("counts result columns and keeps the schema cookie, virtual tables and constants", () => {
    const program = programOf("SELECT a.id, 'x', \"nosuch\" FROM t a, f");
    expect(program.columns).toBe(3);
    expect(program.cookie).toBe(rowsOf(database, "PRAGMA schema_version")[0]?.schema_version);
    expect(program.opensVirtualTables).toBe(true);
    expect([...program.strings].sort()).toEqual(["nosuch", "x"]);
    expect(programOf("SELECT id FROM t").opensVirtualTables).toBe(false);
  });
});
