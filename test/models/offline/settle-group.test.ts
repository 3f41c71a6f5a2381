import { describe, expect, it } from "vitest";
import { CLINIC, sqlFor } from "./examples.ts";

describe("what figures are grouped by", () => {
  it("a table groups by its key and shows its names", () => {
    expect(sqlFor(CLINIC, "How many doctors are there per department?")).toBe(
      "SELECT d2.DepartmentId, d2.Name, count(*) AS doctor_count FROM Doctor AS d JOIN Department AS d2 ON d2.DepartmentId = d.DepartmentId GROUP BY d2.DepartmentId ORDER BY doctor_count DESC",
    );
  });

  it("a column groups by its values", () => {
    expect(sqlFor(CLINIC, "How many patients are there in each city?")).toBe(
      "SELECT City, count(*) AS patient_count FROM Patient GROUP BY City ORDER BY patient_count DESC",
    );
  });

  it("rows that a join repeats are counted once", () => {
    expect(sqlFor(CLINIC, "How many patients does each doctor have?")).toBe(
      "SELECT d.DoctorId, d.FirstName, d.LastName, count(DISTINCT p.PatientId) AS patient_count FROM Patient AS p JOIN Appointment AS a ON a.PatientId = p.PatientId JOIN Doctor AS d ON d.DoctorId = a.DoctorId GROUP BY d.DoctorId ORDER BY patient_count DESC",
    );
  });

  it("what is shown beside a figure groups it", () => {
    expect(sqlFor(CLINIC, "Show the city and the number of patients")).toBe(
      "SELECT City, count(*) AS patient_count FROM Patient GROUP BY City ORDER BY patient_count DESC",
    );
  });
});
