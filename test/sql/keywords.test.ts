/** Names and texts as SQL. */
import { expect, it } from "vitest";
import { quoteName, quoteText, toIdentifier } from "../../src/sql/keywords.ts";
import { memoryDatabase, rowsOf } from "./engine.ts";

it("writes a name bare only when SQLite reads it bare", () => {
  const names = [
    "Album",
    "_x1",
    "order",
    "Order Details",
    'a"b',
    "select",
    "имя",
    "1a",
    "",
    "a.b",
    "window",
    "materialized",
  ];
  expect(names.map(toIdentifier)).toEqual([
    "Album",
    "_x1",
    '"order"',
    '"Order Details"',
    '"a""b"',
    '"select"',
    '"имя"',
    '"1a"',
    '""',
    '"a.b"',
    '"window"',
    '"materialized"',
  ]);
});

it("gives back every name and text through the engine", () => {
  const database = memoryDatabase([]);
  for (const value of ["it's", 'a"b', "a''b", "[x]", "; DROP", "--", "日本"]) {
    const [row] = rowsOf(
      database,
      `SELECT ${quoteText(value)} AS ${quoteName(value)}, 1 AS ${toIdentifier(`${value}!`)}`,
    );
    expect(row).toEqual({ [value]: value, [`${value}!`]: 1 });
  }
});
