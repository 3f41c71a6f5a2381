import { describe, expect, it } from "vitest";
import { CLINIC, SHOP, sqlFor } from "./examples.ts";

describe("what a ranking ranks by", () => {
  it("an average of the ranked rows", () => {
    expect(sqlFor(CLINIC, "Which department has the highest average salary?")).toBe(
      "SELECT d2.DepartmentId, d2.Name, avg(d.Salary) AS average_salary FROM Doctor AS d JOIN Department AS d2 ON d2.DepartmentId = d.DepartmentId GROUP BY d2.DepartmentId ORDER BY average_salary DESC LIMIT 1",
    );
  });

  it("another row's column ranks that row, inside a subselect", () => {
    expect(sqlFor(CLINIC, "How many appointments did the oldest patient have?")).toBe(
      "SELECT count(*) AS appointment_count FROM Appointment WHERE PatientId IN ( SELECT PatientId FROM Patient ORDER BY BirthDate LIMIT 1 )",
    );
  });

  it("sales rank by price times quantity", () => {
    expect(sqlFor(SHOP, "Which user has spent the most?")).toBe(
      "SELECT u.id, u.full_name, sum(oi.unit_price * oi.quantity) AS total_sales FROM order_items AS oi JOIN orders AS o ON o.id = oi.order_id JOIN users AS u ON u.id = o.user_id GROUP BY u.id ORDER BY total_sales DESC LIMIT 1",
    );
  });

  it("the most common value counts its rows", () => {
    expect(sqlFor(CLINIC, "What is the most common specialty?")).toBe(
      "SELECT Specialty, count(*) AS doctor_count FROM Doctor GROUP BY Specialty ORDER BY doctor_count DESC LIMIT 1",
    );
  });

  it("several are asked for without a number: all that tie for the first place", () => {
    expect(sqlFor(CLINIC, "the cheapest medications")).toBe(
      "SELECT MedicationId, Name, Price FROM ( SELECT MedicationId, Name, Price, rank() OVER (ORDER BY Price) AS place FROM Medication ) WHERE place <= 1 ORDER BY place",
    );
    expect(sqlFor(CLINIC, "Which cities have the most patients?")).toBe(
      "SELECT City, patient_count FROM ( SELECT City, count(*) AS patient_count, rank() OVER (ORDER BY count(*) DESC) AS place FROM Patient GROUP BY City ) WHERE place <= 1 ORDER BY place",
    );
    expect(sqlFor(CLINIC, "the 2 cheapest medications")).toContain("ORDER BY Price LIMIT 2");
  });

  it("a column of the very name `place` keeps its values", () => {
    const schema = "table race (9 rows)\n  id INTEGER primary key\n  name TEXT\n  place INTEGER not null";
    expect(sqlFor(schema, "names and places of the races with the highest place")).toBe(
      "SELECT name, race_place FROM ( SELECT name, place AS race_place, rank() OVER (ORDER BY place DESC) AS place FROM race ) WHERE place <= 1 ORDER BY place",
    );
  });
});
