import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fitToD1 } from "../../src/cli/d1-fit.ts";
import { createDatabase, temporaryFolder, typedContent } from "./database-fixtures.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const path = () => join(folder.path, "copy.db");
const rows = (sql: string) => {
  const database = new DatabaseSync(path(), { enableDoubleQuotedStringLiterals: true });
  try {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    return statement.all();
  } finally {
    database.close();
  }
};

describe("fitting a copy to D1", () => {
  it("changes nothing of a database that fits", () => {
    createDatabase(path(), [
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE, c AS (a + 1))",
      "INSERT INTO t (b) VALUES ('x'), ('y')",
      "CREATE INDEX by_b ON t (b) WHERE a > 1",
      'CREATE VIEW v AS SELECT a, "a text in double quotes" AS said FROM t',
    ]);
    const before = { content: typedContent(path()), schema: rows("SELECT * FROM sqlite_schema") };
    expect(fitToD1(path())).toEqual([]);
    expect({ content: typedContent(path()), schema: rows("SELECT * FROM sqlite_schema") }).toEqual(before);
  });

  it("takes out tables that the runtime keeps for itself, without a word", () => {
    createDatabase(path(), [
      "CREATE TABLE _cf_METADATA (k, v)",
      "CREATE TABLE cf_own (a)",
      "CREATE TABLE d1_migrations (id)",
    ]);
    expect(fitToD1(path())).toEqual([]);
    expect(rows("SELECT name FROM sqlite_schema ORDER BY 1")).toEqual([["cf_own"], ["d1_migrations"]]);
  });

  it("narrows a wide table while a view of its columns and a broken view stand beside it", () => {
    const columns = Array.from({ length: 105 }, (_each, index) => `c${index + 1}`);
    createDatabase(path(), [
      `CREATE TABLE wide (${columns.join(", ")})`,
      "INSERT INTO wide (c1, c100, c105) VALUES (1, 100, 105)",
      "CREATE VIEW of_last AS SELECT c105 FROM wide",
      "CREATE VIEW broken AS SELECT * FROM gone",
      "CREATE INDEX by_last ON wide (c105)",
    ]);
    // The indexed column stays, and one further left goes.
    expect(fitToD1(path())).toEqual([
      'Table "wide" has 105 columns and D1 allows 100: left out 5 columns ("c100", "c101", "c102", "c103", "c104").',
    ]);
    expect(rows("SELECT c1, c105 FROM wide")).toEqual([[1, 105]]);
    expect(rows("SELECT * FROM of_last")).toEqual([[105]]);
    expect(rows("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY 1")).toEqual([["broken"], ["of_last"]]);
  });

  it("names at most a few of many triggers", () => {
    createDatabase(path(), [
      "CREATE TABLE t (a)",
      ...Array.from({ length: 10 }, (_each, index) => `CREATE TRIGGER t${index} AFTER INSERT ON t BEGIN SELECT 1; END`),
    ]);
    expect(fitToD1(path())).toEqual([
      'Left out 10 triggers ("t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7" and 2 more): only writes fire them.',
    ]);
  });

  it("replaces a value that D1 cannot read by what it was, under any constraint", () => {
    createDatabase(path(), [
      "CREATE TABLE t (id INTEGER PRIMARY KEY, doc TEXT NOT NULL CHECK (length(doc) > 100), pic BLOB) STRICT",
      "INSERT INTO t VALUES (1, hex(zeroblob(2500000)), zeroblob(4194304)), (2, hex(zeroblob(60)), zeroblob(4194305))",
    ]);
    expect(fitToD1(path())).toHaveLength(2);
    expect(rows("SELECT id, doc, octet_length(pic), typeof(pic) FROM t WHERE id = 1")).toEqual([
      [1, "(5000000 bytes left out)", 4_194_304, "blob"],
    ]);
    expect(rows("SELECT CAST(pic AS TEXT), typeof(pic) FROM t WHERE id = 2")).toEqual([
      ["(4194305 bytes left out)", "blob"],
    ]);
  });
});
