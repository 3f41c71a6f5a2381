/** A batch that is taken apart where one part spoils it. */
import { expect, it } from "vitest";
import type { DatabaseConnection } from "../../src/sql/connection.ts";
import { chunk, runSplit } from "../../src/sql/split-batch.ts";

/** Fails like D1 for every text that `isBad` names, and counts the batches. */
function world(isBad: (sql: string) => boolean, error = "D1_ERROR: no such column: x: SQLITE_ERROR") {
  const batches: (readonly string[])[] = [];
  const connection = {
    prepare: (sql: string) => sql,
    batch: async (sqls: readonly string[]) => {
      batches.push(sqls);
      if (sqls.some(isBad)) throw new Error(error);
      return sqls.map((sql) => ({
        results: [
          Object.fromEntries([...sql.matchAll(/(\d+) AS (\w+)/g)].map(([, value, name]) => [name, Number(value)])),
        ],
      }));
    },
  } as unknown as DatabaseConnection;
  return { connection, batches };
}
const statement = (...values: readonly number[]) => ({
  parts: values.map((value, index) => ({ expression: String(value), name: `n${index}` })),
});

it("takes one batch when all is well", async () => {
  const { connection, batches } = world(() => false);
  expect(await runSplit(connection, [statement(1, 2), statement(3)])).toEqual([{ n0: 1, n1: 2 }, { n0: 3 }]);
  expect(batches).toEqual([["SELECT 1 AS n0, 2 AS n1", "SELECT 3 AS n0"]]);
});

it("leaves out the one part that cannot be read, and keeps every other", async () => {
  const { connection, batches } = world((sql) => sql.includes("13"));
  expect(await runSplit(connection, [statement(1, 13, 2), statement(3)])).toEqual([{ n0: 1, n2: 2 }, { n0: 3 }]);
  expect(batches.length).toBe(1 + 1 + 3 + 1);
});

it("does not take a fault of the platform for one of a part", async () => {
  const { connection } = world(() => true, "D1_ERROR: Network connection lost.");
  await expect(runSplit(connection, [statement(1)])).rejects.toThrow("Network connection lost");
});

it("groups items", () => {
  expect(chunk([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(chunk([], 2)).toEqual([]);
});
