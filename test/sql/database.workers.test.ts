/** The read-only database against real D1 in workerd: every layer together. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { ask, database, dumpDatabase, ENGINE, fillDatabase, HOSTILE, READS, rowsOf } from "./fixture-database.ts";

beforeAll(fillDatabase);

/** True when a cell says what D1's own JSON says, or what that JSON has lost, tagged. */
function says(cell: unknown, bare: unknown): boolean {
  if (cell === null || typeof cell !== "object" || !("type" in cell)) return Object.is(cell, bare);
  const tagged = cell as { type: string; text?: string; blob?: number; cut?: boolean };
  if (tagged.type === "integer") return Number(tagged.text) === bare;
  if (tagged.type === "real") return bare === null;
  if (tagged.type === "blob") return Array.isArray(bare) && bare.length === tagged.blob;
  return typeof bare === "string" && bare.startsWith(tagged.text ?? "\0");
}

describe("valid reads", () => {
  const shared = database();

  it.each(READS)("gives D1's own rows for %j", async (sql) => {
    const outcome = await ask(sql, shared);
    expect(outcome).toMatchObject({ kind: "rows" });
    if (outcome.kind !== "rows") return;
    // What D1 itself refuses for what stands behind the semicolon is run without it.
    const [, ...bare] = await env.DB.prepare(outcome.result.sql).raw({ columnNames: true });
    expect(outcome.result.rows.length).toBe(Math.min(bare.length, 1_000));
    const differing = outcome.result.rows.filter(
      (row, at) => !row.every((cell, column) => says(cell, bare[at]?.[column])),
    );
    expect(differing).toEqual([]);
  });
});

describe("hostile statements", () => {
  it("C20: none gets to D1, and the database is the same to the byte", async () => {
    const before = await dumpDatabase();
    const on = database();
    for (const sql of HOSTILE) expect((await ask(sql, on)).kind, sql).toBe("refused");
    expect(await dumpDatabase()).toBe(before);
  });

  it("what only the engine can judge is refused or fails, with advice, and changes nothing", async () => {
    const before = await dumpDatabase();
    const on = database();
    for (const sql of ENGINE) {
      const outcome = await ask(sql, on);
      expect(["refused", "failed"], sql).toContain(outcome.kind);
      const said = outcome.kind === "refused" ? outcome.refusal : outcome.kind === "failed" ? outcome.error : null;
      expect(said?.advice.length, sql).toBeGreaterThan(0);
      expect(said?.message, sql).not.toMatch(/querent rows|D1_ERROR|SQLITE_|random\(\)/);
    }
    expect(await dumpDatabase()).toBe(before);
  });
});

describe("values and columns", () => {
  it("integers, BLOBs, infinities, NULL and booleans come through D1 as they are", async () => {
    expect(await rowsOf("SELECT big, b, flag, 9e999, amt, name FROM t ORDER BY id")).toEqual([
      [
        { type: "integer", text: "9223372036854775807" },
        { type: "blob", blob: 3, hex: "00ff10" },
        1,
        { type: "real", text: "Infinity" },
        1.5,
        "a;b",
      ],
      [{ type: "integer", text: "9007199254740993" }, null, 0, { type: "real", text: "Infinity" }, null, "DROP"],
    ]);
  });

  it("invalid UTF-8 is flagged, a real replacement character is not, NUL is kept", async () => {
    expect(await rowsOf("SELECT CAST(x'ff41' AS TEXT), char(65533), 'a' || char(0) || 'b'")).toEqual([
      [{ type: "text", text: "\uFFFDA", invalid_utf8: true }, "\uFFFD", "a\0b"],
    ]);
  });

  it("D1: equal names are all kept, in order, also numbers as names and names of an empty result", async () => {
    const columns = async (sql: string) => {
      const outcome = await ask(sql);
      return outcome.kind === "rows" ? [outcome.result.columns, outcome.result.rows.length] : outcome;
    };
    expect(await columns("SELECT * FROM t JOIN u ON u.t_id = t.id")).toEqual([
      ["id", "name", "amt", "b", "flag", "big", "id", "t_id"],
      3,
    ]);
    expect(await columns("SELECT 2, 1, 1 AS a, 2 AS a, 3 AS a, 4 AS a, 5 AS a, 6 AS a")).toEqual([
      ["2", "1", "a", "a", "a", "a", "a", "a"],
      1,
    ]);
    expect(await columns("SELECT id, name AS id FROM t WHERE 0")).toEqual([["id", "id"], 0]);
    expect(await columns('SELECT 1 AS a, 2 AS "a:1"')).toEqual([["a", "a:1"], 1]);
  });

  it("100 columns of 100 kinds fit, 101 are D1's limit and come with advice", async () => {
    const list = (count: number) =>
      Array.from({ length: count }, (_, index) => `${index} + 9007199254740990`).join(", ");
    const [row] = await rowsOf(`SELECT ${list(100)}`);
    expect(row).toHaveLength(100);
    expect((row as unknown[])[99]).toEqual({ type: "integer", text: "9007199254741089" });
    expect(await ask(`SELECT ${list(101)}`)).toMatchObject({ kind: "failed", error: { code: "too_many_columns" } });
  });

  it("a statement near D1's length limit still runs, with what is lost flagged", async () => {
    const long = `SELECT 9007199254740993 AS big, '${"x".repeat(99_300)}' AS long`;
    const outcome = await ask(long);
    expect(outcome).toMatchObject({
      kind: "rows",
      result: {
        columns: ["big", "long"],
        truncated: true,
        rows: [
          [
            { type: "number", inexact: true },
            { type: "text", bytes: 99_300, cut: true },
          ],
        ],
      },
      warnings: expect.arrayContaining([expect.stringContaining("too long for exact values")]),
    });
    expect(await ask(`SELECT '${"x".repeat(99_980)}'`)).toMatchObject({
      kind: "refused",
      refusal: { code: "sql_too_long" },
    });
  });
});

describe("caps", () => {
  it("C1: a comment at the end takes no limit away", async () => {
    const outcome = await ask("SELECT * FROM big -- all of it");
    expect(outcome).toMatchObject({ kind: "rows", result: { truncated: true, totalRows: null }, rowsRead: 1_001 });
    expect(outcome.kind === "rows" && outcome.result.rows.length).toBe(1_000);
  });

  it("C3: the statement's own limits stay as they are", async () => {
    expect((await rowsOf("SELECT id FROM big ORDER BY id LIMIT 5, 10")).flat()).toEqual([
      6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    ]);
    const outcome = await ask("WITH x AS (SELECT * FROM big LIMIT 3) SELECT a.id FROM x a, big b");
    expect(outcome.kind === "rows" && [outcome.result.rows.length, outcome.result.truncated]).toEqual([1_000, true]);
  });

  it("C5: cells and the whole are cut, and both said", async () => {
    const outcome = await ask("SELECT hex(zeroblob(900000)) AS h FROM big LIMIT 50");
    expect(outcome.kind === "rows" && outcome.result.rows[0]).toEqual([
      { type: "text", text: "0".repeat(8_192), bytes: 1_800_000, cut: true },
    ]);
    const many = await ask("SELECT hex(zeroblob(4000)) AS h FROM big LIMIT 500");
    expect(many.kind === "rows" && many.result.truncated).toBe(true);
    expect(JSON.stringify(many).length).toBeLessThan(1_000_000);
  });

  it.each([
    ["documents that it writes itself", `json_each('[' || replace(hex(zeroblob(3000)), '00', '1,') || '1]')`],
    ["documents that stand in it", `json_each('[${"1,".repeat(3_000)}1]')`],
    ["lists of values", `(VALUES ${Array(3_000).fill("(1)").join(", ")})`],
  ])("a join without end over %s is refused before it runs", async (_, source) => {
    const refused = { kind: "refused", refusal: { code: "too_many_rows_read" } };
    expect(await ask(`SELECT count(*) FROM ${source} a, ${source} b`)).toMatchObject(refused);
    expect(await ask(`WITH v AS MATERIALIZED (SELECT * FROM ${source}) SELECT count(*) FROM v a, v b`)).toMatchObject(
      refused,
    );
    expect(await ask(`SELECT * FROM ${source} a`)).toMatchObject({
      kind: "rows",
      rowsReadEstimate: expect.any(Number),
    });
  });

  it("a caller's row cap holds", async () => {
    const outcome = await ask("SELECT id FROM big", database({ rowCap: 7 }));
    expect(outcome).toMatchObject({ kind: "rows", result: { truncated: true }, rowsRead: 8 });
    expect(outcome.kind === "rows" && outcome.result.rows.length).toBe(7);
  });

  it("full scans of large tables are warned of, and only when they happened", async () => {
    const warnings = async (sql: string) => {
      const outcome = await ask(sql);
      return outcome.kind === "rows"
        ? outcome.warnings.filter((warning) => warning.startsWith("Full scan"))
        : [outcome.kind];
    };
    expect(await warnings("SELECT count(*) FROM big b WHERE v = 'x'")).toEqual([
      expect.stringContaining("big (about 5000 rows)"),
    ]);
    expect(await warnings("SELECT id FROM big LIMIT 3")).toEqual([]);
    expect(await warnings("SELECT * FROM t")).toEqual([]);
  });

  it("no rows left to read: nothing is asked", async () => {
    expect(await ask("SELECT 1", database(), 0)).toMatchObject({
      kind: "refused",
      refusal: { code: "rows_read_spent" },
    });
    expect(await ask("SELECT 1", database(), Number.NaN)).toMatchObject({
      kind: "refused",
      refusal: { code: "rows_read_spent" },
    });
  });
});
