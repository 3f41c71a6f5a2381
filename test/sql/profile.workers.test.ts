/** Sizes and sample values, at a bounded price. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { readCatalog } from "../../src/sql/catalog.ts";
import { mayHoldMore, type Profile, readProfile, rowsPerValue } from "../../src/sql/profile.ts";
import { fillDatabase, runAll } from "./fixture-database.ts";

let profile: Profile;
let rowsRead = 0;
const series = (rows: number, columns: string) =>
  `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT ${rows}) SELECT ${columns} FROM c`;

beforeAll(async () => {
  await fillDatabase();
  await runAll([
    "CREATE TABLE people(id INTEGER PRIMARY KEY, country TEXT, city TEXT, note TEXT, mail TEXT, age INTEGER, mixed TEXT)",
    `INSERT INTO people ${series(60, "x, iif(x % 2, 'USA', 'it''s'), 'c' || (x % 9), NULL, 'p' || x || '@x.org', x, iif(x % 2, 'a', x'00')")}`,
    "CREATE TABLE kinds(id INTEGER PRIMARY KEY, name TEXT)",
    "INSERT INTO kinds VALUES (1, 'red'), (2, 'blue')",
    "CREATE TABLE many(id INTEGER PRIMARY KEY, state TEXT)",
    `INSERT INTO many ${series(12_000, "x, 'S' || (x % 3)")}`,
    "CREATE TABLE sparse(id INTEGER PRIMARY KEY)",
    `INSERT INTO sparse ${series(11_000, "x * 1000000000")}`,
    "CREATE TABLE lines(id INTEGER PRIMARY KEY, invoice INTEGER)",
    `INSERT INTO lines ${series(10_000, "x, (x - 1) / 5")}`,
    "CREATE TABLE named(rowid TEXT, x TEXT)",
    "INSERT INTO named VALUES ('zz', 'y')",
  ]);
  const catalog = await readCatalog(env.DB);
  const counting = {
    prepare: (sql: string) => env.DB.prepare(sql),
    batch: async <T>(statements: D1PreparedStatement[]) => {
      const results = await env.DB.batch<T>(statements);
      for (const { meta } of results) rowsRead += meta.rows_read;
      return results;
    },
  };
  profile = await readProfile(counting, catalog);
});

describe("readProfile", () => {
  it("counts small tables exactly, virtual ones too", () => {
    expect(profile.sizes.get("people")).toEqual({ counted: 60, isExact: true, estimate: 60 });
    expect(profile.sizes.get("f")).toMatchObject({ counted: 2, isExact: true });
    expect(profile.sizes.get("order details")).toMatchObject({ counted: 1 });
    expect(profile.sizes.get("named")).toMatchObject({ counted: 1 });
    expect(profile.sizes.get("pairs")).toBeUndefined();
  });

  it("stops counting at a bound and estimates the rest from the span of row ids, unless they are sparse", () => {
    expect(profile.sizes.get("many")).toEqual({ counted: 10_000, isExact: false, estimate: 12_000 });
    expect(profile.sizes.get("sparse")).toEqual({ counted: 10_000, isExact: false, estimate: 100_010 });
  });

  it("samples texts that repeat, and short lists of names", () => {
    const valuesOf = (column: string) => profile.samples.get(column)?.values;
    expect(valuesOf("people.country")).toEqual(["USA", "it's"]);
    expect(valuesOf("kinds.name")).toEqual(["blue", "red"]);
    expect(valuesOf("many.state")).toEqual(["S0", "S1", "S2"]);
    expect(["people", "kinds", "many", "nosuch"].map((table) => mayHoldMore(profile, table))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it("samples no free text, no empty column, nothing unique and nothing that is not all text", () => {
    for (const column of ["people.note", "people.mail", "people.age", "people.mixed", "big.v"]) {
      expect(profile.samples.get(column)?.values ?? null, column).toBeNull();
    }
  });

  it("knows how many rows share a value: few where rows lie in the column's order, all of them where values return", () => {
    expect(rowsPerValue(profile, "big", "k")).toBeCloseTo(5_000 / 7);
    expect(rowsPerValue(profile, "many", "State")).toBe(4_000);
    expect(rowsPerValue(profile, "lines", "invoice")).toBe(5);
    expect(rowsPerValue(profile, "people", "id")).toBe(1);
    expect(rowsPerValue(profile, "people", "note")).toBeNull();
    expect(rowsPerValue(profile, "people", "nosuch")).toBeNull();
  });

  it("costs a bounded number of rows", () => {
    expect(rowsRead).toBeLessThan(80_000);
  });
});
