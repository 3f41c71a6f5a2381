/** The engine's verdict: writes, cost, recursion bounds, constants that were meant as names. */
import { describe, expect, it } from "vitest";
import { ok } from "../../src/lib/result.ts";
import { checkQuery } from "../../src/sql/gate.ts";
import { checkVerdict, toBody, toWrappedSql } from "../../src/sql/verdict.ts";
import { memoryDatabase, rowsOf } from "./engine.ts";
import { courtOf } from "./judging.ts";

const database = memoryDatabase();
const court = await courtOf(database, { t: 2, u: 3, big: 5_000, org: 4 });
const codeOf = (sql: string, rowsReadMax?: number): string => {
  const verdict = court.judge(sql, {}, rowsReadMax);
  return verdict.ok ? "read" : verdict.error.code;
};

describe("checkVerdict", () => {
  it("refuses whatever the engine says writes, even if the gate had let it through", () => {
    const checked = checkQuery("SELECT 1");
    if (!checked.ok) throw new Error("accepted");
    const verdict = checkVerdict({
      checked: checked.value,
      body: { body: "SELECT 1", definitions: [] },
      explain: rowsOf(database, "EXPLAIN DELETE FROM u"),
      plan: [],
      catalog: court.catalog,
      profile: { sizes: new Map(), samples: new Map() },
      scopes: {},
      rowsReadMax: 1_000,
      resultRowsMax: 10,
    });
    expect(verdict).toMatchObject({ ok: false, error: { code: "engine_sees_write" } });
  });

  it("refuses a table that the catalog does not know: the schema has moved on", () => {
    const other = memoryDatabase(["CREATE TABLE a(x)", "CREATE TABLE b(x)"]);
    other.exec("PRAGMA page_size = 4096");
    const checked = checkQuery("SELECT * FROM b");
    if (!checked.ok) throw new Error("accepted");
    const verdict = checkVerdict({
      checked: checked.value,
      body: { body: "SELECT * FROM b", definitions: [] },
      explain: rowsOf(other, "EXPLAIN SELECT * FROM b"),
      plan: [],
      catalog: { cookie: 1, relations: [], indexes: [] },
      profile: { sizes: new Map(), samples: new Map() },
      scopes: {},
      rowsReadMax: 1_000,
      resultRowsMax: 10,
    });
    expect(verdict).toMatchObject({ ok: false, error: { code: "schema_changed" } });
  });

  it("refuses a cross join past the cap, with the estimate and advice, and takes the same within it", () => {
    const verdict = court.judge("SELECT count(*) FROM big a, big b");
    expect(verdict).toMatchObject({ ok: false, error: { code: "too_many_rows_read" } });
    expect(!verdict.ok && verdict.error.message).toContain("25,000,000");
    expect(codeOf("SELECT count(*) FROM big a, big b", 30_000_000)).toBe("read");
    expect(codeOf("SELECT count(*) FROM big a JOIN big b ON a.id = b.id")).toBe("read");
    expect(codeOf("SELECT a.id FROM big a, big b LIMIT 20")).toBe("read");
    expect(codeOf("SELECT * FROM big a, big b")).toBe("read");
    expect(codeOf("SELECT * FROM big", 100)).toBe("too_many_rows_read");
  });

  it("refuses megabytes made out of nothing for each of many rows, also of a recursion, and takes them for a few", () => {
    const made = "length(hex(randomblob(900000)))";
    const endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)";
    expect(codeOf(`SELECT sum(${made}) FROM big`)).toBe("too_much_text_made");
    expect(codeOf(`${endless} SELECT sum(${made}) FROM c`)).toBe("too_much_text_made");
    expect(codeOf(`SELECT ${made} FROM big LIMIT 3`)).toBe("read");
    expect(codeOf("SELECT sum(length(hex(randomblob(16)))) FROM big")).toBe("read");
  });

  it("lists what is opened, whether named or behind a view", () => {
    const verdict = court.judge("SELECT p.t FROM pairs p JOIN org ON org.id = p.t");
    expect(verdict.ok && [...verdict.value.tables].sort()).toEqual(["org", "t", "u"]);
    expect(verdict.ok && verdict.value.query.columns).toBe(1);
    expect(verdict.ok && verdict.value.query.cookie).toBe(court.catalog.cookie);
  });

  it("D11: warns of a double-quoted word that names nothing", () => {
    const warnings = (sql: string) => {
      const verdict = court.judge(sql);
      return verdict.ok ? verdict.value.warnings : [verdict.error.code];
    };
    expect(warnings('SELECT "nosuch" FROM t')).toEqual([
      expect.stringContaining('"nosuch" names no column and is read as text'),
    ]);
    expect(warnings('SELECT id AS "Total", "name" FROM t ORDER BY "Total"')).toEqual([]);
    expect(warnings(`SELECT 'nosuch' AS "nosuch" FROM t`)).toEqual([]);
  });

  it("refuses a recursion that only the engine sees, and takes one that a view brings", async () => {
    const plain = checkQuery("SELECT 1");
    if (!plain.ok) throw new Error("accepted");
    const recursive = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c LIMIT 2) SELECT x FROM c";
    const input = {
      checked: plain.value,
      body: { body: "SELECT 1", definitions: [] },
      explain: rowsOf(database, `EXPLAIN ${recursive}`),
      plan: rowsOf(database, `EXPLAIN QUERY PLAN ${recursive}`),
      catalog: court.catalog,
      profile: { sizes: new Map(), samples: new Map() },
      scopes: {},
      rowsReadMax: 1_000,
      resultRowsMax: 10,
    };
    expect(checkVerdict(input)).toMatchObject({ ok: false, error: { code: "recursion_limit" } });
    const other = await courtOf(memoryDatabase([`CREATE VIEW v AS ${recursive}`]));
    expect(other.judge("SELECT * FROM v").ok).toBe(true);
  });

  it("gives a dear recursive step fewer rows, and nested recursions a root of them", () => {
    const limitIn = (sql: string) => {
      const verdict = court.judge(sql);
      return verdict.ok ? /\nLIMIT (\d+)\)/.exec(verdict.value.query.body)?.[1] : verdict.error.code;
    };
    expect(limitIn("WITH c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 9) SELECT x FROM c")).toBe("50001");
    expect(
      limitIn("WITH c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c, big WHERE big.v > x) SELECT x FROM c LIMIT 9"),
    ).toBe("2000");
    expect(
      limitIn(
        "WITH a(x) AS (SELECT 1 UNION SELECT (WITH b(y) AS (SELECT 1 UNION SELECT y + 1 FROM b) SELECT max(y) FROM b) FROM a) SELECT x FROM a",
      ),
    ).toMatch(/^[123]\d\d\d?$/);
  });

  it("charges a lost recursion with its bound, and another statement with its estimate", () => {
    const lost = (sql: string) => {
      const verdict = court.judge(sql);
      return verdict.ok ? verdict.value.rowsReadIfLost : 0;
    };
    expect(lost("WITH c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 9) SELECT x FROM c")).toBe(50_000);
    expect(lost("SELECT count(*) FROM big")).toBe(5_001);
  });
});

describe("toWrappedSql", () => {
  it("B17: puts the statement on lines of its own, so that its comments end before the bracket", () => {
    const checked = checkQuery("SELECT id FROM t --");
    if (!checked.ok) throw new Error("accepted");
    const body = toBody(checked.value, court.catalog, {});
    expect(toWrappedSql(body, 10)).toBe("SELECT * FROM (\nSELECT id FROM t\n) LIMIT 10");
    expect(toWrappedSql({ body: "SELECT id FROM t --", definitions: ["x AS (SELECT 1)"] }, 1)).toBe(
      "WITH x AS (SELECT 1) SELECT * FROM (\nSELECT id FROM t --\n) LIMIT 1",
    );
    expect(ok(rowsOf(database, toWrappedSql({ body: "SELECT id FROM t -- )", definitions: [] }, 1)))).toEqual(
      ok([{ id: 1 }]),
    );
  });
});
