/** Cells without loss, through SQLite itself. What D1's JSON does to them is in database.workers.test.ts. */
import { describe, expect, it } from "vitest";
import { decodePlainCell, decodeRow, restoreNames, toPlainSql, toTypedSql } from "../../src/sql/values.ts";
import { memoryDatabase, rowsOf } from "./engine.ts";

const database = memoryDatabase();

function cellsOf(sql: string, columns: number): readonly unknown[] {
  const [row] = rowsOf(database, toTypedSql({ body: sql, definitions: [] }, columns, 10));
  return row === undefined ? [] : decodeRow(row, columns, []).map(({ cell }) => cell);
}

describe("toTypedSql and decodeRow", () => {
  it("carry integers exactly, beyond 2^53 as text", () => {
    expect(
      cellsOf("SELECT 1, -5, 9007199254740991, 9007199254740992, 9223372036854775807, -9223372036854775808", 6),
    ).toEqual([
      1,
      -5,
      9007199254740991,
      { type: "integer", text: "9007199254740992" },
      { type: "integer", text: "9223372036854775807" },
      { type: "integer", text: "-9223372036854775808" },
    ]);
  });

  it("D3: carry BLOBs as type and size, infinities as such, and NULL as nothing else", () => {
    expect(cellsOf("SELECT x'00ff10', x'', zeroblob(100), 9e999, -9e999, NULL, 1.5", 7)).toEqual([
      { type: "blob", blob: 3, hex: "00ff10" },
      { type: "blob", blob: 0, hex: "" },
      { type: "blob", blob: 100, hex: "00".repeat(64), cut: true },
      { type: "real", text: "Infinity" },
      { type: "real", text: "-Infinity" },
      null,
      1.5,
    ]);
  });

  it("tell reals from integers, row by row", () => {
    const [row] = rowsOf(database, toTypedSql({ body: "SELECT 1.0, 1", definitions: [] }, 2, 5));
    expect(row && decodeRow(row, 2, []).map(({ kind }) => kind)).toEqual(["real", "integer"]);
  });

  it("cut long texts by bytes, at a whole character, and say their size", () => {
    const [long, short] = cellsOf("SELECT replace(hex(zeroblob(5000)), '00', 'яя'), 'яя'", 2);
    expect(long).toMatchObject({ type: "text", bytes: 20_000, cut: true });
    expect(JSON.stringify(long)).not.toContain("\uFFFD");
    expect(short).toBe("яя");
  });

  it("mask values in texts", () => {
    const [row] = rowsOf(database, toTypedSql({ body: "SELECT 'ann@x.org wrote', 7", definitions: [] }, 2, 5));
    expect(row && decodeRow(row, 2, ["email"]).map(({ cell }) => cell)).toEqual(["<email masked> wrote", 7]);
  });

  it("compute each value once, however often it is looked at", () => {
    const [row] = rowsOf(
      database,
      toTypedSql({ body: "SELECT iif(random() % 2, 'text', 1) FROM big", definitions: [] }, 1, 1_000),
    );
    const rows = rowsOf(
      database,
      toTypedSql({ body: "SELECT iif(random() % 2, 'text', 1) FROM big", definitions: [] }, 1, 1_000),
    );
    expect(row).toBeDefined();
    expect(rows.every((each) => (each.c0 === "text") === (each.k === "t"))).toBe(true);
  });

  it("keep 100 columns, though none is left for the kinds", () => {
    const odd = ["9223372036854775807", "1.5e-7", "'a' || char(10) || 'b'", "NULL", "x'ff'", "-9e999", "3"];
    for (const first of odd) {
      const list = [first, ...Array.from({ length: 98 }, (_, index) => String(index)), first].join(", ");
      const cells = cellsOf(`SELECT ${list}`, 100);
      expect(cells.length).toBe(100);
      expect(cells[0]).toEqual(cells[99]);
    }
  });
});

describe("toPlainSql and decodePlainCell", () => {
  it("give bare cells by position, and flag what D1's JSON may have lost", () => {
    const [row] = rowsOf(database, toPlainSql({ body: "SELECT 2 AS a, 1 AS a", definitions: [] }, 2, 5));
    expect(row).toEqual({ c0: 2, c1: 1 });
    const cells = [1, 1.5, "x", null, 9007199254740992, [0, 255]].map((value) => decodePlainCell(value, []).cell);
    expect(cells).toEqual([
      1,
      1.5,
      "x",
      null,
      { type: "number", text: "9007199254740992", inexact: true },
      { type: "blob", blob: 2, hex: "00ff" },
    ]);
    expect(decodePlainCell("x".repeat(9_000), [])).toMatchObject({ isCut: true, cell: { bytes: 9_000, cut: true } });
    expect(decodePlainCell("a@b.cd", ["email"]).cell).toBe("<email masked>");
  });
});

describe("restoreNames", () => {
  const none = () => false;
  it("D1: takes off what SQLite put behind equal names", () => {
    expect(restoreNames(["id", "id:1", "name", "ID:2"], none)).toEqual(["id", "id", "name", "ID"]);
    expect(restoreNames(["a", "a:1", "a:283828"], none)).toEqual(["a", "a", "a"]);
  });

  it("keeps a suffix that nothing further left explains, or that the statement writes itself", () => {
    expect(restoreNames(["a:1", "b"], none)).toEqual(["a:1", "b"]);
    expect(restoreNames(["a", "a:1"], (name) => name === "a:1")).toEqual(["a", "a:1"]);
    expect(restoreNames(["12:30", "12:30:1"], none)).toEqual(["12:30", "12:30"]);
  });
});
