import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSqliteBusy, messageOf, quoteName } from "../../src/cli/sqlite-text.ts";

describe("texts of SQLite", () => {
  it("a quoted name is that name again, whatever it holds", () => {
    const database = new DatabaseSync(":memory:");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (name) => {
        fc.pre(!name.includes("\0"));
        expect(Object.keys(database.prepare(`SELECT 1 AS ${quoteName(name)}`).get() ?? {})).toEqual([name]);
      }),
    );
    database.close();
  });

  it("knows a lock of any kind from other errors", () => {
    const withCode = (errcode: number) => Object.assign(new Error("x"), { errcode });
    expect([5, 261, 517, 1, 11].map((code) => isSqliteBusy(withCode(code)))).toEqual([true, true, true, false, false]);
    expect(isSqliteBusy("5")).toBe(false);
    expect([messageOf(new Error("said")), messageOf("thrown")]).toEqual(["said", "thrown"]);
  });
});
