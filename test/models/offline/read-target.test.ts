import { describe, expect, it } from "vitest";
import {
  isClause,
  isFlagRef,
  isJoiner,
  isKey,
  isRevenue,
  periodOf,
  readTarget,
  readTargets,
} from "../../../src/models/offline/read-target.ts";
import { CLINIC, itemsOf, SHOP, sqlFor } from "./examples.ts";

describe("targets", () => {
  it("gives one target for each function before a column", () => {
    const reading = readTarget(itemsOf(CLINIC, "average, minimum and maximum salary"), 0);
    expect(reading?.targets.map((target) => (target.kind === "ref" ? target.function : null))).toEqual([
      "avg",
      "min",
      "max",
    ]);
    expect(reading?.end).toBe(6);
  });

  it("counts different values", () => {
    expect(readTarget(itemsOf(CLINIC, "number of different cities"), 0)?.targets[0]).toMatchObject({
      kind: "count",
      distinct: true,
    });
  });

  it("an average of counts keeps both", () => {
    expect(readTarget(itemsOf(CLINIC, "average number of doctors"), 0)?.targets[0]).toMatchObject({
      kind: "count",
      over: "avg",
    });
  });

  it("reads `X's Y` and `Y of X` alike", () => {
    for (const text of ["doctors' salary", "salary of doctors"]) {
      const [target] = readTarget(itemsOf(CLINIC, text), 0)?.targets ?? [];
      expect(target).toMatchObject({ kind: "ref", ref: { text: "salary" }, owner: { text: "doctors" } });
    }
  });

  it("reads a list up to what is no target", () => {
    expect(readTargets(itemsOf(CLINIC, "city, phone and gender over"), 0)?.targets).toHaveLength(3);
    expect(readTarget(itemsOf(CLINIC, "over 5"), 0)).toBeNull();
  });

  it("knows its small words", () => {
    const [flag] = itemsOf(SHOP, "active");
    const [year] = itemsOf(SHOP, "year");
    const [revenue] = itemsOf(SHOP, "revenue");
    const [comma, from] = itemsOf(SHOP, ", from");
    expect(flag === undefined ? null : isFlagRef(flag)).toBe(true);
    expect(periodOf(year)).toBe("year");
    expect(isRevenue(revenue)).toBe(true);
    expect([isJoiner(comma), isClause(from, "from"), isClause(from, "with"), isKey(from, "clause")]).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it("the total of several rows is their sum, that of one row its own", () => {
    const schema =
      "table customers (9 rows)\n  id INTEGER primary key\n  name TEXT not null\n" +
      "table orders (36 rows)\n  id INTEGER primary key\n  customer_id INTEGER not null -> customers.id\n  total REAL not null";
    const ada = { ada: [{ table: "customers", columns: ["name"], values: ["Ada"], whole: true }] };
    expect(sqlFor(schema, "total of orders by Ada", ada)).toBe(
      "SELECT sum(o.total) AS orders_total FROM orders AS o JOIN customers AS c ON c.id = o.customer_id WHERE c.name = 'Ada'",
    );
    expect(sqlFor(schema, "What is the total of order 5?")).toBe("SELECT total FROM orders WHERE id = 5");
  });
});
