import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { migrate } from "../../src/durable/layout.ts";
import {
  dropFurtherParts,
  isLongRow,
  nextStepNumber,
  readStateRows,
  readStepRow,
  readStepRows,
  writeStepRow,
} from "../../src/durable/rows.ts";
import { createMemoryStorage } from "../fakes/memory-storage.ts";

function tables() {
  const storage = createMemoryStorage();
  migrate(storage.sql, 1);
  return storage;
}

describe("the rows of steps", () => {
  it("come back whole and in order", () => {
    const { sql } = tables();
    expect([nextStepNumber(sql), readStepRows(sql), readStepRow(sql, 0)]).toEqual([0, [], null]);
    writeStepRow(sql, 1, "b", "");
    writeStepRow(sql, 0, "a", "{}");
    const rows = [
      { number: 0, state: "a", body: "{}" },
      { number: 1, state: "b", body: "" },
    ];
    expect(readStepRows(sql)).toEqual(rows);
    expect(readStateRows(sql)).toEqual(rows.map(({ number, state }) => ({ number, state })));
    expect(readStepRow(sql, 1)).toEqual({ state: "b", body: "" });
    expect(nextStepNumber(sql)).toBe(2);
  });

  it("E7: a text of any length is cut into parts under a megabyte, never through a character", () => {
    const unit = fc.constantFrom("x", "ü", "€", "😀");
    const text = fc.tuple(fc.integer({ min: 299_990, max: 300_010 }), unit, unit).map(([length, one, two]) => {
      return one.repeat(length) + two.repeat(500_000) + one;
    });
    fc.assert(
      fc.property(text, fc.boolean(), (long, isState) => {
        const { sql } = tables();
        const row = isState ? { state: long, body: "b" } : { state: "s", body: long };
        writeStepRow(sql, 0, row.state, row.body);
        const read = readStepRow(sql, 0);
        expect(read?.state === row.state && read.body === row.body).toBe(true);
        const query = `SELECT max(length(CAST(t AS BLOB))) AS n
          FROM (SELECT state AS t FROM steps UNION SELECT body FROM steps UNION SELECT body FROM parts)`;
        expect(sql.exec(query).one().n).toBeLessThan(1_000_000);
      }),
      { numRuns: 12 },
    );
  });

  it("are null where a part is missing", () => {
    const { sql } = tables();
    const long = "x".repeat(400_000);
    writeStepRow(sql, 0, long, "b");
    writeStepRow(sql, 1, "s", long);
    sql.exec("DELETE FROM parts");
    expect(readStepRows(sql)).toEqual([
      { number: 0, state: null, body: "b" },
      { number: 1, state: "s", body: null },
    ]);
    expect([readStepRow(sql, 0), readStepRow(sql, 1)]).toEqual([null, null]);
  });

  it("are written again in place, and leave no part of a longer text behind", () => {
    const { sql } = tables();
    const long = "😀ü".repeat(600_000);
    const texts = ["short", long, "x".repeat(300_001), "short again"];
    let isLong = false;
    for (const text of texts) {
      if (isLong) dropFurtherParts(sql, 0);
      writeStepRow(sql, 0, text, text);
      isLong = isLongRow(text, text);
      expect(readStepRow(sql, 0)?.body === text).toBe(true);
    }
    expect(isLong).toBe(false);
    expect(
      sql.exec("SELECT (SELECT count(*) FROM parts) AS parts, (SELECT count(*) FROM steps) AS steps").one(),
    ).toEqual({
      parts: 0,
      steps: 1,
    });
  });
});
