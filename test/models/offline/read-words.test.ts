import { describe, expect, it } from "vitest";
import { CLINIC, SHOP, sqlFor } from "./examples.ts";

describe("conditions of words alone", () => {
  it("starts with takes a single letter", () => {
    expect(sqlFor(CLINIC, "Which medications start with A?")).toBe(
      "SELECT MedicationId, Name FROM Medication WHERE Name LIKE 'A%'",
    );
  });

  it("contains looks inside the name", () => {
    expect(sqlFor(CLINIC, "Which medications contain 'pro' in their name?")).toBe(
      "SELECT MedicationId, Name FROM Medication WHERE Name LIKE '%pro%'",
    );
  });

  it("missing means NULL", () => {
    expect(sqlFor(CLINIC, "List patients whose phone is missing")).toBe(
      "SELECT PatientId, FirstName, LastName FROM Patient WHERE Phone IS NULL",
    );
  });

  it("never sold asks for the rows that say what was sold", () => {
    expect(sqlFor(SHOP, "Which products have never been sold?")).toBe(
      "SELECT id, name FROM products WHERE id NOT IN ( SELECT product_id FROM order_items )",
    );
  });
});
