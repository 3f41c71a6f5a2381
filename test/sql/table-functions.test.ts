/** What json_each() and json_tree() may give, from the text of a statement alone. */
import { describe, expect, it } from "vitest";
import { checkQuery } from "../../src/sql/gate.ts";
import { tableFunctionRows } from "../../src/sql/table-functions.ts";
import { catalogOf, memoryDatabase } from "./engine.ts";

const catalog = await catalogOf(memoryDatabase(["CREATE TABLE post (id INTEGER PRIMARY KEY, tags TEXT, who TEXT)"]));

function rowsOf(sql: string): Readonly<Record<string, number>> {
  const checked = checkQuery(sql);
  if (!checked.ok) throw new Error(checked.error.message);
  return Object.fromEntries(tableFunctionRows(checked.value.shape, catalog));
}

const LONG = `'[' || replace(hex(zeroblob(3000)), '00', '1,') || '1]'`;

describe("tableFunctionRows", () => {
  it.each<[string, Readonly<Record<string, number>>]>([
    ["SELECT * FROM post", {}],
    ["SELECT * FROM pragma_table_info('post')", {}],
    ["SELECT * FROM json_each('[1,2,3]')", { json_each: 4 }],
    ["SELECT * FROM json_each('[1,2,3]', '$') AS Three, json_tree('{}') t", { three: 5, t: 2 }],
    ["SELECT * FROM json_each('[1]'), json_each('[1,2,3]')", { json_each: 4 }],
  ])("counts what stands there: %s", (sql, rows) => {
    expect(rowsOf(sql)).toEqual(rows);
  });

  it.each([
    "SELECT value FROM post, json_each(post.tags)",
    "SELECT value FROM post p, json_each(p.tags) WHERE p.who || value <> ''",
    "SELECT value FROM post, json_each(tags)",
    `SELECT value FROM post, json_each('["' || replace(tags, ',', '","') || '"]')`,
    "SELECT value FROM post, json_each(CASE WHEN json_valid(tags) THEN tags ELSE '[]' END)",
    "SELECT group_concat(value) FROM post, json_each(post.tags) GROUP BY who",
    "SELECT p.who, (SELECT group_concat(value, '; ') FROM json_each(p.tags)) FROM post p",
    "WITH p AS (SELECT id, tags, who || '!' AS w FROM post) SELECT w, value FROM p, json_each(p.tags)",
    "SELECT printf('%5d', id), value FROM (SELECT id, tags FROM post) p, json_each(p.tags)",
  ])("takes a column for a document of common length: %s", (sql) => {
    expect(rowsOf(sql)).toEqual({ json_each: 25 });
  });

  it.each([
    `SELECT * FROM json_each(${LONG})`,
    `SELECT * FROM json_each(printf('[%.*c1]', 9, ' '))`,
    `SELECT * FROM json_each(replace('${"a".repeat(1_000)}', 'a', '${"1,".repeat(500)}'))`,
    `WITH s(x) AS (SELECT tags${" || tags".repeat(17)} FROM post) SELECT * FROM s, json_each(s.x)`,
    `WITH s(x) AS (SELECT ${LONG}) SELECT * FROM s, json_each(s.x)`,
    `WITH s(x) AS (SELECT ${LONG}) SELECT * FROM s, json_each(x)`,
    `WITH post(tags) AS (SELECT ${LONG}) SELECT * FROM post, json_each(post.tags)`,
    `SELECT * FROM (SELECT ${LONG} AS x) s, json_each(s.x)`,
    `SELECT * FROM post p, (SELECT ${LONG} AS x) s, json_each(CASE WHEN p.id > 0 THEN s.x END)`,
    `SELECT * FROM json_each((SELECT ${LONG}))`,
  ])("is as much as D1 can write where the statement writes it: %s", (sql) => {
    expect(rowsOf(sql)).toEqual({ json_each: 1_000_000 });
  });

  it("is never less than what replacing gives", () => {
    const text = `replace(replace('${"a".repeat(60)}', 'a', '${"b".repeat(60)}'), 'b', '${"1,".repeat(19)}')`;
    const given = 60 * 60 * 19;
    expect(rowsOf(`SELECT * FROM json_each('[' || ${text} || '1]') j`).j).toBeGreaterThan(given);
    expect(rowsOf(`SELECT * FROM json_each('[' || ${text} || '1]') j`).j).toBeLessThan(3 * given);
  });

  it("takes what is gathered from rows for less: those were read", () => {
    expect(rowsOf("SELECT * FROM json_each((SELECT json_group_array(id) FROM post))")).toEqual({ json_each: 3_000 });
    const sql = "WITH g AS (SELECT group_concat(id) AS ids FROM post) SELECT * FROM g, json_each('[' || ids || ']') j";
    expect(rowsOf(sql)).toEqual({ j: 3_000 });
  });
});
