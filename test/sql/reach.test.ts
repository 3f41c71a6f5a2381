/** How far a statement's words reach. */
import { describe, expect, it } from "vitest";
import { checkQuery } from "../../src/sql/gate.ts";
import { toReach } from "../../src/sql/reach.ts";
import { catalogOf, memoryDatabase, statements } from "./engine.ts";

const catalog = await catalogOf(
  memoryDatabase([
    ...statements("database.sql"),
    "CREATE VIEW above AS SELECT * FROM pairs",
    "CREATE VIEW apart AS SELECT 'pairs' AS x FROM org",
  ]),
);

function reachOf(sql: string) {
  const checked = checkQuery(sql);
  if (!checked.ok) throw new Error(checked.error.message);
  return toReach(checked.value.shape, catalog);
}

describe("toReach", () => {
  it("follows views through views", () => {
    const reach = reachOf("SELECT * FROM ABOVE AS a");
    expect(reach.views.map((view) => view.name)).toEqual(["above", "pairs"]);
    expect([...reach.own].sort()).toEqual(["a", "above", "as", "from", "select"]);
    expect(reach.throughViews.has("u")).toBe(true);
    expect(reach.tables.map((table) => table.name)).toEqual(["ABOVE", "pairs", "t", "u"]);
  });

  it("is wide on purpose: a view named in a text or an alias counts as reached", () => {
    expect(reachOf("SELECT 'pairs' FROM t").views.map((view) => view.name)).toEqual(["pairs"]);
    expect(reachOf("SELECT * FROM apart").views.map((view) => view.name)).toEqual(["apart", "pairs"]);
    expect(reachOf("SELECT * FROM t").views).toEqual([]);
  });
});
