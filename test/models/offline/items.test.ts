import { describe, expect, it } from "vitest";
import { CLINIC, itemsOf, kindsOf, SHOP } from "./examples.ts";

const refs = (schema: string, question: string): string[] =>
  itemsOf(schema, question).flatMap((item) => (item.kind === "ref" ? [item.text] : []));

describe("items of a question", () => {
  it("key phrases, references and marks", () => {
    expect(kindsOf(itemsOf(CLINIC, "How many doctors per department?"))).toEqual([
      "key:count",
      "ref",
      "key:each",
      "ref",
      "mark",
    ]);
  });

  it("takes the longest name", () => {
    expect(refs(SHOP, "What is the unit price of order items?")).toEqual(["unit price", "order items"]);
  });

  it("a number word, a scale and a number in digits are numbers", () => {
    const values = itemsOf(CLINIC, "over two thousand and 3 million").flatMap((item) =>
      item.kind === "number" ? [item.value] : [],
    );
    expect(values).toEqual([2_000, 3_000_000]);
  });

  it("a sample is a value, and so is a capitalised name", () => {
    const values = itemsOf(CLINIC, "Which cancelled appointments did Mara Quint have?").flatMap((item) =>
      item.kind === "value" ? [item.text] : [],
    );
    expect(values).toEqual(["cancelled", "Mara Quint"]);
  });

  it("`total` before a name adds up, after `a` it is a column", () => {
    const schema = "table bill (3 rows)\n  id INTEGER primary key\n  total REAL";
    expect(kindsOf(itemsOf(schema, "a total over 10"))).toEqual(["ref", "key:compare", "number"]);
    expect(kindsOf(itemsOf(schema, "total bill amount"))[0]).toBe("key:aggregate");
  });

  it.each(["sum of total of all bills", "total of total of bills", "average of the total", "sum of total"])(
    "an explicit aggregate takes a column called like one: %s",
    (question) => {
      const schema = "table bill (3 rows)\n  id INTEGER primary key\n  total REAL";
      const items = itemsOf(schema, question).filter((item) => item.kind !== "key" || item.key.key !== "clause");
      expect(kindsOf(items).slice(0, 2)).toEqual(["key:aggregate", "ref"]);
    },
  );

  it("a column's name is known as it is written, abbreviated or not", () => {
    const schema = "table line (3 rows)\n  id INTEGER primary key\n  qty INTEGER";
    expect([refs(schema, "sum of qty"), refs(schema, "sum of quantity")]).toEqual([["qty"], ["quantity"]]);
  });

  it("a table of odd characters is known by its very name", () => {
    const schema = 'table "table/with/slashes.csv" (1 rows)\n  pk TEXT primary key';
    expect(refs(schema, "rows of table/with/slashes.csv")).toEqual(["table/with/slashes.csv"]);
  });

  it("`owned by` does not group, `by` does", () => {
    expect(kindsOf(itemsOf(CLINIC, "appointments handled by doctors"))).toContain("key:clause");
    expect(kindsOf(itemsOf(CLINIC, "appointments by doctors"))).toContain("key:by");
  });
});
