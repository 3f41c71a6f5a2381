import { describe, expect, it } from "vitest";
import { CLINIC, SHOP, sqlFor } from "./examples.ts";

describe("order and grouping", () => {
  it("per, for each and by group", () => {
    expect(sqlFor(CLINIC, "Average fee by status")).toBe(
      "SELECT Status, avg(Fee) AS average_fee FROM Appointment GROUP BY Status ORDER BY average_fee DESC",
    );
  });

  it("a period groups by the date of the rows", () => {
    expect(sqlFor(SHOP, "Number of orders per year")).toBe(
      "SELECT strftime('%Y', ordered_at) AS year, count(*) AS orders_count FROM orders GROUP BY strftime('%Y', ordered_at) ORDER BY year",
    );
  });

  it("ordered by takes a column and a direction", () => {
    expect(sqlFor(CLINIC, "List doctors ordered by last name descending")).toBe(
      "SELECT DoctorId, FirstName, LastName FROM Doctor ORDER BY LastName DESC",
    );
  });

  it("by orders where nothing is added up", () => {
    expect(sqlFor(SHOP, "List the products by price")).toBe("SELECT id, name FROM products ORDER BY price");
  });

  it("each without a figure groups nothing", () => {
    expect(sqlFor(CLINIC, "Show the fee of each appointment")).toBe(
      "SELECT AppointmentId, PatientId, DoctorId, ScheduledAt, Status, Fee FROM Appointment",
    );
  });
});
