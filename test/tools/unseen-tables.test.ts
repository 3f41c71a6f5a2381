import { describe, expect, it } from "vitest";
import type { DatabaseSchema } from "../../src/sql/schema.ts";
import { createDescribeTablesTool } from "../../src/tools/describe-tables.ts";
import { createExecuteSqlTool } from "../../src/tools/execute-sql.ts";
import { unseenTables } from "../../src/tools/unseen-tables.ts";
import { columnOf, contextWith, databaseWith, rowsOf, runTool, tableOf } from "./world.ts";

/** Far too large for the prompt: its last tables are never shown. */
const wide: DatabaseSchema = {
  tables: Array.from({ length: 600 }, (_, index) =>
    tableOf(
      `table_${index}`,
      Array.from({ length: 30 }, (__, column) => columnOf(`column_${column}`)),
    ),
  ),
};
const narrow: DatabaseSchema = { tables: [tableOf("t")] };

describe("unseenTables", () => {
  it.each([
    ["a table that was left out", "SELECT * FROM table_599", [], ["table_599"]],
    ["whatever its case and quotes", 'SELECT * FROM "TABLE_599" JOIN [table_598]', [], ["table_598", "table_599"]],
    ["not one that was described", "SELECT * FROM table_599", ["TABLE_599"], []],
    ["not one that the prompt shows", "SELECT * FROM table_0", [], []],
    ["not a common table of that name", "WITH table_599 AS (SELECT 1) SELECT * FROM table_599", [], []],
    ["not a text of that name", "SELECT 'table_599' FROM table_0", [], []],
    ["not for a statement that the gate refuses", "DROP TABLE table_599", [], []],
  ])("%s", (_what, sql, described, expected) => {
    expect(unseenTables(sql, wide, described)).toEqual(expected);
  });

  it("is empty for a schema that fits the prompt", () => {
    expect(unseenTables("SELECT * FROM t", narrow, [])).toEqual([]);
  });
});

describe("the guard", () => {
  it("turns down a query over a table nobody described, and says what to call; then it runs", async () => {
    const database = databaseWith({ schema: async () => wide, query: async () => rowsOf(["n"], [[1]]) });
    const sql = "SELECT count(*) AS n FROM table_599";
    const refused = await runTool(createExecuteSqlTool(database), { sql });
    expect(refused.observation).toMatchObject({ status: "error" });
    expect(refused.observation.next_actions[0]).toContain('describe_tables with {"tables":["table_599"]}');
    expect(refused.query?.error).toBe("not_described");
    const { described } = await runTool(createDescribeTablesTool(database), { tables: ["table_599"] });
    expect(described).toEqual(["table_599"]);
    const ran = await runTool(createExecuteSqlTool(database), { sql }, contextWith({ described: described ?? [] }));
    expect(ran.observation.status).toBe("success");
  });
});
