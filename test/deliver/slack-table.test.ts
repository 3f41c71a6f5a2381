import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Cell } from "../../src/agent/tool.ts";
import { type ShownRows, tellLeftOut, toSlackTable } from "../../src/deliver/slack-table.ts";
import { checkMessage } from "../fakes/slack-rules.ts";

const OPTIONS = { rowsMax: 99, charsMax: 10_000 };

function shown(
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  parts: Partial<ShownRows> = {},
): ShownRows {
  return { ref: "r1", columns, rows, storedRows: rows.length, totalRows: rows.length, truncated: false, ...parts };
}

function textsOf(table: ReturnType<typeof toSlackTable>): string[][] {
  if (table?.block.type !== "table") throw new Error("no table");
  return table.block.rows.map((row) => row.map((cell) => cell.text));
}

describe("rows as a Slack table", () => {
  it("writes a header and the rows, numbers to the right", () => {
    const table = toSlackTable(
      shown(
        ["Country", "n"],
        [
          ["USA", 13],
          ["Canada", null],
        ],
      ),
      OPTIONS,
    );
    expect(textsOf(table)).toEqual([
      ["Country", "n"],
      ["USA", "13"],
      ["Canada", "NULL"],
    ]);
    expect(table?.block).toMatchObject({ column_settings: [{ align: "left" }, { align: "right" }] });
  });

  it("H7: a result with NULLs, empty texts, 300-character cells and 40 columns arrives", () => {
    const columns = Array.from({ length: 40 }, (_, index) => `column_${index}`);
    const row = columns.map((_, index): Cell => (index % 4 === 0 ? null : index % 4 === 1 ? "" : "x".repeat(300)));
    const table = toSlackTable(
      shown(
        columns,
        Array.from({ length: 120 }, () => row),
      ),
      OPTIONS,
    );
    expect(table).toMatchObject({ columns: 20, hasCutCells: true });
    expect(checkMessage({ text: "t", blocks: [table?.block] })).toMatchObject({ error: null });
    expect(textsOf(table)[1]?.slice(0, 3)).toEqual(["NULL", '""', `${"x".repeat(119)}…`]);
  });

  it("H9: shows markup of cells literally, since a raw cell has none", () => {
    const texts = ["<!channel>", "<@U1>", "<http://evil|click>", "a & b"];
    expect(
      textsOf(
        toSlackTable(
          shown(
            ["v"],
            texts.map((text) => [text]),
          ),
          OPTIONS,
        ),
      )
        .slice(1)
        .flat(),
    ).toEqual(texts);
  });

  it("writes what JSON could not hold as people read it", () => {
    const cells: Cell[] = [
      { type: "integer", text: "9223372036854775807" },
      { type: "real", text: "-Infinity" },
      { type: "blob", blob: 3, hex: "00ff10" },
      { type: "text", text: "long", bytes: 9_000, cut: true },
      true,
      " \t ",
      "two\nlines\u0000",
    ];
    expect(
      textsOf(
        toSlackTable(
          shown(
            ["v"],
            cells.map((cell) => [cell]),
          ),
          OPTIONS,
        ),
      )
        .slice(1)
        .flat(),
    ).toEqual(["9223372036854775807", "-Infinity", "<blob 3 bytes>", "long", "true", '" "', "two lines"]);
  });

  it("is nothing without columns or rows", () => {
    expect(toSlackTable(shown([], []), OPTIONS)).toBeNull();
    expect(toSlackTable(shown(["a"], []), OPTIONS)).toBeNull();
    expect(toSlackTable(shown(["a"], [["x".repeat(100)]]), { rowsMax: 10, charsMax: 50 })).toBeNull();
  });

  it("always keeps to Slack's limits and to its own bound, as a block and as code", () => {
    const cell = fc.oneof(fc.string({ unit: "binary", maxLength: 400 }), fc.integer(), fc.constant(null), fc.double());
    const result = fc
      .integer({ min: 1, max: 30 })
      .chain((width) =>
        fc.tuple(
          fc.array(fc.string({ maxLength: 60 }), { minLength: width, maxLength: width }),
          fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 130 }),
        ),
      );
    const options = fc.record({
      rowsMax: fc.integer({ min: 1, max: 99 }),
      charsMax: fc.integer({ min: 100, max: 10_000 }),
    });
    fc.assert(
      fc.property(result, options, ([columns, rows], bounds) => {
        const table = toSlackTable(shown(columns, rows), bounds);
        if (table === null) return;
        expect(checkMessage({ text: "t", blocks: [table.block] }).error).toBeNull();
        const section = { type: "section", text: { type: "mrkdwn", text: table.code, verbatim: true } };
        expect(checkMessage({ text: "t", blocks: [section] }).error).toBeNull();
        expect(textsOf(table).flat().join("").length).toBeLessThanOrEqual(bounds.charsMax);
        expect(table.rows).toBeLessThanOrEqual(bounds.rowsMax);
      }),
      { numRuns: 60 },
    );
  });

  it("as code, stands in columns and says how many rows do not fit", () => {
    const rows = Array.from({ length: 99 }, (_, index): Cell[] => [`name ${index}`, index]);
    const code = toSlackTable(shown(["name", "n"], rows), { rowsMax: 99, charsMax: 900 })?.code ?? "";
    expect(code.startsWith("```name     n\nname 0   0\n")).toBe(true);
    expect(code).toMatch(/```\n… \d+ more rows do not fit here\.$/);
  });
});

describe("what a table leaves out", () => {
  const rows = Array.from({ length: 30 }, (_, index): Cell[] => [index]);
  const tell = (parts: Partial<ShownRows>, rowsMax = 99): string | null => {
    const result = shown(["n"], rows, parts);
    const table = toSlackTable(result, { rowsMax, charsMax: 10_000 });
    return table && tellLeftOut(result, table);
  };

  it("is nothing when all is there", () => {
    expect(tell({})).toBeNull();
  });

  it("counts rows, columns and cut cells", () => {
    expect(tell({}, 20)).toBe("Not all shown: rows 1 to 20 of 30.");
    expect(tell({ totalRows: 5_000, storedRows: 1_000, truncated: true })).toBe("Not all shown: rows 1 to 30 of 5000.");
    expect(tell({ totalRows: null, storedRows: 1_000, truncated: true })).toBe(
      "Not all shown: rows 1 to 30 of more than 1000.",
    );
    expect(tell({ truncated: true })).toBe("Not all shown: long cells are cut.");
    const wide = shown(
      Array.from({ length: 21 }, (_, index) => `c${index}`),
      [Array.from({ length: 21 }, () => 1)],
    );
    const table = toSlackTable(wide, OPTIONS);
    expect(table && tellLeftOut(wide, table)).toBe("Not all shown: columns 1 to 20 of 21.");
  });
});
