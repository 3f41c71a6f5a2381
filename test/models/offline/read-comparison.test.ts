import { describe, expect, it } from "vitest";
import { CLINIC, sqlFor } from "./examples.ts";

describe("comparisons with numbers", () => {
  it("reads over, under, at least and at most", () => {
    expect(sqlFor(CLINIC, "Which doctors have a salary of at least 8000?")).toBe(
      "SELECT DoctorId, FirstName, LastName FROM Doctor WHERE Salary >= 8000",
    );
  });

  it("finds the column between the operator and the number", () => {
    expect(sqlFor(CLINIC, "Which doctors are above salary 8000?")).toBe(
      "SELECT DoctorId, FirstName, LastName FROM Doctor WHERE Salary > 8000",
    );
  });

  it("compares with the average of the table", () => {
    expect(sqlFor(CLINIC, "Which doctors earn more than the average salary?")).toBe(
      "SELECT DoctorId, FirstName, LastName FROM Doctor WHERE Salary > (SELECT avg(Salary) FROM Doctor)",
    );
  });

  it("takes the column of an adjective", () => {
    expect(sqlFor(CLINIC, "Which medications are cheaper than 5?")).toBe(
      "SELECT MedicationId, Name FROM Medication WHERE Price < 5",
    );
  });

  it("reads a range", () => {
    expect(sqlFor(CLINIC, "List medications with a price between 4 and 12")).toBe(
      "SELECT MedicationId, Name FROM Medication WHERE Price BETWEEN 4 AND 12",
    );
  });

  it("negates a comparison", () => {
    expect(sqlFor(CLINIC, "Which doctors do not have a salary over 8000?")).toBe(
      "SELECT DoctorId, FirstName, LastName FROM Doctor WHERE Salary <= 8000",
    );
  });
});
