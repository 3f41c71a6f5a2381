/** What is seen of a column in a few rows from both ends of its table. */
import { expect, it } from "vitest";
import { readSamples, rowidName } from "../../src/sql/samples.ts";
import { catalogOf, connectionTo, memoryDatabase } from "./engine.ts";

const series = (rows: number, columns: string) =>
  `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT ${rows}) SELECT ${columns} FROM c`;
const database = memoryDatabase([
  "CREATE TABLE people(id INTEGER PRIMARY KEY, country TEXT, city TEXT, born INTEGER)",
  `INSERT INTO people ${series(1_000, "x, iif(x % 2, 'USA', 'it''s'), 'c' || x, x / 10")}`,
  "CREATE INDEX people_country ON people(country)",
  "CREATE TABLE keyed(code TEXT PRIMARY KEY, kind TEXT, rowid INTEGER) WITHOUT ROWID",
  "INSERT INTO keyed VALUES ('a', 'x', 1), ('b', 'x', 2), ('c', 'y', 3), ('d', 'y', 4)",
  "CREATE TABLE odd(rowid TEXT, _rowid_ TEXT, oid TEXT)",
  "INSERT INTO odd VALUES ('a', 'b', NULL)",
  "CREATE TABLE kinds(id INTEGER PRIMARY KEY, name TEXT)",
  "INSERT INTO kinds VALUES (1, 'two\nlines'), (2, 'one line'), (3, NULL)",
]);
const catalog = await catalogOf(database);
const samples = await readSamples(connectionTo(database), catalog, catalog.relations);

it("tells values that return from values that lie together", () => {
  expect(samples.get("people.country")).toEqual({ values: ["USA", "it's"], rows: 500, distinct: 2, isSaturated: true });
  expect(samples.get("people.born")).toEqual({ values: null, rows: 500, distinct: 52, isSaturated: false });
  expect(samples.get("people.city")).toMatchObject({ values: null, distinct: 500, isSaturated: false });
});

it("reads tables without row ids, and tables whose columns took every name of it", () => {
  expect(samples.get("keyed.kind")).toMatchObject({ values: ["x", "y"], rows: 4, distinct: 2 });
  expect(samples.get("odd._rowid_")).toMatchObject({ rows: 1, distinct: 1 });
  expect(catalog.relations.map(rowidName)).toEqual(["rowid", null, null, "rowid"]);
});

it("keeps values that would break a line out of the schema", () => {
  expect(samples.get("kinds.name")?.values).toEqual(["one line"]);
});
