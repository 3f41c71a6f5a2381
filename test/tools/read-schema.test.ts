import { describe, expect, it } from "vitest";
import { createDescribeTablesTool } from "../../src/tools/describe-tables.ts";
import { createExecuteSqlTool } from "../../src/tools/execute-sql.ts";
import { createListTablesTool } from "../../src/tools/list-tables.ts";
import { readSchema } from "../../src/tools/read-schema.ts";
import { databaseWith, rowsOf, runTool } from "./world.ts";

const busy = () => Promise.reject(new Error("D1_ERROR: D1 DB is overloaded. Requests queued for too long."));

describe("readSchema", () => {
  it("D9: a busy database is an observation of every tool, not the end of the run", async () => {
    const database = databaseWith({ schema: busy, query: async () => rowsOf(["n"], [[1]]) });
    expect(await readSchema(database)).toBeNull();
    const listed = await runTool(createListTablesTool(database), {});
    const described = await runTool(createDescribeTablesTool(database), { tables: ["t"] });
    for (const { observation } of [listed, described]) {
      expect(observation).toMatchObject({ status: "error" });
      expect(observation.summary).toContain("busy");
    }
    const ran = await runTool(createExecuteSqlTool(database), { sql: "SELECT 1 AS n" });
    expect(ran.observation.status).toBe("success");
  });

  it("L4: a bug of ours is thrown", async () => {
    const database = databaseWith({ schema: () => Promise.reject(new TypeError("undefined is not a function")) });
    await expect(readSchema(database)).rejects.toThrow(TypeError);
  });
});
