import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { migrate } from "../../src/durable/layout.ts";
import { appendRow, countRows, readFact, readRow, readRows, writeFact } from "../../src/durable/rows.ts";
import { createMemoryStorage } from "../fakes/memory-storage.ts";

function tables() {
  const storage = createMemoryStorage();
  migrate(storage.sql, 1);
  return storage;
}

describe("rows", () => {
  it("come back whole and in order", () => {
    const { sql } = tables();
    ["a", "", '{"b":1}'].forEach((text, number) => {
      appendRow(sql, "messages", number, text);
    });
    expect(readRows(sql, "messages")).toEqual(["a", "", '{"b":1}']);
    expect([readRow(sql, "messages", 2), readRow(sql, "messages", 3)]).toEqual(['{"b":1}', null]);
    expect([countRows(sql, "messages"), countRows(sql, "events")]).toEqual([3, 0]);
  });

  it("E7: a text of any length is cut into parts under a megabyte, never through a character", () => {
    const unit = fc.constantFrom("x", "ü", "€", "😀");
    const text = fc.tuple(fc.integer({ min: 299_990, max: 300_010 }), unit, unit).map(([length, one, two]) => {
      return one.repeat(length) + two.repeat(500_000) + one;
    });
    fc.assert(
      fc.property(text, (whole) => {
        const { sql } = tables();
        appendRow(sql, "results", 0, whole);
        expect(readRow(sql, "results", 0) === whole).toBe(true);
        const query =
          "SELECT max(length(CAST(body AS BLOB))) AS n FROM (SELECT body FROM results UNION SELECT body FROM parts)";
        expect(sql.exec(query).one().n).toBeLessThan(1_000_000);
      }),
      { numRuns: 12 },
    );
  });

  it("are read up to the first that is missing or lacks a part", () => {
    const { sql } = tables();
    for (let number = 0; number < 4; number += 1) appendRow(sql, "events", number, `${number}`.repeat(400_000));
    sql.exec("DELETE FROM parts WHERE number = 2");
    expect(readRows(sql, "events")).toHaveLength(2);
    expect(readRow(sql, "events", 2)).toBeNull();
    sql.exec("DELETE FROM events WHERE number = 0");
    expect(readRows(sql, "events")).toEqual([]);
    expect(countRows(sql, "events")).toBe(4);
  });

  it("are never written twice under one number", () => {
    const { sql } = tables();
    appendRow(sql, "messages", 0, "first");
    expect(() => appendRow(sql, "messages", 0, "second")).toThrow();
    expect(readRow(sql, "messages", 0)).toBe("first");
  });
});

it("facts are overwritten by name", () => {
  const { sql } = tables();
  expect(readFact(sql, "x")).toBeNull();
  writeFact(sql, "x", "1");
  writeFact(sql, "x", "2");
  expect(readFact(sql, "x")).toBe("2");
});
