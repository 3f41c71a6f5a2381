/** What the database is made of, read from real D1. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { type Catalog, COOKIE_SQL, readCatalog, toCookie } from "../../src/sql/catalog.ts";
import { runBatch } from "../../src/sql/connection.ts";
import { fillDatabase, runAll } from "./fixture-database.ts";

let catalog: Catalog;
const relation = (name: string) => catalog.relations.find((candidate) => candidate.name === name);

beforeAll(async () => {
  await fillDatabase();
  await runAll([
    "CREATE TABLE child(id INTEGER PRIMARY KEY, a INTEGER REFERENCES parent, b TEXT, c INTEGER, FOREIGN KEY (b, c) REFERENCES pair(x, y))",
    "CREATE TABLE parent(id INTEGER PRIMARY KEY) STRICT",
    "CREATE TABLE pair(x TEXT, y INTEGER, UNIQUE (x, y))",
    "CREATE INDEX child_b ON child(lower(b), c)",
    "CREATE TABLE gone(x)",
    "CREATE VIEW broken AS SELECT x FROM gone",
    "CREATE VIEW sound AS SELECT id FROM child",
    "DROP TABLE gone",
  ]);
  catalog = await readCatalog(env.DB);
});

describe("readCatalog", () => {
  it("A15, D7: is read though Cloudflare's own tables are there, which it does not ask about", () => {
    const internal = catalog.relations.filter(({ name }) => name.startsWith("_cf_"));
    expect(internal.every(({ columns }) => columns.length === 0)).toBe(true);
    expect(catalog.relations.length).toBeGreaterThan(15);
  });

  it("knows columns, keys, generated and hidden ones", () => {
    expect(relation("child")?.columns).toMatchObject([
      { name: "id", type: "INTEGER", keyPosition: 1 },
      { name: "a", keyPosition: 0 },
      { name: "b" },
      { name: "c" },
    ]);
    expect(relation("gen")?.columns.map(({ kind }) => kind)).toEqual([
      "plain",
      "generated_virtual",
      "generated_stored",
    ]);
    expect(relation("f")?.columns.map(({ name, kind }) => [name, kind])).toEqual([
      ["title", "plain"],
      ["body", "plain"],
      ["f", "hidden"],
      ["rank", "hidden"],
    ]);
    expect(relation("Order Details")).toMatchObject({ withoutRowid: true, strict: false, kind: "table" });
    expect(relation("parent")).toMatchObject({ strict: true });
  });

  it("knows foreign keys, compound ones too", () => {
    expect(relation("child")?.foreignKeys).toEqual(
      expect.arrayContaining([
        { from: "a", table: "parent", to: null, position: 0 },
        { from: "b", table: "pair", to: "x", position: 0 },
        { from: "c", table: "pair", to: "y", position: 1 },
      ]),
    );
  });

  it("knows what a virtual table keeps its rows in", () => {
    expect(relation("f")?.kind).toBe("virtual");
    expect(relation("r")?.kind).toBe("virtual");
    for (const shadow of ["f_data", "f_idx", "f_content", "r_node"])
      expect(relation(shadow)?.kind, shadow).toBe("shadow");
  });

  it("D13: a view over a dropped table is marked, and does not spoil the rest", () => {
    expect(relation("broken")).toMatchObject({
      kind: "view",
      columns: [],
      broken: expect.stringContaining("no such table: main.gone"),
    });
    expect(relation("sound")).toMatchObject({ broken: null, columns: [{ name: "id" }] });
  });

  it("knows the stored columns of an index, and which are expressions or row ids", () => {
    const index = (name: string) => catalog.indexes.find((candidate) => candidate.name === name);
    expect(index("child_b")).toMatchObject({ table: "child", columns: [null, "c", null], unique: false });
    expect(index("big_k")).toMatchObject({ table: "big", columns: ["k", null] });
    expect(catalog.indexes.find(({ table }) => table === "pair")).toMatchObject({ unique: true, sql: null });
  });

  it("carries a cookie that every change of the schema moves, and no change of rows", async () => {
    const cookie = async () => toCookie((await runBatch(env.DB, [COOKIE_SQL]))[0] ?? []);
    expect(await cookie()).toBe(catalog.cookie);
    await env.DB.prepare("INSERT INTO u VALUES (1, 1)").run();
    expect(await cookie()).toBe(catalog.cookie);
    for (const sql of [
      "CREATE VIEW later AS SELECT 1",
      "ALTER TABLE u ADD COLUMN c",
      "CREATE INDEX ui ON u(id)",
      "DROP VIEW later",
    ]) {
      const before = await cookie();
      await env.DB.prepare(sql).run();
      expect(await cookie(), sql).not.toBe(before);
    }
  });
});
