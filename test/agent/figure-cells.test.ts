/** Which cell a figure came from; that it came from some is figures.test.ts. */
import { describe, expect, it } from "vitest";
import { findCells } from "../../src/agent/figure-cells.ts";
import { readFigures } from "../../src/agent/figure-text.ts";
import type { StoredResult } from "../../src/agent/tool.ts";

const result = (columns: string[], rows: StoredResult["rows"], ref = "r1"): StoredResult => ({
  ref,
  sha256: ref,
  sql: "SELECT 1",
  columns,
  rows,
  totalRows: rows.length,
  truncated: false,
});
const find = (answer: string, results: readonly StoredResult[]) => [
  ...findCells(readFigures(answer), answer, results, new Set()).values(),
];

describe("findCells", () => {
  it.each(["id", "AlbumId", "album_id", "Album ID", "uuid", "row_number", "albumID", "pk"])("%s is a key", (name) => {
    expect(find("7", [result([name], [[7]])])).toMatchObject([{ isKey: true, citation: { column: name } }]);
  });

  it.each(["paid", "amount_paid", "bid", "grid", "n", "total", "identity", "keyed"])("%s is no key", (name) => {
    expect(find("7", [result([name], [[7]])])).toMatchObject([{ isKey: false }]);
  });

  it("of cells that are as good it takes the first", () => {
    expect(find("7", [result(["a", "b"], [[7, 7]]), result(["c"], [[7]], "r2")])).toMatchObject([
      { citation: { result: "r1", row: 1, column: "a" } },
    ]);
  });

  it("looks through 50,000 cells at most", () => {
    const rows = Array.from({ length: 50_001 }, (_, index) => [index]);
    expect(find("49999", [result(["n"], rows)])).toHaveLength(1);
    expect(find("50000", [result(["n"], rows)])).toHaveLength(0);
  });
});
