import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fitVirtualTables } from "../../src/cli/d1-virtual-tables.ts";

let database: DatabaseSync;
beforeEach(() => {
  database = new DatabaseSync(":memory:");
});
afterEach(() => database.close());

const schema = () =>
  database
    .prepare("SELECT name FROM sqlite_schema ORDER BY 1")
    .all()
    .map((row) => row.name);
const addEntry = (name: string, sql: string) => {
  database.exec("PRAGMA writable_schema = ON");
  database.prepare("INSERT INTO sqlite_schema VALUES ('table', ?, ?, 0, ?)").run(name, name, sql);
  database.exec("PRAGMA writable_schema = RESET");
};

describe("virtual tables", () => {
  it("of FTS5 and R*Tree stay as they are", () => {
    database.exec('CREATE VIRTUAL TABLE f USING FTS5(a); CREATE VIRTUAL TABLE [USING x] USING "rtree"(id, x0, x1)');
    const before = schema();
    expect(fitVirtualTables(database)).toEqual([]);
    expect(schema()).toEqual(before);
  });

  it("of another module that can be read here become plain tables with the same rows and rowids", () => {
    database.exec('CREATE VIRTUAL TABLE "my notes" USING fts4(title, body, tokenize=porter)');
    database.exec("INSERT INTO \"my notes\" (docid, title, body) VALUES (7, 'a', 'b')");
    expect(fitVirtualTables(database)).toEqual([
      'Virtual table "my notes" uses the module fts4, which D1 does not have: its rows are here as a plain table.',
    ]);
    expect(schema()).toEqual(["my notes"]);
    expect(database.prepare('SELECT rowid, * FROM "my notes"').all()).toEqual([{ rowid: 7, title: "a", body: "b" }]);
  });

  it("of a module that nobody has, and one whose tokenizer nobody has, are taken out and named", () => {
    database.exec("CREATE TABLE good (a)");
    addEntry("vectors", "CREATE VIRTUAL TABLE vectors USING vec0(v float[3])");
    addEntry("words", "CREATE VIRTUAL TABLE words USING fts5(a, tokenize = 'klingon')");
    expect(fitVirtualTables(database)).toEqual([
      'Virtual table "vectors" uses the module vec0, which D1 does not have: left out.',
      expect.stringMatching(/^Virtual table "words" cannot be opened \(.*\): left out\.$/),
    ]);
    expect(schema()).toEqual(["good"]);
  });
});
