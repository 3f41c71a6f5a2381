import { describe, expect, it } from "vitest";
import { adjectiveOf } from "../../../src/models/offline/adjectives.ts";
import {
  columnOfAdjective,
  dateColumn,
  isMeasure,
  mainMeasure,
  moneyMeasure,
  soldMeasure,
  tableOfMeasure,
} from "../../../src/models/offline/measures.ts";
import { nodeOf } from "../../../src/models/offline/resolve.ts";
import { isMoneyWord } from "../../../src/models/offline/vocabulary.ts";
import { CLINIC, contextOf, SHOP } from "./examples.ts";

const clinic = contextOf(CLINIC);
const shop = contextOf(SHOP);

function columnFor(word: string, table: string): string | undefined {
  const adjective = adjectiveOf(word)?.adjective;
  if (adjective === undefined) return undefined;
  const found = columnOfAdjective(adjective, nodeOf(clinic, table), clinic);
  return found === null ? undefined : `${found.column.name} ${found.high ? "high" : "low"}`;
}

describe("figures of a schema", () => {
  it("keys are no figures", () => {
    const columns = nodeOf(clinic, "Doctor").columns.filter(isMeasure);
    expect(columns.map((column) => column.name)).toEqual(["Salary"]);
  });

  it("finds what a table is mainly about, and its date", () => {
    expect(mainMeasure(nodeOf(clinic, "Appointment"))?.name).toBe("Fee");
    expect(dateColumn(clinic, nodeOf(clinic, "Appointment"))?.name).toBe("ScheduledAt");
    expect(dateColumn(clinic, nodeOf(clinic, "Medication"))).toBeNull();
  });

  it("the oldest was born first, the newest hired last", () => {
    expect(columnFor("oldest", "Patient")).toBe("BirthDate low");
    expect(columnFor("newest", "Doctor")).toBe("HireDate high");
    expect(columnFor("cheapest", "Medication")).toBe("Price low");
    expect(columnFor("tallest", "Medication")).toBeUndefined();
  });

  it("sales are price times quantity where no column holds a total", () => {
    const money = moneyMeasure(shop, ["categories"], "sum");
    expect(money).toMatchObject({ kind: "line_total", function: "sum" });
    expect(money === null ? null : tableOfMeasure(money)).toBe("order_items");
    expect(soldMeasure(shop, ["products"])).toMatchObject({ kind: "aggregate", column: { name: "quantity" } });
  });

  it("sales that a join would repeat are taken from the lines", () => {
    const schema = `${SHOP}\ntable bills (9 rows)\n  id INTEGER primary key\n  order_id INTEGER -> orders.id\n  total REAL`;
    const context = contextOf(schema);
    expect(moneyMeasure(context, ["users"], "sum")).toMatchObject({ kind: "aggregate", column: { name: "total" } });
    expect(moneyMeasure(context, ["categories"], "sum")?.kind).toBe("line_total");
  });

  it("knows words for money", () => {
    expect(isMoneyWord("revenue")).toBe(true);
    expect(isMoneyWord("track")).toBe(false);
  });
});
