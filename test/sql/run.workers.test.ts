/** The tripwire and the cookie around a proved read, on real D1, with what could only happen if every layer failed. */

import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { faultyD1 } from "./faulty-d1.ts";
import { ask, database, runAll } from "./fixture-database.ts";

beforeEach(async () => {
  await reset();
  await runAll(["CREATE TABLE a(x)", "INSERT INTO a VALUES (1), (2)", "CREATE TABLE b(x)"]);
});

/** A database in which the statement that runs is exchanged for another, behind gate and verdict. */
const smuggling = (sql: string) =>
  database({}, faultyD1({ rewrite: (text) => (/AS k FROM "querent rows"/.test(text) ? sql : text) }).d1);

describe("the tripwire", () => {
  it.each([
    ["rows", "DELETE FROM a"],
    ["rows", "UPDATE a SET x = x"],
    ["rows", "INSERT INTO a VALUES (3) RETURNING x AS c0, 'i' AS k"],
    ["rows", "SELECT 1; DELETE FROM a; SELECT 1 AS c0, 'i' AS k"],
    ["schema", "CREATE VIEW v AS SELECT 1"],
    ["schema", "ALTER TABLE a ADD COLUMN y"],
    ["schema", "DROP TABLE b"],
    ["schema", "CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; END"],
    ["schema", "SELECT * FROM pragma_optimize(0x10002)"],
  ])("says that %s changed after %j", async (what, sql) => {
    expect(await ask("SELECT x FROM a", smuggling(sql))).toMatchObject({
      kind: "quarantined",
      reason: expect.stringContaining(what),
      sql: "SELECT x FROM a",
    });
  });

  it("is silent for reads of every kind", async () => {
    const reads = [
      "SELECT x FROM a ORDER BY x",
      "SELECT count(*) FROM a GROUP BY x",
      "SELECT DISTINCT x FROM a UNION SELECT 3",
      "VALUES (1)",
    ];
    for (const sql of reads) expect((await ask(sql)).kind, sql).toBe("rows");
  });

  it("is silent when somebody else writes between two queries", async () => {
    const on = database();
    await ask("SELECT x FROM a", on);
    await runAll(["INSERT INTO a VALUES (3)", "DELETE FROM b"]);
    const outcome = await ask("SELECT x FROM a", on);
    expect(outcome).toMatchObject({ kind: "rows", result: { rows: [[1], [2], [3]] } });
  });
});

describe("a schema that moves on", () => {
  it("judges a known statement anew, and shows no row of what it did not judge", async () => {
    const on = database({ tables: { deny: ["b"] } });
    await runAll(["CREATE VIEW v AS SELECT x FROM a", "INSERT INTO b VALUES ('hidden')"]);
    expect(await ask("SELECT x FROM v", on)).toMatchObject({ kind: "rows", result: { rows: [[1], [2]] } });
    await runAll(["DROP VIEW v", "CREATE VIEW v AS SELECT x FROM b"]);
    expect(await ask("SELECT x FROM v", on)).toMatchObject({
      kind: "refused",
      refusal: { code: "table_not_readable" },
    });
  });

  it("D13: follows new columns and tables by itself", async () => {
    const on = database();
    expect(await ask("SELECT * FROM a", on)).toMatchObject({ result: { columns: ["x"] } });
    await runAll(["ALTER TABLE a ADD COLUMN y", "CREATE TABLE c(z)"]);
    expect(await ask("SELECT * FROM a", on)).toMatchObject({ result: { columns: ["x", "y"] } });
    expect(await ask("SELECT * FROM c", on)).toMatchObject({ kind: "rows", result: { columns: ["z"], rows: [] } });
    expect((await on.schema()).tables.map((table) => table.name)).toEqual(["a", "b", "c"]);
  });

  it("gives up, with a refusal, on a schema that never stands still", async () => {
    let count = 0;
    const { d1 } = faultyD1({
      beforeBatch: async (statements) => {
        count += 1;
        if (statements.some((sql) => sql.startsWith("EXPLAIN QUERY PLAN")))
          await env.DB.prepare(`CREATE TABLE n${count}(x)`).run();
      },
    });
    expect(await ask("SELECT x FROM a", database({}, d1))).toMatchObject({
      kind: "refused",
      refusal: { code: "schema_changed" },
    });
  });
});
