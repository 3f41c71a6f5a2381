import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { readD1Migrations } from "@cloudflare/vitest-plugin";
import { beforeAll, describe, expect, it } from "vitest";
import { splitStatements } from "../src/cli/sql-statements.ts";

const folder = new URL("../migrations/", import.meta.url);
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".sql"))
  .sort();
const texts = files.map((name) => readFileSync(new URL(name, folder), "utf8"));
const statements = texts.flatMap((text) => [...splitStatements(text)].map((statement) => statement.text));

const database = new DatabaseSync(":memory:", { enableForeignKeyConstraints: true });
const rowsOf = (sql: string) => {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement.all();
};

beforeAll(() => {
  for (const statement of statements) database.exec(statement);
});

describe("the demo database", () => {
  it("is under 1 MB of SQL in all, and no statement reaches D1's 100 kB", () => {
    expect(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)).toBeLessThan(1_000_000);
    expect(Math.max(...statements.map((text) => Buffer.byteLength(text)))).toBeLessThan(100_000);
  });

  it("names its source and licence in every file, and carries the licence", () => {
    for (const text of texts) expect(text).toContain("Chinook music shop, version 1.4.5, by Luis Rocha");
    expect(readFileSync(new URL("CHINOOK-LICENSE.md", folder), "utf8")).toContain("Copyright (c) 2008-2024 Luis Rocha");
  });

  it("is cut into the same number of statements by wrangler's reader as by ours", async () => {
    const read = await readD1Migrations(folder.pathname);
    expect(read.map((migration) => migration.name)).toEqual(files);
    expect(read.flatMap((migration) => migration.queries)).toHaveLength(statements.length);
  });

  it("has 11 tables, 15,607 rows and 11 indexes, with no foreign key left dangling", () => {
    const tables = rowsOf("SELECT name FROM sqlite_schema WHERE type = 'table'").flat();
    expect(tables).toHaveLength(11);
    const counts = tables.map((name) => Number(rowsOf(`SELECT count(*) FROM "${name}"`).flat()[0]));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(15_607);
    expect(rowsOf("SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")).toEqual([[11]]);
    expect(rowsOf("PRAGMA foreign_key_check")).toEqual([]);
  });

  it.each([
    ["how many tracks there are", "SELECT count(*) FROM Track", [[3503]]],
    ["how many customers live in Canada", "SELECT count(*) FROM Customer WHERE Country = 'Canada'", [[8]]],
    [
      "whose customers spent the most",
      "SELECT Country, round(sum(Total), 2) FROM Invoice JOIN Customer USING (CustomerId) GROUP BY 1 ORDER BY 2 DESC LIMIT 1",
      [["USA", 523.06]],
    ],
    [
      "the types of what is stored",
      "SELECT DISTINCT typeof(InvoiceDate), typeof(Total), typeof(CustomerId) FROM Invoice WHERE Total <> round(Total)",
      [["text", "real", "integer"]],
    ],
  ])("knows %s", (_what, sql, expected) => {
    expect(rowsOf(sql)).toEqual(expected);
  });
});
