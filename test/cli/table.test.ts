import { describe, expect, it } from "vitest";
import { cellText, renderTable, TABLE_ROWS_MAX, type TableRows } from "../../src/cli/table.ts";
import { widthOf } from "../../src/cli/terminal-text.ts";

const table = (
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
  more: Partial<TableRows> = {},
): TableRows => ({
  columns,
  rows,
  totalRows: rows.length,
  truncated: false,
  ...more,
});

describe("renderTable", () => {
  it("sets text left and numbers right, with NULL said", () => {
    const lines = renderTable(
      table(
        ["Country", "Spent"],
        [
          ["USA", 523.06],
          ["日本", 9],
          [null, null],
        ],
      ),
      80,
    );
    expect(lines).toEqual([
      "Country   Spent",
      "-------  ------",
      "USA      523.06",
      "日本          9",
      "NULL       NULL",
    ]);
  });

  it("shows twenty rows and says how many more there are", () => {
    const rows = Array.from({ length: 30 }, (_each, index) => [index + 1]);
    expect(renderTable(table(["n"], rows), 80)).toHaveLength(2 + TABLE_ROWS_MAX + 1);
    expect(renderTable(table(["n"], rows), 80).at(-1)).toBe("… 10 more rows");
    expect(renderTable(table(["n"], rows, { totalRows: 2_155 }), 80).at(-1)).toBe("… 2,135 more rows");
    expect(renderTable(table(["n"], rows, { totalRows: null, truncated: true }), 80).at(-1)).toBe(
      "… 10 more rows and further ones",
    );
    expect(renderTable(table(["n"], [[1]], { totalRows: null, truncated: true }), 80).at(-1)).toBe("… and more rows");
    expect(renderTable(table(["n"], rows.slice(0, 21)), 80).at(-1)).toBe("… 1 more row");
  });

  it("an empty result keeps its header", () => {
    expect(renderTable(table(["Name", "City"], []), 80)).toEqual(["Name  City", "----  ----", "(no rows)"]);
    expect(renderTable(table([], []), 80)).toEqual([]);
  });

  it("is never wider than the terminal: long cells are cut, then columns shrink, then the last ones go", () => {
    const wide = table(
      Array.from({ length: 30 }, (_each, index) => `a rather long column name ${index}`),
      [Array.from({ length: 30 }, () => "x".repeat(500))],
    );
    for (const width of [200, 80, 40, 10]) {
      for (const line of renderTable(wide, width)) expect(widthOf(line)).toBeLessThanOrEqual(width);
    }
    expect(renderTable(wide, 80).at(-1)).toBe("… 22 more columns");
    expect(renderTable(table(["a", "b"], [["short", "y".repeat(300)]]), 30)).toEqual([
      "a      b",
      `-----  ${"-".repeat(23)}`,
      `short  ${"y".repeat(22)}…`,
    ]);
  });

  it("nothing in a name or a cell reaches the terminal raw", () => {
    const lines = renderTable(table(["na\x1b[2Jme"], [["row\x1b]0;title\x07"], ["two\nlines"]]), 80);
    expect(lines.join("\n")).not.toContain("\x1b");
    expect(lines).toHaveLength(4);
  });
});

describe("cellText", () => {
  it.each([
    [null, "NULL"],
    [0.1, "0.1"],
    [true, "true"],
    [{ type: "integer", text: "9223372036854775807" }, "9223372036854775807"],
    [{ type: "real", text: "-Infinity" }, "-Infinity"],
    [{ type: "blob", blob: 3, hex: "00ff10" }, "<blob 3 bytes>"],
    [{ type: "blob", blob: 12_345, hex: "00", cut: true }, "<blob 12,345 bytes>"],
    [{ type: "text", text: "begin", bytes: 90_000, cut: true }, "begin… (90,000 bytes)"],
    [{ type: "text", text: "a\ufffd", invalid_utf8: true }, "a\ufffd"],
    [{ unheard: "of" }, '{"unheard":"of"}'],
  ])("%j reads %s", (cell, text) => {
    expect(cellText(cell)).toBe(text);
  });
});
