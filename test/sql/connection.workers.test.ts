/** Our own fixed statements on real D1. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { runBatch } from "../../src/sql/connection.ts";

it("gives the rows of each statement in order, on a database and on a session alike", async () => {
  const statements = ["SELECT 1 AS a", "SELECT 2 AS b UNION SELECT 3"];
  const expected = [[{ a: 1 }], [{ b: 2 }, { b: 3 }]];
  expect(await runBatch(env.DB, statements)).toEqual(expected);
  expect(await runBatch(env.DB.withSession(), statements)).toEqual(expected);
  expect(await runBatch(env.DB, [])).toEqual([]);
});

it("throws what D1 throws", async () => {
  await expect(runBatch(env.DB, ["SELECT 1", "SELECT * FROM nosuch"])).rejects.toThrow(
    /D1_ERROR: no such table: nosuch/,
  );
});
