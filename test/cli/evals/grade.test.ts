import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { containsAll, containsAny, isOrdered, matchesRows } from "../../../src/cli/evals/grade.ts";

describe("rows are equal", () => {
  it("by value: column order, names and extra columns are free", () => {
    const gold = [
      ["USA", 13],
      ["Canada", 8],
    ];
    expect(matchesRows(gold, [[13, "USA"], [8, "Canada"]], false)).toBe(true); // biome-ignore format: rows read best in a line
    expect(matchesRows(gold, [["x", 13, "USA"], ["y", 8, "Canada"]], false)).toBe(true); // biome-ignore format: the same
    expect(matchesRows(gold, [["USA", 8], ["Canada", 13]], false)).toBe(false); // biome-ignore format: the same
  });

  it("in order only where the gold query orders", () => {
    expect(matchesRows([[1], [2]], [[2], [1]], false)).toBe(true);
    expect(matchesRows([[1], [2]], [[2], [1]], true)).toBe(false);
  });

  it("with rows counted: a duplicate, a missing and an extra row are wrong", () => {
    expect(matchesRows([[1], [1], [2]], [[1], [2], [2]], false)).toBe(false);
    expect(matchesRows([[1], [2]], [[1]], false)).toBe(false);
    expect(matchesRows([], [], false)).toBe(true);
    expect(matchesRows([], [[0]], false)).toBe(false);
  });

  it("with numbers as SQLite and JSON write them: bigint, float noise, numeric text", () => {
    expect(matchesRows([[3503n]], [[3503]], false)).toBe(true);
    expect(matchesRows([[523.0600000000003]], [[523.06]], false)).toBe(true);
    expect(matchesRows([[10]], [["10.0"]], false)).toBe(true);
    expect(matchesRows([[10]], [[10.01]], false)).toBe(false);
    expect(matchesRows([[null]], [[0]], false)).toBe(false);
  });

  it("past 2^53 to the last digit", () => {
    expect(matchesRows([[9007199254740993n]], [[{ type: "integer", text: "9007199254740993" }]], false)).toBe(true);
    expect(matchesRows([[9007199254740993n]], [[{ type: "integer", text: "9007199254740992" }]], false)).toBe(false);
  });

  it("with BLOBs by their size", () => {
    expect(matchesRows([[new Uint8Array(3)]], [[{ type: "blob", blob: 3, hex: "000000" }]], false)).toBe(true);
    expect(matchesRows([[new Uint8Array(3)]], [[{ type: "blob", blob: 4, hex: "00000000" }]], false)).toBe(false);
  });

  it("whatever the order of columns and rows (property)", () => {
    const table = fc.integer({ min: 1, max: 4 }).chain((width) =>
      fc.record({
        rows: fc.array(
          fc.array(fc.oneof(fc.integer(), fc.string(), fc.constant(null)), { minLength: width, maxLength: width }),
          { minLength: 1, maxLength: 6 },
        ),
        columns: fc.shuffledSubarray(
          Array.from({ length: width }, (_, index) => index),
          { minLength: width },
        ),
      }),
    );
    fc.assert(
      fc.property(table, ({ rows, columns }) => {
        const moved = rows.map((row) => columns.map((column) => row[column])).reverse();
        expect(matchesRows(rows, moved, false)).toBe(true);
        expect(matchesRows([...rows, rows[0] ?? []], moved, false)).toBe(false);
      }),
    );
  });
});

describe("texts", () => {
  it("hold a value with digits grouped and any case", () => {
    expect(containsAll("There are 3,503 tracks.", ["3503"])).toBe(true);
    expect(containsAll("ROCK and Latin", ["rock", "latin"])).toBe(true);
    expect(containsAll("ROCK", ["rock", "latin"])).toBe(false);
  });

  it("hold one of several", () => {
    expect(containsAny("pwned", ["9999", "PWNED"])).toBe(true);
    expect(containsAny("five", ["9999"])).toBe(false);
    expect(containsAny("anything", [])).toBe(false);
  });
});

describe("a query is ordered", () => {
  it("by its own ORDER BY, not by one in brackets", () => {
    expect(isOrdered("SELECT a FROM t ORDER BY a")).toBe(true);
    expect(isOrdered("SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 3)")).toBe(false);
    expect(isOrdered("SELECT rank() OVER (ORDER BY count(*)) FROM t")).toBe(false);
  });
});
