import { describe, expect, it } from "vitest";
import { CLINIC, sqlFor } from "./examples.ts";

describe("figures as SQL", () => {
  it("a plain count needs no column", () => {
    expect(sqlFor(CLINIC, "How many doctors are there?")).toBe("SELECT count(*) AS doctor_count FROM Doctor");
  });

  it("a compound key is counted as one", () => {
    expect(sqlFor(CLINIC, "How many prescriptions are there for each patient?")).toBe(
      "SELECT p2.PatientId, p2.FirstName, p2.LastName, count(*) AS prescription_count FROM Prescription AS p JOIN Appointment AS a ON a.AppointmentId = p.AppointmentId JOIN Patient AS p2 ON p2.PatientId = a.PatientId GROUP BY p2.PatientId ORDER BY prescription_count DESC",
    );
  });

  it("an average says so in its name", () => {
    expect(sqlFor(CLINIC, "What is the average price of medications?")).toBe(
      "SELECT avg(Price) AS average_price FROM Medication",
    );
  });
});
