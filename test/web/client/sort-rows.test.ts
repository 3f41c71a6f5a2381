import { describe, expect, test } from "vitest";
import { sortRows } from "../../../src/web/client/sort-rows.ts";

const ROWS = [
  ["b", 2],
  [null, 9],
  ["a", 2],
  ["c", null],
].map((cells, index) => ({ number: index + 1, cells }));
const numbers = (column: number, isDescending: boolean) =>
  sortRows(ROWS, { column, isDescending }).map((row) => row.number);

describe("sorting rows", () => {
  test("goes both ways, with NULL last and equal cells in the order of the result", () => {
    expect(numbers(0, false)).toEqual([3, 1, 4, 2]);
    expect(numbers(0, true)).toEqual([4, 1, 3, 2]);
    expect(numbers(1, false)).toEqual([1, 3, 2, 4]);
    expect(numbers(1, true)).toEqual([2, 1, 3, 4]);
  });

  test("without an order, the rows are as they came, and sorting changes none of them", () => {
    expect(sortRows(ROWS, null)).toBe(ROWS);
    expect(ROWS.map((row) => row.number)).toEqual([1, 2, 3, 4]);
  });
});
