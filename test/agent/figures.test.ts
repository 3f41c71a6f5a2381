import { describe, expect, it } from "vitest";
import { checkFigures, readFigures } from "../../src/agent/figures.ts";
import type { Cell, StoredResult } from "../../src/agent/tool.ts";

const result = (columns: string[], rows: Cell[][], ref = "r1"): StoredResult => ({
  ref,
  sha256: ref,
  sql: "SELECT 1",
  columns,
  rows,
  totalRows: rows.length,
  truncated: false,
});

describe("readFigures", () => {
  it.each([
    ["There are 3,503 tracks.", [3503]],
    ["USA spent $523.06 in all", [523.06]],
    ["up 12.5 % to 1.2 million", [12.5, 1_200_000]],
    ["see r1 and step-2 of v3.1", []],
    ["from 2021-01-05 to 2021-12-31", []],
    ["minus −7 or -8", [-7, -8]],
    ["1 234 567 rows, 3.2k more", [1_234_567, 3_200]],
    ["21 albums, 21 albums", [21]],
  ])("%s", (text, values) => {
    expect(readFigures(text).map((figure) => figure.value)).toEqual(values);
  });
});

describe("checkFigures", () => {
  const sums = result(
    ["country", "total"],
    [
      ["USA", 523.0600000000003],
      ["Canada", 303.9599999999999],
    ],
  );

  it("finds the cell behind each figure, rounded as it is written", () => {
    const { citations, unsupported } = checkFigures("USA with $523.06, then Canada with about 304.", "Who?", [sums]);
    expect(unsupported).toEqual([]);
    expect(citations).toEqual([
      { figure: "523.06", result: "r1", row: 1, column: "total" },
      { figure: "304", result: "r1", row: 2, column: "total" },
    ]);
  });

  it("names figures that no result shows", () => {
    expect(checkFigures("USA spent 524.06.", "Who?", [sums]).unsupported).toEqual(["524.06"]);
  });

  it("an integer cell supports only itself", () => {
    expect(checkFigures("21", "?", [result(["n"], [[20]])]).unsupported).toEqual(["21"]);
    expect(checkFigures("20", "?", [result(["n"], [[20]])]).unsupported).toEqual([]);
  });

  it("allows percentages of shares, figures of the question, counts of rows, years in dates and numbers of a list", () => {
    const rows = result(
      ["share", "day"],
      [
        [0.256, "2021-03-04 00:00:00"],
        [0.1, "2022-01-01"],
      ],
    );
    const answer = "1. 25.6% in 2021\n2. the top 5 of 2 rows";
    expect(checkFigures(answer, "What are the top 5?", [rows]).unsupported).toEqual([]);
  });

  it("finds exact big integers that are kept as tagged text", () => {
    const rows = result(["big"], [[{ type: "integer", text: "9223372036854775807" }]]);
    expect(checkFigures("It is 9223372036854775807.", "?", [rows]).unsupported).toEqual([]);
  });

  it("an answer without figures has nothing to prove", () => {
    expect(checkFigures("Iron Maiden.", "Who?", [])).toEqual({ citations: [], unsupported: [] });
  });
});
