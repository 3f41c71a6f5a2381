/** The schema as callers and models are shown it, on real D1: odd names, wide databases, scopes. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { type DatabaseSchema, readSchema, renderSchema, schemaVersion } from "../../src/sql/schema.ts";
import { runAll } from "./fixture-database.ts";

beforeEach(reset);
const textOf = (schema: DatabaseSchema, bytesMax = 20_000) => renderSchema(schema, { bytesMax }).text;

const SHOP = [
  "CREATE TABLE Artist(ArtistId INTEGER PRIMARY KEY, Name NVARCHAR(120))",
  "CREATE TABLE Album(AlbumId INTEGER PRIMARY KEY, Title NVARCHAR(160) NOT NULL, ArtistId INTEGER NOT NULL REFERENCES Artist, Country TEXT)",
  "INSERT INTO Artist VALUES (1, 'AC/DC')",
  "INSERT INTO Album VALUES (1, 'a', 1, 'USA'), (2, 'b', 1, 'it''s'), (3, 'c', 1, 'USA'), (4, 'd', 1, 'it''s')",
  `CREATE TABLE "Order Details"("Order ID" INTEGER REFERENCES "Album"(AlbumId), ProductID INTEGER, "select" REAL, PRIMARY KEY ("Order ID", ProductID))`,
  'CREATE VIEW "Sales by Year" AS SELECT Title, ArtistId FROM Album',
  "CREATE VIRTUAL TABLE f USING fts5(title)",
  "CREATE VIRTUAL TABLE r USING rtree(id, x0, x1)",
  "CREATE TABLE g(a INTEGER, b INTEGER GENERATED ALWAYS AS (a + 1) VIRTUAL) STRICT",
];

describe("renderSchema", () => {
  it("is the one text form that models are shown", async () => {
    await runAll(SHOP);
    expect(textOf(await readSchema(env.DB, { columns: { mask: ["Album.Title"] } }))).toBe(
      [
        "table Artist (1 rows)",
        "  ArtistId INTEGER primary key",
        "  Name NVARCHAR(120) values: 'AC/DC'",
        "table Album (4 rows)",
        "  AlbumId INTEGER primary key",
        "  Title NVARCHAR(160) not null masked",
        "  ArtistId INTEGER not null -> Artist.ArtistId",
        "  Country TEXT values: 'USA', 'it''s'",
        'table "Order Details" (0 rows)',
        '  "Order ID" INTEGER primary key 1 -> Album.AlbumId',
        "  ProductID INTEGER primary key 2",
        '  "select" REAL',
        "table f (0 rows) fts5",
        "  title",
        "table r (0 rows) rtree",
        "  id INT",
        "  x0 REAL",
        "  x1 REAL",
        "table g (0 rows) strict",
        "  a INTEGER",
        "  b INTEGER generated",
      ].join("\n"),
    );
  });

  it("keeps to its size in bytes, says what it left out, and shows single tables on request", async () => {
    await runAll(SHOP);
    const schema = await readSchema(env.DB, {});
    const { text, shown, leftOut } = renderSchema(schema, { bytesMax: 300 });
    expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(300);
    expect(shown.length + leftOut.length).toBe(schema.tables.length);
    expect(text.split("\n").at(-1)).toBe(`… ${leftOut.length} more tables: use list_tables to find them`);
    expect(renderSchema(schema, { bytesMax: 20_000, tables: ["ALBUM", "nosuch", "f"] })).toMatchObject({
      shown: ["Album", "f"],
      leftOut: [],
    });
  });

  it("D13: no tables, and a view over a dropped table", async () => {
    expect(renderSchema(await readSchema(env.DB, {}), { bytesMax: 1_000 })).toEqual({
      text: "",
      shown: [],
      leftOut: [],
    });
    await runAll(["CREATE TABLE gone(x)", "CREATE VIEW v AS SELECT x FROM gone", "DROP TABLE gone"]);
    expect(textOf(await readSchema(env.DB, {}))).toBe("view v broken: no such table: main.gone");
  });

  it("leaves out and counts a table whose name no line can hold, and takes every other name", async () => {
    await runAll([
      'CREATE TABLE "a\nb"(x)',
      'CREATE TABLE "имя; -- ""x"""("数" TEXT, "c\nd" TEXT)',
      "CREATE TABLE [table]([values] TEXT)",
    ]);
    const { text, leftOut } = renderSchema(await readSchema(env.DB, {}), { bytesMax: 5_000 });
    expect(leftOut).toEqual(["a\nb"]);
    expect(text).toBe(
      [
        'table "имя; -- ""x""" (0 rows)',
        '  "数" TEXT',
        'table "table" (0 rows)',
        '  "values" TEXT',
        "… 1 more tables: use list_tables to find them",
      ].join("\n"),
    );
  });
});

describe("readSchema", () => {
  it("shows nothing that is denied or hidden, not even in a foreign key, a view or a sample", async () => {
    await runAll([
      ...SHOP,
      "CREATE TABLE d1_migrations(id INTEGER)",
      "CREATE VIEW countries AS SELECT Country FROM Album",
    ]);
    const text = textOf(
      await readSchema(env.DB, { tables: { deny: ["artist"] }, columns: { deny: ["Album.Country"] } }),
    );
    expect(text).not.toMatch(/Artist\b(?!Id)|Country|countries|d1_migrations|_cf_|f_data|sqlite_/);
    expect(text).toContain("  ArtistId INTEGER not null\n");
    const allowed = await readSchema(env.DB, { tables: { allow: ["Album"] } });
    expect(allowed.tables.map((table) => table.name)).toEqual(["Album"]);
  });

  it("C37: masks samples by kind of value", async () => {
    await runAll([
      "CREATE TABLE c(id INTEGER PRIMARY KEY, mail TEXT)",
      "INSERT INTO c VALUES (1, 'ann@x.org'), (2, 'ann@x.org')",
    ]);
    expect(textOf(await readSchema(env.DB, { maskValues: ["email"] }))).toContain("mail TEXT values: '<email masked>'");
  });

  it("reads 600 tables of 30 columns in few round trips, and shows what fits", async () => {
    const columns = Array.from({ length: 29 }, (_, index) => `column_number_${index} TEXT`).join(", ");
    for (let from = 0; from < 600; from += 100) {
      const batch = Array.from({ length: 100 }, (_, index) =>
        env.DB.prepare(`CREATE TABLE table_${from + index}(id INTEGER PRIMARY KEY, ${columns})`),
      );
      await env.DB.batch(batch);
    }
    let trips = 0;
    let statements = 0;
    const counting = {
      prepare: (sql: string) => env.DB.prepare(sql),
      batch: <T>(batch: D1PreparedStatement[]) => {
        trips += 1;
        statements += batch.length;
        return env.DB.batch<T>(batch);
      },
    };
    const schema = await readSchema(counting, {});
    expect(schema.tables.length).toBe(600);
    expect(schema.tables.every((table) => table.columns.length === 30 && table.rows === 0)).toBe(true);
    expect(trips).toBeLessThanOrEqual(6);
    expect(statements).toBeLessThanOrEqual(60);
    const { text, shown, leftOut } = renderSchema(schema, { bytesMax: 16_000 });
    expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(16_000);
    expect(shown.length).toBeGreaterThan(10);
    expect(leftOut.length).toBe(600 - shown.length);
  });
});

describe("schemaVersion", () => {
  it("changes with the schema and with what the caller may see of it, not with rows", async () => {
    await runAll(SHOP);
    const version = async (scopes = {}) => schemaVersion(await readSchema(env.DB, scopes));
    const first = await version();
    await env.DB.prepare("INSERT INTO Artist VALUES (2, 'x')").run();
    expect(await version()).toBe(first);
    expect(await version({ columns: { mask: ["Artist.Name"] } })).not.toBe(first);
    await env.DB.prepare("ALTER TABLE Artist ADD COLUMN born INTEGER").run();
    expect(await version()).not.toBe(first);
  });
});
