import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readScript, runScript } from "../../src/cli/sql-dump.ts";
import { temporaryFolder } from "./database-fixtures.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const target = () => join(folder.path, "built.db");
const run = (script: string) => runScript(script, "dump.sql", target());
const rows = (sql: string) => {
  const database = new DatabaseSync(target());
  try {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    return statement.all();
  } finally {
    database.close();
  }
};

describe("a dump", () => {
  it("as sqlite3 prints it builds the database: children before parents, quoted text, a trigger, a sequence", () => {
    const built = run(`PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE child(id INTEGER PRIMARY KEY AUTOINCREMENT, p REFERENCES parent(id), note TEXT);
INSERT INTO child VALUES(1,7,'semi;colon and ''quote''');
CREATE TABLE parent(id INTEGER PRIMARY KEY);
INSERT INTO parent VALUES(7);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('child',41);
CREATE INDEX by_note ON child(note);
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1 VALUES('child','by_note','1 1');
CREATE TRIGGER t AFTER INSERT ON child BEGIN SELECT CASE WHEN 1 THEN 2 END; DELETE FROM parent; END;
COMMIT;`);
    expect(built).toEqual({ ok: true, value: undefined });
    expect(rows("SELECT note, (SELECT seq FROM sqlite_sequence) FROM child")).toEqual([["semi;colon and 'quote'", 41]]);
  });

  it("of a full-text table, which sqlite3 writes straight into the schema, is searchable", () => {
    const source = new DatabaseSync(":memory:");
    source.exec("CREATE VIRTUAL TABLE f USING fts5(body); INSERT INTO f VALUES ('a quick test')");
    const shadow = source.prepare("SELECT name, sql FROM sqlite_schema WHERE name LIKE 'f\\__%' ESCAPE '\\'").all();
    const inserts = shadow.flatMap(({ name, sql }) => {
      const columns = source.prepare("SELECT name FROM pragma_table_info(?)").all(String(name));
      const values = columns.map((column) => `quote("${String(column.name)}")`).join(" || ',' || ");
      const lines = source.prepare(`SELECT ${values} AS line FROM "${String(name)}"`).all();
      return [
        `${String(sql).replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS")};`,
        ...lines.map(({ line }) => `INSERT INTO ${String(name)} VALUES(${String(line)});`),
      ];
    });
    const built = run(`BEGIN TRANSACTION;
PRAGMA writable_schema=ON;
INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','f','f',0,'CREATE VIRTUAL TABLE f USING fts5(body)');
${inserts.join("\n")}
PRAGMA writable_schema=OFF;
COMMIT;`);
    expect(built).toEqual({ ok: true, value: undefined });
    expect(rows("SELECT body FROM f WHERE f MATCH 'quick'")).toEqual([["a quick test"]]);
  });

  it.each([
    [
      "a syntax error",
      "CREATE TABLE t (a);\n-- note\nINSERT INTO t VALUES (1;\n",
      /^dump\.sql, line 3: near ";": syntax error\. The statement is: .*INSERT INTO t VALUES \(1;$/,
    ],
    ["a table that is not there", "INSERT INTO gone VALUES (1);", /^dump\.sql, line 1: no such table: gone/],
    ["another dialect", "CREATE TABLE t (id int) ENGINE=InnoDB;", /only SQLite's dialect can be loaded/],
    [
      "an unfinished statement",
      "CREATE TABLE t (a);\nINSERT INTO t VALUES ('open",
      /^dump\.sql, line 2: unrecognized token/,
    ],
  ])("that holds %s is refused with the statement and its line", (_what, script, expected) => {
    expect(run(script)).toEqual({ ok: false, error: expect.stringMatching(expected) });
  });

  it("may not reach or write any other file, nor load code", () => {
    const other = join(folder.path, "other.db");
    for (const [statement, reason] of [
      [`ATTACH '${other}' AS o`, /may not reach other files/],
      [`/* hidden */ attach database '${other}' as o`, /may not reach other files/],
      [`VACUUM INTO '${other}'`, /may not write other files/],
      [`VACUUM main INTO '${other}'`, /may not write other files/],
      [`SELECT load_extension('x')`, /not authorized|no such function/],
      [`SELECT writefile('${other}', 'x')`, /no such function: writefile/],
      [`SELECT readfile('/etc/hostname')`, /no such function: readfile/],
    ] as const) {
      expect(run(`${statement};`)).toEqual({ ok: false, error: expect.stringMatching(reason) });
    }
    expect(existsSync(other)).toBe(false);
  });

  it("may hold statements about the session and the transaction, which change nothing here", () => {
    const script =
      "PRAGMA journal_mode=WAL; BEGIN; CREATE TABLE t(a); COMMIT; VACUUM; ANALYZE; INSERT INTO t VALUES (1); ROLLBACK; PRAGMA temp_store_directory='/x';";
    expect(run(script)).toEqual({ ok: true, value: undefined });
    expect(rows("SELECT a FROM t")).toEqual([[1]]);
  });
});

describe("readScript", () => {
  it.each<[string, string | Uint8Array | null, RegExp]>([
    ["a missing file", null, /^There is no file/],
    ["a SQLite file", "SQLite format 3\0rest", /Give it with --db instead of --sql/],
    ["text in UTF-16", new Uint8Array([0xff, 0xfe, 0x53, 0x00]), /not SQL text in UTF-8/],
  ])("refuses %s", (_what, content, expected) => {
    const path = join(folder.path, "given.sql");
    if (content !== null) writeFileSync(path, content);
    expect(readScript(path)).toEqual({ ok: false, error: expect.stringMatching(expected) });
  });

  it("refuses a directory and takes a byte order mark off", () => {
    expect(readScript(folder.path)).toEqual({ ok: false, error: expect.stringMatching(/is a directory/) });
    writeFileSync(join(folder.path, "bom.sql"), "\ufeffSELECT 1;");
    expect(readScript(join(folder.path, "bom.sql"))).toEqual({ ok: true, value: "SELECT 1;" });
  });
});
