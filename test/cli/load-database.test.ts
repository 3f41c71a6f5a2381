import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/cli/database-check.ts";
import type { Host, LocalDatabase } from "../../src/cli/host.ts";
import { type DatabaseSource, type PreparedDatabase, prepareDatabase } from "../../src/cli/load-database.ts";
import {
  createDatabase,
  TRIVIAL_WORKER,
  temporaryFolder,
  typedContent,
  typedContentInD1,
} from "./database-fixtures.ts";

const corpus = fileURLToPath(new URL("../../../shared/corpora/dbs/", import.meta.url));
const corpusFiles = existsSync(corpus) ? readdirSync(corpus).filter((name) => name.endsWith(".sqlite")) : [];

let folder: ReturnType<typeof temporaryFolder>;
let host: Host | null = null;

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  await host?.dispose();
  host = null;
  folder.remove();
});

const pathOf = (name: string) => join(folder.path, name);

async function prepare(source: DatabaseSource): Promise<PreparedDatabase> {
  const prepared = await prepareDatabase(source, pathOf("state"));
  if (!prepared.ok) throw new Error(prepared.error);
  return prepared.value;
}

async function open(
  source: DatabaseSource,
): Promise<{ database: LocalDatabase; warnings: readonly string[]; tables: readonly string[] }> {
  const opened = await openDatabase(await prepare(source), { bundle: TRIVIAL_WORKER, env: {} });
  if (!opened.ok) throw new Error(opened.error);
  host = opened.value.host;
  const { warnings, tables } = opened.value.prepared;
  return { database: await host.database(), warnings, tables };
}

const rows = (database: LocalDatabase, sql: string) => database.prepare(sql).raw();

const untouchedParts = (path: string) => {
  const { size, mtimeMs, ctimeMs, ino } = statSync(path);
  return { size, mtimeMs, ctimeMs, ino };
};

describe("any SQLite file, seen through D1", () => {
  it.skipIf(corpusFiles.length === 0).each(corpusFiles)("%s arrives with every table, row and type", async (name) => {
    const source = join(corpus, name);
    const before = untouchedParts(source);
    const { database, warnings } = await open({ kind: "sqlite_file", path: source });

    expect(await typedContentInD1(source, database)).toEqual(typedContent(source));
    expect(warnings).toEqual([]);
    expect(untouchedParts(source)).toEqual(before);
    expect(readdirSync(corpus).filter((file) => file.startsWith(name))).toEqual([name]);
  });

  it("keeps what statements cannot carry: exact numbers, broken text, rowids, dangling keys", async () => {
    const source = pathOf("nasty.db");
    createDatabase(source, [
      "CREATE TABLE parent (id INTEGER PRIMARY KEY)",
      "CREATE TABLE child (id INTEGER PRIMARY KEY AUTOINCREMENT, parent INTEGER NOT NULL REFERENCES parent (id))",
      "INSERT INTO child VALUES (7, 99)",
      "CREATE TABLE number (whole INTEGER, broken REAL)",
      "INSERT INTO number VALUES (9223372036854775807, 9e999), (9007199254740993, -9e999), (-9223372036854775808, 0.1 + 0.2), (NULL, 5e-324)",
      "CREATE TABLE text (t TEXT, b BLOB)",
      "INSERT INTO text VALUES (CAST(x'ff61fe' AS TEXT), x'00ff'), ('a' || char(0) || 'b', x''), ('', NULL), ('日本 🎵', zeroblob(3))",
      "CREATE TABLE gap (a)",
      "INSERT INTO gap (rowid, a) VALUES (5, 'five'), (9000000000, 'far'), (-3, 'below')",
      "CREATE TABLE generated (a INTEGER, twice AS (a * 2) STORED, text AS (a || '!'))",
      "INSERT INTO generated (a) VALUES (1), (NULL)",
      "CREATE TABLE keyed (k TEXT PRIMARY KEY, v) WITHOUT ROWID",
      "INSERT INTO keyed VALUES ('b', 1), ('a', 2)",
      "CREATE TABLE strict (i INT, t TEXT, a ANY) STRICT",
      "INSERT INTO strict VALUES (1, '1', '1')",
      "CREATE TABLE hollow (a, b)",
      'CREATE TABLE "semi;colon ""quoted"" 表" ("select" TEXT, "naïve col" TEXT)',
      `INSERT INTO "semi;colon ""quoted"" 表" VALUES ('x', 'y')`,
      "CREATE INDEX by_lower ON text (lower(t))",
      "CREATE VIEW joined AS SELECT c.id, p.id AS parent FROM child c LEFT JOIN parent p ON p.id = c.parent",
      "ANALYZE",
    ]);
    const { database, warnings } = await open({ kind: "sqlite_file", path: source });

    expect(await typedContentInD1(source, database)).toEqual(typedContent(source));
    expect(await rows(database, "SELECT * FROM joined")).toEqual([[7, null]]);
    expect(await rows(database, 'SELECT "table", "to" FROM pragma_foreign_key_list(\'child\')')).toEqual([
      ["parent", "id"],
    ]);
    expect(warnings).toEqual([]);
  });

  it("keeps FTS5 of every kind and R*Tree with their content, also in UTF-16 and with other pages", async () => {
    const source = pathOf("virtual.db");
    createDatabase(source, [
      "PRAGMA encoding = 'UTF-16le'; PRAGMA page_size = 65536",
      "CREATE TABLE doc (id INTEGER PRIMARY KEY, body TEXT)",
      "INSERT INTO doc VALUES (3, 'the quick fox'), (4, 'the lazy dog')",
      "CREATE VIRTUAL TABLE own USING fts5(title, body)",
      "INSERT INTO own VALUES ('one', 'a quick test'), ('two', 'a slow test')",
      "CREATE VIRTUAL TABLE outside USING fts5(body, content = 'doc', content_rowid = 'id')",
      "INSERT INTO outside (outside) VALUES ('rebuild')",
      "CREATE VIRTUAL TABLE bare USING fts5(body, content = '')",
      "INSERT INTO bare (rowid, body) VALUES (11, 'only the index')",
      "CREATE VIRTUAL TABLE parts USING fts5(body, tokenize = 'trigram')",
      "INSERT INTO parts VALUES ('querent')",
      "CREATE VIRTUAL TABLE box USING rtree(id, x0, x1)",
      "INSERT INTO box VALUES (1, 0, 5), (2, 10, 20)",
    ]);
    const { database, warnings } = await open({ kind: "sqlite_file", path: source });

    expect(await rows(database, "SELECT title FROM own WHERE own MATCH 'quick'")).toEqual([["one"]]);
    expect(await rows(database, "SELECT rowid, body FROM outside WHERE outside MATCH 'lazy'")).toEqual([
      [4, "the lazy dog"],
    ]);
    expect(await rows(database, "SELECT rowid FROM bare WHERE bare MATCH 'index'")).toEqual([[11]]);
    expect(await rows(database, "SELECT body FROM parts WHERE parts MATCH 'uer'")).toEqual([["querent"]]);
    expect(await rows(database, "SELECT id FROM box WHERE x0 > 5")).toEqual([[2]]);
    expect(warnings).toEqual([]);
  });

  it("the demo database and a database of no tables open too", async () => {
    const demo = await open({ kind: "demo" });
    expect(await rows(demo.database, "SELECT count(*) FROM Track")).toEqual([[3503]]);
    expect(demo).toMatchObject({ warnings: [] });
    expect(demo.tables).toHaveLength(11);
    await host?.dispose();

    createDatabase(pathOf("empty.db"), []);
    expect(await open({ kind: "sqlite_file", path: pathOf("empty.db") })).toMatchObject({ warnings: [], tables: [] });
  });
});

describe("a kept state folder", () => {
  it("imports the same content once, and another content beside it", async () => {
    createDatabase(pathOf("a.db"), ["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"]);
    const first = await prepare({ kind: "sqlite_file", path: pathOf("a.db") });
    const marker = statSync(join(first.stateDir, "database.json")).mtimeMs;
    const again = await prepare({ kind: "sqlite_file", path: pathOf("a.db") });
    expect(again).toEqual(first);
    expect(statSync(join(again.stateDir, "database.json")).mtimeMs).toBe(marker);

    createDatabase(pathOf("a.db"), ["INSERT INTO t VALUES (2)"]);
    const changed = await prepare({ kind: "sqlite_file", path: pathOf("a.db") });
    expect(changed.stateDir).not.toBe(first.stateDir);
    expect(readdirSync(join(pathOf("state"), "databases"))).toHaveLength(2);
  });

  it("an import that was cut off is thrown away and done again", async () => {
    createDatabase(pathOf("a.db"), ["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"]);
    const first = await prepare({ kind: "sqlite_file", path: pathOf("a.db") });
    const record = join(first.stateDir, "database.json");
    mkdirSync(join(pathOf("state"), "databases", ".partial-1"));
    writeFileSync(record, readFileSync(record, "utf8").slice(0, 20));

    const again = await prepare({ kind: "sqlite_file", path: pathOf("a.db") });
    expect(again).toEqual(first);
    expect(readdirSync(join(pathOf("state"), "databases"))).toEqual([again.stateDir.split("/").at(-1)]);
  });
});
