import { describe, expect, it } from "vitest";
import { findPath, hopsFrom, tableNamed } from "../../../src/models/offline/schema-graph.ts";
import { CLINIC, graphOf, SHOP } from "./examples.ts";

const none = new Set<string>();
const way = (schema: string, from: string, to: string, hints = none) =>
  findPath(graphOf(schema), from, to, hints)?.map(
    (hop) => `${hop.direction} ${hop.direction === "up" ? hop.edge.parent : hop.edge.child}`,
  );

describe("the schema as a graph", () => {
  it("goes up along declared keys", () => {
    expect(way(CLINIC, "Prescription", "Patient")).toEqual(["up Appointment", "up Patient"]);
  });

  it("guesses keys that nobody declared by their names", () => {
    expect(way(SHOP, "order_items", "users")).toEqual(["up orders", "up users"]);
    expect(way(SHOP, "categories", "products")).toEqual(["down products"]);
  });

  it("finds no way where there is none", () => {
    expect(
      way("table a (1 rows)\n  id INTEGER primary key\ntable b (1 rows)\n  id INTEGER primary key", "a", "b"),
    ).toBeUndefined();
  });

  it("takes the key that the question speaks of", () => {
    const schema = `table person (2 rows)
  id INTEGER primary key
  home_address_id INTEGER -> address.id
  work_address_id INTEGER -> address.id
table address (2 rows)
  id INTEGER primary key`;
    const column = (hint: string) =>
      findPath(graphOf(schema), "person", "address", new Set([hint]))?.[0]?.edge.childColumns[0];
    expect([column("home"), column("work")]).toEqual(["home_address_id", "work_address_id"]);
  });

  it("keeps a compound key together", () => {
    const schema = `table parent (1 rows)
  a INTEGER primary key 1
  b INTEGER primary key 2
table child (1 rows)
  pa INTEGER -> parent.a
  pb INTEGER -> parent.b`;
    expect(hopsFrom(graphOf(schema), "child").map((hop) => hop.edge.childColumns)).toEqual([["pa", "pb"]]);
  });

  it("leaves out search indexes, broken tables and masked columns", () => {
    const graph = graphOf(
      "table f (3 rows) fts5\n  B\ntable bad broken: no such module\n  x\ntable t (1 rows)\n  a TEXT masked\n  b TEXT",
    );
    expect(graph.tables.map((table) => table.name)).toEqual(["t"]);
    expect(tableNamed(graph, "T")?.columns.map((column) => column.name)).toEqual(["b"]);
  });

  it("keeps a full-text table whose text no other table holds", () => {
    const graph = graphOf("table doc (3 rows) fts5\n  title\n  body\ntable t (1 rows)\n  title TEXT");
    expect(graph.tables.map((table) => table.name)).toEqual(["doc", "t"]);
  });

  it("knows a date, a year, a yes-or-no and a number by type, name and samples", () => {
    const [table] = graphOf(
      "table t (1 rows)\n  created_at TEXT\n  Year TEXT\n  is_open BOOL\n  size REAL\n  flag TEXT values: 'F', 'T'\n  note TEXT",
    ).tables;
    expect(table?.columns.map((column) => column.kind)).toEqual(["date", "year", "flag", "number", "flag", "text"]);
  });
});
