import { describe, expect, it } from "vitest";
import { CLINIC, SHOP, sqlFor } from "./examples.ts";

describe("rankings", () => {
  it("a superlative takes the column it measures", () => {
    expect(sqlFor(CLINIC, "Who is the oldest patient?")).toBe(
      "SELECT PatientId, FirstName, LastName, BirthDate FROM Patient ORDER BY BirthDate LIMIT 1",
    );
  });

  it("a number before the superlative is the limit", () => {
    expect(sqlFor(CLINIC, "List the two cheapest medications")).toBe(
      "SELECT MedicationId, Name, Price FROM Medication ORDER BY Price LIMIT 2",
    );
  });

  it("top N by a column", () => {
    expect(sqlFor(CLINIC, "Top 3 doctors by salary")).toBe(
      "SELECT DoctorId, FirstName, LastName, Salary FROM Doctor ORDER BY Salary DESC LIMIT 3",
    );
  });

  it("the most counts related rows", () => {
    expect(sqlFor(CLINIC, "Which doctor has the most appointments?")).toBe(
      "SELECT d.DoctorId, d.FirstName, d.LastName, count(*) AS appointment_count FROM Appointment AS a JOIN Doctor AS d ON d.DoctorId = a.DoctorId GROUP BY d.DoctorId ORDER BY appointment_count DESC LIMIT 1",
    );
  });

  it("at the head of the question it is an extreme value", () => {
    expect(sqlFor(CLINIC, "What is the highest salary?")).toBe("SELECT max(Salary) AS max_salary FROM Doctor");
  });

  it("the smallest of a column that may be empty is never an empty one", () => {
    expect(sqlFor(SHOP, "Which product has the shortest length?")).toBe(
      "SELECT id, name, length_ms FROM products WHERE length_ms IS NOT NULL ORDER BY length_ms LIMIT 1",
    );
  });

  it("best-selling adds up pieces", () => {
    expect(sqlFor(SHOP, "What is the best-selling product?")).toBe(
      "SELECT p.id, p.name, sum(oi.quantity) AS total_quantity FROM order_items AS oi JOIN products AS p ON p.id = oi.product_id GROUP BY p.id ORDER BY total_quantity DESC LIMIT 1",
    );
  });
});
