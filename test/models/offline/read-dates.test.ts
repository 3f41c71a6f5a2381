import { describe, expect, it } from "vitest";
import { CLINIC, SHOP, sqlFor } from "./examples.ts";

describe("dates in conditions", () => {
  it("a year is a half-open range of days", () => {
    expect(sqlFor(CLINIC, "How many appointments were there in 2023?")).toBe(
      "SELECT count(*) AS appointment_count FROM Appointment WHERE ScheduledAt >= '2023-01-01' AND ScheduledAt < '2024-01-01'",
    );
  });

  it("after a year begins with the next one", () => {
    expect(sqlFor(CLINIC, "Which patients were born after 2000?")).toBe(
      "SELECT PatientId, FirstName, LastName FROM Patient WHERE BirthDate >= '2001-01-01'",
    );
  });

  it("since a year begins with it", () => {
    expect(sqlFor(CLINIC, "Which doctors were hired since 2015?")).toBe(
      "SELECT DoctorId, FirstName, LastName FROM Doctor WHERE HireDate >= '2015-01-01'",
    );
  });

  it("a month may stand alone", () => {
    expect(sqlFor(CLINIC, "Which appointments are in March 2023?")).toBe(
      "SELECT AppointmentId, PatientId, DoctorId, ScheduledAt, Status, Fee FROM Appointment WHERE ScheduledAt >= '2023-03-01' AND ScheduledAt < '2023-04-01'",
    );
  });

  it("between two years includes both", () => {
    expect(sqlFor(CLINIC, "Which appointments were between 2022 and 2023?")).toBe(
      "SELECT AppointmentId, PatientId, DoctorId, ScheduledAt, Status, Fee FROM Appointment WHERE ScheduledAt >= '2022-01-01' AND ScheduledAt < '2024-01-01'",
    );
  });

  it("the date may be another table's", () => {
    expect(sqlFor(SHOP, "How much did users in 2023 spend?")).toBe(
      "SELECT sum(oi.unit_price * oi.quantity) AS total_sales FROM order_items AS oi JOIN orders AS o ON o.id = oi.order_id WHERE o.ordered_at >= '2023-01-01' AND o.ordered_at < '2024-01-01'",
    );
  });
});
