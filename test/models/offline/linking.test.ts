import { describe, expect, it } from "vitest";
import { chooseColumn, linkScore, linkWords } from "../../../src/models/offline/linking.ts";
import { CLINIC, graphOf, SHOP } from "./examples.ts";

const clinic = graphOf(CLINIC);
const hints = new Set<string>();

describe("linking words to the schema", () => {
  it("an exact name scores full, a synonym less, a stranger nothing", () => {
    const score = (...words: string[]): number => {
      const link = linkWords(clinic, words);
      return link === null ? 0 : linkScore(link);
    };
    expect(score("salary")).toBe(1);
    expect(score("wage")).toBeGreaterThan(0.5);
    expect(score("wage")).toBeLessThan(1);
    expect(score("zebra")).toBe(0);
  });

  it("keeps every column of a name until its surroundings choose", () => {
    const link = linkWords(clinic, ["name"]);
    expect(link?.columns.length).toBeGreaterThan(1);
    const near = (table: string) => chooseColumn(link?.columns ?? [], { graph: clinic, tables: [table], hints })?.table;
    expect(near("Medication")).toBe("Medication");
    expect(near("Department")).toBe("Department");
  });

  it("a word for the table qualifies the column", () => {
    const link = linkWords(clinic, ["medication", "price"]);
    expect(link?.columns[0]).toMatchObject({ qualified: true, column: { table: "Medication", name: "Price" } });
  });

  it("`phone number` is the phone", () => {
    expect(linkWords(clinic, ["phone", "number"])?.columns[0]?.column.name).toBe("Phone");
  });

  it("a choice may be restricted", () => {
    const shop = graphOf(SHOP);
    const link = linkWords(shop, ["price"]);
    const accepts = (column: { name: string }): boolean => column.name === "unit_price";
    expect(chooseColumn(link?.columns ?? [], { graph: shop, tables: ["products"], hints, accepts })?.name).toBe(
      "unit_price",
    );
  });
});
