import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { copySqliteFile } from "../../src/cli/sqlite-copy.ts";
import { createDatabase, temporaryFolder } from "./database-fixtures.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const pathOf = (name: string) => join(folder.path, name);
const copy = (name: string) => copySqliteFile(pathOf(name), pathOf("copy.db"));
const valuesIn = (path: string) => {
  const database = new DatabaseSync(path);
  try {
    return database
      .prepare("SELECT a FROM t ORDER BY a")
      .all()
      .map((row) => row.a);
  } finally {
    database.close();
  }
};

describe("a file that cannot be asked is refused with what to do", () => {
  const page = Buffer.alloc(8192, 0xa5);
  it.each<[string, (path: string) => void, RegExp]>([
    ["a missing file", () => undefined, /^There is no file .*Check the path; a relative one starts at \//],
    ["a directory", (path) => mkdirSync(path), /is a directory\. Name the SQLite file in it/],
    ["a text file", (path) => writeFileSync(path, "hello\n"), /is not a SQLite file\. Only SQLite 3 files/],
    ["an SQL dump", (path) => writeFileSync(path, "PRAGMA foreign_keys=OFF;\n"), /SQL text.*--sql instead of --db/],
    [
      "an encrypted file",
      (path) => writeFileSync(path, page),
      /not a SQLite file, or it is encrypted.*decrypt it first/,
    ],
    ["a gzip file", (path) => writeFileSync(path, gzipSync("x")), /compressed \(gzip\)\. Unpack it first/],
    ["a file cut short", (path) => writeFileSync(path, "SQLite format 3\0 and no more"), /cut short: 28 bytes/],
    [
      "a file with an encrypted body",
      (path) => writeFileSync(path, Buffer.concat([Buffer.from("SQLite format 3\0"), page])),
      /damaged or encrypted \(.*\.recover/,
    ],
  ])("%s", async (_what, make, expected) => {
    make(pathOf("given.db"));
    const copied = await copy("given.db");
    expect(copied).toEqual({ ok: false, error: expect.stringMatching(expected) });
    expect(copied.ok || copied.error).not.toMatch(/\n\s+at |Error:/);
  });

  it("a damaged page is found before anything is asked", async () => {
    createDatabase(pathOf("given.db"), [
      "CREATE TABLE t (a)",
      "INSERT INTO t SELECT hex(randomblob(200)) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200) SELECT * FROM n)",
    ]);
    const bytes = readFileSync(pathOf("given.db"));
    bytes.fill(0xff, 8192, 12_288);
    writeFileSync(pathOf("given.db"), bytes);
    expect(await copy("given.db")).toEqual({
      ok: false,
      error: expect.stringMatching(/given\.db is damaged or encrypted/),
    });
  });

  it.skipIf(process.getuid?.() === 0)("a file without permission", async () => {
    createDatabase(pathOf("given.db"), ["CREATE TABLE t (a)"]);
    chmodSync(pathOf("given.db"), 0o000);
    expect(await copy("given.db")).toEqual({ ok: false, error: expect.stringMatching(/may not be read by this user/) });
  });

  it("a file that another process holds an exclusive lock on", async () => {
    createDatabase(pathOf("given.db"), ["CREATE TABLE t (a)"]);
    const holder = spawn(process.execPath, [
      "-e",
      `const { DatabaseSync } = require("node:sqlite"); const d = new DatabaseSync(${JSON.stringify(pathOf("given.db"))});
       d.exec("BEGIN EXCLUSIVE; INSERT INTO t VALUES (1)"); console.log("held"); process.stdin.resume();`,
    ]);
    try {
      await once(holder.stdout, "data");
      expect(await copySqliteFile(pathOf("given.db"), pathOf("copy.db"), 0)).toEqual({
        ok: false,
        error: expect.stringMatching(/given\.db is locked: another program is writing to it/),
      });
    } finally {
      holder.kill();
      await once(holder, "exit");
    }
    expect(await copy("given.db")).toEqual({ ok: true, value: undefined });
  });
});

describe("a copy holds what was committed and leaves the original alone", () => {
  it("a file of no bytes is a database of no tables", async () => {
    writeFileSync(pathOf("given.db"), "");
    expect(await copy("given.db")).toEqual({ ok: true, value: undefined });
    expect(existsSync(pathOf("copy.db"))).toBe(true);
  });

  it("a read-only file gives a copy that can be written", async () => {
    createDatabase(pathOf("given.db"), ["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"]);
    chmodSync(pathOf("given.db"), 0o400);
    expect((await copy("given.db")).ok).toBe(true);
    createDatabase(pathOf("copy.db"), ["INSERT INTO t VALUES (2)"]);
    expect(valuesIn(pathOf("copy.db"))).toEqual([1, 2]);
  });

  it("rows still in a write-ahead log are seen, and the log and the file keep every byte", async () => {
    const writer = new DatabaseSync(pathOf("live.db"));
    writer.exec(
      "PRAGMA journal_mode = WAL; CREATE TABLE t (a); PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO t VALUES (1), (2)",
    );
    const files = () => readdirSync(folder.path).filter((name) => name.startsWith("live"));
    const bytes = () => files().map((name) => readFileSync(pathOf(name)).toString("base64"));
    const before = { files: files(), bytes: bytes() };

    expect((await copy("live.db")).ok).toBe(true);
    expect({ files: files(), bytes: bytes() }).toEqual(before);
    expect(before.files).toEqual(["live.db", "live.db-shm", "live.db-wal"]);
    expect(readdirSync(folder.path).filter((name) => name.startsWith("copy"))).toEqual(["copy.db"]);
    expect(valuesIn(pathOf("copy.db"))).toEqual([1, 2]);

    // The log lies beside the file, not beside a link to it.
    mkdirSync(pathOf("elsewhere"));
    symlinkSync(pathOf("live.db"), pathOf("elsewhere/link.db"));
    expect((await copySqliteFile(pathOf("elsewhere/link.db"), pathOf("copy.db"))).ok).toBe(true);
    expect(valuesIn(pathOf("copy.db"))).toEqual([1, 2]);
    writer.close();
  });

  it("a journal left by a crash is played back in the copy only", async () => {
    createDatabase(pathOf("live.db"), ["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"]);
    const writer = new DatabaseSync(pathOf("live.db"));
    // A cache of one page makes the open transaction spill into the file, as a crash in its middle would leave it.
    writer.exec("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; UPDATE t SET a = 99");
    writer.exec(
      "INSERT INTO t SELECT hex(zeroblob(2000)) FROM sqlite_schema, (VALUES (1), (2), (3), (4), (5), (6), (7), (8))",
    );
    for (const suffix of ["", "-journal"]) copyFileSync(pathOf(`live.db${suffix}`), pathOf(`crashed.db${suffix}`));
    writer.close();
    const before = readFileSync(pathOf("crashed.db")).toString("base64");

    expect((await copy("crashed.db")).ok).toBe(true);
    expect(valuesIn(pathOf("copy.db"))).toEqual([1]);
    expect(readFileSync(pathOf("crashed.db")).toString("base64")).toBe(before);
    expect(existsSync(pathOf("crashed.db-journal"))).toBe(true);
  });

  it("rows that break a constraint are no damage", async () => {
    createDatabase(pathOf("given.db"), [
      "PRAGMA ignore_check_constraints = ON",
      "CREATE TABLE t (a CHECK (a > 0), b REFERENCES gone (x))",
      "INSERT INTO t VALUES (-1, 5)",
    ]);
    expect((await copy("given.db")).ok).toBe(true);
  });
});
