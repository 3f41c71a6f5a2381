import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { columnNames, names, openCopy, ordinaryTables, removeObject } from "../../src/cli/sqlite-schema.ts";

let database: DatabaseSync;
beforeEach(() => {
  database = new DatabaseSync(":memory:");
});
afterEach(() => database.close());

describe("the schema of a copy", () => {
  it("ordinary tables are neither views nor virtual, nor what those keep their content in", () => {
    database.exec(`CREATE TABLE "b c" (x); CREATE TABLE a (x PRIMARY KEY) WITHOUT ROWID; CREATE VIEW v AS SELECT 1;
      CREATE VIRTUAL TABLE f USING fts5(x); CREATE TABLE n (id INTEGER PRIMARY KEY AUTOINCREMENT)`);
    expect(ordinaryTables(database)).toEqual(["a", "b c", "n"]);
  });

  it("columns with values of their own leave out generated ones", () => {
    database.exec('CREATE TABLE t (a, "b c" AS (a) STORED, d)');
    expect(columnNames(database, "t")).toEqual(["a", "d"]);
    expect(names(database, "SELECT ? || 'x' AS name", "a")).toEqual(["ax"]);
  });

  it("takes out a table, view or index, and an entry that cannot be dropped", () => {
    database.exec(`CREATE TABLE t (a); CREATE INDEX i ON t (a); CREATE VIEW "v ""quoted""" AS SELECT * FROM gone;
      PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('table', 'x', 'x', 0, 'CREATE VIRTUAL TABLE x USING none()');
      PRAGMA writable_schema = RESET`);
    for (const name of ["i", 'v "quoted"', "x", "not there"]) removeObject(database, name);
    expect(names(database, "SELECT name FROM sqlite_schema")).toEqual(["t"]);
  });

  it("a copy is opened to take strings in double quotes and rows that break constraints", () => {
    const copy = openCopy(":memory:");
    copy.exec('CREATE TABLE t (a REFERENCES gone (x), b CHECK (b > 0)); INSERT INTO t VALUES ("text", -1)');
    expect(copy.prepare("SELECT a FROM t").all()).toEqual([{ a: "text" }]);
    copy.close();
  });
});
