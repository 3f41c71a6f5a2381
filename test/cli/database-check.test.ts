import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/cli/database-check.ts";
import type { Host, LocalDatabase } from "../../src/cli/host.ts";
import { prepareDatabase } from "../../src/cli/load-database.ts";
import { createDatabase, TRIVIAL_WORKER, temporaryFolder } from "./database-fixtures.ts";

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

const rows = (database: LocalDatabase, sql: string) => database.prepare(sql).raw();

async function openFile(source: string) {
  const prepared = await prepareDatabase({ kind: "sqlite_file", path: source }, join(folder.path, "state"));
  if (!prepared.ok) throw new Error(prepared.error);
  const opened = await openDatabase(prepared.value, { bundle: TRIVIAL_WORKER, env: {} });
  if (!opened.ok) throw new Error(opened.error);
  host = opened.value.host;
  const { warnings, tables } = opened.value.prepared;
  return { database: await host.database(), warnings, tables };
}

describe("what D1 cannot take in", () => {
  it("is named, and the rest can be asked", async () => {
    const source = join(folder.path, "too-much.db");
    const columns = (count: number, tail = "") =>
      Array.from({ length: count }, (_each, index) => `c${index + 1}${tail}`);
    createDatabase(
      source,
      [
        "CREATE TABLE good (a, b)",
        "INSERT INTO good VALUES (1, 'kept')",
        `CREATE TABLE wide (${columns(102).join(", ")})`,
        `INSERT INTO wide (c1, c100) VALUES (1, 100)`,
        `CREATE TABLE keyed (${columns(101).join(", ")}, UNIQUE (${columns(101).join(", ")}))`,
        "CREATE TRIGGER watch AFTER INSERT ON good BEGIN DELETE FROM good; END",
        `CREATE VIEW long AS SELECT '${"x".repeat(100_000)}' AS x`,
        `CREATE VIEW many AS SELECT 1 ${"UNION SELECT 2 ".repeat(6)}`,
        `CREATE TABLE deep (a CHECK (${Array(120).fill("a > 0").join(" AND ")}))`,
        "CREATE VIEW orphan AS SELECT * FROM gone",
        "CREATE TABLE own (a, b AS (ours(a)))",
        "INSERT INTO own (a) VALUES (1)",
        "CREATE VIRTUAL TABLE old USING fts4(body)",
        "INSERT INTO old (docid, body) VALUES (5, 'old text')",
        "CREATE TABLE _cf_KV (unlike, theirs)",
        "CREATE TABLE blob (id INTEGER PRIMARY KEY, b BLOB NOT NULL, t TEXT)",
        "INSERT INTO blob VALUES (1, zeroblob(5000000), 'short'), (2, x'01', hex(zeroblob(2500000)))",
        "PRAGMA writable_schema = ON",
        "INSERT INTO sqlite_schema VALUES ('table', 'alien', 'alien', 0, 'CREATE VIRTUAL TABLE alien USING vec0(v float[3])')",
      ],
      (database) => database.function("ours", { deterministic: true }, (value) => Number(value) + 1),
    );
    const { database, warnings, tables } = await openFile(source);

    expect([...warnings].sort()).toEqual([
      expect.stringMatching(/^"deep" is beyond D1's limits \(Expression tree is too large/),
      expect.stringMatching(/^"many" is beyond D1's limits \(too many terms in compound SELECT\)/),
      expect.stringMatching(/^"orphan" cannot be queried in D1 \(no such table: main.gone\)/),
      expect.stringMatching(/^"own" cannot be queried in D1 \(.*ours/),
      'Left out 1 trigger ("watch"): only writes fire them.',
      expect.stringMatching(/^One value of "blob"."b" longer than 4,194,304 bytes/),
      expect.stringMatching(/^One value of "blob"."t" longer than 4,194,304 bytes/),
      'Table "keyed" has 101 columns and D1 allows 100: left out.',
      'Table "wide" has 102 columns and D1 allows 100: left out 2 columns ("c101", "c102").',
      `The definition of view "long" is longer than D1's 100,000 bytes: left out.`,
      'Virtual table "alien" uses the module vec0, which D1 does not have: left out.',
      'Virtual table "old" uses the module fts4, which D1 does not have: its rows are here as a plain table.',
    ]);
    expect([...tables].sort()).toEqual(["blob", "good", "old", "wide"]);
    expect(await rows(database, "SELECT * FROM good")).toEqual([[1, "kept"]]);
    expect(await rows(database, "SELECT c1, c100 FROM wide")).toEqual([[1, 100]]);
    expect(await rows(database, "SELECT rowid, body FROM old")).toEqual([[5, "old text"]]);
    expect(await rows(database, "SELECT id, typeof(b), CAST(b AS TEXT), typeof(t) FROM blob WHERE id = 1")).toEqual([
      [1, "blob", "(5000000 bytes left out)", "text"],
    ]);
  });

  it("is found once: a kept database opens with the same notes and is not checked again", async () => {
    const source = join(folder.path, "half.db");
    createDatabase(source, ["CREATE TABLE good (a)", "CREATE VIEW orphan AS SELECT * FROM gone"]);
    const first = await openFile(source);
    await host?.dispose();
    const second = await openFile(source);
    expect(second.warnings).toEqual(first.warnings);
    expect(second.warnings).toHaveLength(1);
    // Asked again, D1 would name the view too, and only this process knows that it cannot be queried.
    expect([first.tables, second.tables]).toEqual([["good"], ["good"]]);
  });
});
