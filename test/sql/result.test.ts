/** Results within their caps, every cut said. */
import { describe, expect, it } from "vitest";
import { RESULT_BYTES_MAX, toResult } from "../../src/sql/result.ts";
import type { DecodedCell } from "../../src/sql/values.ts";

const cell = (value: number | string | null, isCut = false): DecodedCell => ({
  kind: value === null ? "null" : typeof value === "number" ? "integer" : "text",
  cell: value,
  isCut,
});

describe("toResult", () => {
  it("keeps a small result whole and knows its size", () => {
    const { result, warnings, columnKinds } = toResult(
      "SELECT 1",
      ["a", "b"],
      [
        [cell(1), cell("x")],
        [cell(2), cell(3)],
      ],
      5,
    );
    expect(result).toEqual({
      sql: "SELECT 1",
      columns: ["a", "b"],
      rows: [
        [1, "x"],
        [2, 3],
      ],
      totalRows: 2,
      truncated: false,
    });
    expect(columnKinds).toEqual(["integer", "mixed"]);
    expect(warnings).toEqual([]);
  });

  it("C23: says when rows are cut, and then does not claim to know how many there are", () => {
    const { result, warnings } = toResult("", ["a"], [[cell(1)], [cell(2)], [cell(3)]], 2);
    expect(result).toMatchObject({ rows: [[1], [2]], totalRows: null, truncated: true });
    expect(warnings).toEqual(["The result is cut after 2 rows; the query has more."]);
  });

  it("C5: stops at its bytes, long before a stored value's limit", () => {
    const wide = Array.from({ length: 200 }, () => [cell("x".repeat(8_000))]);
    const { result, warnings } = toResult("", ["a"], wide, 1_000);
    expect(JSON.stringify(result).length).toBeLessThan(RESULT_BYTES_MAX + 200);
    expect(result.rows.length).toBeGreaterThan(100);
    expect(result).toMatchObject({ truncated: true, totalRows: 200 });
    expect(warnings[0]).toContain(`cut after ${result.rows.length} rows`);
  });

  it("counts bytes as UTF-8, not as characters", () => {
    const wide = Array.from({ length: 200 }, () => [cell("я".repeat(4_000))]);
    expect(toResult("", ["a"], wide, 1_000).result.rows.length).toBeLessThan(115);
  });

  it("C23: says of cut cells; no rows and columns that hold nothing are plain to see", () => {
    expect(toResult("", ["a"], [[cell("x", true)]], 5)).toMatchObject({
      result: { truncated: true },
      warnings: [expect.stringContaining("1 cell")],
    });
    expect(toResult("", ["a", "b"], [], 5)).toMatchObject({
      result: { columns: ["a", "b"], rows: [], totalRows: 0, truncated: false },
      warnings: [],
      columnKinds: ["null", "null"],
    });
    expect(toResult("", ["a", "b"], [[cell(null), cell(1)]], 5).columnKinds).toEqual(["null", "integer"]);
  });
});
