import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkFigures } from "../../src/agent/figures.ts";
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

describe("the cell that is cited", () => {
  const genres = result(
    ["GenreId", "Name", "tracks"],
    [
      [1, "Rock", 1297],
      [2, "Jazz", 130],
      [3, "Opera", 1],
      [4, "World", 3],
    ],
  );
  const other = result(["ArtistId", "albums"], [[130, 21]], "r2");

  interface Setting {
    readonly question?: string;
    readonly results?: readonly StoredResult[];
    readonly named?: readonly string[];
  }

  /** What, the answer, figure@result.row.column of each citation, and what is not as usual. */
  const CASES: readonly (readonly [what: string, answer: string, cited: readonly string[], setting?: Setting])[] = [
    ["a measure before a key that has the same number", "Opera has 1 track.", ["1@r1.3.tracks"]],
    ["a measure further down before a key further up", "World has 3.", ["3@r1.4.tracks"]],
    ["the number of rows is no key", "4 rows (name, tracks)", []],
    ["nor is it where another word follows", "There are 4 genres.", []],
    ["a key that is told as such is cited, since nothing else explains it", "Jazz has the id 2.", ["2@r1.2.GenreId"]],
    ["numbers of a list are not cited", "1. Rock\n2. Jazz", []],
    ["nor in brackets, nor after a dash", "(1) Rock\n- 2) Jazz", []],
    ["a number that is a list's and a value is cited as a value", "1. Opera: 1", ["1@r1.3.tracks"]],
    ["the head of a ranking is a count", "The top 3 of 4:", [], { question: "Top 3?" }],
    ["a figure of the question is no key", "2 of them have more.", [], { question: "Which have more than 2?" }],
    ["a figure of the question is still a measure", "It is 130.", ["130@r1.2.tracks"], { question: "Is it 130?" }],
    [
      "results that are named come first",
      "21",
      ["21@r3.1.n"],
      { results: [other, result(["n"], [[21]], "r3")], named: ["r3"] },
    ],
    [
      "a measure elsewhere before a key in the named",
      "130",
      ["130@r1.2.tracks"],
      { results: [other, genres], named: ["r2"] },
    ],
    ["a key is better than nothing", "130", ["130@r2.1.ArtistId"], { results: [other] }],
    [
      "of equal values, the one whose row is named",
      "Yes has 21 albums.",
      ["21@r1.2.n"],
      {
        results: [
          result(
            ["Name", "n"],
            [
              ["Rush", 21],
              ["Yes", 21],
            ],
          ),
        ],
      },
    ],
    [
      "a whole cell before a number within a text",
      "2021: 5",
      ["2021@r1.2.year", "5@r1.2.n"],
      {
        results: [
          result(
            ["address", "year", "n"],
            [
              ["2021 Main St", 2020, 7],
              ["1 Side St", 2021, 5],
            ],
          ),
        ],
      },
    ],
    [
      "`paid` is a measure, `albumID` a key",
      "8",
      ["8@r1.1.paid"],
      { results: [result(["albumID", "paid"], [[8, 8]])] },
    ],
    [
      "a count of rows that a cell states is cited",
      "It has 25 rows.",
      ["25@r1.1.n"],
      { results: [result(["n"], [[25]])] },
    ],
  ];

  it.each(CASES.map(([what, answer, cited, setting = {}]) => ({ what, answer, cited, setting })))("$what", (one) => {
    const { answer, cited, setting } = one;
    const { question = "?", results = [genres], named = [] } = setting;
    const found = checkFigures(answer, question, results, new Set(named));
    expect(found.citations.map(({ figure, result: ref, row, column }) => `${figure}@${ref}.${row}.${column}`)).toEqual(
      cited,
    );
    expect(found.unsupported).toEqual([]);
  });

  it("never makes a figure unsupported: any cell supports it, whatever the column, the role, or what is named", () => {
    const figure = fc.constantFrom("1", "2", "25 rows", "top 3", "4. x", "7", "130", "99", "(5) y", "12 %", "1,297");
    fc.assert(
      fc.property(fc.array(figure, { maxLength: 6 }), fc.subarray(["r1", "r2"]), (figures, named) => {
        const answer = figures.join("\n");
        const results = [genres, other];
        const { citations, unsupported } = checkFigures(answer, "", results, new Set(named));
        const values = results.flatMap((one) => one.rows.flat().filter((cell) => typeof cell === "number"));
        for (const text of unsupported) expect(values).not.toContain(Number(text.replace(/\D/g, "")));
        expect(unsupported.some((text) => citations.some((citation) => citation.figure === text))).toBe(false);
        // What is named and where it is cited has no say in it.
        expect(checkFigures(answer, "", results).unsupported).toEqual(unsupported);
      }),
    );
  });
});
