import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Row } from "../../src/web/cells.ts";
import { BARS_MAX, suggestCharts, toTime } from "../../src/web/chart-rules.ts";

const rows = (count: number, row: (index: number) => Row): readonly Row[] =>
  Array.from({ length: count }, (_, n) => row(n));
const names = (count: number): readonly Row[] => rows(count, (n) => [`name ${n}`, count - n]);

/** What the result looks like, its columns and rows, and the pictures that are offered, best first. */
const TABLE: readonly (readonly [string, readonly string[], readonly Row[], readonly string[]])[] = [
  ["nothing", [], [], []],
  ["no rows", ["n"], [], []],
  ["one number", ["total"], [[2328.6]], ["number: total"]],
  ["one row of two measures beside a name", ["Name", "n", "sum_total"], [["Rock", 3, 4]], ["number: n, sum total"]],
  ["one row of text", ["Name"], [["Rock"]], []],
  ["one row of more measures than are read at a glance", ["a", "b", "c", "d", "e"], [[1, 2, 3, 4, 5]], []],
  [
    "years as numbers",
    ["year", "total"],
    [
      [2009, 449.5],
      [2010, 481.5],
    ],
    ["line: total by year", "bar: total by year"],
  ],
  [
    "keys and what only ends like one",
    ["ArtistId", "albumID", "paid"],
    [
      [1, 2, 3],
      [2, 3, 4],
      [3, 4, 5],
      [4, 5, 6],
      [5, 6, 7],
    ],
    [],
  ],
  [
    "a measure that ends like a key",
    ["Name", "amount_paid"],
    names(3),
    ["bar: amount paid by Name", "share: amount paid by Name"],
  ],
  [
    "numbers that are no years",
    ["score", "total"],
    [
      [2009, 449.5],
      [2010, 481.5],
    ],
    [],
  ],
  [
    "months",
    ["month", "n"],
    rows(12, (n) => [`2024-${String(n + 1).padStart(2, "0")}`, n]),
    ["line: n by month", "bar: n by month"],
  ],
  [
    "quarters",
    ["quarter", "n"],
    [
      ["2024-Q1", 1],
      ["2024-Q2", 2],
    ],
    ["line: n by quarter", "bar: n by quarter"],
  ],
  ["many days", ["day", "n"], rows(60, (n) => [new Date(n * 864e5).toISOString().slice(0, 10), n]), ["line: n by day"]],
  [
    "two measures of one size over time",
    ["day", "a", "b"],
    [
      ["2024-01-01", 1, 2],
      ["2024-01-02", 2, 3],
    ],
    ["line: a, b by day"],
  ],
  [
    "two measures of different size over time: the first",
    ["day", "a", "b"],
    [
      ["2024-01-01", 1, 9_000],
      ["2024-01-02", 2, 8_000],
    ],
    ["line: a by day", "bar: a by day"],
  ],
  [
    "a series for each category over time",
    ["day", "country", "n"],
    rows(6, (n) => [`2024-01-0${(n % 3) + 1}`, n < 3 ? "USA" : "Canada", n]),
    ["line: n by day and country"],
  ],
  [
    "times that repeat with nothing to tell them apart",
    ["day", "n"],
    [
      ["2024-01-01", 1],
      ["2024-01-01", 2],
    ],
    [],
  ],
  ["categories", ["Name", "n"], names(25), ["bar: n by Name"]],
  ["a key beside a name", ["GenreId", "Name", "n"], rows(12, (n) => [n, `g${n}`, n]), ["bar: n by Name"]],
  ["only keys", ["GenreId", "album_id"], rows(6, (n) => [n, n]), []],
  ["few parts of a sum", ["Name", "count"], names(4), ["bar: count by Name", "share: count by Name"]],
  ["averages are no parts", ["Name", "avg_price"], names(4), ["bar: avg price by Name"]],
  [
    "negative values are no parts",
    ["Name", "change"],
    [
      ["a", -5],
      ["b", 10],
    ],
    ["bar: change by Name"],
  ],
  [
    "percentages that add up",
    ["Name", "percent"],
    [
      ["a", 60],
      ["b", 40],
    ],
    ["share: percent by Name", "bar: percent by Name"],
  ],
  [
    "fractions that add up",
    ["Name", "x"],
    [
      ["a", 0.25],
      ["b", 0.75],
    ],
    ["share: x by Name", "bar: x by Name"],
  ],
  ["more categories than bars, as a ranking", ["Name", "n"], names(BARS_MAX + 1), ["bar: n by Name"]],
  ["more categories than bars, in no order", ["Name", "n"], rows(BARS_MAX + 1, (n) => [`n${n}`, n % 7]), []],
  [
    "categories that repeat",
    ["Name", "n"],
    [
      ["a", 1],
      ["a", 2],
    ],
    [],
  ],
  [
    "two categories and counts",
    ["country", "media", "n"],
    rows(6, (n) => [`c${n % 3}`, n < 3 ? "MP3" : "AAC", n]),
    ["bar: n by country and media"],
  ],
  [
    "two categories and averages",
    ["country", "media", "avg_n"],
    rows(6, (n) => [`c${n % 3}`, n < 3 ? "A" : "B", n]),
    [],
  ],
  ["two measures", ["length", "price"], rows(8, (n) => [n * 1.5, n * n]), ["dots: price against length"]],
  [
    "two measures of named things",
    ["Name", "length", "price"],
    rows(9, (n) => [`n${n}`, n, n * n]),
    ["bar: length by Name", "dots: price against length"],
  ],
  ["two measures of too few rows", ["length", "price"], rows(3, (n) => [n, n]), []],
  ["long texts", ["Note", "n"], rows(3, (n) => [`${n}${"long ".repeat(50)}`, n]), []],
  [
    "a column of NULL",
    ["Name", "n"],
    [
      ["a", null],
      ["b", null],
    ],
    [],
  ],
];

describe("chart rules", () => {
  test.each(TABLE)("%s", (_what, columns, shape, expected) => {
    expect(suggestCharts(columns, shape).map((chart) => `${chart.kind}: ${chart.title}`)).toEqual(expected);
  });

  test("a picture of a part of the rows says how many it shows", () => {
    expect(suggestCharts(["Name", "n"], names(59)).map((chart) => chart.rowsShown)).toEqual([25]);
    expect(suggestCharts(["Name", "n"], names(40)).map((chart) => chart.rowsShown)).toEqual([40]);
  });

  test("whatever the rows, a picture names columns that there are and the same kind only once", () => {
    const cell = fc.oneof(fc.constant(null), fc.integer(), fc.double(), fc.string(), fc.constantFrom("2024-01", "USA"));
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.array(cell, { minLength: 5, maxLength: 5 })),
        (width, all) => {
          const columns = ["Name", "year", "n", "GenreId", "total"].slice(0, width);
          const charts = suggestCharts(
            columns,
            all.map((row) => row.slice(0, width)),
          );
          expect(new Set(charts.map((chart) => chart.kind)).size).toBe(charts.length);
          for (const { x, y, series, label, rowsShown } of charts) {
            for (const index of [x, series, label, ...y]) expect(index === null || index < width).toBe(true);
            expect(rowsShown).toBeLessThanOrEqual(all.length);
            expect(y.length).toBeGreaterThan(0);
          }
        },
      ),
    );
  });

  test.each([1e308, -1.7e308, 5e-324])("a column with %d fits no axis, and is no measure", (size) => {
    const rows: readonly Row[] = [
      ["a", size, 1],
      ["b", -size, 2],
    ];
    expect(suggestCharts(["Name", "n"], rows)).toEqual([]);
    expect(suggestCharts(["Name", "n", "m"], rows).every((chart) => !chart.y.includes(1))).toBe(true);
    expect(suggestCharts(["Name", "n", "m"], rows)).not.toEqual([]);
  });

  test("times are read in no zone but the one they name", () => {
    expect(
      ["2024", "2024-02", "2024-02-03", "2024-02-03 04:05", "2024-02-03T04:05:06Z", "2024-Q2"].map(toTime),
    ).toEqual([
      Date.UTC(2024, 0),
      Date.UTC(2024, 1),
      Date.UTC(2024, 1, 3),
      Date.UTC(2024, 1, 3, 4, 5),
      Date.UTC(2024, 1, 3, 4, 5, 6),
      Date.UTC(2024, 3),
    ]);
    expect(["", "12", "2024-13", "2024-02-03 99:99", "x", null, 1.5].map(toTime)).toEqual(Array(7).fill(null));
  });
});
