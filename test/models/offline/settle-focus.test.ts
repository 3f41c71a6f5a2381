import { describe, expect, it } from "vitest";
import { CLINIC, SHOP, sqlFor } from "./examples.ts";

describe("the table a question is about", () => {
  it("columns of a table named behind them", () => {
    expect(sqlFor(CLINIC, "Show the first name and city of all patients")).toBe("SELECT FirstName, City FROM Patient");
  });

  it("people are meant by who, also without a noun", () => {
    expect(sqlFor(CLINIC, "Who was born before 1950?")).toBe(
      "SELECT PatientId, FirstName, LastName FROM Patient WHERE BirthDate < '1950-01-01'",
    );
  });

  it("each with a column shows which row it is", () => {
    expect(sqlFor(SHOP, "Show each order's status")).toBe("SELECT id, user_id, ordered_at, status FROM orders");
  });

  it("a value alone names its table", () => {
    expect(sqlFor(CLINIC, "How many radiologists are there?")).toBe(
      "SELECT count(*) AS doctor_count FROM Doctor WHERE Specialty = 'radiologist'",
    );
  });
});
