import { describe, expect, it } from "vitest";
import { readFigures } from "../../src/agent/figure-text.ts";

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

  it.each([
    ["25 rows", "count"],
    ["25 results match", "count"],
    ["25 Zeilen", "count"],
    ["25 rowers", "value"],
    ["the top 25", "count"],
    ["the laptop 25", "value"],
    ["25. Rock", "mark"],
    ["a\n  25) Rock", "mark"],
    ["- (25) Rock", "mark"],
    ["It was 25. Then it fell.", "value"],
    ["25. Rock 25", "value"],
    ["25. Rock of 25 rows", "count"],
    ["25 rows of 25 rows", "count"],
    ["of 25 rows, 25", "value"],
  ])("%s: it is a %s", (text, role) => {
    expect(readFigures(text)).toMatchObject([{ value: 25, role }]);
  });

  it("reads thousands that a space of any width keeps together", () => {
    expect(readFigures("1 234, 5\u00a0678 and 9\u202f012").map(({ value }) => value)).toEqual([1234, 5678, 9012]);
  });

  it("reads a hundred figures and no more", () => {
    const text = Array.from({ length: 150 }, (_, index) => `v ${index}`).join(" ");
    expect(readFigures(text)).toHaveLength(100);
  });
});
