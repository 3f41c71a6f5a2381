/** Costs from the rows of EXPLAIN QUERY PLAN, taken from SQLite itself. */
import { describe, expect, it } from "vitest";
import { type PlanOptions, weighPlan } from "../../src/sql/plan.ts";
import { memoryDatabase, rowsOf } from "./engine.ts";

const database = memoryDatabase();
const SIZES: Readonly<Record<string, number>> = { t: 2, u: 3, big: 5_000, org: 4 };

function weigh(sql: string, options: Partial<PlanOptions> = {}, perK: number | null = null) {
  return weighPlan(rowsOf(database, `EXPLAIN QUERY PLAN SELECT * FROM (\n${sql}\n) LIMIT 1001`), {
    resolve: (name) => {
      const table = name.replace(/^(?:a|b|c)$/, "big");
      const rows = SIZES[table] ?? null;
      return {
        table: rows === null ? null : table,
        rows,
        subqueries: name === "x1" ? ["x"] : [],
        rowsPerValue: (column) => (table === "big" && column === "k" ? perK : null),
      };
    },
    recursionRows: 100,
    stopsAfterRows: null,
    limitsHold: false,
    ...options,
  });
}

describe("weighPlan", () => {
  it.each<[string, number]>([
    ["SELECT * FROM big", 5_000],
    ["SELECT count(*) FROM big", 5_001],
    ["SELECT * FROM big WHERE id = 3", 1],
    ["SELECT max(id) FROM big", 2],
    ["SELECT * FROM big a, big b", 5_000 + 25_000_000],
    ["SELECT * FROM u, big b WHERE b.id = u.t_id", 6],
    ["SELECT 1 UNION ALL SELECT 2", 3],
  ])("weighs %j as %d rows", (sql, rows) => {
    expect(weigh(sql).rowsRead).toBe(rows);
  });

  it("multiplies what stands inside a loop and adds what stands beside it", () => {
    const correlated = weigh("SELECT (SELECT count(*) FROM big b WHERE b.v = t.name) FROM t").rowsRead;
    const once = weigh("SELECT (SELECT count(*) FROM big b) FROM t").rowsRead;
    expect(correlated).toBe(2 + 2 * 5_000);
    expect(once).toBe(2 + 5_000);
  });

  it("takes a range on an index for a part of the table and a key for a few rows", () => {
    expect(weigh("SELECT * FROM big WHERE id > 3").rowsRead).toBe(1_250);
    expect(weigh("SELECT * FROM big INDEXED BY big_k WHERE k = 3").rowsRead).toBe(10);
    expect(weigh("SELECT * FROM big WHERE k = 3 OR id = 4").rowsRead).toBe(11);
  });

  it("takes as many rows for a key as its column's values are shared by", () => {
    const chain = "SELECT count(*) FROM big a JOIN big b ON b.k = a.k JOIN big c ON c.k = b.k";
    expect(weigh(chain, {}, 714).rowsRead).toBeGreaterThan(5_000 * 714 * 714);
    expect(weigh(chain, {}, 1).rowsRead).toBeLessThan(20_000);
    expect(weigh("SELECT * FROM big INDEXED BY big_k WHERE k = 3", {}, 714).rowsRead).toBe(714);
  });

  it("C3: takes a limited subquery for its limit, under any alias", () => {
    expect(weigh("WITH x AS (SELECT * FROM big LIMIT 3) SELECT x1.id FROM x x1, big b").rowsRead).toBeLessThan(30_000);
  });

  it("stops a stream at the result's limit when nothing filters it", () => {
    expect(weigh("SELECT * FROM big a, big b", { stopsAfterRows: 1_001 }).rowsRead).toBe(2_002);
    expect(weigh("SELECT * FROM big ORDER BY v", { stopsAfterRows: 1_001 }).rowsRead).toBeGreaterThanOrEqual(5_000);
  });

  it("takes a subquery's own LIMIT for the end of its loops when nothing filters or gathers", () => {
    const sql = "SELECT a.id FROM big a, big b LIMIT 20";
    expect(weigh(sql, { limitsHold: true }).rowsRead).toBeLessThan(100);
    expect(weigh(sql).rowsRead).toBeGreaterThan(25_000_000);
    expect(weigh("SELECT * FROM main.big").rowsRead).toBe(5_000);
  });

  it("sees recursion, takes one row a step from the table being built, and weighs the step", () => {
    const plain = weigh("WITH c0(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c0 WHERE x < 9) SELECT x FROM c0");
    expect(plain.recursionStepRows).toBe(1);
    expect(plain.rowsRead).toBeLessThan(1_000);
    const dear = weigh("WITH c0(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c0, big WHERE big.v > x) SELECT x FROM c0");
    expect(dear.recursionStepRows).toBeGreaterThan(5_000);
    expect(weigh("SELECT * FROM big").recursionStepRows).toBe(0);
  });

  it("names full scans once each, by the table and not its alias", () => {
    expect(weigh("SELECT * FROM big a, big b WHERE a.v < b.v").scans).toEqual([{ table: "big", rows: 5_000 }]);
    expect(weigh("SELECT * FROM big WHERE id = 3").scans).toEqual([]);
  });
});
