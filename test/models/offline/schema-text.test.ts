import { describe, expect, it } from "vitest";
import { parseSchemaText } from "../../../src/models/offline/schema-text.ts";

const TEXT = `table Album (347 rows)
  AlbumId INTEGER primary key
  Title NVARCHAR(160) not null
  ArtistId INTEGER not null -> Artist.ArtistId
  Country TEXT values: 'Canada', 'USA', 'it''s'
table "Order ""Details""" (10000+ rows)
  "Order ID" INTEGER primary key 1 -> "Orders"."Order ID"
  ProductID INTEGER primary key 2
  Size DOUBLE PRECISION generated
  Secret TEXT masked
  Kind TEXT values: 'a', 'b', …
view "Sales by Year"
  ShippedDate DATETIME
table f (3 rows) fts5
  title
… 584 more tables: use list_tables to find them`;

describe("the schema text read back", () => {
  const { tables, omitted } = parseSchemaText(TEXT);

  it("reads names, bare and quoted, and row counts", () => {
    expect(tables.map((table) => [table.kind, table.name, table.rows])).toEqual([
      ["table", "Album", 347],
      ["table", 'Order "Details"', 10_000],
      ["view", "Sales by Year", null],
      ["table", "f", 3],
    ]);
    expect(tables[3]?.isSearchIndex).toBe(true);
  });

  it("reads types, keys and references", () => {
    const [id, title, artist] = tables[0]?.columns ?? [];
    expect(id).toMatchObject({ name: "AlbumId", type: "INTEGER", keyPosition: 1 });
    expect(title).toMatchObject({ type: "NVARCHAR(160)", notNull: true, keyPosition: 0 });
    expect(artist?.references).toEqual({ table: "Artist", column: "ArtistId" });
    expect(tables[1]?.columns.slice(0, 4)).toMatchObject([
      { name: "Order ID", keyPosition: 1, references: { table: "Orders", column: "Order ID" } },
      { name: "ProductID", keyPosition: 2 },
      { name: "Size", type: "DOUBLE PRECISION" },
      { name: "Secret", masked: true },
    ]);
  });

  it("reads samples, and whether they are all", () => {
    expect(tables[0]?.columns[3]).toMatchObject({ values: ["Canada", "USA", "it's"], valuesComplete: true });
    expect(tables[1]?.columns[4]).toMatchObject({ values: ["a", "b"], valuesComplete: false });
  });

  it("counts what was left out, and finds no table in other text", () => {
    expect(omitted).toBe(584);
    expect(parseSchemaText("(The database has no tables.)")).toEqual({ tables: [], quoted: new Set(), omitted: 0 });
  });
});
