import { describe, expect, test } from "vitest";
import type { SchemaColumn, SchemaTable } from "../../../src/web/client/api-types.ts";
import { exampleQuestions } from "../../../src/web/client/example-questions.ts";

function column(name: string, type: string, rest: Partial<SchemaColumn> = {}): SchemaColumn {
  const plain = { primary_key: 0, not_null: false, generated: false, masked: false };
  return { name, type, ...plain, references: null, values: null, has_more_values: false, ...rest };
}

function table(name: string, rows: number, columns: readonly SchemaColumn[]): SchemaTable {
  return { name, kind: "table", rows, has_more_rows: false, tags: [], columns };
}

const key = (name: string) => column(name, "INTEGER", { primary_key: 1 });
const to = (name: string, target: string) => column(name, "INTEGER", { references: { table: target, column: name } });

const SHOP = [
  table("Genre", 25, [key("GenreId"), column("Name", "TEXT")]),
  table("Track", 3_503, [key("TrackId"), column("Name", "TEXT"), to("GenreId", "Genre")]),
  table("Invoice", 412, [
    key("InvoiceId"),
    column("InvoiceDate", "DATETIME"),
    column("BillingCountry", "TEXT"),
    column("Total", "NUMERIC"),
  ]),
];

describe("example questions", () => {
  test("are made from what the schema holds", () => {
    expect(exampleQuestions({ tables: SHOP })).toEqual([
      "How many tracks are there?",
      "How many tracks are there per genre?",
      "What is the sum of total of invoices per billing country?",
      "How many invoices were there in each month?",
      "Which 10 genres have the most tracks?",
    ]);
  });

  test("a schema of nothing gives none, and one without names, keys or amounts a plain count", () => {
    expect(exampleQuestions({ tables: [] })).toEqual([]);
    expect(exampleQuestions({ tables: [table("log_entries", 9, [column("a", "TEXT"), column("b", "TEXT")])] })).toEqual(
      ["How many log entries are there?"],
    );
  });

  test("masked amounts and empty tables are not asked about", () => {
    const masked = table("Pay", 5, [column("City", "TEXT"), column("Salary", "INTEGER", { masked: true })]);
    expect(exampleQuestions({ tables: [masked, table("Empty", 0, [key("id"), column("Name", "TEXT")])] })).toEqual([
      "How many pays are there?",
    ]);
  });
});
