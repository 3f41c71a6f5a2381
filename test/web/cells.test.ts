import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  compareCells,
  formatAlike,
  formatNumber,
  isNumericColumn,
  toCellNote,
  toCellNumber,
  toCellText,
  toWords,
} from "../../src/web/cells.ts";

const LARGE = { type: "integer", text: "9007199254740993" };
const BLOB = { type: "blob", blob: 5_000, hex: "cafe", cut: true };
const CUT = { type: "text", text: "abc", bytes: 10_000, cut: true };

describe("cells", () => {
  test.each([
    [null, "NULL"],
    ["", ""],
    [12.5, "12.5"],
    [LARGE, "9007199254740993"],
    [{ type: "real", text: "Infinity" }, "Infinity"],
    [BLOB, "cafe"],
    [CUT, "abc"],
    [{ some: "json" }, '{"some":"json"}'],
  ])("%j reads %s", (cell, text) => {
    expect(toCellText(cell)).toBe(text);
  });

  test.each([
    [BLOB, "BLOB of 5,000 bytes"],
    [CUT, "cut: 10,000 bytes in all"],
    [{ type: "text", text: "a\ufffd", invalid_utf8: true }, "holds bytes that are no text"],
    [{ type: "number", text: "9007199254740993", inexact: true }, "rounded: the exact number does not fit"],
    ["plain", null],
    [LARGE, null],
  ])("%j is remarked on with %s", (cell, note) => {
    expect(toCellNote(cell)).toBe(note);
  });

  test("a number is what can be drawn: no text, no infinity, no NULL", () => {
    expect([1, LARGE, "1", null, { type: "real", text: "Infinity" }].map(toCellNumber)).toEqual([
      1,
      9007199254740992,
      null,
      null,
      null,
    ]);
    expect(isNumericColumn([[1], [null], [LARGE]], 0)).toBe(true);
    expect(isNumericColumn([[1], ["x"]], 0)).toBe(false);
    expect(isNumericColumn([[null]], 0)).toBe(false);
  });

  test("cells sort as SQLite sorts them, large integers by their digits, texts as people do", () => {
    const sorted = ["Track 10", LARGE, null, "Track 2", { type: "integer", text: "9007199254740992" }, -1];
    expect(sorted.toSorted(compareCells).map(toCellText)).toEqual([
      "NULL",
      "-1",
      "9007199254740992",
      "9007199254740993",
      "Track 2",
      "Track 10",
    ]);
  });

  test("the order is total: whichever way two cells are compared, and whatever they are", () => {
    const cell = fc.oneof(fc.constant(null), fc.integer(), fc.double({ noNaN: true }), fc.string(), fc.constant(LARGE));
    fc.assert(
      fc.property(cell, cell, (a, b) => {
        expect(Math.sign(compareCells(a, b)) + Math.sign(compareCells(b, a))).toBe(0);
      }),
    );
  });

  test("numbers of one column are written with the same decimals", () => {
    expect([195.1, 523.06, 1_234].map(formatAlike([195.1, 523.06, 1_234]))).toEqual(["195.10", "523.06", "1,234.00"]);
    expect([3, 1_297].map(formatAlike([3, 1_297]))).toEqual(["3", "1,297"]);
    expect([0.0012, 5].map(formatAlike([0.0012, 5]))).toEqual(["0.0012", "5"]);
  });

  test("numbers and names are written for people", () => {
    expect([1234.567, 0.00123456, 0, -5].map(formatNumber)).toEqual(["1,234.57", "0.00123", "0", "-5"]);
    expect(["track_count", "TrackCount", "sum(Total)", "CustomerID"].map(toWords)).toEqual([
      "track count",
      "Track Count",
      "sum(Total)",
      "Customer ID",
    ]);
  });
});
