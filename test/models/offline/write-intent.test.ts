import { describe, expect, it } from "vitest";
import { CLINIC, sqlFor } from "./examples.ts";

describe("statements around a SELECT", () => {
  it("an average of counts", () => {
    expect(sqlFor(CLINIC, "What is the average number of patients per city?")).toBe(
      "SELECT avg(patient_count) AS average_patient_count FROM ( SELECT count(*) AS patient_count FROM Patient GROUP BY City )",
    );
  });

  it("a share of all rows", () => {
    expect(sqlFor(CLINIC, "What percentage of appointments are cancelled?")).toBe(
      "SELECT round(100.0 * ( SELECT count(*) AS appointment_count FROM Appointment WHERE Status = 'cancelled' ) / (SELECT count(*) FROM Appointment), 2) AS percentage",
    );
  });

  it("counts of several tables", () => {
    expect(sqlFor(CLINIC, "How many doctors and how many patients are there?")).toBe(
      "SELECT (SELECT count(*) FROM Doctor) AS doctor_count, (SELECT count(*) FROM Patient) AS patient_count",
    );
  });
});
