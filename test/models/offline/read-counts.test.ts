import { describe, expect, it } from "vitest";
import { CLINIC, SHOP, sqlFor } from "./examples.ts";

describe("conditions on counts and other figures", () => {
  it("counts related rows", () => {
    expect(sqlFor(CLINIC, "Which doctors have more than 3 patients?")).toBe(
      "SELECT DoctorId, FirstName, LastName FROM Doctor WHERE DoctorId IN ( SELECT DoctorId FROM Appointment GROUP BY DoctorId HAVING count(DISTINCT PatientId) > 3 )",
    );
  });

  it("counts the rows of a group", () => {
    expect(sqlFor(CLINIC, "Which cities have more than 2 patients?")).toBe(
      "SELECT City FROM Patient GROUP BY City HAVING count(*) > 2",
    );
  });

  it("compares an average of related rows", () => {
    expect(sqlFor(CLINIC, "Which doctors have an average fee over 100?")).toBe(
      "SELECT DoctorId, FirstName, LastName FROM Doctor WHERE DoctorId IN ( SELECT DoctorId FROM Appointment GROUP BY DoctorId HAVING avg(Fee) > 100 )",
    );
  });

  it("compares sales, whatever the schema calls them", () => {
    expect(sqlFor(SHOP, "Which users spent more than 50?")).toBe(
      "SELECT id, full_name FROM users WHERE id IN ( SELECT o.user_id FROM orders AS o JOIN order_items AS oi ON oi.order_id = o.id GROUP BY o.user_id HAVING sum(oi.unit_price * oi.quantity) > 50 )",
    );
  });
});
